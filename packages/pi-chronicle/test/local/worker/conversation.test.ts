// A conversation that outlives its process: after kill -9, a moved folder, a torn file. Real pi, scripted model.
import { appendFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { openProject } from "../../harness/project.ts";
import { call, calls, fail, gate, say } from "../../harness/reply.ts";
import { move, openRig, until } from "./worker-rig.ts";

const again = { conversation: { kind: "continue", key: "1.1", optional: false } } as const;

describe("continuing a conversation", () => {
	it("after SIGKILL in the middle of a command: the same conversation, nothing dangling, nothing counted twice", async () => {
		const server = await openModelServer([
			call("bash", { command: "echo first" }, { usage: { input: 100, output: 10 } }),
			call("bash", { command: "sleep 41" }, { usage: { input: 200, output: 10 } }),
			move("checking", { usage: { input: 300, output: 10 } }),
		]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start();
		await rig.wait("tool_started", ({ args }) => args.includes("sleep 41"));
		process.kill(worker.started.pid, "SIGKILL");
		await worker.ended;
		await rig.launcher.stopOrphans(rig.run);
		const second = openRig(rig.project);
		const next = await second.start({ ...again, launch: { visit: 1, attempt: 1, launch: 2 } });
		expect(next.started).toMatchObject({ conversation: "continued" });
		expect(next.started.pid).not.toBe(worker.started.pid);
		expect(await next.ended).toEqual({ kind: "stopped" });
		const request = server.last();
		expect(request.users).toEqual(["Begin with the building.", "Continue the building."]);
		expect(request.results.map(({ tool }) => tool)).toEqual(["bash", "bash"]);
		expect(request.results[0]?.text).toContain("first");
		expect(second.of("used").map(({ spend }) => spend.tokens)).toEqual([320, 630]);
	});

	deepIt("the supervisor's message is stored before the first token", async () => {
		const held = gate();
		const server = await openModelServer([say("", { after: held.opened }), move()]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start();
		await server.waitForRequest(1);
		process.kill(worker.started.pid, "SIGKILL");
		await worker.ended;
		const next = await openRig(rig.project).start(again);
		await next.ended;
		expect(server.last().users).toEqual(["Begin with the building.", "Continue the building."]);
		held.open();
	});

	it("a requested move without an answer is requested again without another model request", async () => {
		const server = await openModelServer([
			calls([
				["bash", { command: "echo side" }],
				["workflow_transition", { target_state: "planning", summary: "All done." }],
			]),
		]);
		const project = openProject({ server });
		const deaf = openRig(project, { host: { requestMove: () => new Promise(() => {}) } });
		const worker = await deaf.start();
		await deaf.wait("move");
		process.kill(worker.started.pid, "SIGKILL");
		await worker.ended;
		const rig = openRig(project);
		const next = await rig.start(again);
		expect(await next.ended).toEqual({ kind: "stopped" });
		expect(rig.of("move")).toEqual([{ kind: "move", target: "planning", summary: "All done." }]);
		expect(server.requests).toHaveLength(1);
	});

	deepIt("an answered move is not requested again: after a rejection the model continues", async () => {
		const server = await openModelServer([move(), move("planning")]);
		const project = openProject({ server });
		const rig = openRig(project);
		await (await rig.start()).ended;
		const message = { new: "", continued: "Rejected: add tests." };
		const next = await rig.start({ ...again, message });
		await next.ended;
		expect(rig.of("move").map(({ target }) => target)).toEqual(["checking", "planning"]);
		expect(server.last().users.at(-1)).toBe("Rejected: add tests.");
	});

	deepIt("a move that is refused when it is requested again: the refusal is in the marked message", async () => {
		const server = await openModelServer([move(), move("planning")]);
		const project = openProject({ server });
		const deaf = openRig(project, { host: { requestMove: () => new Promise(() => {}) } });
		const worker = await deaf.start();
		await deaf.wait("move");
		process.kill(worker.started.pid, "SIGKILL");
		await worker.ended;
		const replies = [{ kind: "refused", text: "Not yet." } as const, { kind: "accepted", text: "" } as const];
		const rig = openRig(project, {
			host: { requestMove: async () => replies.shift() ?? { kind: "refused", text: "" } },
		});
		await (await rig.start(again)).ended;
		const marked =
			"[From pi-chronicle, not from the user]\nYour last call of workflow_transition was answered: Not yet.";
		expect(server.last().lastUser).toBe(`${marked}\n\nContinue the building.`);
		expect(rig.of("move").map(({ target }) => target)).toEqual(["checking", "planning"]);
	});

	deepIt("a move whose answer was lost is dropped if the supervisor asks for that", async () => {
		const server = await openModelServer([move(), move("planning")]);
		const project = openProject({ server });
		const deaf = openRig(project, { host: { requestMove: () => new Promise(() => {}) } });
		const worker = await deaf.start();
		await deaf.wait("move");
		process.kill(worker.started.pid, "SIGKILL");
		await worker.ended;
		const rig = openRig(project);
		await (await rig.start({ ...again, unanswered: "drop" })).ended;
		expect(rig.of("move").map(({ target }) => target)).toEqual(["planning"]);
		expect(server.requests).toHaveLength(2);
	});

	deepIt("a torn last line is cut, and the conversation continues", async () => {
		const server = await openModelServer([say("hm"), move()]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start();
		await rig.wait("turn_settled");
		worker.stop("now");
		await worker.ended;
		const file = join(rig.folder, "workers", "1.1.jsonl");
		appendFileSync(file, '{"type":"message","id":"deadbeef","parentId":"x","mess');
		const next = await rig.start(again);
		await next.ended;
		for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
		expect(server.last().users).toHaveLength(2);
	});

	deepIt("a worker continues in the project's new folder after it was moved", async () => {
		const server = await openModelServer([say("hm"), call("bash", { command: "pwd" }), move()]);
		const project = openProject({ server });
		const rig = openRig(project);
		const worker = await rig.start();
		await rig.wait("turn_settled");
		worker.stop("now");
		await worker.ended;
		const moved = join(project.home, "moved");
		cpSync(project.folder, moved, { recursive: true });
		const folder = rig.folder.replace(project.folder, moved);
		const next = await rig.start({ ...again, cwd: moved, folder });
		await next.ended;
		expect(server.last().lastResult?.text.trim()).toBe(moved);
		expect(server.last().users).toHaveLength(2);
		rmSync(moved, { recursive: true });
	});

	deepIt("a lost or broken conversation is reported, or replaced by a new one if that is allowed", async () => {
		const server = await openModelServer([move(), move(), move()]);
		const project = openProject({ server });
		const rig = openRig(project);
		const gone = await rig.launch(again);
		expect(gone).toMatchObject({ ok: false, failure: { reason: "session_lost" } });
		const optional = { conversation: { kind: "continue", key: "1.1", optional: true } } as const;
		const fresh = await rig.start(optional);
		expect(fresh.started.conversation).toBe("new");
		await fresh.ended;
		const file = join(rig.folder, "workers", "1.1.jsonl");
		writeFileSync(file, "no session\n");
		expect(await rig.launch(again)).toMatchObject({ ok: false, failure: { reason: "session_lost" } });
		const anew = await rig.start(optional);
		await anew.ended;
		expect(readFileSync(file.replace(".jsonl", ".1.jsonl"), "utf8")).toBe("no session\n");
		renameSync(file, `${file}.kept`);
		const other = await rig.start({ conversation: { kind: "new", key: "2.1" } });
		await other.ended;
		expect(existsSync(join(rig.folder, "workers", "2.1.jsonl"))).toBe(true);
	});

	deepIt("a conversation continues after a provider failure", async () => {
		const server = await openModelServer([fail(503), move()]);
		const project = openProject({ server, settings: { retry: { enabled: false } } });
		const rig = openRig(project);
		const worker = await rig.start();
		expect(await rig.wait("turn_settled")).toMatchObject({ stop: "transient" });
		worker.stop("boundary");
		expect(await worker.ended).toEqual({ kind: "stopped" });
		await until(() => project.processes().length === 0, "the worker is gone");
		await (await rig.start(again)).ended;
		expect(rig.of("move")).toHaveLength(1);
	});
});
