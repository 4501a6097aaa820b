// The person in front of this session, as a supervisor asks them. Without a screen there is nobody: the question stays in the ledger.
// Y1 a dialog that is dismissed decides nothing; Y2 a dialog is never put under the hands of somebody who types: their Enter is not an answer;
// Y3 a question that was answered elsewhere goes away.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable, say } from "../../pi/index.ts";
import type { ApprovalQuestion, Run } from "../machine/index.ts";
import { type Difference, differenceOf, type Project } from "../project/index.ts";
import { askByScreen, openPatch, questionBody, themed } from "../screen/index.ts";
import { statesOf, tooLong } from "../steering/index.ts";
import type { Approval, Approver, WorkerAnswer, WorkerQuestion } from "../supervisor/index.ts";
import { differenceLines, questionLines, questionTitle } from "../telling/index.ts";
import { nameOf } from "../timeline/index.ts";
import type { ChronicleSession } from "./session.ts";

const undecided = { kind: "undecided" } as const;
/** Characters of a diff where it has to go into a message. */
const diffLength = 12_000;

export function personOf(session: ChronicleSession, ctx: ExtensionContext, project: Project): Approver {
	return {
		async approve(question, run, signal) {
			if (!ctx.hasUI) return undecided;
			if (isTyping(ctx)) return undecided;
			return askApproval(session, ctx, project, question, run, signal);
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
	say(ctx, `A worker asks: ${title}\nThe question comes when your line is empty.`, "warning");
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
	const ask = async (): Promise<keyof typeof words | undefined> => {
		const title = questionTitle(question);
		const lines = questionLines(question, run, new Date().toISOString());
		if (ctx.mode === "tui") {
			// The first one is the one that a stray Enter takes: it only looks.
			const order = ["diff", "approve", "reject", "elsewhere", "tell", "later"] as const;
			const choices = order.map((value) => ({ value, words: words[value] }));
			return askByScreen(ctx, { title, body: questionBody(lines), choices, leave: "Esc later" }, themed(ui), signal);
		}
		const order = ["approve", "diff", "reject", "elsewhere", "tell", "later"] as const;
		const chosen = await ui.select(
			printable([title, ...lines].join("\n")),
			order.map((value) => words[value]),
			opts,
		);
		return order.find((value) => words[value] === chosen);
	};
	while (!signal.aborted && !session.scope.closed) {
		switch (await ask()) {
			case "approve":
				return { kind: "approved" };
			case "reject": {
				const words = await ui.input(`What has to be different in ${question.state}?`, "Words for the worker", opts);
				if (words?.trim() && fits(ctx, words)) return { kind: "rejected", words: words.trim() };
				break;
			}
			case "elsewhere": {
				const to = await ui.select("Which state comes next?", statesOf(run), opts);
				if (to === undefined) break;
				const words = await ui.input(`Words for the worker of ${to}`, "May be left empty", opts);
				if (words !== undefined && fits(ctx, words))
					return { kind: "sent", to, ...(words.trim() === "" ? {} : { words: words.trim() }) };
				break;
			}
			case "diff":
				await showDifference(session, ctx, project, run);
				break;
			case "tell": {
				const words = await ui.input("What should the next worker know?", "Words for the worker", opts);
				if (!words?.trim()) break;
				const seen = { visit: run.visit, attempt: run.attempt };
				const said = await session.lives.get(run.id)?.supervision.say({ kind: "told", text: words.trim(), seen });
				say(ctx, said?.refused ?? "The next worker will have it.", said?.refused === undefined ? "info" : "warning");
				break;
			}
			default:
				return undecided;
		}
	}
	return undecided;
}

/** Whether words are short enough; says so where they are not. */
function fits(ctx: ExtensionContext, words: string): boolean {
	const long = tooLong(words);
	if (long !== undefined) say(ctx, long, "warning");
	return long === undefined;
}

async function showDifference(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	run: Run,
): Promise<void> {
	const live = session.lives.get(run.id);
	if (!live) return;
	const found = await differenceOf(project, { ...live.ledger, run }, undefined, live);
	if (!found.ok) return say(ctx, `${found.failure.message} ${found.failure.remedy}`, "warning");
	await showPatch(ctx, `Changes in ${found.value.state}`, found.value);
}

/** A diff on a screen of its own in the terminal, and as a message elsewhere. */
export async function showPatch(
	ctx: ExtensionContext,
	title: string,
	difference: Omit<Difference, "visit" | "state">,
): Promise<void> {
	const { patch, cut: isCut } = difference;
	const lines = differenceLines(difference);
	if (ctx.mode === "tui") return openPatch(ctx, title, lines, { text: patch, cut: isCut }, themed(ctx.ui));
	const cut =
		patch.length > diffLength ? `${patch.slice(0, diffLength)}\n… cut here; pi-chronicle diff shows it whole` : patch;
	say(ctx, [`${title}: ${lines.join("\n")}`, ...(patch === "" ? [] : ["", cut.trimEnd()])].join("\n"));
}

/** A rule's question, or the model's own. */
async function answerWorker(
	ctx: ExtensionContext,
	question: WorkerQuestion,
	run: Run,
	signal: AbortSignal,
): Promise<WorkerAnswer> {
	const { ui, mode } = ctx;
	const title = printable(`${nameOf(run)} · ${run.state}: ${question.title}`);
	const opts = { signal };
	switch (question.kind) {
		case "confirm": {
			if (mode === "tui") {
				const choices = [
					{ value: "denied", words: "No, refuse it" },
					{ value: "confirmed", words: "Yes, for this once" },
				] as const;
				const body = questionBody([question.text]);
				const chosen = await askByScreen(ctx, { title, body, choices, leave: "Esc refuses" }, themed(ui), signal);
				if (signal.aborted) return undecided;
				return { kind: chosen ?? "denied" };
			}
			const confirmed = await ui.confirm(title, printable(question.text), opts);
			if (signal.aborted) return undecided;
			return { kind: confirmed ? "confirmed" : "denied" };
		}
		case "choose": {
			const shown = question.options.map(printable);
			const chosen = await ui.select(title, shown, opts);
			return chosen === undefined
				? undecided
				: { kind: "text", text: question.options[shown.indexOf(chosen)] ?? chosen };
		}
		case "input": {
			const text = await ui.input(title, question.placeholder, opts);
			return text === undefined ? undecided : { kind: "text", text };
		}
	}
}
