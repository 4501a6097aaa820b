// Sequences at awkward moments, in real pi without a terminal: two at once, texts that look like commands, lost sends.
import { describe, expect, it } from "vitest";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { call, drop, fail, openBench, readSession, say } from "../harness/index.ts";
import { within } from "../harness/patience.ts";
import { echo, recorded } from "./stage.ts";

const extensionErrors = (pi: { events: readonly { type?: unknown }[] }) =>
	pi.events.filter(({ type }) => type === "extension_error");

describe("readonly in a sequence", () => {
	it("/readonly, on and off as steps have the same effect as typed", async () => {
		const steps = ["/readonly", "/readonly off", "/readonly on", "try to write"];
		const { project, server, rpc } = await openBench({
			script: (request) =>
				request.results.length === 0
					? call("write", { path: `n${server.requests.length}.txt`, content: "x" })
					: say("ok"),
		});
		const typed = await rpc();
		for (const step of steps.slice(0, 3)) await typed.prompt(step);
		const replayed = await rpc({ session: recorded(project, ...steps) });
		await replayed.prompt("/sequence run 1");
		const said = (pi: typeof typed) => pi.screen.notifications.map(({ message }) => message);
		expect(said(replayed)).toEqual(said(typed));
		const posture = "readonly:posture";
		const data = async (pi: typeof typed) => (await pi.customEntries(posture)).slice();
		expect(await data(replayed)).toEqual(await data(typed));
		expect(replayed.toolResults()).toMatchObject([{ tool: "write", error: true }]);
	});

	it("a run after one that ended readonly starts writable", async () => {
		const { project, rpc } = await openBench({
			script: (request) => (request.results.length === 0 ? call("write", { path: "n.txt", content: "x" }) : say("ok")),
		});
		const again = await rpc({ session: recorded(project, "try to write", "/readonly on") });
		await again.prompt("/sequence run 2");
		expect(again.toolResults().map(({ error }) => error)).toEqual([false, false]);
	});

	it("front matter of a template or skill sets the posture as it does when typed, and unclear values are reported", async () => {
		const { project, rpc } = await openBench({
			files: {
				".pi/prompts/look.md": "---\nreadonly: true\n---\nlook",
				".pi/prompts/odd.md": "---\nreadonly: maybe\n---\nodd",
				".pi/skills/work/SKILL.md": "---\nname: work\ndescription: works\nreadonly: false\n---\nwork",
			},
			script: echo,
		});
		const pi = await rpc({ session: recorded(project, "/look", "/odd", "/skill:work") });
		await pi.prompt("/sequence run");
		expect(await pi.customEntries("readonly:posture")).toMatchObject([{ enabled: true }, { enabled: false }]);
		expect(pi.screen.text).toContain("neither true nor false");
	});
});

describe("text sent to the model", () => {
	it("arguments that would make a command, a shell line, an empty prompt or a wrong argument are refused before step 1", async () => {
		const { project, server, rpc } = await openBench({ script: echo });
		const pi = await rpc({ session: recorded(project, "fine", "$1", "/readonly $2", "/handoff $3", "$4$5") });
		await pi.prompt('/sequence run 1 "/publish now" maybe');
		expect(server.requests).toHaveLength(0);
		for (const text of [
			'step 2: Unsupported step: $1 would start with "/"',
			"step 3: Unsupported step: /readonly",
			"step 4: Unsupported step: /handoff",
			"step 5",
		])
			expect(pi.screen.text).toContain(text);
	});

	it("a template whose text starts with a slash is sent literally; no command runs", async () => {
		const { project, server, rpc } = await openBench({
			files: { ".pi/prompts/odd.md": "/readonly is what it says" },
			script: echo,
		});
		const pi = await rpc({ session: recorded(project, "/odd") });
		await pi.prompt("/sequence run");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["/readonly is what it says"]);
		expect(await pi.customEntries("readonly:posture")).toEqual([]);
	});

	it("with another extension's /readonly, ours is recognized under pi's new name, the other is refused", async () => {
		const { project, rpc } = await openBench({
			files: {
				"foreign.mjs":
					"export default (pi) => { pi.registerCommand('readonly', { description: 'x', handler: async () => {} }); pi.registerCommand('greet', { description: 'x', handler: async () => {} }); };",
				".pi/prompts/greet.md": "Hi",
			},
			script: echo,
		});
		const foreign = project.path("foreign.mjs");
		const pi = await rpc({
			session: recorded(project, "/readonly:1", "/readonly:2", "/greet", "/readonly"),
			extensions: [foreign],
		});
		await pi.prompt("/sequence run");
		const names = (await pi.commandNames()).filter((name) => name.startsWith("readonly"));
		expect(names.sort()).toEqual(["readonly:1", "readonly:2"]);
		expect(pi.screen.text.match(/is an external extension command/g)).toHaveLength(2);
		expect(pi.screen.text).toContain("step 3: Unsupported step: /greet is an external");
		// The bare name is ours, whatever pi calls it.
		expect(pi.screen.text).not.toContain("step 4:");
	});

	it("a prompt that another extension intercepts stops the run within five seconds, visibly", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				"taker.mjs":
					"export default (pi) => pi.on('input', (e) => e.text === 'two' ? { action: 'handled' } : undefined);",
			},
			script: echo,
		});
		const pi = await rpc({
			session: recorded(project, "one", "two", "three"),
			extensions: [project.path("taker.mjs")],
		});
		const over = pi.prompt("/sequence run");
		await server.waitForRequest(1);
		const began = Date.now();
		await over;
		expect(Date.now() - began).toBeLessThan(within(8_000));
		expect(server.requests).toHaveLength(1);
		expect(pi.screen.notifications.at(-1)).toMatchObject({
			type: "error",
			message: expect.stringContaining("step 2/3 (two)"),
		});
		expect(pi.screen.statuses.get("chronicle-sequence")).toBeUndefined();
	});

	it("a dropped connection stops the run with step and reason", async () => {
		const { project, server, rpc } = await openBench({
			settings: { retry: { enabled: false } },
			script: [say("ok"), drop("half an ans")],
		});
		const pi = await rpc({ session: recorded(project, "one", "two", "three") });
		await pi.prompt("/sequence run");
		expect(server.requests).toHaveLength(2);
		expect(pi.screen.notifications.at(-1)).toMatchObject({
			type: "error",
			message: expect.stringContaining("step 2/3"),
		});
	});

	it("a user message between two steps is kept, and so is the step", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				// Sends on its own as soon as a run has settled: the moment in which the next step is sent.
				"eager.mjs":
					"export default (pi) => { let sent = false; pi.on('agent_settled', () => { if (!sent) { sent = true; pi.sendUserMessage('mine'); } }); };",
			},
			script: echo,
		});
		const pi = await rpc({ session: recorded(project, "one", "two"), extensions: [project.path("eager.mjs")] });
		await pi.prompt("/sequence run");
		await pi.idle();
		expect(server.requests.map(({ lastUser }) => lastUser).sort()).toEqual(["mine", "one", "two"]);
		expect(extensionErrors(pi)).toEqual([]);
		expect((await pi.customEntries("sequence:finished"))[0]).toMatchObject({ how: "completed" });
	});
});

it("an invalid topic ends the sequence at its step; the reason is reported once", async () => {
	const { project, server, rpc } = await openBench({ script: echo });
	const pi = await rpc({ session: recorded(project, "/notebook topic !!!", "never sent") });
	await pi.prompt("/sequence run");
	expect(server.requests).toHaveLength(0);
	expect(pi.screen.notifications).toMatchObject([
		{ type: "error", message: expect.stringContaining("step 1/2 (/notebook topic !!!): A topic needs") },
	]);
});

it("a handoff that the model never makes ends the sequence; the reason is reported once", async () => {
	const { project, server, rpc } = await openBench({ script: echo });
	const pi = await rpc({ session: recorded(project, "/handoff go on", "never sent") });
	await pi.prompt("/sequence run 2");
	expect(server.requests.map(({ lastUser }) => lastUser)).not.toContain("never sent");
	const said = pi.screen.notifications.filter(({ message }) => message.includes("did not call the handoff tool"));
	expect(said).toMatchObject([
		{ type: "error", message: expect.stringContaining("run 1/2, step 1/2 (/handoff go on)") },
	]);
});

it("a later run with another model or thinking level than the first reports it once", async () => {
	const { project, server, rpc } = await openBench({ script: echo });
	const pi = await rpc({ session: recorded(project, "one"), model: "scripted/thinker", args: ["--thinking", "low"] });
	await pi.send({ type: "set_thinking_level", level: "high" });
	await pi.prompt("/sequence run 3");
	expect(server.requests).toHaveLength(3);
	expect(pi.screen.notifications.map(({ message }) => message)).toEqual([
		"This run uses scripted/thinker (thinking low), because a new session starts with pi's default model; the first run used scripted/thinker (thinking high).",
	]);
});

it("a step whose context overflows continues after pi's compaction, as one step", async () => {
	let overflowed = false;
	const { project, server, rpc } = await openBench({
		settings: { compaction: { keepRecentTokens: 1 } },
		script: (request) => {
			if (request.tools.length === 0) return say("SUMMARY");
			if (request.lastUser !== "two" || overflowed) return say("ok");
			overflowed = true;
			return fail(400, "maximum context length is 200000 tokens. However, your messages resulted in 300000 tokens");
		},
	});
	const pi = await rpc({ session: recorded(project, "one", "two", "three") });
	await pi.prompt("/sequence run");
	expect(server.requests.at(-1)?.lastUser).toBe("three");
	expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("SUMMARY");
	expect(await pi.customEntries("sequence:finished")).toMatchObject([{ how: "completed" }]);
});

it("in a run of every kind of step, each step's state ends with it, and the session is one branch", async () => {
	const { project, server, rpc } = await openBench({
		settings: { compaction: { keepRecentTokens: 1 } },
		script: (request) => {
			if (request.tools.length === 0) return say("SUMMARY");
			return request.users.join().includes("asks for a handoff")
				? call("handoff", { context: "the brief" })
				: say("ok");
		},
	});
	const steps = [
		"first $1",
		"/notebook on",
		"/notebook topic about $1",
		"/readonly on",
		"/handoff go $1",
		"/compact keep $1",
	];
	const pi = await rpc({ session: recorded(project, ...steps, "/readonly off", "/notebook", "last") });
	await pi.prompt("/sequence run 2 alpha");
	expect(pi.screen.notifications.filter(({ type }) => type !== "info")).toEqual([]);
	expect(extensionErrors(pi)).toEqual([]);
	expect(server.requests.filter(({ lastUser }) => lastUser === "first alpha")).toHaveLength(2);
	const files = project.sessionFiles();
	expect(files).toHaveLength(2);
	for (const file of files) {
		const { entries } = readSession(file);
		expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
		expect(entries.filter(({ type }) => type === "compaction")).toHaveLength(2);
		expect(entries.filter(({ customType }) => customType === snapshotType)).toHaveLength(1);
	}
});

describe("only one run at a time", () => {
	it("two menus open at once start one run", async () => {
		const { project, server, rpc } = await openBench({ script: () => say("slowly does it", { chunk: 2, delay: 60 }) });
		const pi = await rpc({ session: recorded(project, "one", "two") });
		const runs = [pi.prompt("/sequence"), pi.prompt("/sequence")];
		for (let menu = 0; menu < 2; menu++) pi.screen.answer(await pi.screen.dialog("Restore last sequence?"), "Run");
		for (let count = 0; count < 2; count++) pi.screen.answer(await pi.screen.dialog("how many times"), "1");
		await Promise.all(runs);
		expect(server.requests).toHaveLength(2);
		expect(pi.screen.text).toContain("A sequence is running");
	});

	it("a sequence started while the model works waits for that work", async () => {
		const { project, server, rpc } = await openBench({
			script: (request) => say(`echo ${request.lastUser}`, { chunk: 2, delay: 50 }),
		});
		const pi = await rpc({ session: recorded(project, "one") });
		await pi.prompt("a long question");
		await pi.waitFor("message_update");
		await pi.prompt("/sequence run");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["a long question", "one"]);
		expect(JSON.stringify(server.requests[1]?.messages)).toContain("echo a long question");
	});

	it("an invalid number of runs is refused, not taken for an argument", async () => {
		const { project, server, rpc } = await openBench({ script: echo });
		const pi = await rpc({ session: recorded(project, "one $@") });
		for (const count of ["-1", "1.5", "0", "1000000", "1e9", "0x10", "Infinity", "-0", "+1", "1,000", "½", "٣"]) {
			await pi.prompt(`/sequence run ${count}`);
			expect(pi.screen.notifications.at(-1)).toMatchObject({
				type: "error",
				message: expect.stringContaining(`"${count}" is not a number of runs`),
			});
		}
		expect(server.requests).toHaveLength(0);
		for (const argument of ["x", "1st", "2026-11-28", "v1.2", "-- --all"]) await pi.prompt(`/sequence run ${argument}`);
		await pi.prompt("/sequence run 1 1e9");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(
			["x", "1st", "2026-11-28", "v1.2", "--all", "1e9"].map((argument) => `one ${argument}`),
		);
	});

	it("a step of any length or content is one short line in the status and in messages", async () => {
		const { project, rpc } = await openBench({ settings: { retry: { enabled: false } }, script: [drop("x")] });
		const pi = await rpc({ session: recorded(project, `\n  ${"long ".repeat(2000)}\nsecond\u001b[31m`) });
		await pi.prompt("/sequence run");
		expect(pi.screen.notifications.at(-1)?.message.length).toBeLessThan(400);
		const status = pi.screen.statusHistory.map(({ text }) => text ?? "").find((text) => text.includes("⟳"));
		expect(status).toMatch(/step 1\/1 · long long/);
		expect(status).not.toContain("\n");
	});
});
