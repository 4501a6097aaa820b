// The contract of every launcher, run against each: pi processes of this machine with a scripted model, and scripts in this process.
// The other tests of this folder cover faults that only processes have (signals, files, tools, rules).
import { setTimeout as sleep } from "node:timers/promises";
import { NO_SPEND } from "@pi-chronicle/core/machine";
import type { WorkerLauncher } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { openModelServer } from "../../harness/model-server.ts";
import { openProject } from "../../harness/project.ts";
import { call } from "../../harness/reply.ts";
import { moveTo, openScriptedLauncher, type Play } from "../supervisor/scripted-launcher.ts";
import { openRig, statePlan, type WorkerRig } from "./worker-rig.ts";

/** What the worker of a case does. */
type Part = "moves" | "saves and moves" | "hangs" | "cannot start";

const used = { ...NO_SPEND, input: 100, output: 10, tokens: 110, unmeteredTokens: 110 };

async function withPi(part: Part): Promise<WorkerRig> {
	const move = call("workflow_transition", { target_state: "checking", summary: "Built it." });
	const replies = {
		moves: [move],
		"saves and moves": [call("workflow_update_snapshot", { findings: ["The port is 8081"] }), move],
		hangs: [call("bash", { command: "echo started; sleep 300" })],
		"cannot start": [],
	};
	const server = await openModelServer(replies[part]);
	const pi = { command: "/nowhere/pi", args: [], version: "0" };
	return openRig(openProject({ server }), part === "cannot start" ? { launcher: { pi } } : {});
}

async function withScript(part: Part): Promise<WorkerRig> {
	const spends: Play = async (host) => host.report({ kind: "used", spend: used });
	const plays: Record<Part, Play[]> = {
		moves: [
			async (host, order, ended) => {
				await spends(host, order, ended);
				await moveTo("checking", "Built it.")(host, order, ended);
			},
		],
		"saves and moves": [
			async (host, order, ended) => {
				await host.updateSnapshot({ findings: ["The port is 8081"] });
				await moveTo("checking", "Built it.")(host, order, ended);
			},
		],
		hangs: [
			async (host, order, ended) => {
				await spends(host, order, ended);
				host.report({ kind: "tool_started", call: "c1", tool: "bash", args: "command=sleep 300" });
				await ended;
			},
		],
		"cannot start": [],
	};
	const launcher: WorkerLauncher = openScriptedLauncher(plays[part]);
	return openRig(openProject({ server: await openModelServer([]) }), { with: launcher });
}

describe.each([
	["pi processes", withPi],
	["scripts", withScript],
])("a launcher of %s", (_, open) => {
	it("starts a worker that reports itself; an accepted move ends it, and its usage is known", async () => {
		const rig = await open("moves");
		expect((await rig.launcher.check([statePlan()])).filter(({ severity }) => severity === "error")).toEqual([]);
		expect(await rig.launcher.readSpend(rig.folder, "1.1")).toBeUndefined();
		const worker = await rig.start();
		expect(rig.seen, "the caller hears of the start first").toEqual([]);
		expect(worker.started).toMatchObject({
			model: "scripted/one",
			conversation: "new",
			started: expect.stringMatching(/./),
		});
		expect(worker.started.pid).toBeGreaterThan(0);
		expect(await rig.wait("move")).toEqual({ kind: "move", target: "checking", summary: "Built it." });
		worker.stop("boundary");
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(await worker.send("too late")).toBe(false);
		const spend = rig.of("used").at(-1)?.spend;
		expect(spend?.tokens).toBeGreaterThan(0);
		expect(await rig.launcher.readSpend(rig.folder, "1.1")).toEqual(spend);
	});
	it("passes findings to the supervisor before the move", async () => {
		const rig = await open("saves and moves");
		const worker = await rig.start();
		await rig.wait("move");
		worker.stop("boundary");
		await worker.ended;
		expect(rig.of("snapshot")).toEqual([{ kind: "snapshot", data: { findings: ["The port is 8081"] } }]);
	});
	it("stops a worker at once, also if asked repeatedly; nothing is reported afterwards, nothing is left running", async () => {
		const rig = await open("hangs");
		const worker = await rig.start();
		await rig.wait("tool_started");
		worker.stop("boundary");
		worker.stop("now");
		worker.stop("now");
		expect(await worker.ended).toEqual({ kind: "stopped" });
		const { length } = rig.seen;
		await sleep(100);
		expect(rig.seen.length).toBe(length);
		await rig.launcher.stopOrphans(rig.run);
		expect(await rig.launcher.stopOrphans(rig.run)).toEqual({ stopped: 0, left: 0 });
	});
	it("reports why a worker could not be started and leaves nothing behind; nothing to redact is no error", async () => {
		const rig = await open("cannot start");
		expect(await rig.launch()).toMatchObject({
			ok: false,
			failure: { reason: "spawn", detail: expect.stringMatching(/\w/) },
		});
		expect(await rig.launcher.stopOrphans(rig.run)).toEqual({ stopped: 0, left: 0 });
		await rig.launcher.redactSessions(rig.folder);
		await rig.launcher.redactSessions(`${rig.folder}/nowhere`, "1.1");
	});
});
