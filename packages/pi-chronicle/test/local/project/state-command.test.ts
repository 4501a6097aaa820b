// The command of a state as a process: output, time, data, what may not run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "@pi-chronicle/core/definition";
import type { CommandReport } from "@pi-chronicle/core/ports";
import { readTemplate } from "@pi-chronicle/core/template";
import { afterEach, describe, expect, it } from "vitest";
import type { CleanupStatus } from "../../../src/local/project/cleanup-approvals.ts";
import { runStateCommand } from "../../../src/local/project/state-command.ts";
import { freezeRunRules } from "../../../src/local/worker/index.ts";
import { findOrphans, stopOrphans } from "../../../src/process/index.ts";
import { deepIt } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/index.ts";
import { needsProgram } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";

const run = "0b6f3c52-8f6e-4a38-9a54-0d7f6a1c2e12";
const token = "sk-live-0123456789abcdef0123";

afterEach(async () => void (await stopOrphans(run, 100)));

interface Options {
	readonly state?: object;
	readonly files?: Record<string, string>;
	readonly standing?: CleanupStatus;
	readonly timeoutMs?: number;
	readonly signal?: AbortSignal;
	readonly starts?: boolean;
	readonly sandbox?: "off" | "required";
}

interface Ran extends CommandReport {
	readonly cwd: string;
	/** The file with its output. */
	readonly log: string;
}

async function runLine(command: string, options: Options = {}): Promise<Ran> {
	const { state, files = {}, standing = "approved", timeoutMs = patient(20_000), sandbox = "off" } = options;
	const cwd = openFolder(files);
	const folder = openFolder();
	const text = JSON.stringify({ states: { test: { command, next: ["ok", "no"], ...state }, ok: {}, no: {} } });
	const { read, diagnostics } = readTemplate(openSource("/t.json", text), "t");
	const plan = read?.template.states.get("test");
	if (!plan?.command) throw new Error(JSON.stringify(diagnostics));
	const file = join(folder, "commands", "1.1.1.log");
	const outcome = await runStateCommand(
		{
			run,
			standing: () => standing,
			rules: () => freezeRunRules(cwd, folder, join(folder, "agent")),
			agentFolder: join(folder, "agent"),
			env: { ...process.env, MY_TOKEN: token },
			sandbox: { use: sandbox },
		},
		{
			...{ state: plan, line: plan.command.line, cwd, timeoutMs, approval: "x", file, folder, files: "folder" },
			visits: 1,
			attempt: 1,
			names: [],
			starts: async () => options.starts ?? true,
		},
		options.signal ?? new AbortController().signal,
	);
	return { ...outcome, cwd, log: existsSync(file) ? readFileSync(file, "utf8") : "" };
}

describe("its outcome", () => {
	it("is the exit code, with the end of stdout and stderr in order, redacted, and the whole in a private file", async () => {
		const ran = await runLine(`echo one; echo two >&2; printf '\\033[31mred\\033[0m\\n'; echo "key $MY_TOKEN"; exit 3`);
		expect(ran.result).toEqual({ kind: "exited", code: 3 });
		expect(ran.output?.split("\n").toSorted()).toEqual(["key •••", "one", "red", "two"]);
		expect(ran.log).toContain("one\n");
		expect(ran.log + ran.output).not.toContain(token);
		expect(ran.bytes).toBe("one\ntwo\n\u001b[31mred\u001b[0m\nkey \n".length + token.length);
		expect(ran.ms).toBeGreaterThan(0);
		expect(ran.isCut).toBeUndefined();
	});

	it.each<[string, string, object]>([
		["a program that is not found", "no-such-program-here", { kind: "exited", code: 127 }],
		["a signal", "kill -SEGV $$", { kind: "killed", signal: "SIGSEGV", code: 139 }],
		["no input", "cat; echo read $?", { kind: "exited", code: 0 }],
		["no terminal", "test -t 0 || test -t 1 || (exec </dev/tty) 2>/dev/null", { kind: "exited" }],
	])("%s", async (_, command, result) => {
		expect((await runLine(command)).result).toMatchObject(result);
	});

	it("a command that never ends is killed after its time, with what it has started", async () => {
		const ran = await runLine("sleep 600 & echo started; wait", { timeoutMs: patient(400) });
		expect(ran.result).toEqual({ kind: "timed_out" });
		expect(ran.output).toBe("started");
		expect(await findOrphans(run)).toEqual([]);
	});

	it("a process that it leaves behind does not hold it, and carries the tag of the run", async () => {
		const ran = await runLine("setsid sleep 600 & echo done", { timeoutMs: patient(30_000) });
		expect(ran.result).toEqual({ kind: "exited", code: 0 });
		expect((await findOrphans(run)).length).toBe(1);
	});

	it("is `stopped` once its supervisor stops it", async () => {
		const control = new AbortController();
		setTimeout(() => control.abort(), 200);
		expect((await runLine("sleep 600", { signal: control.signal })).result).toEqual({ kind: "stopped" });
	});

	it("output that differs in times alone has the same fingerprint", async () => {
		const print = async (text: string) => (await runLine(`echo '${text}'; exit 1`)).print;
		expect(await print("1 failed in 12.3 s")).toBe(await print("1 failed in 45 ms"));
		expect(await print("1 failed in 12.3 s")).not.toBe(await print("2 failed in 12.3 s"));
	});
});

describe("long output", () => {
	it("hands on its last lines, and the file leaves out the middle", async () => {
		const ran = await runLine("seq 1 2000000; echo the end", {
			state: { output: { max_kb: 4 } },
			timeoutMs: patient(60_000),
		});
		expect(Buffer.byteLength(ran.output ?? "")).toBeLessThanOrEqual(4096);
		expect(ran.output).toMatch(/^\d+\n/);
		expect(ran.output?.endsWith("2000000\nthe end")).toBe(true);
		expect(ran.isCut).toBe(true);
		expect(ran.log.startsWith("1\n2\n")).toBe(true);
		expect(ran.log.endsWith("2000000\nthe end\n")).toBe(true);
		expect(ran.log).toMatch(/\[\d+ bytes are left out here\]/);
		expect(ran.log.length).toBeLessThan(5 * 1024 * 1024);
	});

	it("a private key is redacted as a whole, wherever the blocks end", async () => {
		const key = `-----BEGIN PRIVATE KEY-----\n${"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n".repeat(20)}-----END PRIVATE KEY-----`;
		const ran = await runLine('cat key.pem | while read -r line; do echo "$line"; sleep 0.002; done', {
			files: { "key.pem": `${key}\n` },
		});
		expect(ran.log + ran.output).not.toContain("QUJDREVG");
	});

	deepIt("1 GB costs neither memory nor disk", { timeout: patient(120_000) }, async () => {
		const before = process.memoryUsage().rss;
		const ran = await runLine("yes 'a line of output that is quite long' | head -c 1073741824; exit 1", {
			timeoutMs: patient(100_000),
		});
		expect(ran).toMatchObject({ result: { kind: "exited", code: 1 }, bytes: 1_073_741_824 });
		expect(ran.log.length).toBeLessThan(5 * 1024 * 1024);
		expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
	});
});

describe("its data", () => {
	const output = { type: "object", required: ["failed"], properties: { failed: { type: "integer" } } };
	const json = { parse: "json", output };
	const report = (tests: number): string =>
		`node -e 'console.log(JSON.stringify({ failed: 3, tests: Array(${tests}).fill("x".repeat(50)) }, null, 1))'`;
	it.each<[string, string, Partial<CommandReport>]>([
		["all of stdout", `printf '{\\n "failed": 2\\n}\\n'`, { data: { failed: 2 } }],
		["its last line", `echo running; echo noise >&2; echo '{"failed": 0}'`, { data: { failed: 0 } }],
		["all of stdout with a byte order mark", `printf '\\357\\273\\277{"failed": 1}'`, { data: { failed: 1 } }],
		["what the schema names of a long report", report(11_000), { data: { failed: 3 } }],
		["none of stdout that is too long", report(90_000), { problems: [expect.stringMatching(/^Its stdout is longer/)] }],
		["none", "echo nothing", { problems: ["Neither its stdout nor the last line of it is JSON."] }],
	])("%s", async (_, command, expected) => {
		expect(await runLine(command, { state: json })).toMatchObject(expected);
	});
	it("that does not match the schema is named", async () => {
		const ran = await runLine(`echo '{"failed": "two"}'; exit 1`, { state: json });
		expect(ran.data).toBeUndefined();
		expect(ran.problems?.join(" ")).toContain("failed");
	});
});

describe("it does not run", () => {
	const rules = { ".pi/damage-control-rules.yaml": "noDeletePaths:\n  - keep.txt\n", "keep.txt": "x" };
	it.each<[string, string, Options, string]>([
		["unapproved", "touch ran", { standing: "unknown" }, "not approved"],
		["against a rule, although approved", "rm keep.txt; touch ran", { files: rules }, "keep.txt"],
		[
			"without readable rules",
			"touch ran",
			{ files: { ".pi/damage-control-rules.yaml": "noDeletePaths: [" } },
			"rules cannot be enforced",
		],
		["against the limits of its state", "touch ran", { state: { tools: ["read", "bash"] } }, "ran"],
	])("%s", async (_, command, options, why) => {
		const ran = await runLine(command, options);
		expect(ran.result).toMatchObject({ kind: "refused", detail: expect.stringContaining(why) });
		expect(existsSync(join(ran.cwd, "ran"))).toBe(false);
		expect(ran.log).toBe("");
	});

	it("but the tests of a project, which no template brings, need no approval", async () => {
		expect((await runLine("{tests}", { standing: "unknown" })).result).toMatchObject({ kind: "exited" });
		expect((await runLine("{tests} ", { standing: "unknown" })).result).toMatchObject({ kind: "refused" });
	});

	it("if its start could not be recorded", async () => {
		const ran = await runLine("touch ran", { starts: false });
		expect(ran.result).toEqual({ kind: "stopped" });
		expect(existsSync(join(ran.cwd, "ran"))).toBe(false);
	});

	it("outside the sandbox that its run requires", needsProgram("bwrap"), async () => {
		const ran = await runLine("touch inside; exit 1", { sandbox: "required" });
		expect(existsSync(join(ran.cwd, "inside"))).toBe(true);
		expect(ran.result).toEqual({ kind: "exited", code: 1 });
		expect(ran.output).toContain("This ran in a sandbox; it can write only to");
	});
});
