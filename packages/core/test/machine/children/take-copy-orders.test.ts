// Joining, taking and discarding the copy of a run apart, in any order: what is possible, and from which files a join begins.
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../pi-chronicle/test/harness/runs.ts";
import { apartState, copyId, type EventBody } from "../../../src/machine/index.ts";
import { applyJoin, conflict, join } from "../child-steps.ts";
import { definition, go, newTree, open, refold, reopen, since, start, type TestRun } from "../test-run.ts";

const begun = "beef".repeat(10);

/** A run apart that has ended, and what is expected of it. */
interface World {
	readonly testRun: TestRun;
	/** What became of the files since the run has worked last. */
	fate: { joined?: true; taken?: true; discarded?: true };
	/** The files that were joined last, and those that are being joined. */
	joined: string;
	kept: string;
	totals: TestRun["run"]["totals"];
}

function openWorld(): World {
	const states = { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["done"] } };
	const testRun = open(definition(states, { limits: { moves: 999, pair_moves: 999 } }), { apart: true });
	testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: begun, start: true } as EventBody);
	go(start(go(start(testRun), "b")), "done");
	return { testRun, fate: {}, joined: begun, kept: "", totals: testRun.run.totals };
}

/** How far the run is: over, or in a join. */
function stepOf({ testRun: { run } }: World): string {
	if (run.stage.kind !== "children") return run.stage.kind;
	if (run.children?.join) return "merged";
	return run.children?.children[0]?.status === "done" ? "kept" : "requested";
}

function stateOf(world: World): ReturnType<typeof apartState> {
	const { joined, taken, discarded } = world.fate;
	if (discarded) return "discarded";
	if (stepOf(world) !== "over") return "working";
	return joined ? "joined" : taken ? "taken" : "waiting";
}

/** What the user can ask for at any time: taken if the run is over and its files are not discarded, else refused without effect. */
const requests: Readonly<Record<string, { body: object; accepted(world: World): void }>> = {
	request: {
		body: { kind: "join_requested" },
		accepted: ({ testRun }) => expect(testRun.due("run_child").child.id).toBe(copyId(testRun.run.id)),
	},
	branch: {
		body: { kind: "copy_taken", as: "branch", name: "x" },
		accepted: (world) => {
			world.fate.taken = true;
		},
	},
	discard: {
		body: { kind: "copy_discarded" },
		accepted: (world) => {
			world.fate.discarded = true;
		},
	},
	work: {
		body: { kind: "reopened", to: "b" },
		accepted: (world) => {
			expect(apartState(world.testRun.run)).toBe("working");
			go(start(world.testRun), "done");
			Object.assign(world, { fate: {}, totals: world.testRun.run.totals });
		},
	},
};

/** A request about an earlier end of the run. */
const late = { body: { kind: "join_requested", answers: 1 }, accepted: () => {} };

function request(world: World, name: string): void {
	const { testRun, fate } = world;
	const before = testRun.run;
	const isPossible = before.stage.kind === "over" && !fate.discarded;
	const { body, accepted } = requests[name] ?? late;
	const answers = before.stage.kind === "over" ? since(testRun) : 1;
	testRun.say({ answers, ...body } as EventBody);
	expect([name, testRun.refusal === ""]).toEqual([name, isPossible && name in requests]);
	if (testRun.refusal === "") accepted(world);
	else expect(testRun.run).toBe(before);
}

/** What happens in a join, by how far it is. */
const steps: Readonly<Record<string, (world: World) => void>> = {
	"keep requested"(world) {
		const { testRun } = world;
		const { child, visit } = testRun.due("run_child");
		world.kept = newTree();
		const end = { kind: "child_ended", visit, child: child.id, status: "done", detail: "", tree: world.kept };
		testRun.say({ ...end, total: child.counted, handover: { summary: "", data: {} } } as EventBody);
		expect(testRun.due("merge_files")).toMatchObject({ base: world.joined, results: [{ tree: world.kept }] });
	},
	"merge kept": ({ testRun }) => void join(testRun),
	"clash kept"({ testRun }) {
		join(testRun, [conflict("f.txt")]);
		expect(testRun.run.status).toBe("awaiting_approval");
	},
	"choose asking"({ testRun }) {
		const { stage } = testRun.run;
		if (stage.kind !== "asking") return;
		const { seq: answers, diff } = stage.question;
		testRun.say({ kind: "approved", answers, diff, choice: "theirs" } as EventBody);
		join(testRun);
		testRun.due("apply_join");
	},
	"write merged"(world) {
		applyJoin(world.testRun);
		world.joined = world.kept;
		world.fate.joined = true;
	},
	"fail kept": fail,
	"fail merged": fail,
	"resume waiting": ({ testRun }) => void testRun.say({ kind: "resumed", answers: since(testRun) } as EventBody),
	"abort asking": giveUp,
	"abort waiting": giveUp,
};

function fail({ testRun }: World): void {
	testRun.say({ kind: "join_failed", visit: testRun.run.visit, detail: "another branch" });
	expect(testRun.run.status).toBe("paused");
}

function giveUp({ testRun }: World): void {
	testRun.say({ kind: "abort_requested" });
	expect(testRun.run.stage.kind).toBe("over");
}

const names = [
	...Object.keys(requests),
	...Object.keys(steps).map((step) => step.split(" ")[0] ?? ""),
	"late",
	"take over",
];
/** After `discard` nothing happens any more, so it is rare. */
const acts = fc.oneof(
	{ weight: 60, arbitrary: fc.constantFrom(...names.filter((name) => name !== "discard")) },
	{ weight: 1, arbitrary: fc.constant("discard") },
);

function perform(world: World, act: string): void {
	if (act === "take over") reopen(world.testRun);
	else if (act === "late" || act in requests) request(world, act);
	else steps[`${act} ${stepOf(world)}`]?.(world);
}

it("a join ends as the run had ended, from what was joined last; nothing is taken of a copy that was discarded", () => {
	const reached = new Set<string>();
	fc.assert(
		fc.property(fc.array(acts, { minLength: 60, maxLength: 120 }), (story) => {
			const world = openWorld();
			const { testRun } = world;
			for (const act of story) {
				perform(world, act);
				reached.add(`${stepOf(world)} ${apartState(testRun.run)}`);
				expect(apartState(testRun.run)).toBe(stateOf(world));
				expect(testRun.run.totals).toEqual(world.totals);
				if (testRun.run.stage.kind === "over")
					expect(testRun.run).toMatchObject({ status: "done", children: null, hold: null });
				expect(testRun.run.apart?.joined?.tree ?? begun).toBe(world.joined);
			}
			expect(refold(testRun.events)).toEqual(testRun.run);
		}),
		{ numRuns: runs(0.4) },
	);
	const over = ["discarded", "joined", "taken", "waiting"].map((state) => `over ${state}`);
	const joining = ["asking", "kept", "merged", "requested", "waiting"].map((step) => `${step} working`);
	expect([...reached].sort()).toEqual([...over, ...joining].sort());
});
