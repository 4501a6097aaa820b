// Standby workers, started before their launch: they do nothing until then, when they are adopted, and what remains of one that is not.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StandbyOrder } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { findOrphans } from "../../../src/process/index.ts";
import { deepIt } from "../../harness/deep-it.ts";
import { fixtureExtension } from "../../harness/index.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { patient } from "../../harness/patience.ts";
import { openProject, type Project } from "../../harness/project.ts";
import { call } from "../../harness/reply.ts";
import { openRig, type RigOptions, statePlan, type WorkerRig } from "./worker-rig.ts";

const limits = { max: 2, waitMs: 600_000 };
const moves = () => call("workflow_transition", { target_state: "checking", summary: "Built it." });

async function open(
	files: Readonly<Record<string, unknown>> = {},
	{ state, launcher }: RigOptions = {},
): Promise<{ readonly rig: WorkerRig; readonly requests: () => number }> {
	const server = await openModelServer([moves()]);
	server.lenient();
	const project = openProject({ server, files });
	const rig = openRig(project, { ...(state ? { state } : {}), launcher: { standby: limits, ...launcher } });
	return { rig, requests: () => server.requests.length };
}

/** What is known before the launch that `rig.start()` makes. */
function expected(rig: WorkerRig, part: Partial<StandbyOrder> = {}): StandbyOrder {
	const state = part.state ?? statePlan();
	return {
		run: rig.run,
		launch: { visit: 1, attempt: 1, launch: 1 },
		state,
		model: "scripted/one",
		cwd: rig.project.folder,
		targets: state.next,
		folder: rig.folder,
		waits: false,
		...part,
	};
}

const pids = (rig: WorkerRig): number[] => findOrphans(rig.run).map(({ pid }) => pid);

/** Orders a standby and waits until its process is there. */
async function keep(rig: WorkerRig, part: Partial<StandbyOrder> = {}): Promise<number> {
	void rig.launcher.keepReady(expected(rig, part));
	await expect.poll(() => pids(rig), { timeout: patient(10_000) }).toHaveLength(1);
	return pids(rig)[0] ?? 0;
}

const isGone = (rig: WorkerRig, pid: number) =>
	expect.poll(() => pids(rig).includes(pid), { timeout: patient(1000), interval: 20 }).toBe(false);

const slots = (project: Project): string[] => {
	try {
		return readdirSync(join(project.agentFolder, "chronicle", "standby"));
	} catch {
		return [];
	}
};

const workers = (rig: WorkerRig): string[] => {
	try {
		return readdirSync(join(rig.folder, "workers")).sort();
	} catch {
		return [];
	}
};

/** Starts the worker and waits until it has moved; whether it was the standby. */
async function play(
	rig: WorkerRig,
	order: Parameters<WorkerRig["start"]>[0] = {},
): Promise<{ readonly standby: boolean; readonly pid: number }> {
	const worker = await rig.start(order);
	await rig.wait("move");
	worker.stop("boundary");
	await worker.ended;
	return { standby: worker.started.standby === true, pid: worker.started.pid };
}

describe("a standby", () => {
	it("does nothing until its launch, and is then the worker", { timeout: patient(60_000) }, async () => {
		const { rig, requests } = await open();
		const before = readdirSync(rig.project.folder).sort();
		const pid = await keep(rig);
		expect(await rig.launcher.stopOrphans(rig.run), "it is no orphan of its own supervisor").toEqual({
			stopped: 0,
			left: 0,
		});
		expect(slots(rig.project)).toHaveLength(1);
		const worker = await rig.start({
			message: { new: "The task as it is now.", continued: "" },
			launch: { visit: 1, attempt: 1, launch: 1 },
		});
		expect(worker.started).toMatchObject({ pid, standby: true, conversation: "new" });
		expect(rig.seen, "nothing was reported before").toEqual([]);
		expect(slots(rig.project), "a worker takes no place").toEqual([]);
		await rig.wait("move");
		worker.stop("boundary");
		expect(await worker.ended).toEqual({ kind: "stopped" });
		expect(requests()).toBe(1);
		expect(workers(rig)).toEqual(["1.1.brief.json", "1.1.jsonl", "1.1.persona.md"]);
		expect(readdirSync(rig.project.folder).sort()).toEqual(before);
		expect(pids(rig)).toEqual([]);
	});

	it("is stopped without a trace", { timeout: patient(60_000) }, async () => {
		const { rig, requests } = await open();
		const pid = await keep(rig);
		await rig.launcher.keepReady(undefined);
		expect(pids(rig)).not.toContain(pid);
		expect(workers(rig)).toEqual([]);
		expect(slots(rig.project)).toEqual([]);
		expect(requests()).toBe(0);
		expect(await play(rig)).toMatchObject({ standby: false });
	});

	const agent = "---\nname: careful-builder\ndescription: Builds.\n---\n\nYou are careful.\n";
	const built = statePlan({ persona: { kind: "agent", name: "careful-builder" } });
	type Change = (rig: WorkerRig) => Parameters<WorkerRig["start"]>[0];
	const writes =
		(path: string, text: string): Change =>
		({ project }) => {
			project.write(path, text);
			return {};
		};
	deepIt.each<[string, Change]>([
		["the file of its persona", writes(".pi/agents/careful-builder.md", `${agent}Very.\n`)],
		["a rule file, which was not there", writes(".pi/damage-control-rules.yaml", "version: 1\n")],
		["pi's instructions of the project", writes("AGENTS.md", "Be quick.\n")],
		["its model", () => ({ model: "scripted/two" })],
		["its tools", () => ({ state: statePlan({ ...built, tools: ["read"] }) })],
		["its targets", () => ({ targets: ["checking"] })],
		["its launch", () => ({ launch: { visit: 2, attempt: 1, launch: 1 }, conversation: { kind: "new", key: "2.1" } })],
		["its state", () => ({ state: statePlan({ ...built, name: "checking", next: ["checking"] }) })],
	])("is not adopted if %s has changed", { timeout: patient(60_000) }, async (_, change) => {
		const { rig } = await open({ ".pi/agents/careful-builder.md": agent }, { state: built });
		const pid = await keep(rig, { state: built });
		expect(await play(rig, change(rig))).toMatchObject({ standby: false });
		await isGone(rig, pid);
		expect(workers(rig).filter((name) => name.includes("standby"))).toEqual([]);
	});

	deepIt("does not exist for a state whose extensions may act at startup", { timeout: patient(60_000) }, async () => {
		const state = statePlan({ extensions: [fixtureExtension("empty")] });
		const { rig } = await open({}, { state });
		await rig.launcher.keepReady(expected(rig, { state }));
		expect(await play(rig, { state })).toMatchObject({ standby: false });
	});

	it("that was killed costs a start and nothing else", { timeout: patient(60_000) }, async () => {
		const { rig, requests } = await open();
		const pid = await keep(rig);
		process.kill(pid, "SIGKILL");
		// At once, perhaps before this process knows of it.
		const { standby, pid: other } = await play(rig);
		expect([standby, other === pid]).toEqual([false, false]);
		expect(requests()).toBe(1);
		expect(rig.seen.filter(({ kind }) => kind === "turn_settled")).toEqual([]);
	});

	deepIt("that is frozen costs a start and nothing else", { timeout: patient(60_000) }, async () => {
		const { rig } = await open({}, { launcher: { helloMs: patient(8000) } });
		const pid = await keep(rig);
		process.kill(pid, "SIGSTOP");
		expect(await play(rig)).toMatchObject({ standby: false });
		await isGone(rig, pid);
	});

	it("is stopped once the run has waited long, and started again when the wait ends", {
		timeout: patient(60_000),
	}, async () => {
		const { rig } = await open({}, { launcher: { standby: { max: 2, waitMs: 300 } } });
		const pid = await keep(rig, { waits: true });
		await isGone(rig, pid);
		await rig.launcher.keepReady(expected(rig, { waits: true }));
		expect(pids(rig)).toEqual([]);
		expect(await keep(rig)).not.toBe(pid);
		expect(await play(rig)).toMatchObject({ standby: true });
	});

	deepIt("is bounded across all runs, and turned off by a bound of 0", { timeout: patient(60_000) }, async () => {
		const { rig } = await open({}, { launcher: { standby: { max: 1, waitMs: 1000 } } });
		await keep(rig);
		const other = openRig(rig.project, { launcher: { standby: { max: 1, waitMs: 1000 } } });
		const off = openRig(rig.project, { launcher: { standby: { max: 0, waitMs: 1000 } } });
		void other.launcher.keepReady(
			expected(other, { folder: join(rig.folder, "..", "other"), launch: { visit: 7, attempt: 1, launch: 1 } }),
		);
		void off.launcher.keepReady(expected(off, { launch: { visit: 8, attempt: 1, launch: 1 } }));
		const { standby } = await play(rig);
		expect(standby).toBe(true);
		// The place is free now: the other one gets it.
		await expect.poll(() => pids(rig), { timeout: patient(10_000) }).toHaveLength(1);
		expect(slots(rig.project)).toHaveLength(1);
		await Promise.all([other, off].map(({ launcher }) => launcher.keepReady(undefined)));
		expect(pids(rig)).toEqual([]);
		rmSync(join(rig.folder, "..", "other"), { recursive: true, force: true });
	});

	deepIt(
		"leaves nothing after 80 that were stopped at some moment of their start",
		{ timeout: patient(400_000) },
		async () => {
			const { rig, requests } = await open();
			for (let n = 0; n < 80; n += 1) {
				void rig.launcher.keepReady(expected(rig, { launch: { visit: n + 1, attempt: 1, launch: 1 } }));
				await new Promise((resolve) => setTimeout(resolve, (n * 37) % 600));
			}
			await rig.launcher.keepReady(undefined);
			expect(pids(rig)).toEqual([]);
			expect(workers(rig)).toEqual([]);
			expect(slots(rig.project)).toEqual([]);
			expect(requests()).toBe(0);
		},
	);
});
