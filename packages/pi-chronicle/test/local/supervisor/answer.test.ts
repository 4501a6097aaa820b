// Answers to questions as events: nothing is lost on the way through the ledger or to another host.

import type { ApprovalQuestion } from "@pi-chronicle/core/machine";
import type { Approval } from "@pi-chronicle/core/ports";
import fc from "fast-check";
import { expect, it } from "vitest";
import { answerEvent, approvalOf } from "../../../src/local/supervisor/index.ts";
import { runs } from "../../harness/runs.ts";

const words = fc.option(fc.string(), { nil: undefined });
const answers = fc.oneof(
	fc.record(
		{
			kind: fc.constant("approved" as const),
			words: fc.string(),
			choice: fc.constantFrom("ours", "theirs", "worker", "hand"),
			resolved: fc.string(),
			winner: fc.string(),
		},
		{ requiredKeys: ["kind"] },
	),
	fc.record({ kind: fc.constant("rejected" as const), words: fc.string() }),
	fc.record({ kind: fc.constant("sent" as const), to: fc.string(), words }, { requiredKeys: ["kind", "to"] }),
);

it("any answer round-trips through its event, which names its question", () => {
	fc.assert(
		fc.property(answers, (answer) => {
			const approval = Object.fromEntries(
				Object.entries(answer).filter(([, value]) => value !== undefined),
			) as Approval;
			const question = { seq: 12, diff: "tree", visit: 3 } as ApprovalQuestion;
			const event = answerEvent(question, approval);
			expect(event).toMatchObject({ answers: 12, seen: { visit: 3 } });
			if (event?.kind !== "approved" && event?.kind !== "rejected" && event?.kind !== "released")
				throw new Error("none");
			expect(approvalOf(JSON.parse(JSON.stringify(event)))).toEqual(approval);
		}),
		{ numRuns: runs() },
	);
	expect(answerEvent({ seq: 1, diff: "", visit: 1 } as ApprovalQuestion, { kind: "undecided" })).toBeUndefined();
});
