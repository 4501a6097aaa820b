// Sample runs for the tests of screens and reports: one that was rewound, one that failed, one that escalated, one with children.
import { branches, end, parentTemplate, park, plan, spent, total } from "../../../core/test/machine/child-steps.ts";
import {
	definition,
	go,
	newTree,
	open,
	rest,
	spend,
	start,
	type TestRun,
} from "../../../core/test/machine/test-run.ts";

export const fiveStates = {
	plan: { persona: "P", next: ["build"] },
	build: { persona: "B", next: ["check"] },
	check: { persona: "C", next: ["build", "done", "failed"] },
	done: {},
	failed: {},
};

/** Restores the start of visit `to`, or the state that event `kept` has kept. */
export function rewind(play: TestRun, to: { visit: number; state: string; kept?: number }): void {
	const { snapshot, pairMoves } = play.run;
	const tree = newTree();
	const kept = to.kept === undefined ? {} : { kept: to.kept };
	play.say({ kind: "rewind_requested", to: to.visit, state: to.state, tree, snapshot, pairMoves, ...kept });
	if (play.run.stage.kind === "stopping") rest(play);
	play.say({ kind: "files_measured", visit: play.run.visit, purpose: "before", tree: newTree() });
	play.say({ kind: "files_restored", tree, before: newTree() });
}

/** Plan, build, check, of which the first two cost $0.25 each; then back to the start of build. */
export function rewoundRun(): TestRun {
	const play = open(definition(fiveStates));
	for (const to of ["build", "check"]) {
		start(play);
		play.say({ kind: "used", visit: play.run.visit, attempt: 1, spend: spend(1000, 0.25) });
		go(play.wait(30_000), to, `left for ${to}`);
	}
	start(play);
	rewind(play, { visit: 2, state: "build" });
	return play;
}

export function failedRun(): TestRun {
	const play = open(definition(fiveStates));
	for (const [to, summary] of [
		["build", "a plan"],
		["check", "built"],
		["failed", "The tests need a database.\nIt is not here."],
	] as const) {
		start(play);
		go(play, to, summary);
	}
	return play;
}

export function escalatedRun(): TestRun {
	const play = open(definition(fiveStates, { limits: { pair_moves: 1 } }));
	for (const to of ["build", "check", "build"]) {
		start(play);
		go(play, to);
	}
	return play;
}

/** Four children with names of all kinds: done, failed, waiting for an answer, running. */
export function childrenRun(): TestRun {
	const names = ["the-transfer-of-all-receipts-of-the-last-decade", "検証と文書化", "c", "report"];
	const play = plan(parentTemplate({ branches: branches(...names) }));
	const used = (attempts: number) =>
		total(12_000 * attempts, {
			attempts,
			activeMs: 40_000 * attempts,
			toolCalls: 7,
			spend: spend(12_000 * attempts, 0.25),
		});
	spent(play.wait(30_000), 1, used(1));
	end(play.wait(20_000), 1, "done", { total: used(2) });
	end(play.wait(20_000), 2, "failed", { total: used(1) });
	const call = { stage: "working", tool: "bash", args: "command=npm test -- test/reports --reporter=verbose" } as const;
	spent(play, 4, used(1), { state: "testing", activity: call });
	return park(play.wait(5000), 3);
}
