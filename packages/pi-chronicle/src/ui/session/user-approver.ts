// Makes the user of this session the approver of a run. Without a screen, the question stays in the ledger. A dismissed dialog decides
// nothing. An approval waits in the list while the user types. A question that was answered elsewhere closes.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Run } from "@pi-chronicle/core/machine";
import type { Approver, WorkerAnswer, WorkerQuestion } from "@pi-chronicle/core/ports";
import type { Project } from "../../local/index.ts";
import { askForLine, askUser, chooseOption, printable } from "../../pi/index.ts";
import { runTitle } from "../phrases/index.ts";
import { ownVia } from "./answered-elsewhere.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { askConflict } from "./conflict-dialog.ts";
import { askApproval, askQuestion } from "./dialogs.ts";

const undecided = { kind: "undecided" } as const;

/** `coming`: whether the user requested the first question, or it opens automatically. */
export function userApprover(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	coming: "called" | "uncalled" = "uncalled",
): Approver {
	let uncalled = coming === "uncalled";
	return {
		via: ownVia,
		async approve(question, run, signal) {
			if (!ctx.hasUI || (uncalled && ctx.ui.getEditorText().trim() !== "")) return undecided;
			const isUncalled = uncalled;
			uncalled = true;
			const request = { session, ctx, project, question, run, signal, uncalled: isUncalled };
			return question.side === "conflict" ? askConflict(request) : askApproval(request);
		},
		async ask(question, run, signal) {
			if (!ctx.hasUI) return undefined;
			const isUncalled = uncalled;
			uncalled = true;
			return askQuestion({ ctx, question, run, signal, uncalled: isUncalled });
		},
		async answer(question, run, signal) {
			return ctx.hasUI ? answerWorker(ctx, question, run, signal) : undecided;
		},
	};
}

/** Asks a question of a guard rule, or of an extension of the worker. */
async function answerWorker(
	ctx: ExtensionContext,
	question: WorkerQuestion,
	run: Run,
	signal: AbortSignal,
): Promise<WorkerAnswer> {
	const title = printable(`${runTitle(run)} · ${run.state}: ${question.title}`);
	switch (question.kind) {
		case "confirm": {
			const message = printable(question.text);
			const words = { no: "No, refuse", yes: "Yes, once" };
			const answer = await askUser(ctx, { title, message, words, leave: "Esc refuses", signal, uncalled: true });
			return signal.aborted ? undecided : { kind: answer === "yes" ? "confirmed" : "denied" };
		}
		case "choose": {
			const shown = question.options.map(printable);
			const leave = "Esc later";
			const chosen = await chooseOption(ctx, { title, message: "", options: shown, leave, signal, uncalled: true });
			if (chosen === undefined || chosen === "nobody") return undecided;
			return { kind: "text", text: question.options[shown.indexOf(chosen)] ?? chosen };
		}
		case "input": {
			const text = await askForLine(ctx, { title, placeholder: question.placeholder, signal, uncalled: true });
			return text === undefined ? undecided : { kind: "text", text };
		}
	}
}
