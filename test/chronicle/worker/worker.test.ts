// Workers in real pi with the scripted model: what they are given, what they may do, what is reported, how they end.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { findStrays, isSameProcess } from "../../../src/pi/index.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { openProject } from "../../harness/project.ts";
import { call, calls, fail, gate, hang, type MessageOptions, say } from "../../harness/reply.ts";
import { piScript } from "../../harness/under-test.ts";
import { openDesk, run, until } from "./desk.ts";

const move = (target = "checking", options: MessageOptions = {}) =>
	call("workflow_transition", { target_state: target, summary: "Built it." }, options);

describe("what a worker is", () => {
	it("R6 R7 a fresh process with the persona, its tools and the workflow tools, and nothing else of the project or the person", async () => {
		const server = await openModelServer([move()]);
		const project = openProject({
			server,
			files: {
				".pi/agents/builder.md":
					"---\nname: builder\ntools: Read, Bash\nmodel: two\nskills: [knots]\n---\nPERSONA-MARK You build.",
				".pi/agents/other.md": "---\nname: other\ntools: read\n---\nOTHER-MARK",
				".pi/skills/knots/SKILL.md": "---\nname: knots\ndescription: KNOT-MARK how to tie\n---\nx",
				".pi/skills/unused/SKILL.md": "---\nname: unused\ndescription: UNUSED-MARK\n---\nx",
				".pi/extensions/extra.ts":
					'export default (pi) => pi.registerTool({ name: "extra_tool", label: "x", description: "x", parameters: { type: "object" }, execute: async () => ({ content: [], details: undefined }) })',
				".pi/prompts/begin.md": "PROMPT-MARK",
			},
			trusted: true,
		});
		const desk = openDesk(project, { state: { persona: { kind: "agent", name: "Builder" } } });
		const worker = await desk.start();
		expect(worker.started).toMatchObject({ pid: expect.any(Number), model: "scripted/two", conversation: "new" });
		expect(await worker.ended).toEqual({ kind: "stopped" });
		const [request] = server.requests;
		expect(server.requests).toHaveLength(1);
		expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
		expect(request?.users).toEqual(["Begin with the building."]);
		expect(request?.tools.toSorted()).toEqual(["bash", "read", "workflow_transition", "workflow_update_snapshot"]);
		expect(request?.system).toContain("PERSONA-MARK You build.");
		expect(request?.system).toContain("KNOT-MARK");
		for (const mark of ["OTHER-MARK", "UNUSED-MARK", "PROMPT-MARK", "extra_tool"])
			expect(JSON.stringify(request?.body)).not.toContain(mark);
		expect(request?.model).toBe("two");
	});

	it("S2 R48 nothing that was written is on the command line, and what is kept is the person's alone", async () => {
		const server = await openModelServer([
			call("bash", { command: "env | grep -c BRIEF; echo tag=$PI_CHRONICLE_RUN" }),
			move(),
		]);
		const project = openProject({ server });
		const shown = project.path("argv.json");
		const recorder = project.write(
			"recorder.mjs",
			`import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(shown)}, JSON.stringify(process.argv)); await import(${JSON.stringify(piScript())});`,
		);
		const desk = openDesk(project, {
			state: { persona: { kind: "persona", name: "@.env -x SECRET-ROLE" } },
			launcher: { pi: { command: process.execPath, args: [recorder], version: undefined } },
		});
		const worker = await desk.start({ message: { new: "@.env SECRET-TASK", continued: "" } });
		await worker.ended;
		expect(project.read("argv.json")).not.toContain("SECRET");
		expect(server.requests[0]?.lastUser).toBe("@.env SECRET-TASK");
		expect(server.requests[0]?.system).toContain("@.env -x SECRET-ROLE");
		expect(server.requests[1]?.lastResult?.text).toContain(`0\ntag=${run}`);
		for (const name of ["1.1.jsonl", "1.1.brief.json", "1.1.persona.md"]) {
			expect(statSync(join(desk.folder, "workers", name)).mode & 0o077, name).toBe(0);
		}
		expect(statSync(join(desk.folder, "workers")).mode & 0o077).toBe(0);
	});

	it("a message that looks like a command is a message", async () => {
		const server = await openModelServer([move()]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start({ message: { new: "/help me", continued: "" } });
		await worker.ended;
		expect(server.requests[0]?.lastUser).toBe("Message: /help me");
	});
});

describe("a launch that must not happen", () => {
	it("S1 a worker that holds other rules than ordered is ended before its first message", async () => {
		const server = await openModelServer([]);
		const project = openProject({ server });
		const desk = openDesk(project);
		const brief = join(desk.folder, "workers", "1.1.brief.json");
		const forge = `import { readFileSync, writeFileSync } from "node:fs"; export default () => { const b = JSON.parse(readFileSync(process.env.PI_CHRONICLE_BRIEF ?? ${JSON.stringify(brief)})); b.rules.text = b.rules.text.replace('"strict":false', '"strict":true'); writeFileSync(process.env.PI_CHRONICLE_BRIEF, JSON.stringify(b)); }`;
		const file = project.write("forge.mjs", forge);
		const entry = project.write(
			"entry.mjs",
			`import forge from ${JSON.stringify(file)}; import worker from ${JSON.stringify(desk.workerEntry)}; export default (pi) => { forge(); return worker(pi); };`,
		);
		const forged = openDesk(project, { launcher: { workerEntry: entry } });
		const launched = await forged.launch();
		expect(launched).toMatchObject({
			ok: false,
			failure: { reason: "rules", detail: expect.stringContaining("hash") },
		});
		expect(server.requests).toEqual([]);
		expect(findStrays(run)).toEqual([]);
	});

	it.each([
		[
			"field 9 a tool that no extension has",
			{ tools: ["read", "launch_rockets"], extensions: ["./empty.mjs"] },
			"tools",
			/launch_rockets/,
		],
		["field 9 a misspelt tool", { tools: ["raed"] }, "tools", /Did you mean `read`/],
		["R42 an unknown agent", { persona: { kind: "agent" as const, name: "nobody" } }, "persona", /nobody/],
		["an unknown level of thinking", { thinking: "hihg" }, "model", /high/],
		["an extension that is not there", { extensions: ["./gone.mjs"] }, "handshake", /gone\.mjs/],
	])("%s", async (_, state, reason, detail) => {
		const project = openProject({
			server: await openModelServer([]),
			files: { "empty.mjs": "export default () => {};" },
		});
		const launched = await openDesk(project, { state }).launch();
		expect(launched).toMatchObject({ ok: false, failure: { reason, detail: expect.stringMatching(detail) } });
		expect(project.processes()).toEqual([]);
	});

	it("a pi that cannot be started, and one that says nothing", async () => {
		const project = openProject({ server: await openModelServer([]) });
		const spawn = await openDesk(project, {
			launcher: { pi: { command: "/nowhere/pi", args: [], version: undefined } },
		}).launch();
		expect(spawn).toMatchObject({ ok: false, failure: { reason: "spawn", detail: expect.stringContaining("ENOENT") } });
		const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)", "--"], version: undefined };
		const mute = await openDesk(project, { launcher: { pi: silent, helloMs: 300 } }).launch();
		expect(mute).toMatchObject({
			ok: false,
			failure: { reason: "handshake", detail: expect.stringContaining("0.3 s") },
		});
	});

	it("R43 a model that is not there falls back with a notice", async () => {
		const server = await openModelServer([move()]);
		const desk = openDesk(openProject({ server }), { state: { model: "opus" } });
		const worker = await desk.start();
		expect(worker.started).toMatchObject({ model: "scripted/one", notice: expect.stringContaining("opus") });
		await worker.ended;
	});
});

describe("moves", () => {
	it("R18 the calls of the same message are awaited, then the move is asked for, and the model is not asked again", async () => {
		const server = await openModelServer([
			calls([
				["workflow_transition", { target_state: "checking", summary: "Done." }],
				["bash", { command: "sleep 0.4; echo late > late.txt" }],
			]),
		]);
		const project = openProject({ server });
		let there = false;
		const desk = openDesk(project, {
			host: {
				requestMove: async () => {
					there = project.exists("late.txt");
					return { kind: "accepted", text: "" };
				},
			},
		});
		const worker = await desk.start();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(there).toBe(true);
		expect(desk.of("move")).toEqual([{ kind: "move", target: "checking", summary: "Done." }]);
		expect(desk.of("turn_settled")).toEqual([]);
		expect(server.requests).toHaveLength(1);
	});

	it("R18 of two moves in one message the first counts and the second is an error", async () => {
		const server = await openModelServer([
			calls([
				["workflow_transition", { target_state: "checking", summary: "First." }],
				["workflow_transition", { target_state: "planning", summary: "Second." }],
			]),
		]);
		const desk = openDesk(openProject({ server }));
		await (await desk.start()).ended;
		expect(desk.of("move").map(({ target }) => target)).toEqual(["checking"]);
		expect(desk.of("tool_ended").map(({ error }) => error === true)).toEqual([false, true]);
		expect(server.requests).toHaveLength(1);
	});

	it("R1 R16 a target that does not follow, an empty summary and a cut-off call are errors that say what to do; words move nothing", async () => {
		const server = await openModelServer([
			move("shipping"),
			move("cheking"),
			call("workflow_transition", { target_state: "checking", summary: "  " }),
			call("workflow_transition", { target_state: "checking", summary: "cut" }, { finish: "length" }),
			say("### VERDICT: **DONE**, transition to checking"),
			move(),
		]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start();
		expect(await desk.wait("turn_settled")).toEqual({ kind: "turn_settled", stop: "finished" });
		const results = server.requests.slice(1).map((request) => request.lastResult?.text ?? "");
		expect(results[0]).toContain("`checking`, `planning`");
		expect(results[1]).toContain("Did you mean `checking`?");
		expect(results[2]).toContain("summary is empty");
		expect(desk.of("move")).toEqual([]);
		expect(await worker.send("You have not called workflow_transition.")).toBe(true);
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(server.last().lastUser).toBe("You have not called workflow_transition.");
		expect(desk.of("move")).toHaveLength(1);
	});

	it("a move that the supervisor refuses goes back to the model, which goes on", async () => {
		const server = await openModelServer([move(), move("planning")]);
		const desk = openDesk(openProject({ server }), {
			host: {
				requestMove: async (target) =>
					target === "checking"
						? { kind: "refused", text: "Not yet: tests are missing." }
						: { kind: "accepted", text: "" },
			},
		});
		expect(await (await desk.start()).ended).toEqual({ kind: "stopped" });
		expect(desk.of("move").map(({ target }) => target)).toEqual(["checking", "planning"]);
		expect(server.requests[1]?.lastUser).toContain("tests are missing");
	});

	it("a message that was queued does not keep a worker alive after its move", async () => {
		const held = gate();
		const server = await openModelServer([move("checking", { after: held.opened })]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start();
		await server.waitForRequest(1);
		const sent = worker.send("One more thing.");
		await sleep(100);
		held.open();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		await sent;
		expect(server.requests).toHaveLength(1);
	});
});

describe("what is kept", () => {
	it("R19 R20 a snapshot of any form reaches the supervisor before the model hears of it; a refusal is an error", async () => {
		const forms = [
			"The port is 8081",
			{ findings: ["a", { key: "port", text: "8081" }], pending_tasks: ["t"], resolve: ["f1"] },
			'{"findings":["b"]}',
			"[x",
		];
		const server = await openModelServer([...forms.map((data) => call("workflow_update_snapshot", { data })), move()]);
		let refuse = false;
		const desk = openDesk(openProject({ server }), {
			host: {
				updateSnapshot: async () => {
					await sleep(50);
					return refuse
						? { kind: "refused", text: "Too long." }
						: { kind: "saved", text: `Kept, after ${server.requests.length} requests.` };
				},
			},
		});
		const worker = await desk.start();
		await server.waitForRequest(4);
		refuse = true;
		await worker.ended;
		expect(desk.of("snapshot").map(({ data }) => data)).toEqual([forms[0], forms[1], { findings: ["b"] }, "[x"]);
		expect(server.requests.slice(1, 4).map((request) => request.lastResult?.text)).toEqual(
			[1, 2, 3].map((n) => `Kept, after ${n} requests.`),
		);
		expect(server.requests[4]?.lastResult?.text).toBe("Too long.");
	});

	it("R21 R48 every call is reported with bounded, redacted arguments, its end, time, size and error; no bodies", async () => {
		const secret = "ghp_0123456789abcdefghij0123456789";
		const server = await openModelServer([
			calls([
				["bash", { command: `echo ${secret}; sleep 0.1` }],
				["write", { path: "a.txt", content: `BODY ${"x".repeat(5000)}` }],
				["read", { path: "nowhere.txt" }],
				["no_such_tool", { a: 1 }],
			]),
			call("bash", { command: `exit 3 # ${"y".repeat(9000)}` }),
			move(),
		]);
		const desk = openDesk(openProject({ server }));
		await (await desk.start()).ended;
		const started = desk.of("tool_started");
		const ended = desk.of("tool_ended");
		expect(started.map(({ tool }) => tool)).toEqual([
			"bash",
			"write",
			"read",
			"no_such_tool",
			"bash",
			"workflow_transition",
		]);
		expect(new Set(ended.map((one) => one.call))).toEqual(new Set(started.map((one) => one.call)));
		const by = (tool: string) => ended.find((one) => one.tool === tool);
		expect(by("read")).toMatchObject({ error: true });
		expect(by("no_such_tool")).toMatchObject({ error: true });
		expect(by("write")?.error).toBeUndefined();
		expect(by("bash")?.ms).toBeGreaterThanOrEqual(100);
		expect(by("bash")).toMatchObject({ bytes: secret.length + 1, hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
		const text = JSON.stringify(desk.seen);
		expect(text).not.toContain(secret);
		expect(text).not.toContain("BODY");
		for (const { args } of started) expect(Buffer.byteLength(args)).toBeLessThanOrEqual(2048);
	});
});

describe("what is spent", () => {
	it("R35 R38 every message counts, failed and retried ones too, in four kinds; a model without prices is unmetered", async () => {
		const server = await openModelServer([
			call("bash", { command: "true" }, { usage: { input: 1000, output: 50, cached: 400 } }),
			fail(500),
			say("hm", { usage: { input: 2000, output: 70 } }),
			move(),
		]);
		const project = openProject({ server, settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 10 } } });
		const desk = openDesk(project);
		const worker = await desk.start();
		await desk.wait("turn_settled");
		expect(desk.of("used").at(-1)?.spend).toEqual({
			input: 2600,
			output: 120,
			cacheRead: 400,
			cacheWrite: 0,
			tokens: 3120,
			costUsd: 0.00288,
			unmeteredTokens: 0,
		});
		await worker.send("End it.");
		await worker.ended;
		const models = JSON.parse(readFileSync(join(project.agentFolder, "models.json"), "utf8"));
		for (const model of models.providers.scripted.models)
			model.cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
		writeFileSync(join(project.agentFolder, "models.json"), JSON.stringify(models));
		server.add([move()]);
		const free = openDesk(project);
		await (await free.start()).ended;
		expect(free.of("used").at(-1)?.spend).toMatchObject({ tokens: 110, costUsd: 0, unmeteredTokens: 110 });
	});

	it("R36 field 51 at the ceiling the calls of the message that crossed it are refused, saving still works, nothing more is asked", async () => {
		const server = await openModelServer([
			call("write", { path: "kept.txt", content: "x" }, { usage: { input: 300, output: 10 } }),
			calls(
				[
					["write", { path: "never.txt", content: "x" }],
					["workflow_update_snapshot", { data: "found" }],
				],
				{ usage: { input: 900, output: 10 } },
			),
		]);
		const project = openProject({ server });
		const desk = openDesk(project);
		const worker = await desk.start({
			limits: { wallMs: 60_000, idleMs: 60_000, tokens: 1000, countCacheReads: true },
		});
		expect(await desk.wait("turn_settled")).toMatchObject({ stop: "aborted" });
		expect(project.exists("kept.txt")).toBe(true);
		expect(project.exists("never.txt")).toBe(false);
		expect(desk.of("snapshot")).toHaveLength(1);
		expect(desk.of("tool_ended").filter(({ blocked }) => blocked)).toMatchObject([
			{ tool: "write", blocked: "allowance" },
		]);
		expect(server.requests).toHaveLength(2);
		worker.end("boundary");
		expect(await worker.ended).toEqual({ kind: "stopped" });
	});

	it("field 48 a move in the message that crosses the ceiling counts", async () => {
		const server = await openModelServer([move("checking", { usage: { input: 5000, output: 10 } })]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start({
			limits: { wallMs: 60_000, idleMs: 60_000, costUsd: 0.0001, countCacheReads: true },
		});
		await worker.ended;
		expect(desk.of("move")).toHaveLength(1);
	});
});

describe("how a turn stops", () => {
	it.each([
		["field 34 cut off at the limit of a message", say("and then", { finish: "length" }), { stop: "length" }],
		["auth", fail(401, "invalid x-api-key"), { stop: "auth" }],
		[
			"a used-up quota, also said with 429",
			fail(429, "You exceeded your current quota, please check your plan and billing details"),
			{ stop: "quota" },
		],
		["field 33 an overloaded provider", fail(529, "overloaded"), { stop: "transient" }],
		["an error of another kind", fail(400, "messages.3: unexpected role"), { stop: "provider_error" }],
	])("%s", async (_, reply, stop) => {
		const server = await openModelServer([reply]);
		const project = openProject({ server, settings: { retry: { enabled: false } } });
		const desk = openDesk(project);
		await desk.start();
		expect(await desk.wait("turn_settled")).toMatchObject(stop);
		expect(desk.of("move")).toEqual([]);
	});
});

describe("how a worker ends", () => {
	it("R36 R49 at a boundary: the message ends, its calls are refused, the conversation is whole", async () => {
		const held = gate();
		const server = await openModelServer([call("write", { path: "a.txt", content: "x" }, { after: held.opened })]);
		const project = openProject({ server });
		const desk = openDesk(project);
		const worker = await desk.start();
		await server.waitForRequest(1);
		worker.end("boundary");
		await sleep(200);
		expect(isSameProcess(worker.started.pid, worker.started.started)).toBe(true);
		held.open();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(project.exists("a.txt")).toBe(false);
		expect(desk.of("tool_ended")).toMatchObject([{ tool: "write", blocked: "stopping" }]);
		expect(desk.of("used")).toHaveLength(1);
		expect(server.requests).toHaveLength(1);
	});

	it("R49 now: in the middle of a command, with everything below it", async () => {
		const server = await openModelServer([call("bash", { command: "sleep 321 & sleep 322" })]);
		const project = openProject({ server });
		const desk = openDesk(project);
		const worker = await desk.start();
		await until(() => findStrays(run).some(({ command }) => command === "sleep 322"), "the command runs");
		const before = Date.now();
		worker.end("now");
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(Date.now() - before).toBeLessThan(2500);
		expect(await desk.launcher.stopStrays(run)).toMatchObject({ left: 0 });
		expect(findStrays(run)).toEqual([]);
	});

	it("field 36 after silence of the model, but not of a command", async () => {
		const server = await openModelServer([call("bash", { command: "sleep 1.2" }), hang("I am thinking")]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start({ limits: { wallMs: 60_000, idleMs: 700, countCacheReads: true } });
		expect(await worker.ended).toEqual({ kind: "timed_out", limit: "idle" });
		expect(desk.of("tool_ended")).toMatchObject([{ tool: "bash" }]);
		expect(desk.of("tool_ended")[0]?.error).toBeUndefined();
	});

	it.each([
		["wall" as const, { wallMs: 900 }],
		["budget" as const, { activeMs: 900 }],
	])("field 36 after its time (%s), whatever it does", async (limit, limits) => {
		const server = await openModelServer([call("bash", { command: "sleep 323" })]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start({ limits: { idleMs: 60_000, countCacheReads: true, ...limits } });
		expect(await worker.ended).toEqual({ kind: "timed_out", limit });
		expect(findStrays(run)).toEqual([]);
	});

	it("T8 killed: the signal is the outcome, what was used is reported, and what it left is found and stopped", async () => {
		const server = await openModelServer([call("bash", { command: 'trap "" TERM; sleep 3; echo x >> effect.txt' })]);
		const project = openProject({ server });
		const desk = openDesk(project);
		const worker = await desk.start();
		await until(() => findStrays(run).some(({ command }) => command.startsWith("sleep 3")), "the command runs");
		process.kill(worker.started.pid, "SIGKILL");
		expect(await worker.ended).toEqual({ kind: "killed", signal: "SIGKILL" });
		expect(await worker.send("x")).toBe(false);
		expect(desk.of("used").at(-1)?.spend.tokens).toBe(110);
		expect((await desk.launcher.stopStrays(run)).stopped).toBeGreaterThan(0);
		await sleep(2500);
		expect(project.exists("effect.txt")).toBe(false);
	});

	it("an exit that nobody asked for is its code, zero or not", async () => {
		const server = await openModelServer([say("bye")]);
		const project = openProject({
			server,
			files: {
				"quit.mjs": 'export default (pi) => pi.on("agent_settled", () => process.exit(Number(process.env.CODE)));',
			},
		});
		for (const code of [0, 7]) {
			server.add([say("bye")]);
			const desk = openDesk(project, {
				state: { extensions: ["./quit.mjs"] },
				launcher: { env: project.environment({ CODE: String(code) }) },
			});
			expect(await (await desk.start()).ended).toMatchObject({ kind: "exited", code });
		}
	});
});

describe("words on the way", () => {
	it("R49 words for a worker that is busy reach the model before its next request, and count as given only then", async () => {
		const server = await openModelServer([call("bash", { command: "sleep 0.5" }), move()]);
		const desk = openDesk(openProject({ server }));
		const worker = await desk.start();
		await desk.wait("tool_started");
		let given = false;
		const sent = worker.send("Use tabs.").then((took) => {
			given = took;
		});
		await sleep(100);
		expect(given).toBe(false);
		await sent;
		expect(given).toBe(true);
		await worker.ended;
		expect(server.requests[1]?.lastUser).toBe("Use tabs.");
	});
});
