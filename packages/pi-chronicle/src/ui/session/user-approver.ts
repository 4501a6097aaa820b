// Makes the user of this session the approver of a run. Without a screen, the question stays in the ledger. A dismissed dialog decides
// nothing. A dialog never opens while the user types, so that Enter is not taken as an answer. A question that was answered elsewhere
// closes.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Run } from "@pi-chronicle/core/machine";
import type { Approver, WorkerAnswer, WorkerQuestion } from "@pi-chronicle/core/ports";
import type { Project } from "../../local/index.ts";
import { askForLine, chooseOption, printable, say } from "../../pi/index.ts";
import { answerKeys, showSheet } from "../../tui/index.ts";
import { runTitle } from "../phrases/index.ts";
import { questionBody } from "../screen/index.ts";
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
			if (!ctx.hasUI || (uncalled && isTyping(ctx))) return undecided;
			const isUncalled = uncalled;
			uncalled = true;
			const request = { session, ctx, project, question, run, signal, uncalled: isUncalled };
			return question.side === "conflict" ? askConflict(request) : askApproval(request);
		},
		async ask(question, run, signal) {
			if (!ctx.hasUI) return undefined;
			const isUncalled = uncalled;
			uncalled = true;
			const [title = ""] = question.text.split("\n", 1);
			if (isUncalled) await lineIsEmpty(session, ctx, { title }, signal);
			if (signal.aborted || session.scope.closed) return undefined;
			return askQuestion({ ctx, question, run, signal, uncalled: isUncalled });
		},
		async answer(question, run, signal) {
			if (!ctx.hasUI) return undecided;
			await lineIsEmpty(session, ctx, question, signal);
			return signal.aborted || session.scope.closed ? undecided : answerWorker(ctx, question, run, signal);
		},
	};
}

/** Whether a dialog would take keys that are meant for the editor. */
function isTyping({ mode, ui }: ExtensionContext): boolean {
	return mode === "tui" && ui.getEditorText().trim() !== "";
}

/** Milliseconds between two checks of the input line while a question waits. */
const lookMs = 400;

/** Resolves when the user's input line is empty, or the question is withdrawn. Notifies the user that a question waits. */
async function lineIsEmpty(
	{ scope }: ChronicleSession,
	ctx: ExtensionContext,
	{ title }: Pick<WorkerQuestion, "title">,
	signal: AbortSignal,
): Promise<void> {
	if (!isTyping(ctx)) return;
	say(ctx, `A worker asks: ${title}\nClear your input line to answer.`, "warning");
	await new Promise<void>((resolve) => {
		const stop = scope.every(lookMs, () => {
			if (!isTyping(ctx)) end();
		});
		const release = scope.own(() => resolve());
		const end = (): void => {
			stop();
			signal.removeEventListener("abort", end);
			void release();
		};
		signal.addEventListener("abort", end, { once: true });
		if (signal.aborted) end();
	});
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
			const kind = await confirmCall(ctx, title, question.text, signal);
			return signal.aborted ? undecided : { kind };
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

async function confirmCall(
	ctx: ExtensionContext,
	title: string,
	text: string,
	signal: AbortSignal,
): Promise<"confirmed" | "denied"> {
	if (ctx.mode !== "tui") return (await ctx.ui.confirm(title, printable(text), { signal })) ? "confirmed" : "denied";
	const choices = [
		{ value: "denied", words: "No, refuse", key: answerKeys.no },
		{ value: "confirmed", words: "Yes, once", key: answerKeys.yes },
	] as const;
	const sheet = { title, body: questionBody([text]), choices, leave: "Esc refuses", uncalled: true };
	return (await showSheet(ctx, sheet, signal)) ?? "denied";
}
