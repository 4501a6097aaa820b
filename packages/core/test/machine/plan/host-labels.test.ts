// The labels that states require: work starts only on a host that has them, and a run that needs another host waits for it without loss.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../pi-chronicle/test/harness/runs.ts";
import {
	type EventBody,
	hostNeed,
	isParked,
	labelsOf,
	missingLabels,
	pendingActions,
} from "../../../src/machine/index.ts";
import { ask, definition, go, here, newTree, open, refold, rest, since, start, type TestRun } from "../test-run.ts";

const gpu = { persona: "P", host: ["gpu"] };
const template = definition({
	plan: { persona: "P", next: ["train"], requires_approval: true },
	train: { ...gpu, next: ["report"], cleanup: ["rm -r /scratch"] },
	report: { persona: "P", next: ["done"] },
});
const opened: EventBody = { kind: "opened", host: "b", pid: 2, started: "t" };
const kinds = (testRun: TestRun, from: number) => testRun.events.slice(from).map(({ kind }) => kind);

/** The run, which waits for a host with `gpu`. */
function waiting(): TestRun {
	const testRun = go(start(open(template)), "train");
	if (testRun.run.stage.kind !== "asking") throw new Error("no question");
	const { seq, diff } = testRun.run.stage.question;
	return testRun.say({ kind: "approved", answers: seq, diff }, []);
}

/** Measures the files on a host that offers these labels. */
function measure(testRun: TestRun, offered: readonly string[]): TestRun {
	const { visit, purpose } = testRun.due("measure_files");
	return testRun.say({ kind: "files_measured", visit, purpose, tree: newTree(), changes: [] }, offered);
}

describe("a state that requires labels", () => {
	it("starts on a host that has them, without a report of an interruption", () => {
		const testRun = measure(waiting(), []);
		expect(testRun.events.at(-1)).toMatchObject({ kind: "host_awaited", visit: 2, labels: ["gpu"] });
		expect(hostNeed(testRun.run)).toEqual({ labels: ["gpu"], commandsToo: false });
		expect(testRun.run).toMatchObject({ status: "running", attempt: 0, baseline: null, stage: { awaits: ["gpu"] } });
		const at = testRun.events.length;
		testRun.say(opened, ["gpu"]);
		expect(testRun.run.stage).toEqual({ kind: "baselining", because: "entered" });
		measure(testRun, ["gpu"]);
		expect(kinds(testRun, at)).toEqual(["opened", "files_measured", "attempt_reserved"]);
		expect(testRun.events.at(-1)).toMatchObject({ attempt: 1, launch: 1, because: "entered" });
		expect(hostNeed(testRun.run)).toEqual({ labels: ["gpu"], commandsToo: true });
		start(testRun);
		// Its cleanup belongs to that host too; what follows does not.
		ask(testRun, "report");
		expect(hostNeed(testRun.run)).toEqual({ labels: ["gpu"], commandsToo: true });
		rest(testRun);
		expect(hostNeed(testRun.run)).toEqual({ labels: [], commandsToo: true });
	});

	it("is left to the right host after a worker's move, in the batch that measured the files", () => {
		const testRun = start(
			open(definition({ plan: { persona: "P", next: ["train"] }, train: { ...gpu, next: ["done"] } })),
		);
		ask(testRun, "train");
		expect(hostNeed(testRun.run).labels).toEqual([]);
		const stopping = testRun.run.stage;
		if (stopping.kind !== "stopping" || !stopping.launch) throw new Error("no worker");
		testRun.say({ kind: "worker_ended", ...stopping.launch, outcome: { kind: "stopped" } }, []);
		measure(testRun, []);
		expect(testRun.batches.at(-1)?.map(({ kind }) => kind)).toEqual(["files_measured", "host_awaited"]);
	});

	it.each<[string, EventBody, string]>([
		["told", { kind: "told", text: "hello" }, "running"],
		["paused", { kind: "pause_requested", cause: "person", detail: "x" }, "paused"],
		["aborted", { kind: "abort_requested" }, "aborted"],
	])("can be %s while it waits for a host, by any host, which starts nothing", (_name, command, status) => {
		const testRun = measure(waiting(), []);
		const at = testRun.events.length;
		testRun.say(opened, []).say(command, []);
		expect(testRun.refusal).toBe("");
		if (testRun.run.stage.kind === "baselining") measure(testRun, []);
		expect(testRun.run.status).toBe(status);
		expect(kinds(testRun, at)).not.toContain("attempt_reserved");
		expect(isParked(testRun.run)).toBe(status !== "running");
		if (status === "paused") testRun.say({ kind: "resumed", answers: since(testRun) }, []);
		if (status !== "aborted") expect(testRun.events.at(-1)?.kind).toBe("host_awaited");
		expect(testRun.run.outbox.length).toBe(status === "running" ? 1 : 0);
	});

	it("counts the changes of its earlier attempts from the start of the visit, on whichever host it continues", () => {
		const testRun = start(open(definition({ train: { ...gpu, next: ["done"] } })));
		const { tree } = testRun.run.baseline ?? {};
		testRun.say({ ...opened }, []);
		const { stage } = testRun.run;
		if (stage.kind !== "stopping" || !stage.launch) throw new Error("no worker");
		testRun.say({ kind: "worker_ended", ...stage.launch, outcome: { kind: "lost" } }, []);
		measure(testRun, []);
		expect(testRun.events.at(-1)?.kind).toBe("host_awaited");
		measure(testRun.say(opened, ["gpu"]), ["gpu"]);
		expect(testRun.events.at(-1)).toMatchObject({ kind: "attempt_reserved", because: "interrupted" });
		expect(testRun.run.baseline?.tree).toBe(tree);
	});

	it("does not require those of its children's states, whose runs require them themselves", () => {
		const leaf = { states: { a: { persona: "P", host: ["big"], next: ["done"] } } };
		const inner = { states: { sub: { run: "leaf", next: ["done"] } } };
		const branches = { one: { run: inner }, two: { persona: "P", host: ["gpu"] } };
		const testRun = open(definition({ build: { branches, host: ["linux"], next: ["done"] } }), { children: { leaf } });
		expect(labelsOf(testRun.run, "build")).toEqual(["linux"]);
		measure(testRun, ["gpu"]);
		expect(testRun.events.at(-1)?.kind).toBe("host_awaited");
		measure(testRun.say(opened, ["linux"]), ["linux"]);
		expect(testRun.events.at(-1)?.kind).toBe("children_planned");
		expect(hostNeed(testRun.run).commandsToo).toBe(true);
	});

	it("waits for no host if there is nothing to do", () => {
		const states = { build: { run: { states: { a: gpu } }, for_each: "findings", next: ["end"] }, end: { next: [] } };
		const testRun = measure(open(definition(states)), []);
		expect(testRun.events.map(({ kind }) => kind)).toContain("children_planned");
		expect(testRun.events.map(({ kind }) => kind)).not.toContain("host_awaited");
	});

	it("never starts on a host without its labels, and each handover is followed by work or a wait for the user", () => {
		const labels = ["gpu", "big"];
		const state = fc.record({
			host: fc.subarray(labels),
			next: fc.constantFrom(["b"], ["c"], ["b", "c"], ["done"]),
			requires_approval: fc.boolean(),
		});
		const states = fc.record({ a: state, b: state, c: state });
		const hosts = fc.infiniteStream(fc.constantFrom([], ["gpu"], ["big"], labels));
		const crashes = fc.infiniteStream(fc.nat(5));
		fc.assert(
			fc.property(states, hosts, crashes, (written, offers, dice) => {
				const named = Object.entries(written).map(([name, one]) => [name, { persona: "P", ...one }]);
				const testRun = open(
					definition(Object.fromEntries(named), { limits: { moves: 8, attempts: 50, retries: 50 } }),
				);
				drive(
					testRun,
					() => offers.next().value ?? labels,
					() => (dice.next().value ?? 0) === 0,
				);
				const from = JSON.stringify(refold(testRun.events).stage);
				expect(from).toBe(JSON.stringify(testRun.run.stage));
			}),
			{ numRuns: runs() },
		);
	});
});

/** Lets hosts take the run, as its jobs would, until it is over, waits in `human_intervention`, or many steps are done. */
function drive(testRun: TestRun, nextHost: () => readonly string[], dies: () => boolean): void {
	let offered = takenBy(testRun, nextHost);
	let awaited = 0;
	for (let step = 0; step < 120; step += 1) {
		const { run } = testRun;
		if (run.stage.kind === "over" || run.status === "human_intervention") return;
		const last = testRun.events.at(-1)?.kind;
		if (last === "host_awaited" || dies()) {
			awaited = last === "host_awaited" ? awaited + 1 : awaited;
			offered = takenBy(testRun, nextHost);
			testRun.say(opened, offered);
		} else work(testRun, offered);
		const now = testRun.events.at(-1);
		if (now?.kind !== "attempt_reserved") continue;
		expect(missingLabels(labelsOf(testRun.run, testRun.run.state), offered)).toEqual([]);
		expect(awaited, "hosts that sent each other the run").toBeLessThanOrEqual(1);
		awaited = 0;
	}
}

/** The labels of a host that may take the run: any host a command, those that offer the labels the rest. */
function takenBy({ run }: TestRun, nextHost: () => readonly string[]): readonly string[] {
	const { labels } = hostNeed(run);
	for (let tried = 0; tried < 50; tried += 1) {
		const offered = nextHost();
		if (missingLabels(labels, offered).length === 0) return offered;
	}
	return labels;
}

/** One step of the work that is due. */
function work(testRun: TestRun, offered: readonly string[]): void {
	const { run } = testRun;
	const { stage } = run;
	const [action] = pendingActions(run);
	if (stage.kind === "asking")
		testRun.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff }, offered);
	else if (stage.kind === "waiting") testRun.say({ kind: "resumed", answers: stage.since }, offered);
	else if (stage.kind === "working") {
		const [target = "done"] = run.plan.states.get(run.state)?.next ?? [];
		testRun.say({ kind: "move_requested", ...here(testRun), target, summary: `s${run.seq}` }, offered);
	} else if (action?.kind === "work")
		testRun.say({ kind: "worker_started", ...action.launch, pid: 1, model: "m", conversation: "new" }, offered);
	else if (action?.kind === "end_worker")
		testRun.say({ kind: "worker_ended", ...action.launch, outcome: { kind: "stopped" } }, offered);
	else if (action?.kind === "measure_files") measure(testRun, offered);
}
