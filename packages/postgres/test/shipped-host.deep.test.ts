// The container file and the unit for systemd that the package ships: what they install and start, as written, in an environment with nothing else.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openUser, type User } from "../../pi-chronicle/test/docs/user.ts";
import { checkout, openFolder } from "../../pi-chronicle/test/harness/index.ts";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import { findProgram, needsProgram } from "../../pi-chronicle/test/harness/needs.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { type Cluster, needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { runProgram } from "../../pi-chronicle/test/harness/print.ts";

const shipped = (name: string): string => readFileSync(join(checkout, "examples", "engine", name), "utf8");
const unit = shipped("pi-chronicle-worker.service");
/** The instructions of the container file. */
const steps = shipped("Containerfile")
	.split("\n")
	.filter((line) => line !== "" && !line.startsWith("#"))
	.map((line): [string, string] => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]);
const step = (name: string): string => steps.find(([found]) => found === name)?.[1] ?? "";
const unitValue = (key: string): string => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? "";

describe("the container file", () => {
	it("has only known instructions, does not run as root, and lets states end", () => {
		const known = ["FROM", "RUN", "USER", "WORKDIR", "VOLUME", "STOPSIGNAL", "ENTRYPOINT", "CMD"];
		expect(steps.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
		expect([step("FROM"), step("USER"), step("STOPSIGNAL")]).toEqual([
			expect.stringMatching(/^docker\.io\/library\/node:22-/),
			"chronicle",
			"SIGTERM",
		]);
		const installed = steps.find(([name, text]) => name === "RUN" && text.includes("apt-get install"))?.[1];
		for (const name of ["git", "openssh-client", "ca-certificates", "tini"]) expect(installed).toContain(` ${name}`);
	});
});

describe("the unit", needsProgram("systemd-analyze", findProgram("systemd-analyze")), () => {
	it("is valid", () => {
		const folder = openFolder();
		const program = join(folder, "pi-chronicle");
		writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
		const file = join(folder, "pi-chronicle-worker.service");
		writeFileSync(file, unit.replace("/usr/bin/pi-chronicle", program).replace("User=chronicle", "User=daemon"));
		const checked = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
		// Other units of the machine are not ours.
		const ours = `${checked.stdout}${checked.stderr}`
			.split("\n")
			.filter((line) => line.includes("pi-chronicle-worker"));
		expect(ours).toEqual([]);
		// systemd gives a unit up that starts 5 times in 10 s: a database that is away while the machine starts is no reason.
		expect(Number(unitValue("RestartSec")) * 5).toBeGreaterThan(10);
	});
});

describe("a host", needsPostgres, () => {
	let user: User;
	let cluster: Cluster;
	beforeAll(async () => {
		user = await openUser();
		cluster = await startPostgres();
		const [, install = ""] = steps.find(([, text]) => text.startsWith("npm install")) ?? [];
		// The registry of the test has this package and the engine's; pi is on the PATH.
		const packages = install.replace(" @earendil-works/pi-coding-agent@1", "");
		expect(packages).not.toBe(install);
		const done = await runProgram(user.first, ["sh", "-c", packages], { env: user.env, timeout: 100_000 });
		expect(done.code, done.stderr).toBe(0);
	}, patient(120_000));

	const entry = (JSON.parse(step("ENTRYPOINT")) as string[]).filter((word) => !["tini", "--"].includes(word));
	it.each([
		["the container file starts", [...entry, ...(JSON.parse(step("CMD")) as string[])]],
		["the unit starts", unitValue("ExecStart").replace("/usr/bin/", "").split(" ")],
	])("that %s takes runs, logs JSON, and ends by SIGTERM", { timeout: patient(60_000) }, async (_, words) => {
		const { first } = user;
		const remote = join(openFolder(), "app.git");
		first.git("init", "-q", "--bare", remote);
		const config = join(openFolder(), "engine.json");
		const served = JSON.parse(shipped("engine.json")) as { projects: { app: { remote: string } } };
		served.projects.app.remote = remote;
		writeFileSync(config, JSON.stringify(served));
		const home = openFolder();
		mkdirSync(join(home, "tmp"));
		const [name, ...address] = unitValue("Environment").split("=");
		expect([name, address.join("=")]).toEqual(["PI_CHRONICLE_ENGINE", expect.stringMatching(/^postgres:\/\/host_a@/)]);
		const env = { HOME: home, PATH: user.env.PATH ?? "", [`${name}`]: cluster.url };
		const set = spawnSync("pi-chronicle", ["engine", "init", "--project", "app"], { env, encoding: "utf8" });
		expect(set.status, set.stderr).toBe(0);
		const all = words.map((word) => word.replace("/etc/pi-chronicle/engine.json", config));
		const [command = "", ...args] = all;
		const child = spawn(command, args, { cwd: first.folder, env, stdio: ["ignore", "pipe", "pipe"] });
		closeLater(() => void child.kill("SIGKILL"));
		let log = "";
		child.stderr.on("data", (chunk: Buffer) => {
			log += chunk.toString("utf8");
		});
		const status = () => spawnSync("pi-chronicle", ["engine", "status"], { env, encoding: "utf8" }).stdout;
		await expect.poll(status, { timeout: patient(20_000), interval: 500 }).toMatch(/host \S+ .* 0 of \d slots, alive/);
		const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
		child.kill("SIGTERM");
		expect(await ended, log).toBe(0);
		const entries = log.trim().split("\n");
		expect(entries.length).toBeGreaterThan(1);
		for (const line of entries)
			expect(JSON.parse(line)).toMatchObject({
				time: expect.any(String),
				level: "info",
				message: expect.any(String),
				host: expect.any(String),
			});
	});
});
