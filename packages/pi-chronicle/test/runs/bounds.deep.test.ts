// Limits of one visit in real runs: repetition is warned about and stopped, calls and requests have ceilings, useful work is not stopped,
// and another model takes over when a provider fails.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { call, calls, fail, hang, type ModelRequest, openBench, say } from "../harness/index.ts";
import { patient, within } from "../harness/patience.ts";
import { childWorker, chronicle, eventsOf, goOn, ledgerOf, move, runIds, withTemplates, worker } from "./bench.ts";

const one = (state: object = {}, limits: object = {}) => ({
	limits,
	states: { build: { persona: "Builder", next: ["finished"], ...state } },
});

const pair: [string, Record<string, unknown>][] = [
	["bash", { command: "true" }],
	["bash", { command: "echo" }],
];

/** A run whose worker does `reply` again and again. */
async function goRound(reply: (request: ModelRequest, n: number) => unknown, template: object = one()) {
	let n = 0;
	const { project, server } = await openBench({
		files: { ...withTemplates({ t: template }), "kept.txt": "old\n" },
		script: {
			[worker("build")]: async (request) => {
				// A model that answers at once would be some requests ahead of the supervisor that stops its worker.
				await sleep(50);
				return n >= 120 ? move("finished") : (reply(request, n++) as never);
			},
		},
	});
	server.lenient();
	const run = await chronicle(project, ["run", "--json", "t", "Do it"]);
	return { project, server, run };
}

describe("a provider without usage figures", { timeout: patient(60_000) }, () => {
	it("is named at its first answer, in status and in check, for children too; requests still bind", async () => {
		let n = 0;
		const none = { usage: "none" } as const;
		const child = { run: one({ limits: { requests: 4 } }), task: "Do it" };
		const { project, server } = await openBench({
			files: withTemplates({
				t: { limits: { tokens: 500, cost_usd: 1 }, states: { all: { branches: { only: child }, next: ["done"] } } },
			}),
			script: () => call("bash", { command: `echo ${n++}` }, none),
		});
		server.lenient();
		const run = await chronicle(project, ["run", "t", "Do it"]);
		expect(run.code, run.stderr).toBe(3);
		const said = "reports no usage, so the limit on cost and tokens cannot stop it.";
		expect(run.stderr.split(said)).toHaveLength(2);
		expect(server.requests.length).toBeLessThanOrEqual(5);
		const parent = runIds(project).find((id) => eventsOf(project, id)[0]?.parent === undefined) ?? "";
		const status = await chronicle(project, ["status", parent]);
		expect(status.stdout).toContain(said);
		expect(status.stdout).toMatch(/0 tokens of 500 \([45] answers without usage figures\)/);
		// pi is told that the provider does not report it.
		const path = join(project.agentFolder, "models.json");
		writeFileSync(path, readFileSync(path, "utf8").replace(/"compat":\s*\{/, '$&"supportsUsageInStreaming":false,'));
		const check = await chronicle(project, ["check"]);
		expect(check.stdout + check.stderr).toMatch(/reports no usage .*`tokens` and `cost_usd` cannot stop it/);
		expect(check.code).toBe(0);
	});
});

describe("a visit that repeats itself", { timeout: patient(90_000) }, () => {
	it.each([
		["the same call", () => call("bash", { command: "true" })],
		["the same refused call", () => call("read", { path: "no-such-file" })],
		["the same illegal transition, in ever new words", (_: unknown, n: number) => move("nowhere", `try ${n}`)],
		[
			"two calls of one message, in changing order",
			(_: unknown, n: number) => calls(n % 3 === 0 ? pair : pair.toReversed()),
		],
		["the same call whose result differs in a time", () => call("bash", { command: "date; echo no >&2; exit 1" })],
		["a cycle of two", (_: unknown, n: number) => call("bash", { command: n % 2 === 0 ? "true" : "echo" })],
	])("is warned and then paused, with the reason: %s", async (_name, reply) => {
		const { project, server, run } = await goRound(reply);
		expect(run.code, run.stderr).toBe(3);
		expect(ledgerOf(project)).toMatchObject({ status: "paused", hold: { cause: "circling" } });
		expect(server.requests.length).toBeLessThan(24);
		expect(server.last().users.join()).toContain("You are making no progress");
		const parked = eventsOf(project).find(({ kind }) => kind === "parked");
		expect(parked).toMatchObject({ cause: "circling" });
		const status = await chronicle(project, ["status"]);
		expect(status.stdout).toMatch(/No progress.*6 times/);
		expect(status.stdout).toContain("stopped");
	});

	it("continues with fresh counts once the user resumes it; a state that polls runs up to its ceiling", async () => {
		const { project, run } = await goRound((request) =>
			request.users.some((text) => text.includes("was paused")) ? move("finished") : call("bash", { command: "true" }),
		);
		expect(run.code).toBe(3);
		const resumed = await chronicle(project, ["resume", "--json"]);
		expect(resumed.code, resumed.stderr).toBe(0);

		const polling = await goRound(
			() => call("bash", { command: "true" }),
			one({ polling: true, limits: { calls: 20 } }),
		);
		expect(polling.run.code).toBe(3);
		expect(ledgerOf(polling.project)).toMatchObject({ hold: { cause: "visit_limit" } });
		expect(eventsOf(polling.project).filter(({ kind, blocked }) => kind === "tool_ended" && !blocked)).toHaveLength(20);
	});

	it("is stopped at its ceiling of requests, and one with 80 different calls is not stopped", async () => {
		const few = await goRound((_, n) => call("bash", { command: `echo ${n}` }), one({}, { requests: 12 }));
		expect(few.run.code).toBe(3);
		expect(few.server.requests).toHaveLength(12);
		expect(ledgerOf(few.project)).toMatchObject({ hold: { cause: "visit_limit" } });

		const useful = await goRound((_, n) => (n < 80 ? call("bash", { command: `echo ${n}` }) : move("finished")));
		expect(useful.run.code, useful.run.stderr).toBe(0);
		expect(ledgerOf(useful.project)).toMatchObject({ status: "done" });
	});
});

describe("minutes of a run with children", { timeout: patient(90_000) }, () => {
	it("stop children at work, whether or not they send messages, and the sum over all of them counts", async () => {
		let n = 0;
		const children = {
			limits: { minutes: 0.15 },
			states: {
				build: {
					branches: { silent: { persona: "Silent" }, busy: { persona: "Busy" } },
					next: ["finished"],
				},
			},
		};
		const { project, server } = await openBench({
			files: withTemplates({ t: children }),
			script: {
				[childWorker("silent")]: () => hang(),
				[childWorker("busy")]: async () => {
					await sleep(200);
					n += 1;
					return call("bash", { command: `echo ${n}` });
				},
			},
		});
		server.lenient();
		const run = await chronicle(project, ["run", "--json", "t", "Do it"]);
		expect(run.code, run.stderr).toBe(4);
		const { id } = JSON.parse(run.stdout) as { id: string };
		const parked = eventsOf(project, id).find(({ kind }) => kind === "parked");
		expect(parked).toMatchObject({ status: "budget_exceeded", cause: "budget" });
		const used = ledgerOf(project, id).totals.activeMs;
		expect(used).toBeGreaterThanOrEqual(9000);
		expect(used).toBeLessThan(9000 + within(6000));
		expect(project.processes()).toEqual([]);
	});
});

describe("a pause", { timeout: patient(90_000) }, () => {
	it("waits `pause_seconds` for a message, then ends the worker and keeps its conversation; the status says which", async () => {
		const { project, server } = await openBench({
			// Long enough that a command is answered meanwhile.
			files: withTemplates({ t: one({}, { pause_seconds: Math.ceil(patient(2000) / 1000) }) }),
			script: { [worker("build")]: [call("bash", { command: "echo kept" }), hang("thinking"), move("finished")] },
		});
		const run = goOn(project, ["run", "t", "Do it"]);
		await server.waitForRequest(2);
		const pause = goOn(project, ["pause"]);
		const words = async () => (await chronicle(project, ["status"])).stdout;
		await expect.poll(words, { timeout: patient(10_000) }).toContain("pausing: waiting for the message to end");
		expect((await run.ended).code).toBe(3);
		await pause.ended;
		expect(await words()).toMatch(/paused[\s\S]*stopped/);
		expect(project.processes()).toEqual([]);
		const resumed = await chronicle(project, ["resume", "--json"]);
		expect(resumed.code, resumed.stderr).toBe(0);
		expect(JSON.stringify(server.last().messages)).toContain("echo kept");
	});
});

describe("when the provider of a model fails", { timeout: patient(90_000) }, () => {
	it.each([
		[503, "Service unavailable: overloaded"],
		[429, "You exceeded your current quota, please check your plan and billing details"],
		[401, "invalid x-api-key"],
	])(
		"with %i, the next of `models` continues the same conversation, which is reported and recorded",
		async (code, words) => {
			let asked = 0;
			const { project, server } = await openBench({
				settings: { retry: { enabled: false } },
				files: withTemplates({ t: one({ models: ["scripted/one", "scripted/two"] }) }),
				script: {
					"model:one": () => (asked++ === 0 ? call("bash", { command: "echo first" }) : fail(code, words)),
					"model:two": [say("I take over."), move("finished")],
				},
			});
			const run = await chronicle(project, ["run", "t", "Do it"]);
			expect(run.code, run.stderr).toBe(0);
			expect(`${run.stdout}${run.stderr}`).toContain("continuing with scripted/two");
			expect(eventsOf(project).filter(({ kind }) => kind === "model_switched")).toMatchObject([
				{ from: "scripted/one", to: "scripted/two" },
			]);
			expect(eventsOf(project).filter(({ kind }) => kind === "worker_started")).toHaveLength(1);
			expect(JSON.stringify(server.last().messages)).toContain("echo first");
		},
	);
});
