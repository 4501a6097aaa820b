// Turns the answer to an approval question into an event; provides the approver for runs without a user. Pure.
import type { Approval, ApprovalQuestion, Approver, PersonEvent } from "../../core/index.ts";

/** No approver: an approval waits in the ledger, and a worker's question stays unanswered. */
export const nobody: Approver = {
	approve: async () => ({ kind: "undecided" }),
	answer: async () => ({ kind: "undecided" }),
};

/** The event of an answer; `undefined` for an undecided one. */
export function answerEvent({ seq, diff, visit }: ApprovalQuestion, approval: Approval): PersonEvent | undefined {
	const seen = { visit };
	switch (approval.kind) {
		case "approved":
			return {
				kind: "approved",
				answers: seq,
				diff,
				...(approval.choice === undefined ? {} : { choice: approval.choice }),
				...wordsOf(approval),
				seen,
			};
		case "rejected":
			return { kind: "rejected", answers: seq, words: approval.words, seen };
		case "sent":
			return { kind: "released", answers: seq, to: approval.to, ...wordsOf(approval), seen };
		case "undecided":
			return undefined;
	}
}

function wordsOf({ words }: { readonly words?: string }): { readonly words?: string } {
	return words === undefined ? {} : { words };
}
