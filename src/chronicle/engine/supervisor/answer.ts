// A person's answer to an approval question as the event that it is, and the approver where nobody is. Pure.
import type { Approval, ApprovalQuestion, Approver, PersonEvent } from "../../core/index.ts";

/** Nobody is asked: a question waits in the ledger, and a worker's own question is answered by nobody. */
export const nobody: Approver = {
	approve: async () => ({ kind: "undecided" }),
	answer: async () => ({ kind: "undecided" }),
};

/** `undefined` for an answer that is none. */
export function answerEvent({ seq, diff, visit }: ApprovalQuestion, approval: Approval): PersonEvent | undefined {
	const seen = { visit };
	switch (approval.kind) {
		case "approved":
			return { kind: "approved", answers: seq, diff, ...wordsOf(approval), seen };
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
