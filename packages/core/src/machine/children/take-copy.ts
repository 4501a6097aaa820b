// Takes the files of a run that has worked in a copy of the project, once it has ended. Pure.
// The copy is joined as the only child of a group, from what was joined last; a join does not change how the run has ended; nothing is
// taken from a copy that was discarded, and its run does not work again.
import { closingSummaries, summariesText } from "../../snapshot/index.ts";
import { decideOn } from "../advance.ts";
import { notice } from "../budget/budget.ts";
import { type Apart, copyId, type JoinOfCopy } from "../run/apart.ts";
import type { ChildGroup, ChildRun } from "../run/child-group.ts";
import { NO_CHILD_SPEND } from "../run/child-run.ts";
import type { Finished } from "../run/decision-event.ts";
import type { LedgerEvent } from "../run/event.ts";
import { type Reduced, type Refusal, refuse } from "../run/refusal.ts";
import type { Run } from "../run/run.ts";
import type { CopyDiscarded, CopyTaken, JoinRequested } from "../run/user-event.ts";

/** What became of the files of a run apart; `undefined`: it works in the project's folder, or has ended before it began. */
export type ApartState = "working" | "waiting" | "joined" | "taken" | "discarded";

export function apartState({ apart, stage, history, startTree }: Run): ApartState | undefined {
	if (!apart) return undefined;
	if (apart.discarded) return "discarded";
	if (stage.kind !== "over") return "working";
	if (startTree === undefined) return undefined;
	// A run that was reopened or rewound since has other files.
	const since = history.at(-1)?.at ?? "";
	if (apart.joined && apart.joined.at >= since) return "joined";
	return apart.taken && apart.taken.at >= since ? "taken" : "waiting";
}

/** Whether the join is of files that were joined before: no visit has ended since, and the copy is the same. */
export function isJoinedAgain({ apart, history, children }: Run): boolean {
	if (!children?.ofCopy || !apart?.joined || apart.joined.at < (history.at(-1)?.at ?? "")) return false;
	return children.children[0]?.tree === children.base;
}

/** Why nothing can be taken from the copy of the run; `undefined` if it can. */
export function explainUntakable({ apart, stage, startTree, id, children }: Run): string | undefined {
	const short = id.slice(0, 8);
	if (!apart) return `The run ${short} works in the project's own folder: its changes are there.`;
	if (apart.discarded) return `The files of the run ${short} were discarded.`;
	if (children?.ofCopy) return `The join of the run ${short} is not over: join continues it, and abort gives it up.`;
	if (stage.kind !== "over") return `The run ${short} is not over: wait until it ends, or abort it first.`;
	return startTree === undefined ? `The run ${short} has no files to take: it had not begun.` : undefined;
}

/** The refusal of an event that is not about the present end of the run. */
function refuseTaking(run: Run, { answers }: { readonly answers: number }): Refusal | undefined {
	const problem = explainUntakable(run);
	if (problem !== undefined) return refuse("illegal", problem);
	const { stage } = run;
	if (stage.kind === "over" && stage.since === answers) return undefined;
	return refuse("answered", "The run has gone on since: look at it again.");
}

export function onJoinRequested(run: Run, event: LedgerEvent & JoinRequested): Reduced {
	const refusal = refuseTaking(run, event);
	if (refusal) return refusal;
	const { id, template, task, visit, state, apart, startTree = null, snapshot } = run;
	const summary = summariesText(closingSummaries(snapshot.summaries));
	const copy: ChildRun = {
		...{ index: 1, id: copyId(id), name: `${template.name} ${id.slice(0, 8)}`, template: template.name },
		...{ hash: template.hash, task, branch: -1, status: "pending", waits: null, detail: "", counted: NO_CHILD_SPEND },
		...{ tree: null, base: null, summary, starts: 1, signaled: false },
	};
	const ofCopy: JoinOfCopy = {
		status: run.status as Finished["status"],
		since: event.seq,
		...(event.otherBranch ? { otherBranch: true } : {}),
	};
	const group: ChildGroup = {
		...{ visit, state, base: apart?.joined?.tree ?? startTree, files: "own", children: [copy] },
		...{ stopping: null, phase: "working", join: null, ofCopy },
	};
	return { ...run, status: "running", children: group, stage: { kind: "children", since: event.seq } };
}

/** The run, over as before the join. */
export function endJoinOfCopy(run: Run, { children, base, ofCopy }: ChildGroup, how: "joined" | "given up"): Run {
	const left: Run = { ...run, children: null, hold: null };
	const finished = { kind: "finished", status: ofCopy?.status ?? "done" } as const;
	const tree = children[0]?.tree;
	if (how === "given up" || !tree)
		return decideOn(notice(left, "The join was given up; the project was not changed."), finished);
	const apart: Apart = { ...run.apart, joined: { tree, at: run.updatedAt } };
	const joined: Run = { ...left, apart };
	return decideOn(
		tree === base ? notice(joined, "There was nothing to join: the project has it all.") : joined,
		finished,
	);
}

export function onCopyTaken(run: Run, event: LedgerEvent & CopyTaken): Reduced {
	const { as, name, at } = event;
	return refuseTaking(run, event) ?? { ...run, apart: { ...run.apart, taken: { as, name, at } } };
}

export function onCopyDiscarded(run: Run, event: LedgerEvent & CopyDiscarded): Reduced {
	const { apart, startTree = "" } = run;
	if (apart?.discarded) return refuse("over", `The files of the run ${run.id.slice(0, 8)} were discarded before.`);
	// A run that had not begun has a copy, too.
	const refusal = refuseTaking({ ...run, startTree }, event);
	if (refusal) return refusal;
	return { ...run, apart: { ...apart, discarded: true } };
}

/** The refusal of what would have a run whose copy was discarded work again. */
export function refuseDiscarded({ apart }: Run): Refusal | undefined {
	return apart?.discarded
		? refuse("illegal", "The files of this run were discarded, so it cannot continue.")
		: undefined;
}
