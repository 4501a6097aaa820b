// What the user decided in a run, word for word: every later worker starts with it. Pure.
// Words are kept whole; beyond `allBytes` the oldest decisions are left out, and `number` tells how many; the ledger has all of them;
// a rewind undoes the decisions made since its target, and undoing the rewind restores them; those of a parent run stay.

import { keepNewest } from "../snapshot/index.ts";
import { queueMessage } from "./outbox.ts";
import type { ApprovalQuestion } from "./run/approval-question.ts";
import type { LedgerEvent } from "./run/event.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";
import type { RunDecision } from "./run/run-decision.ts";
import type { DecisionInherited, Released, Resumed, RewindRequested } from "./run/user-event.ts";

/** What the user did, and in which child, if not in the run itself. */
interface DecisionMade
	extends Pick<RunDecision, "did" | "child">,
		Partial<Pick<RunDecision, "visit" | "state" | "above">> {
	readonly about?: string | undefined;
}

/** Maximum bytes of all decisions of a run, as JSON. */
const allBytes = 256 * 1024;

/** The run with a decision of the user, made by `event` in the current visit. Without words, it counts only if it is about something. */
export function addDecision(
	run: Run,
	{ seq, at }: { readonly seq: number; readonly at: string },
	{ words = "", about, ...made }: DecisionMade & { readonly words?: string | undefined },
): Run {
	const said = words.trim();
	if (said === "" && about === undefined) return run;
	const number = (run.decisions.at(-1)?.number ?? 0) + 1;
	const added: RunDecision = {
		number,
		seq,
		at,
		visit: run.visit,
		state: run.state,
		...made,
		words: said,
		...(about === undefined ? {} : { about }),
	};
	return { ...run, decisions: keepNewest([...run.decisions, added], allBytes).kept };
}

/** The run with a decision whose words the current or next worker also gets as a message. */
export function hearDecision(
	run: Run,
	event: { readonly seq: number; readonly at: string; readonly words?: string | undefined },
	made: DecisionMade,
): Run {
	return addDecision(queueMessage(run, event.seq, event.words), event, { ...made, words: event.words });
}

/** The decisions of the user in `parent` and its own parents that `child` does not know: those made since it began. */
export function decisionsSince(parent: Run, child: Run): readonly RunDecision[] {
	return [...(parent.inherited?.decisions ?? []), ...parent.decisions].filter(
		(decision) => decision.undone === undefined && decision.child === undefined && !isInherited(child, decision),
	);
}

function isInherited({ inherited, decisions }: Run, { at, did, words }: RunDecision): boolean {
	const known = [...(inherited?.decisions ?? []), ...decisions.filter(({ above }) => above)];
	return known.some((one) => one.at === at && one.did === did && one.words === words);
}

/** A parent run hands down what the user decided there. The current or next worker gets the words as a message. */
export function onDecisionInherited(run: Run, { seq, decision }: LedgerEvent & DecisionInherited): Reduced {
	if (run.stage.kind === "over") return refuse("over", "The run is over.");
	if (isInherited(run, decision)) return refuse("stale", "This decision is known already.");
	const { at, visit, state, did, about, words } = decision;
	const queued = queueMessage(run, seq, words);
	return addDecision(queued, { seq, at }, { did, about, words, visit, state, above: true });
}

/** What an answer to `question` is about. */
export function subjectOf(
	{ side, state, target }: Pick<ApprovalQuestion, "side" | "state" | "target">,
	answer: { readonly choice?: string | undefined; readonly winner?: string | undefined } = {},
): string {
	if (side === "conflict")
		return `how to resolve the conflicts of the children's files${answer.choice === undefined ? "" : ` (${answer.choice})`}`;
	if (side === "entry" && target === state) return `the start of "${state}"`;
	return `the move from "${state}" to "${target}"${answer.winner === undefined ? "" : `, taking the files of "${answer.winner}"`}`;
}

/** What a release decides. */
export function releaseSubject({ refused }: Run, { to, done }: Pick<Released, "to" | "done">): string {
	if (done) return "the end of the run, as done";
	if (to !== undefined) return `the next state: "${to}"`;
	return refused ? `the move from "${refused.from}" to "${refused.to}", which had been stopped` : "the stopped move";
}

/** What a resume with words answers; without words it decides nothing. */
export function resumeSubject({ hold }: Run, { words }: Pick<Resumed, "words">): string | undefined {
	return words === undefined || hold === null ? undefined : `the pause: ${hold.detail}`;
}

/**
 * The decisions after a rewind in visit `now` to the start of visit `to`, or with `kept` to visit `to` as it was before an earlier rewind. A
 * decision is valid if it was so then.
 */
export function rewindDecisions(
	decisions: readonly RunDecision[],
	{ to, kept }: Pick<RewindRequested, "to" | "kept">,
	now: number,
): readonly RunDecision[] {
	return decisions.map((decision): RunDecision => {
		if (decision.above) return decision;
		const { undone, ...made } = decision;
		const isBefore = kept === undefined ? made.visit < to : made.visit <= to;
		if (isBefore && (undone === undefined || undone >= to)) return made;
		return undone === undefined ? { ...made, undone: now } : decision;
	});
}
