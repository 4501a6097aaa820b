// A worker's usage, stop reasons and outcomes. Real pi, scripted model.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NO_SPEND } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import { findOrphans, isSameProcess } from "../../../src/process/index.ts";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { patient, within } from "../../harness/patience.ts";
import { openProject } from "../../harness/project.ts";
import { call, calls, fail, gate, hang, say } from "../../harness/reply.ts";
import { move, openRig, until } from "./worker-rig.ts";

describe("usage", () => {
	it("counts every message in four kinds of tokens, failed and retried ones too; a model without prices is unmetered", async () => {
		const server = await openModelServer([
			call("bash", { command: "true" }, { usage: { input: 1000, output: 50, cached: 400 } }),
			fail(500),
			say("hm", { usage: { input: 2000, output: 70 } }),
			move(),
		]);
		const project = openProject({ server, settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 10 } } });
		const rig = openRig(project);
		const worker = await rig.start();
		await rig.wait("turn_settled");
		expect(rig.of("used").at(-1)?.spend).toEqual({
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
		const free = openRig(project);
		await (await free.start()).ended;
		expect(free.of("used").at(-1)?.spend).toMatchObject({ tokens: 110, costUsd: 0, unmeteredTokens: 110 });
	});

	deepIt(
		"beyond the limit the calls of the message that crossed it are refused, data can still be saved, and no more requests are made",
		async () => {
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
			const rig = openRig(project);
			const worker = await rig.start({
				limits: { wallMs: 60_000, idleMs: 60_000, tokens: 1000, countCacheReads: true },
			});
			expect(await rig.wait("turn_settled")).toMatchObject({ stop: "aborted" });
			expect(project.exists("kept.txt")).toBe(true);
			expect(project.exists("never.txt")).toBe(false);
			expect(rig.of("snapshot")).toHaveLength(1);
			expect(rig.of("tool_ended").filter(({ blocked }) => blocked)).toMatchObject([
				{ tool: "write", blocked: "allowance" },
			]);
			expect(server.requests).toHaveLength(2);
			worker.stop("boundary");
			expect(await worker.ended).toEqual({ kind: "stopped" });
		},
	);

	deepIt("a limit raised while the worker runs applies at once", async () => {
		const held = gate();
		const server = await openModelServer([
			call("write", { path: "a.txt", content: "x" }, { usage: { input: 900, output: 10 }, after: held.opened }),
			call("write", { path: "b.txt", content: "x" }, { usage: { input: 900, output: 10 } }),
		]);
		const project = openProject({ server });
		const rig = openRig(project);
		const worker = await rig.start({ limits: { wallMs: 60_000, idleMs: 60_000, tokens: 100, countCacheReads: true } });
		await server.waitForRequest(1);
		worker.setLimits({ tokens: 1000, counted: NO_SPEND });
		await sleep(200);
		held.open();
		expect(await rig.wait("turn_settled")).toMatchObject({ stop: "aborted" });
		expect([project.exists("a.txt"), project.exists("b.txt")]).toEqual([true, false]);
	});

	deepIt("a move in the message that crosses the limit counts", async () => {
		const server = await openModelServer([move("checking", { usage: { input: 5000, output: 10 } })]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start({
			limits: { wallMs: 60_000, idleMs: 60_000, costUsd: 0.0001, countCacheReads: true },
		});
		await worker.ended;
		expect(rig.of("move")).toHaveLength(1);
	});
});

describe("a turn's stop reason", () => {
	it.each(
		sampled([
			["cut off at the limit of a message", say("and then", { finish: "length" }), { stop: "length" }],
			["auth", fail(401, "invalid x-api-key"), { stop: "auth" }],
			[
				"a used-up quota, also said with 429",
				fail(429, "You exceeded your current quota, please check your plan and billing details"),
				{ stop: "quota" },
			],
			["an overloaded provider", fail(529, "overloaded"), { stop: "transient" }],
			["an error of another kind", fail(400, "messages.3: unexpected role"), { stop: "provider_error" }],
		]),
	)("%s", async (_, reply, stop) => {
		const server = await openModelServer([reply]);
		const project = openProject({ server, settings: { retry: { enabled: false } } });
		const rig = openRig(project);
		await rig.start();
		expect(await rig.wait("turn_settled")).toMatchObject(stop);
		expect(rig.of("move")).toEqual([]);
	});
});

describe("a worker ends", () => {
	it("at a turn boundary: the message completes, its calls are refused, the conversation is intact", async () => {
		const held = gate();
		const server = await openModelServer([call("write", { path: "a.txt", content: "x" }, { after: held.opened })]);
		const project = openProject({ server });
		const rig = openRig(project);
		const worker = await rig.start();
		await server.waitForRequest(1);
		worker.stop("boundary");
		await sleep(200);
		expect(isSameProcess(worker.started.pid, worker.started.started)).toBe(true);
		held.open();
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(project.exists("a.txt")).toBe(false);
		expect(rig.of("tool_ended")).toMatchObject([{ tool: "write", blocked: "stopping" }]);
		expect(rig.of("used")).toHaveLength(1);
		expect(server.requests).toHaveLength(1);
	});

	deepIt("at once: during a command, with all of its child processes", async () => {
		const server = await openModelServer([call("bash", { command: "sleep 321 & sleep 322" })]);
		const project = openProject({ server });
		const rig = openRig(project);
		const worker = await rig.start();
		await until(() => findOrphans(rig.run).some(({ command }) => command === "sleep 322"), "the command runs");
		const before = Date.now();
		worker.stop("now");
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(Date.now() - before).toBeLessThan(within(2500));
		expect(await rig.launcher.stopOrphans(rig.run)).toMatchObject({ left: 0 });
		expect(findOrphans(rig.run)).toEqual([]);
	});

	deepIt("when the model is silent, not when a command is", async () => {
		const idleMs = patient(700);
		const server = await openModelServer([
			call("bash", { command: `sleep ${(idleMs + 500) / 1000}` }),
			hang("I am thinking"),
		]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start({ limits: { wallMs: patient(60_000), idleMs, countCacheReads: true } });
		expect(await worker.ended).toEqual({ kind: "timed_out", limit: "idle" });
		expect(rig.of("tool_ended")).toMatchObject([{ tool: "bash" }]);
		expect(rig.of("tool_ended")[0]?.error).toBeUndefined();
	});

	it.each(
		sampled([
			["wall" as const, { wallMs: 900 }],
			["budget" as const, { activeMs: 900 }],
		]),
	)("at its time limit (%s), whatever it does", async (limit, limits) => {
		const server = await openModelServer([call("bash", { command: "sleep 323" })]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start({ limits: { idleMs: 60_000, countCacheReads: true, ...limits } });
		expect(await worker.ended).toEqual({ kind: "timed_out", limit });
		expect(findOrphans(rig.run)).toEqual([]);
	});

	it("when killed: the outcome is the signal, usage is reported, and orphans are found and stopped", async () => {
		const server = await openModelServer([
			call("bash", { command: 'trap "" TERM; touch up; until [ -e go ]; do sleep 0.05; done; echo x >> effect.txt' }),
		]);
		const project = openProject({ server });
		const rig = openRig(project);
		const worker = await rig.start();
		await until(() => project.exists("up"), "the command runs");
		process.kill(worker.started.pid, "SIGKILL");
		expect(await worker.ended).toEqual({ kind: "killed", signal: "SIGKILL" });
		expect(await worker.send("x")).toBe(false);
		expect(rig.of("used").at(-1)?.spend.tokens).toBe(110);
		expect((await rig.launcher.stopOrphans(rig.run)).stopped).toBeGreaterThan(0);
		project.write("go", "");
		expect(findOrphans(rig.run)).toEqual([]);
		await sleep(200);
		expect(project.exists("effect.txt")).toBe(false);
	});

	deepIt("with its exit code, zero or not, when it exits by itself", async () => {
		const server = await openModelServer([say("bye")]);
		const project = openProject({
			server,
			files: {
				"quit.mjs": 'export default (pi) => pi.on("agent_settled", () => process.exit(Number(process.env.CODE)));',
			},
		});
		for (const code of [0, 7]) {
			server.add([say("bye")]);
			const rig = openRig(project, {
				state: { extensions: ["./quit.mjs"] },
				launcher: { env: project.environment({ CODE: String(code) }) },
			});
			expect(await (await rig.start()).ended).toMatchObject({ kind: "exited", code });
		}
	});
});

describe("messages to a busy worker", () => {
	it("reach the model with its next request, and count as delivered only then", async () => {
		const server = await openModelServer([call("bash", { command: "until [ -e go ]; do sleep 0.05; done" }), move()]);
		const project = openProject({ server });
		const rig = openRig(project);
		const worker = await rig.start();
		await rig.wait("tool_started");
		let given = false;
		const sent = worker.send("Use tabs.").then((took) => {
			given = took;
		});
		await sleep(100);
		expect(given).toBe(false);
		project.write("go", "");
		await sent;
		expect(given).toBe(true);
		await worker.ended;
		expect(server.requests[1]?.lastUser).toBe("Use tabs.");
	});
});
