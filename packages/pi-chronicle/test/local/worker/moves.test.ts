// A worker's messages to its supervisor: moves, findings, tool calls. Real pi, scripted model.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { type ModelServer, openModelServer } from "../../harness/model-server.ts";
import { openProject } from "../../harness/project.ts";
import { call, calls, gate, say } from "../../harness/reply.ts";
import { move, openRig } from "./worker-rig.ts";

describe("moves", () => {
	it("the calls of the same message are awaited, then the move is requested, and the model is not asked again", async () => {
		const server = await openModelServer([
			calls([
				["workflow_transition", { target_state: "checking", summary: "Done." }],
				["bash", { command: "sleep 0.4; echo late > late.txt" }],
			]),
		]);
		const project = openProject({ server });
		let there = false;
		const rig = openRig(project, {
			host: {
				requestMove: async () => {
					there = project.exists("late.txt");
					return { kind: "accepted", text: "" };
				},
			},
		});
		const worker = await rig.start();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(there).toBe(true);
		expect(rig.of("move")).toEqual([{ kind: "move", target: "checking", summary: "Done." }]);
		expect(server.requests[0]?.tools).toContain("workflow_transition");
		expect(rig.of("turn_settled")).toEqual([]);
		expect(server.requests).toHaveLength(1);
	});

	it("a move beside a call that failed is not requested, and is when it is made alone", async () => {
		const move = { target_state: "checking", summary: "Done." };
		const server = await openModelServer([
			calls([
				["workflow_transition", move],
				["bash", { command: "exit 3" }],
			]),
			call("workflow_transition", move),
		]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(rig.of("move")).toHaveLength(1);
		expect(server.requests).toHaveLength(2);
		expect(JSON.stringify(server.requests[1]?.body)).toContain(
			'Not moved to \\"checking\\": in the same message, bash failed, and you had not read why. Read it above and do what it needs. Call workflow_transition again, alone.',
		);
	});

	deepIt("of two moves in one message the first counts and the second is an error", async () => {
		const server = await openModelServer([
			calls([
				["workflow_transition", { target_state: "checking", summary: "First." }],
				["workflow_transition", { target_state: "planning", summary: "Second." }],
			]),
		]);
		const rig = openRig(openProject({ server }));
		await (await rig.start()).ended;
		expect(rig.of("move").map(({ target }) => target)).toEqual(["checking"]);
		// The first call waits for the second, which is refused at once.
		expect(rig.of("tool_ended").map(({ error }) => error === true)).toEqual([true, false]);
		expect(server.requests).toHaveLength(1);
	});

	deepIt(
		"an unreachable target, an empty, missing or endless summary and a cut-off call are errors with a remedy; text alone moves nothing",
		async () => {
			const server = await openModelServer([
				move("shipping"),
				move("cheking"),
				call("workflow_transition", { target_state: "checking", summary: "  " }),
				call("workflow_transition", { target_state: "checking", summary: "x".repeat(1_000_000) }),
				call("workflow_transition", { target_state: "checking" }),
				call("workflow_transition", { target_state: "checking", summary: "cut" }, { finish: "length" }),
				say("### VERDICT: **DONE**, transition to checking"),
				move(),
			]);
			const rig = openRig(openProject({ server }));
			const worker = await rig.start();
			expect(await rig.wait("turn_settled")).toEqual({ kind: "turn_settled", stop: "finished" });
			const results = server.requests.slice(1).map((request) => request.lastResult?.text ?? "");
			expect(results[0]).toContain("`checking`, `planning`");
			expect(results[1]).toContain("Did you mean `checking`?");
			expect(results[2]).toContain("`summary` is empty");
			expect(results[3]).toContain("1000000 characters");
			expect(results[4]).toContain("summary");
			expect(rig.of("move")).toEqual([]);
			expect(await worker.send("You have not called workflow_transition.")).toBe(true);
			expect(await worker.ended).toEqual({ kind: "stopped" });
			expect(server.last().lastUser).toBe("You have not called workflow_transition.");
			expect(rig.of("move")).toHaveLength(1);
		},
	);

	it("a refusal of the supervisor is the result of the call, next to those of other calls; the model continues", async () => {
		const server = await openModelServer([
			calls([
				["workflow_transition", { target_state: " Checking ", summary: "Done." }],
				["bash", { command: "echo other" }],
			]),
			move("planning"),
		]);
		const rig = openRig(openProject({ server }), {
			host: {
				requestMove: async (target) =>
					target === "checking"
						? { kind: "refused", text: "Not yet: tests are missing." }
						: { kind: "accepted", text: "" },
			},
		});
		expect(await (await rig.start()).ended).toEqual({ kind: "stopped" });
		expect(rig.of("move").map(({ target }) => target)).toEqual(["checking", "planning"]);
		expect(server.requests[1]?.results.map(({ text }) => text.trim())).toEqual([
			"Not yet: tests are missing.",
			"other",
		]);
		expect(server.requests[1]?.users, "no message of a user").toEqual(server.requests[0]?.users);
	});

	it("the targets are an enum with their meanings; the data has the schema of the state, and only the supervisor checks it", async () => {
		const output = {
			type: "object",
			properties: { verdict: { enum: ["ok", "bad"] }, by: { $ref: "#/$defs/name" } },
			required: ["verdict"],
			$defs: { name: { type: "string" } },
		};
		const server = await openModelServer([
			call("workflow_transition", { target_state: "checking", summary: "Done.", data: { verdict: 7 } }),
		]);
		const given: unknown[] = [];
		const rig = openRig(openProject({ server }), {
			host: {
				requestMove: async (_target, _summary, data) => {
					given.push(data);
					return { kind: "accepted", text: "" };
				},
			},
		});
		const meanings = { checking: "next, Runs the tests", planning: "back" };
		await (await rig.start({ output, meanings })).ended;
		expect(given).toEqual([{ verdict: 7 }]);
		const { target_state, data } = parametersOf(server, "workflow_transition");
		expect(target_state).toEqual({
			type: "string",
			enum: ["checking", "planning"],
			description: "checking: next, Runs the tests. planning: back.",
		});
		expect(data).toMatchObject({
			type: "object",
			properties: { verdict: { enum: ["ok", "bad"] }, by: { type: "string" } },
			required: ["verdict"],
		});
	});

	deepIt("a queued message does not keep a worker alive after its move", async () => {
		const held = gate();
		const server = await openModelServer([move("checking", { after: held.opened })]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start();
		await server.waitForRequest(1);
		const sent = worker.send("One more thing.");
		await sleep(100);
		held.open();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		await sent;
		expect(server.requests).toHaveLength(1);
	});
});

interface DeclaredTool {
	readonly function: {
		readonly name: string;
		readonly description: string;
		readonly parameters: { readonly properties: Readonly<Record<string, unknown>> };
	};
}

function toolOf(server: ModelServer, name: string): DeclaredTool["function"] {
	const { tools } = server.last().body as unknown as { readonly tools: readonly DeclaredTool[] };
	const found = tools.find((tool) => tool.function.name === name);
	if (!found) throw new Error(`${name} is not declared`);
	return found.function;
}

function parametersOf(server: ModelServer, name: string): Readonly<Record<string, unknown>> {
	return toolOf(server, name).parameters.properties;
}

describe("records of a worker", () => {
	it("a snapshot of any form reaches the supervisor before the model gets its result; a refusal is an error", async () => {
		const forms = [
			"The port is 8081",
			{ findings: ["a", { key: "port", text: "8081" }], pending_tasks: ["t"], resolve: ["f1"] },
			'{"findings":["b"]}',
			["a", { text: "b" }],
			{ findings: "one", pending_tasks: { k: "v" }, resolve: "t1" },
			"[x",
		].map((data): Record<string, unknown> => ({ data }));
		forms.push({
			findings: [{ file: "ä\u2028.ts", lines: [1, [2, null]], deep: { ok: false, none: null } }, 3],
			resolve: "t1",
		});
		const server = await openModelServer([...forms.map((given) => call("workflow_update_snapshot", given)), move()]);
		let refuse = false;
		const rig = openRig(openProject({ server }), {
			host: {
				updateSnapshot: async () => {
					await sleep(50);
					return refuse
						? { kind: "refused", text: "Too long." }
						: { kind: "saved", text: `Kept, after ${server.requests.length} requests.` };
				},
			},
		});
		const worker = await rig.start();
		await server.waitForRequest(forms.length);
		refuse = true;
		await worker.ended;
		// The supervisor reads JSON that arrives as a string.
		expect(rig.of("snapshot").map(({ data }) => data)).toEqual(forms);
		expect(server.requests.slice(1, -1).map((request) => request.lastResult?.text)).toEqual(
			forms.slice(1).map((_, n) => `Kept, after ${n + 1} requests.`),
		);
		expect(server.requests.at(-1)?.lastResult?.text).toBe("Too long.");
	});

	it("every call is reported with bounded, redacted arguments, its end, time, size and error; no bodies", async () => {
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
		const rig = openRig(openProject({ server }));
		await (await rig.start()).ended;
		const started = rig.of("tool_started");
		const ended = rig.of("tool_ended");
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
		const text = JSON.stringify(rig.seen);
		expect(text).not.toContain(secret);
		expect(text).not.toContain("BODY");
		for (const { args } of started) expect(Buffer.byteLength(args)).toBeLessThanOrEqual(2048);
	});
});
