import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Child, startChild } from "../../src/process/child.ts";
import { findOrphans, RUN_TAG, stopOrphans } from "../../src/process/orphans.ts";
import { isSameProcess, processStart } from "../../src/process/process-identity.ts";
import { needsLinux, needsPosix } from "../harness/needs.ts";
import { within } from "../harness/patience.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "child-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function node(script: string, env: Record<string, string> = {}): Child {
	return startChild({
		command: process.execPath,
		args: ["-e", script],
		cwd: folder,
		env: { PATH: process.env.PATH, ...env },
	});
}

async function output(child: Child): Promise<string> {
	let text = "";
	child.onOutput((chunk) => {
		text += chunk.toString();
	});
	await child.exited;
	return text;
}

describe("a child", () => {
	it.each([
		["ends well", "", { kind: "exited", code: 0 }],
		["ends with a code", "process.exit(7)", { kind: "exited", code: 7 }],
		[
			"is killed by SIGKILL: a signal, never a success",
			"process.kill(process.pid, 'SIGKILL')",
			{ kind: "killed", signal: "SIGKILL" },
		],
		["is killed by SIGSEGV", "process.kill(process.pid, 'SIGSEGV')", { kind: "killed", signal: "SIGSEGV" }],
	])("%s", async (_, script, exit) => {
		expect(await node(script).exited).toEqual(exit);
	});

	it("that writes two records and is killed: both are read, and the outcome is the signal", async () => {
		const child = node(
			"process.stdout.write('{\"a\":1}\\n{\"b\":2}\\n', () => process.kill(process.pid, 'SIGKILL')); setInterval(() => {}, 9)",
		);
		expect(await output(child)).toBe('{"a":1}\n{"b":2}\n');
		expect(await child.exited).toEqual({ kind: "killed", signal: "SIGKILL" });
	});

	it.each([
		["a missing program", { command: "/nowhere/program", cwd: () => folder }],
		["a missing folder", { command: process.execPath, cwd: () => join(folder, "gone") }],
		["a program that is a folder", { command: tmpdir(), cwd: () => folder }],
	])("that cannot start (%s) exits with that reason", async (_, { command, cwd }) => {
		const child = startChild({ command, args: [], cwd: cwd(), env: {} });
		expect(await child.exited).toMatchObject({
			kind: "unstarted",
			error: expect.objectContaining({ code: expect.stringMatching(/ENOENT|EACCES/) }),
		});
		expect(await child.write("x")).toBe(false);
		expect(await child.stop()).toMatchObject({ kind: "unstarted" });
	});

	it("keeps the last 16 KiB of stderr", async () => {
		const child = node("process.stderr.write('a'.repeat(100_000) + 'the end')");
		await child.exited;
		expect(child.stderr()).toHaveLength(16 * 1024);
		expect(child.stderr().endsWith("the end")).toBe(true);
	});

	it("receives and sends large data completely", async () => {
		const child = node("process.stdin.pipe(process.stdout)");
		const text = output(child);
		const line = `${"z".repeat(1_000_000)}\n`;
		for (let n = 0; n < 5; n++) expect(await child.write(line)).toBe(true);
		child.endInput();
		expect(await text).toBe(line.repeat(5));
		expect(await child.write("more")).toBe(false);
	});

	it("stops on SIGTERM, or on SIGKILL after the grace period if it ignores that", async () => {
		const mild = node("setInterval(() => {}, 1000); console.log('up')");
		const deaf = node("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')");
		await Promise.all([mild, deaf].map((child) => new Promise<void>((resolve) => child.onOutput(() => resolve()))));
		expect(await mild.stop(5000)).toEqual({ kind: "killed", signal: "SIGTERM" });
		const before = Date.now();
		expect(await deaf.stop(200)).toEqual({ kind: "killed", signal: "SIGKILL" });
		expect(Date.now() - before).toBeLessThan(within(3000));
	});

	it("is killed with its whole process group", needsPosix, async () => {
		const child = node(
			"const c = require('child_process').spawn('sleep', ['300'], { stdio: 'ignore' }); console.log(c.pid); setInterval(() => {}, 1000)",
		);
		const pid = await new Promise<number>((resolve) => child.onOutput((chunk) => resolve(Number(chunk.toString()))));
		const started = processStart(pid);
		expect(started).toBeDefined();
		await child.kill();
		await expect.poll(() => processStart(pid), { interval: 20 }).toBeUndefined();
	});

	it("is identified by its pid and start time", async () => {
		const child = node("setInterval(() => {}, 1000)");
		const { pid, started } = child;
		if (pid === undefined || started === undefined) throw new Error("not started");
		expect(isSameProcess(pid, started)).toBe(true);
		expect(isSameProcess(process.pid, started)).toBe(false);
		await child.kill();
		expect(isSameProcess(pid, started)).toBe(false);
		expect(processStart(2 ** 30)).toBeUndefined();
	});
});

describe("orphans", needsLinux, () => {
	it("include the tagged processes, their descendants with an emptied environment and their sessions, and nothing else", async () => {
		const run = `run-${process.pid}`;
		const script = join(folder, "tree.sh");
		writeFileSync(
			script,
			[
				"sleep 301 &",
				"env -i sleep 302 &",
				"(env -i sleep 303 & exec true)",
				"setsid env -i sleep 304 &",
				`echo up > ${join(folder, "up")}`,
				"wait",
			].join("\n"),
		);
		const child = startChild({
			command: "/bin/bash",
			args: [script],
			cwd: folder,
			env: { PATH: process.env.PATH, [RUN_TAG]: run },
		});
		const other = startChild({ command: "/bin/sleep", args: ["305"], cwd: folder, env: { [RUN_TAG]: `${run}0` } });
		const commands = () =>
			findOrphans(run)
				.map(({ command }) => command)
				.sort();
		await expect
			.poll(commands, { interval: 20 })
			.toEqual([`/bin/bash ${script}`, "sleep 301", "sleep 302", "sleep 303", "sleep 304"]);
		const { stopped, remaining } = await stopOrphans(run, 200);
		expect(stopped).toHaveLength(5);
		expect(remaining).toEqual([]);
		expect(findOrphans(run)).toEqual([]);
		expect(await child.exited).toMatchObject({ kind: "killed" });
		expect(findOrphans(`${run}0`)).toHaveLength(1);
		await other.kill();
	});

	it("include a shell that outlived its killed worker, which is stopped before its next command", async () => {
		const run = `orphan-${process.pid}`;
		const [file, go] = [join(folder, "effect"), join(folder, "go")];
		const worker = node(
			`require('child_process').spawn('/bin/bash', ['-c', 'trap "" TERM; until [ -e ${go} ]; do sleep 0.05; done; echo x >> ${file}'], { detached: true, stdio: 'ignore' }); console.log('up'); setInterval(() => {}, 1000)`,
			{ [RUN_TAG]: run },
		);
		await new Promise<void>((resolve) => worker.onOutput(() => resolve()));
		await worker.kill();
		expect(findOrphans(run).length).toBeGreaterThan(0);
		expect((await stopOrphans(run, 100)).remaining).toEqual([]);
		writeFileSync(go, "");
		expect(findOrphans(run)).toEqual([]);
		await sleep(200);
		expect(() => readFileSync(file)).toThrow();
	});

	it("are stopped so that no shell continues with its next command", async () => {
		const run = `next-${process.pid}`;
		const file = join(folder, "next");
		const shells = Array.from({ length: 20 }, (_, n) =>
			startChild({
				command: "/bin/sh",
				args: ["-c", `sleep 30${n}; echo ${n} >> ${file}`],
				cwd: folder,
				env: { PATH: process.env.PATH, [RUN_TAG]: run },
			}),
		);
		const sleepers = () => findOrphans(run).filter(({ command }) => command.startsWith("sleep 30"));
		await expect.poll(sleepers, { interval: 20 }).toHaveLength(20);
		expect((await stopOrphans(run)).remaining).toEqual([]);
		expect(() => readFileSync(file)).toThrow();
		for (const shell of shells) expect(await shell.exited).toMatchObject({ kind: "killed" });
	});

	it("never include this process or an ancestor, regardless of the tag", async () => {
		const child = node(
			`const { findOrphans } = await import(${JSON.stringify(new URL("../../src/process/orphans.ts", import.meta.url).href)}); console.log(JSON.stringify(findOrphans("mine").map((s) => s.pid)), process.pid)`,
			{ [RUN_TAG]: "mine" },
		);
		const [pids, pid] = (await output(child)).split(" ");
		expect(JSON.parse(pids ?? "")).not.toContain(Number(pid));
	});
});
