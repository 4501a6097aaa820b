// The question for an approval, from the event that raises it to the event that records it.
// A question that is recorded has the `seq` of its `approval_asked`, which follows the event that raises it in the same batch; before that,
// and in ledgers of earlier versions, it has the `seq` of the event that raised it: an answer may name either.

import type { ApprovalQuestion } from "./run/approval-question.ts";
import type { ApprovalAsked, LedgerEvent } from "./run/event.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";

/** The run, which asks `question` and is about to record it. */
export function raiseQuestion(run: Run, question: Omit<ApprovalQuestion, "seq" | "state">): Run {
	const asked = { seq: run.seq, state: run.state, ...question };
	return { ...run, status: "awaiting_approval", stage: { kind: "asking", question: asked } };
}

/** The record of the run's question; `undefined`: it asks none, or the question is recorded, or an earlier version asked it. */
export function dueApproval({ stage, seq: last }: Run): ApprovalAsked | undefined {
	if (stage.kind !== "asking" || stage.question.recorded || stage.question.seq !== last) return undefined;
	const { state, visit, side, target, diff: tree } = stage.question;
	return { kind: "approval_asked", state, visit, side, target, tree };
}

export function onApprovalAsked(run: Run, { seq }: LedgerEvent & ApprovalAsked): Reduced {
	const { stage } = run;
	if (stage.kind !== "asking" || stage.question.seq !== seq - 1) return refuse("stale", "The run does not ask this.");
	return { ...run, stage: { ...stage, question: { ...stage.question, seq, recorded: true } } };
}

/** The question that the run asks. A supervisor that died while it asked left the question open: the next one asks it again. */
export function openQuestion({ stage }: Run): ApprovalQuestion | undefined {
	if (stage.kind === "asking") return stage.question;
	return stage.kind === "stopping" && stage.after.kind === "ask" ? (stage.after.earlier ?? undefined) : undefined;
}

/** Whether an answer to the event `answers` answers the question. */
export function isAnswerTo({ seq, recorded }: ApprovalQuestion, answers: number): boolean {
	return answers === seq || (recorded === true && answers === seq - 1);
}
