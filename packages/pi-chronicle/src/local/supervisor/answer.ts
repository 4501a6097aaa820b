// Turns the answer to an approval question into an event, and back; provides the approver for runs without a user. Pure.
import type { ApprovalQuestion, UserEvent } from "@pi-chronicle/core/machine";
import type { Approval, Approver } from "@pi-chronicle/core/ports";

/** No approver: an approval and a worker's question wait in the ledger, and a rule's question stays unanswered. */
export const nobody: Approver = {
	approve: async () => ({ kind: "undecided" }),
	ask: async () => undefined,
	answer: async () => ({ kind: "undecided" }),
};

/** The event of an answer; `undefined` for an undecided one. */
export function answerEvent({ seq, diff, visit }: ApprovalQuestion, approval: Approval): UserEvent | undefined {
	const seen = { visit };
	switch (approval.kind) {
		case "approved":
			return {
				kind: "approved",
				answers: seq,
				diff,
				...decisionFields(approval),
				...givenWords(approval),
				seen,
			};
		case "rejected":
			return { kind: "rejected", answers: seq, ...givenWords(approval), words: approval.words, seen };
		case "sent":
			return { kind: "released", answers: seq, to: approval.to, ...givenWords(approval), seen };
		case "undecided":
			return undefined;
	}
}

/** The answer that `answerEvent` has turned into `event`. */
export function approvalOf(event: UserEvent & { readonly kind: "approved" | "rejected" | "released" }): Approval {
	switch (event.kind) {
		case "approved":
			return { kind: "approved", ...decisionFields(event), ...givenWords(event) };
		case "rejected":
			return { kind: "rejected", ...givenWords(event), words: event.words };
		case "released":
			return event.to === undefined ? { kind: "undecided" } : { kind: "sent", to: event.to, ...givenWords(event) };
	}
}

type ApprovalChoice = Pick<Extract<Approval, { kind: "approved" }>, "choice" | "resolved" | "winner">;

function decisionFields({ choice, resolved, winner }: ApprovalChoice): ApprovalChoice {
	return { choice, resolved, winner };
}

type Said = { readonly words?: string; readonly by?: string; readonly via?: string };

function givenWords({ words, by, via }: Said): Said {
	return { words, by, via };
}
