// pi's dialogs as questions of a supervisor, and its answers for pi: only an explicit yes is a yes.

import type { WorkerAnswer, WorkerQuestion } from "@pi-chronicle/core/ports";
import { expect, it } from "vitest";
import { answerOf, questionOf } from "../../../src/local/worker/dialogs.ts";
import type { RpcAnswer, RpcDialog } from "../../../src/pi/index.ts";

const of = { id: "1", title: "T", timeoutMs: undefined } as const;

it.each<[dialog: RpcDialog, question: WorkerQuestion]>([
	[
		{ kind: "confirm", ...of, message: "M" },
		{ kind: "confirm", title: "T", text: "M" },
	],
	[
		{ kind: "select", ...of, options: ["a", "b"] },
		{ kind: "choose", title: "T", options: ["a", "b"] },
	],
	[
		{ kind: "input", ...of, placeholder: "P" },
		{ kind: "input", title: "T", placeholder: "P" },
	],
	[
		{ kind: "input", ...of, placeholder: "" },
		{ kind: "input", title: "T" },
	],
	[
		{ kind: "editor", ...of, prefill: "P" },
		{ kind: "input", title: "T", placeholder: "P" },
	],
	[
		{ kind: "editor", ...of, prefill: "" },
		{ kind: "input", title: "T" },
	],
] as [RpcDialog, WorkerQuestion][])("the dialog %o is the question %o", (dialog, question) => {
	expect(questionOf(dialog)).toEqual(question);
});

it.each<[answer: WorkerAnswer, forPi: RpcAnswer]>([
	[{ kind: "confirmed" }, true],
	[{ kind: "denied" }, false],
	[{ kind: "text", text: "x" }, "x"],
	[{ kind: "undecided" }, undefined],
])("the answer %o is %o for pi", (answer, forPi) => {
	expect(answerOf(answer)).toBe(forPi);
});
