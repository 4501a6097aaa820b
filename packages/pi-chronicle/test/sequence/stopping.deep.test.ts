// Leaving and stopping a run in every way that pi has: the run ends, the user reads why, and pi stays usable.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { call, fail, fixtureExtension, hang, openBench, say } from "../harness/index.ts";
import { echo, recorded } from "./stage.ts";

const slowOne = (request: { lastUser: string }) =>
	request.lastUser === "one" ? say("slow answer indeed ".repeat(20), { chunk: 2, delay: 120 }) : echo(request);

describe("a sequence in the terminal", () => {
	it.each([
		["/new", []],
		["/tree", ["Session Tree", "up", "up", "enter", "No summary", "enter"]],
		["/fork", ["Fork from Message", "enter"]],
	])("%s in the middle of a step stops the run, and the reason stays readable", async (command, keys) => {
		const { project, server, tui } = await openBench({ script: slowOne });
		const pi = await tui({ cols: 120, rows: 40, session: recorded(project, "one", "two") });
		pi.type("/sequence run 3");
		await pi.press("enter");
		await server.waitForRequest(1);
		await pi.waitForScreen("slow");
		await pi.submit(command);
		for (const key of keys) {
			if (/^[a-z]+$/.test(key)) await pi.press(key);
			else await pi.waitForScreen(key);
		}
		await pi.waitForScreen("The sequence was stopped");
		await pi.still();
		expect(pi.screen()).toContain("The sequence was stopped");
		expect(pi.screen()).not.toContain("⟳ sequence");
		expect(pi.screen()).not.toMatch(/stale|Error/);
		await pi.press("ctrl+c");
		await pi.submit("alive");
		await pi.waitForScreen("echo alive");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one", "alive"]);
	});

	it("a reported stop is not reported again in the next session", async () => {
		const { project, server, tui } = await openBench({ script: slowOne });
		const pi = await tui({ cols: 120, rows: 40, session: recorded(project, "one", "two") });
		pi.type("/sequence run 3");
		await pi.press("enter");
		await server.waitForRequest(1);
		await pi.waitForScreen("slow");
		await pi.press("escape");
		await pi.waitForScreen("The sequence was stopped");
		await new Promise((resolve) => setTimeout(resolve, 3_100));
		await pi.submit("/new");
		await pi.waitForScreen("New session started");
		await pi.still(400);
		expect(pi.screen()).not.toContain("The sequence was stopped");
	});

	it("Escape in a compaction within a step stops the sequence, not only the compaction", async () => {
		const { project, server, tui } = await openBench({
			settings: { compaction: { keepRecentTokens: 1, reserveTokens: 4_000 } },
			script: (request) =>
				request.tools.length === 0 ? hang("a summ") : say("long", { usage: { input: 19_000, output: 10 } }),
		});
		const pi = await tui({
			cols: 120,
			rows: 40,
			model: "scripted/small",
			session: recorded(project, "one", "two", "three"),
		});
		pi.type("/sequence run 2");
		await pi.press("enter");
		await server.waitForRequest(({ tools }) => tools.length === 0);
		await pi.waitForScreen(/compacting/i);
		await pi.press("escape");
		await pi.waitForScreen("stopped with Escape");
		await pi.still();
		expect(pi.screen()).not.toContain("⟳ sequence");
		expect(server.requests.filter(({ lastUser }) => lastUser === "two")).toEqual([]);
	});

	it("Escape while the next session is being opened stops the run before its first step", async () => {
		const { project, server, tui } = await openBench({
			files: {
				"slow.mjs":
					"import { existsSync } from 'node:fs'; export default (pi) => pi.on('session_before_switch', async () => { while (!existsSync('go')) await new Promise((done) => setTimeout(done, 20)); });",
			},
			script: echo,
		});
		const pi = await tui({
			cols: 120,
			rows: 40,
			session: recorded(project, "one"),
			extensions: [project.path("slow.mjs")],
		});
		pi.type("/sequence run 3");
		await pi.press("enter");
		await pi.waitForScreen((screen) => screen.includes("echo one") && !screen.includes("⟳ sequence"));
		await pi.press("escape");
		await pi.still();
		project.write("go", "");
		await pi.waitForScreen("stopped with Escape");
		await pi.still();
		expect(server.requests).toHaveLength(1);
	});
});

describe("a sequence without a terminal", () => {
	it("an abort of the work that the sequence waits for stops the sequence before its first step", async () => {
		const { project, server, rpc } = await openBench({ script: [hang("thinking")] });
		const pi = await rpc({ session: recorded(project, "one", "two"), extensions: [fixtureExtension("probe")] });
		await pi.prompt("a long question");
		await pi.waitFor("message_update");
		const run = pi.prompt("/sequence run 2");
		// Answered only after the command before it has begun to wait.
		await pi.probe();
		await pi.send({ type: "abort" });
		await run;
		expect(server.requests).toHaveLength(1);
		expect(pi.screen.text).toContain("The sequence was stopped before run 1/2, step 1/2 (one).");
		expect(await pi.customEntries("sequence:finished")).toMatchObject([{ how: "stopped" }]);
	});

	it.each([
		["abort", "The sequence was stopped at run 1/2, step 1/2 (one)."],
		["abort_retry", "The sequence stopped at run 1/2, step 1/2 (one): 503"],
	])("%s while pi waits to retry stops the run at once", async (type, said) => {
		const { project, server, rpc } = await openBench({
			settings: { retry: { enabled: true, baseDelayMs: 60_000 } },
			script: [fail(503, "busy"), say("alive")],
		});
		const pi = await rpc({ session: recorded(project, "one", "two") });
		const run = pi.prompt("/sequence run 2");
		await pi.waitFor("auto_retry_start");
		await pi.send({ type });
		await run;
		expect(pi.screen.text).toContain(said);
		expect(pi.screen.statuses.get("chronicle-sequence")).toBeUndefined();
		await pi.run("alive?");
		expect(server.requests).toHaveLength(2);
	});

	it("a step whose request is retried is one step", async () => {
		const { project, server, rpc } = await openBench({
			settings: { retry: { enabled: true, baseDelayMs: 10 } },
			script: [fail(503, "busy"), say("one"), say("two")],
		});
		const pi = await rpc({ session: recorded(project, "one", "two") });
		await pi.prompt("/sequence run");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one", "one", "two"]);
		expect(await pi.customEntries("sequence:finished")).toMatchObject([{ how: "completed" }]);
	});

	it.each(["fork", "clone"])("%s in the middle of a step stops the run; the copy has the recording", async (type) => {
		const { project, server, rpc } = await openBench({ script: slowOne });
		const pi = await rpc({ session: recorded(project, "one", "two") });
		const run = pi.prompt("/sequence run 3").catch(() => {});
		await server.waitForRequest(1);
		await pi.waitFor("message_update");
		const [first] = (await pi.entries()).filter((entry) => entry.type === "message").slice(-1);
		await pi.send(type === "fork" ? { type, entryId: first?.id } : { type });
		await run;
		await pi.idle();
		expect(pi.screen.text.match(/The sequence was stopped/g)).toHaveLength(1);
		await pi.prompt("/sequence show");
		expect(pi.screen.text).toContain("1. one");
		await pi.run("alive");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one", "alive"]);
	});

	it("a reload between two steps stops the run; the recording is kept", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				"reload.mjs":
					"export default (pi) => { let run; pi.registerCommand('arm', { description: 'x', handler: async (_a, ctx) => { run = ctx; } }); pi.on('input', async (e) => { if (e.text !== 'two') return; setTimeout(() => run.reload(), 0); await new Promise((done) => setTimeout(done, 600)); return { action: 'handled' }; }); };",
			},
			script: echo,
		});
		const pi = await rpc({ session: recorded(project, "one", "two"), extensions: [project.path("reload.mjs")] });
		await pi.prompt("/arm");
		await pi.prompt("/sequence run 3");
		expect(pi.screen.text).toContain("The sequence was stopped: the session was left (reload).");
		expect(pi.screen.text.match(/The sequence was stopped/g)).toHaveLength(1);
		expect(pi.screen.statuses.get("chronicle-sequence")).toBeUndefined();
		await pi.prompt("/sequence show");
		expect(pi.screen.text).toContain("1. one");
		expect(server.requests).toHaveLength(1);
	});

	it("an answer cut off by its output limit does not complete its step", async () => {
		const { project, server, rpc } = await openBench({
			settings: { compaction: { enabled: false } },
			script: [say("the first half of", { finish: "length" }), say("never")],
		});
		const pi = await rpc({ session: recorded(project, "one", "two") });
		await pi.prompt("/sequence run");
		expect(server.requests).toHaveLength(1);
		expect(pi.screen.text).toContain("step 1/2 (one): The model's answer was cut off at its output limit.");
	});

	it("a prompt that is accepted after the sequence gave up on it is stopped", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				"slow.mjs":
					"export default (pi) => pi.on('input', async (e) => { if (e.text === 'two') await new Promise((done) => setTimeout(done, 5500)); });",
			},
			script: (request) => (request.lastUser === "two" ? hang("") : echo(request)),
		});
		const pi = await rpc({ session: recorded(project, "one", "two"), extensions: [project.path("slow.mjs")] });
		await pi.prompt("/sequence run");
		expect(pi.screen.text).toContain("step 2/2 (two): pi did not start a run");
		await pi.settled();
		expect(await pi.settled()).toMatchObject({ aborted: true });
		await pi.run("mine");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one", "mine"]);
	});
});

describe("a sequence in print mode", () => {
	it("a stopped run sets the exit code, in any of its sessions; a finished one does not", async () => {
		const { project, print } = await openBench({
			files: { ".pi/prompts/greet.md": "Hi" },
			script: (request) => {
				if (request.lastUser === "remove") rmSync(project.path(".pi/prompts/greet.md"));
				return say("ok");
			},
		});
		const file = recorded(project, "/greet", "remove");
		const vanished = await print("/sequence run 2", { session: file });
		expect(vanished).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot run 2/2") });
		expect(vanished.stderr.match(/cannot run 2\/2/g)).toHaveLength(1);
		expect(await print("/sequence", { session: file })).toMatchObject({ code: 2 });
		expect(await print("/sequence show", { session: file })).toMatchObject({ code: 0 });
		expect(await print("/sequence run 1e9", { session: file })).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('"1e9" is not a number of runs'),
		});
	});
});

it("a run writes session files and nothing else", async () => {
	const { project, rpc } = await openBench({
		script: (request) => (request.results.length === 0 ? call("read", { path: "notes.txt" }) : say("ok")),
		files: { "notes.txt": "x" },
	});
	const files = () => project.list("..").filter((name) => !name.includes("/agent/sessions/"));
	const file = recorded(project, "one", "/notebook on", "/readonly", "/compact");
	const pi = await rpc({ session: file });
	const before = files();
	expect(before).toContain("../.pi/agent/settings.json");
	await pi.prompt("/sequence run 2");
	await pi.close();
	expect(files()).toEqual(before);
});
