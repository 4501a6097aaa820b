// The person in front of this session, as a supervisor asks them. Without a screen there is nobody: the question stays in the ledger.
// Y1 a dialog that is dismissed decides nothing; Y2 a dialog is never put under the hands of somebody who types: their Enter is not an answer;
// Y3 a question that was answered elsewhere goes away.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { choosePerson, inputPerson, printable, say } from "../../../pi/index.ts";
import { type SheetOption, showSheet } from "../../../tui/index.ts";
import type { Approval, ApprovalQuestion, Approver, Run, WorkerAnswer, WorkerQuestion } from "../../core/index.ts";
import { diffRun, type Project, type RunDiff } from "../../engine/index.ts";
import { statesOf, tooLong } from "../commands/index.ts";
import { approvalSheet, openPatch, questionBody } from "../screen/index.ts";
import { differenceLines, questionLines, questionTitle } from "../text/index.ts";
import { templateNameOf } from "../timeline/index.ts";
import type { ChronicleSession } from "./session.ts";

/** Tells what an answer has led to. */
type TellPerson = (text: string, tone: "info" | "warning") => void;

const undecided = { kind: "undecided" } as const;
/** Characters of a diff where it has to go into a message. */
const diffLength = 12_000;

/** `coming`: whether the person has called for the first question, or it comes by itself. */
export function personOf(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	coming: "called" | "uncalled" = "uncalled",
): Approver {
	let uncalled = coming === "uncalled";
	return {
		async approve(question, run, signal) {
			if (!ctx.hasUI || (uncalled && isTyping(ctx))) return undecided;
			const isUncalled = uncalled;
			uncalled = true;
			return askApproval(session, ctx, project, question, run, signal, isUncalled);
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

/** How often a line in the editor is looked at while a question waits for it. */
const lookMs = 400;

/** Resolves when the person's line is empty, or nobody can answer any more. They are told that a question waits. */
async function lineIsEmpty(
	{ scope }: ChronicleSession,
	ctx: ExtensionContext,
	{ title }: WorkerQuestion,
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

async function askApproval(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	question: ApprovalQuestion,
	run: Run,
	signal: AbortSignal,
	comesByItself: boolean,
): Promise<Approval> {
	const { ui } = ctx;
	const yes =
		question.side === "entry" && question.state === question.target ? "begin it" : `go on to ${question.target}`;
	const words = {
		approve: `Approve: ${yes}`,
		reject: "Reject, and say why",
		elsewhere: "Send it elsewhere",
		diff: "Look at the changes first",
		tell: "Tell the worker something",
		later: "Later",
	};
	const opts = { signal };
	let uncalled = comesByItself;
	/** What the last answer has led to: a notice would be behind the question. */
	let note = "";
	const tellPerson: TellPerson = (text, tone) => {
		if (ctx.mode === "tui") note = text;
		else say(ctx, text, tone);
	};
	const ask = async (): Promise<keyof typeof words | undefined> => {
		const title = questionTitle(question);
		const lines = questionLines(question, run, new Date().toISOString());
		if (ctx.mode === "tui") {
			const text = { title, lines: [...(note === "" ? [] : [note, ""]), ...lines], words, uncalled };
			uncalled = false;
			note = "";
			return showSheet(ctx, approvalSheet(text, run), signal);
		}
		const order = ["approve", "diff", "reject", "elsewhere", "tell", "later"] as const;
		const chosen = await ui.select(
			printable([title, ...lines].join("\n")),
			order.map((value) => words[value]),
			opts,
		);
		return order.find((value) => words[value] === chosen);
	};
	let given: keyof typeof words | undefined;
	while (!signal.aborted && !session.scope.closed) {
		const chosen = given ?? (await ask());
		given = undefined;
		switch (chosen) {
			case "approve":
				return { kind: "approved" };
			case "reject": {
				const words = await ui.input(`What should change in ${question.state}?`, "Message for the worker", opts);
				if (words?.trim() && fits(words, tellPerson)) return { kind: "rejected", words: words.trim() };
				break;
			}
			case "elsewhere": {
				const states = statesOf(run);
				const to = await choosePerson(ctx, {
					title: "Which state comes next?",
					message: "",
					options: states,
					leave: "Esc back",
					signal,
				});
				if (to === undefined || to === "nobody") break;
				const words = await ui.input(`Message for the worker of ${to}`, "Optional", opts);
				if (words !== undefined && fits(words, tellPerson))
					return { kind: "sent", to, ...(words.trim() === "" ? {} : { words: words.trim() }) };
				break;
			}
			case "diff":
				// What was looked at can be answered where it was read.
				given = await showDifference(session, ctx, project, run, signal, tellPerson);
				break;
			case "tell": {
				const words = await ui.input("What should the next worker know?", "Message for the worker", opts);
				if (!words?.trim()) break;
				const seen = { visit: run.visit, attempt: run.attempt };
				const said = await session.supervised
					.get(run.id)
					?.supervision.submit({ kind: "told", text: words.trim(), seen });
				tellPerson(said?.refused ?? "The next worker reads it.", said?.refused === undefined ? "info" : "warning");
				break;
			}
			default:
				return undecided;
		}
	}
	return undecided;
}

/** Whether words are short enough; says so where they are not. */
function fits(words: string, tellPerson: TellPerson): boolean {
	const long = tooLong(words);
	if (long !== undefined) tellPerson(long, "warning");
	return long === undefined;
}

async function showDifference(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	run: Run,
	signal: AbortSignal,
	tellPerson: TellPerson,
): Promise<"approve" | "reject" | undefined> {
	const live = session.supervised.get(run.id);
	if (!live) return undefined;
	const found = await diffRun(project, { ...live.ledger, run }, undefined, live);
	if (!found.ok) {
		tellPerson(`${found.failure.message} ${found.failure.remedy}`, "warning");
		return undefined;
	}
	const answers = [
		{ value: "approve", words: "approve", key: "a" },
		{ value: "reject", words: "reject", key: "r" },
	] as const;
	return showPatch(ctx, `Changes in ${found.value.state}`, found.value, answers, signal);
}

/** A diff on a screen of its own in the terminal, where it can be answered, and as a message elsewhere. */
export async function showPatch<T = never>(
	ctx: ExtensionContext,
	title: string,
	difference: Omit<RunDiff, "visit" | "state">,
	choices: readonly SheetOption<T>[] = [],
	signal?: AbortSignal,
): Promise<T | undefined> {
	const { patch, cut: isCut } = difference;
	const lines = differenceLines(difference);
	if (ctx.mode === "tui") return openPatch(ctx, { title, head: lines, text: patch, cut: isCut }, choices, signal);
	const cut =
		patch.length > diffLength ? `${patch.slice(0, diffLength)}\n… cut here; pi-chronicle diff shows it whole` : patch;
	say(ctx, [`${title}: ${lines.join("\n")}`, ...(patch === "" ? [] : ["", cut.trimEnd()])].join("\n"));
	return undefined;
}

/** A rule's question, or the model's own. */
async function answerWorker(
	ctx: ExtensionContext,
	question: WorkerQuestion,
	run: Run,
	signal: AbortSignal,
): Promise<WorkerAnswer> {
	const { ui, mode } = ctx;
	const title = printable(`${templateNameOf(run)} · ${run.state}: ${question.title}`);
	const opts = { signal };
	switch (question.kind) {
		case "confirm": {
			if (mode === "tui") {
				const choices = [
					{ value: "denied", words: "No, refuse it", key: "n" },
					{ value: "confirmed", words: "Yes, this once", key: "y" },
				] as const;
				const body = questionBody([question.text]);
				const chosen = await showSheet(ctx, { title, body, choices, leave: "Esc refuses", uncalled: true }, signal);
				if (signal.aborted) return undecided;
				return { kind: chosen ?? "denied" };
			}
			const confirmed = await ui.confirm(title, printable(question.text), opts);
			if (signal.aborted) return undecided;
			return { kind: confirmed ? "confirmed" : "denied" };
		}
		case "choose": {
			const shown = question.options.map(printable);
			const chosen = await choosePerson(ctx, {
				title,
				message: "",
				options: shown,
				leave: "Esc later",
				signal,
				uncalled: true,
			});
			return chosen === undefined || chosen === "nobody"
				? undecided
				: { kind: "text", text: question.options[shown.indexOf(chosen)] ?? chosen };
		}
		case "input": {
			const text = await inputPerson(ctx, { title, placeholder: question.placeholder, signal, uncalled: true });
			return text === undefined ? undecided : { kind: "text", text };
		}
	}
}
