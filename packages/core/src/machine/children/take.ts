// Takes the chosen one of several children (`take: one`): joins its files, then makes the move with which it was chosen. Pure.
import { moveTo } from "../advance.ts";
import { notice } from "../budget/budget.ts";
import { addChoice } from "../candidates.ts";
import { planOf } from "../plan/plan.ts";
import type { Candidates, ChildChoice, ChildGroup, ChildRun } from "../run/child-group.ts";
import type { AfterStop, Run, Stopping } from "../run/run.ts";
import { NO_WORKER, shutdownOf } from "../stopping.ts";

const whyLength = 300;

/** Joins the files of the chosen child; then the run moves to `to`, or ends in its state. */
export function startTake(run: Run, to: string | null): Run {
	const { candidates, visit } = run;
	if (!candidates) return run;
	const { group, winner } = candidates;
	const children = group.children.map(
		(child): ChildRun => (child.status === "done" && child.name !== winner ? { ...child, status: "dropped" } : child),
	);
	const taking = { to, choice: choiceOf(run, candidates) };
	const taken: ChildGroup = { ...group, visit, children, phase: "joining", stopping: null, join: null, taking };
	const joining: Run = {
		...run,
		status: "running",
		candidates: null,
		children: taken,
		stage: { kind: "children", since: run.seq },
	};
	// Children that share the run's files have none to join.
	return winnerIn(taken)?.tree === null ? endTake(joining, taken) : joining;
}

function choiceOf({ visit, visitRecord }: Run, { group, winner, override }: Candidates): ChildChoice {
	const about = { state: group.state, visit: group.visit, madeIn: visit, winner };
	const why = (override?.words ?? visitRecord.summary).slice(0, whyLength);
	return override ? { ...about, by: "person", insteadOf: override.insteadOf, why } : { ...about, by: "worker", why };
}

function winnerIn({ children }: ChildGroup): ChildRun | undefined {
	return children.find(({ status, merges }) => status === "done" && merges === undefined);
}

/** The files of the chosen child of `group` are joined: leaves the state whose worker chose it. */
export function endTake(run: Run, group: ChildGroup): Run {
	const { to = null, choice } = group.taking ?? {};
	const noted = notice({ ...run, children: null }, `The files of "${winnerIn(group)?.name}" are taken.`);
	const left = choice ? addChoice(noted, choice) : noted;
	// The cleanup of the state has run, after its worker.
	const after = (then: AfterStop): Stopping => ({
		...shutdownOf(left, "boundary", then, NO_WORKER, null),
		index: planOf(left).cleanup.length,
	});
	if (to !== null) return moveTo(left, to, "worker", after({ kind: "enter" }));
	const status = left.state === "failed" ? "failed" : "done";
	return { ...left, stage: after({ kind: "finish", status, detail: "" }) };
}

/** The run without its children. If the files of one of them were being joined, none of them is taken. */
export function leaveTake(run: Run): Run {
	const choice = run.children?.taking?.choice;
	const left: Run = { ...run, children: null };
	return choice ? addChoice(left, { ...choice, winner: null, by: "person", why: "" }) : left;
}
