// Two hosts and the command line, without faults and with the worst one.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepDescribe } from "../../pi-chronicle/test/harness/deep-it.ts";
import { openModelServer, openProject, packageUnderTest, runNode } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { answer } from "../../pi-chronicle/test/kills/sample-run.ts";
import { type EngineStage, foldersOf, openEngineStage } from "./engine-stage.ts";

/** The figures are kept in a file, and served on loopback. */
async function expectMetrics(stage: EngineStage): Promise<void> {
	const file = join(stage.project.home, "chronicle.prom");
	const kept = stage.start(["engine", "metrics", "--file", file]);
	const served = stage.start(["engine", "metrics", "--port", "0"]);
	let printed = "";
	served.onOutput((chunk) => {
		printed += chunk.toString();
	});
	const address = () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(printed + served.stderr())?.[0] ?? "";
	await expect.poll(address, { timeout: patient(20_000) }).not.toBe("");
	await expect.poll(() => existsSync(file), { timeout: patient(20_000) }).toBe(true);
	const response = await fetch(address());
	expect(response.headers.get("content-type")).toContain("openmetrics-text");
	for (const text of [await response.text(), readFileSync(file, "utf8")])
		expect(text).toMatch(/^chronicle_up\{host="a",[^}]*\} 1$[\s\S]*# EOF\n$/m);
	expect((await fetch(address().replace("metrics", "other"))).status).toBe(404);
	await Promise.all([kept.kill(), served.kill()]);
}

describe("a package without the one of engines", () => {
	it("says how to install them, but only if an engine is named", async () => {
		const project = openProject({ trusted: true });
		const { cli } = packageUnderTest();
		const named = await runNode(project, [cli, "list", "--engine", "postgres://nobody@127.0.0.1:1/none"]);
		expect(named.code).toBe(1);
		expect(named.stderr).toContain("@pi-chronicle/postgres@");
		expect((await runNode(project, [cli, "list"])).code).toBe(0);
	});
});

deepDescribe("an engine", needsPostgres, () => {
	it("executes a run that is submitted, approved and viewed from another machine", {
		timeout: patient(120_000),
	}, async () => {
		const server = await openModelServer(answer);
		const stage = await openEngineStage(server);
		stage.project.write("draft.txt", "not committed\n");
		const a = stage.host("a");
		// Every command that is printed works as it is printed, and none shows a password.
		const commands = (text: string) => text.match(/pi-chronicle [^·\n]*?(?= ·|\.?$)/gm) ?? [];
		const url = stage.cluster.url.replace("postgres@", "postgres:hunter2@");
		const task = ["run", "--model", "scripted/one", "--approve-cleanup", "play", "Do it all.", "--engine", url];
		const submitted = await stage.printed(
			["pi-chronicle", ...task, "--project", "app"].map((word) => `'${word}'`).join(" "),
		);
		expect(submitted.code).toBe(0);
		expect(submitted.stdout + submitted.stderr).not.toContain("hunter2");
		expect(submitted.stderr).toContain("leaves out the password");
		const [follow = ""] = commands(submitted.stdout);
		const [, run = ""] = /\(([0-9a-f-]{36})\)/.exec(submitted.stdout) ?? [];
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		const asked = await stage.printed(follow);
		const [fetch = "", approve = "", reject = "", look = ""] = commands(asked.stdout);
		expect([approve, reject, look].map((text) => /(approve|reject|diff) [0-9a-f]{8}/.exec(text)?.[1])).toEqual([
			"approve",
			"reject",
			"diff",
		]);
		expect((await stage.printed(look)).stdout).toContain("visit");
		// The conversation is on the host, until it is fetched from the remote.
		expect((await stage.printed(fetch)).code).toBe(0);
		const { conversation } = JSON.parse((await stage.cli(["status", run, "--json"])).stdout) as {
			conversation: string;
		};
		expect(readFileSync(conversation, "utf8")).toContain("workflow_transition");
		expect((await stage.printed(approve)).code).toBe(0);
		await stage.inspect(run);
		const begins = server.requests.flatMap(({ users: [first = ""] }) =>
			first.includes("## What is known") ? [first] : [],
		);
		expect(begins.length).toBeGreaterThan(2);
		for (const first of begins) expect(first).toContain("Uncommitted before the run (the user's): draft.txt (new)\n");
		const over = commands((await stage.printed(follow)).stdout);
		// The last one shows the findings of the states before.
		expect(over.map((text) => / (\w+) [0-9a-f]{8}/.exec(text)?.[1])).toEqual(["view", "report", "diff", "view"]);
		for (const command of over) expect(await stage.printed(command)).toMatchObject({ code: 0 });
		await expect.poll(() => foldersOf(a), { timeout: patient(20_000) }).toEqual([]);
		const events = await stage.events(run);
		expect(events.filter(({ kind }) => kind === "opened")).toHaveLength(1);
		const status = await stage.cli(["status", run]);
		expect(status.stdout).toContain("done");
		const diff = await stage.cli(["diff", run, "all"]);
		expect(diff.stdout).toContain("+built");
		// Of the conversations that each segment has pushed, the last ones are left.
		const listed = spawnSync("git", ["ls-remote", stage.remote, `refs/chronicle/${run}/conversations/*`]);
		expect(listed.stdout.toString().trim().split("\n")).toHaveLength(1);
		const entries = a
			.log()
			.split("\n")
			.filter((line) => line.startsWith("{"))
			.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(entries).toContainEqual(
			expect.objectContaining({ level: "info", host: "a", project: "app", run, visit: 1, attempt: 1 }),
		);
		await expectMetrics(stage);
		const engine = await stage.cli(["engine", "status"]);
		expect(engine.stdout).toMatch(/host a .*0 of 4 slots, alive/);
		const drained = await stage.cli(["engine", "drain", "a"]);
		expect(drained.code).toBe(0);
		expect(await a.child.exited).toEqual({ kind: "exited", code: 0 });
	});
});
