// Translates pi's dialogs into the supervisor's questions, and its answers back. Pure.

import type { WorkerAnswer, WorkerQuestion } from "@pi-chronicle/core/ports";
import type { RpcAnswer, RpcDialog } from "../../pi/index.ts";

/** The question of a dialog. */
export function questionOf(dialog: RpcDialog): WorkerQuestion {
	switch (dialog.kind) {
		case "confirm":
			return { kind: "confirm", title: dialog.title, text: dialog.message };
		case "select":
			return { kind: "choose", title: dialog.title, options: dialog.options };
		case "input":
			return {
				kind: "input",
				title: dialog.title,
				...(dialog.placeholder === "" ? {} : { placeholder: dialog.placeholder }),
			};
		case "editor":
			return { kind: "input", title: dialog.title, ...(dialog.prefill === "" ? {} : { placeholder: dialog.prefill }) };
	}
}

/** The answer for pi. `undecided` dismisses the dialog, which no rule treats as a yes. */
export function answerOf(answer: WorkerAnswer): RpcAnswer {
	switch (answer.kind) {
		case "confirmed":
			return true;
		case "denied":
			return false;
		case "text":
			return answer.text;
		case "undecided":
			return undefined;
	}
}
