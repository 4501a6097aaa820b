// The dialogs of a run: an approval, a worker's question. A dialog that the user leaves decides nothing.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { ApprovalQuestion, ChildRun, Run, UserEvent, UserQuestion } from "@pi-chronicle/core/machine";
import type { Approval, Failure, Result } from "@pi-chronicle/core/ports";
import { diffRun, type Project, type RunDiff } from "../../local/index.ts";
import { askForLine, chooseOption, type InputQuestion, printable, say } from "../../pi/index.ts";
import { answerKeys, type SheetOption, showSheet } from "../../tui/index.ts";
import { statesOf, tooLong } from "../commands/index.ts";
import {
	askedLines,
	differenceLines,
	otherCandidates,
	questionLines,
	questionTitle,
	runTitle,
	takingTitle,
} from "../phrases/index.ts";
import { approvalSheet, askedSheet, patchSheet } from "../screen/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";

const undecided = { kind: "undecided" } as const;
const diffLength = 12_000;
/** The answers in a dialog that is not a sheet, in order. */
const order = ["approve", "choose", "diff", "reject", "elsewhere", "tell", "later"] as const;
const labelLength = 120;
/** Milliseconds that a question waits for its diff. */
const patienceMs = 1_500;

type DialogChoice = (typeof order)[number];

export interface ApprovalRequest {
	readonly session: ChronicleSession;
	readonly ctx: ExtensionContext;
	readonly project: Project;
	readonly question: ApprovalQuestion;
	readonly run: Run;
	readonly signal: AbortSignal;
	/** It opens automatically, not through a command of the user. */
	readonly uncalled: boolean;
}

export function askApproval(request: ApprovalRequest): Promise<Approval> {
	return new ApprovalDialog(request).ask();
}

class ApprovalDialog {
	readonly #request: ApprovalRequest;
	readonly #words: Readonly<Partial<Record<DialogChoice, string>>>;
	/** The children that can be taken instead of the one that the worker named. */
	readonly #others: readonly ChildRun[];
	#uncalled: boolean;
	/** The changes as last read. */
	#diff: Promise<Result<RunDiff, Failure>> | undefined;
	/** What was typed and not sent, by the title of its question. */
	readonly #drafts = new Map<string, string>();
	/** The result of the last answer, shown with the question: the question would hide a notification. */
	#note = "";

	constructor(request: ApprovalRequest) {
		const { side, state, target } = request.question;
		this.#request = request;
		this.#uncalled = request.uncalled;
		this.#others = otherCandidates(request.question, request.run);
		this.#words = {
			approve: `Approve: ${side === "entry" && state === target ? "start it" : `move to ${target}`}`,
			...(this.#others.length === 0 ? {} : { choose: "Approve, and take another child" }),
			reject: "Reject with a reason",
			elsewhere: "Send to another state",
			diff: "Review the changes",
			tell: "Tell the worker something",
			later: "Later",
		};
	}

	async ask(): Promise<Approval> {
		const { session, signal } = this.#request;
		let next: DialogChoice | undefined;
		while (!signal.aborted && !session.scope.closed) {
			const result = await this.#act(next ?? (await this.#choose()) ?? "later");
			if (typeof result === "object") return result;
			next = result;
		}
		return undecided;
	}

	/** The approval that results from an answer, or the next answer; `undefined`: show the question again. */
	async #act(answer: DialogChoice): Promise<Approval | DialogChoice | undefined> {
		switch (answer) {
			case "approve":
				return { kind: "approved" };
			case "choose":
				return this.#takeAnother();
			case "reject":
				return this.#reject();
			case "elsewhere":
				return this.#sendElsewhere();
			case "diff":
				// The page with the changes accepts an answer, too.
				return this.#showChanges();
			case "tell":
				return this.#tellWorker();
			case "later":
				return undecided;
		}
	}

	async #choose(): Promise<DialogChoice | undefined> {
		const { ctx, question, run, signal } = this.#request;
		const title = questionTitle(question);
		const lines = questionLines(question, run, new Date().toISOString());
		const words = this.#words;
		if (ctx.mode === "tui") {
			const note = this.#note === "" ? [] : [this.#note, ""];
			const text = { title, lines: [...note, ...lines], words, uncalled: this.#uncalled, diff: await this.#soon() };
			if (signal.aborted) return undefined;
			this.#uncalled = false;
			this.#note = "";
			return showSheet(ctx, approvalSheet(text, run), signal);
		}
		const options = order.flatMap((answer) => words[answer] ?? []);
		const chosen = await ctx.ui.select(printable([title, ...lines].join("\n")), options, { signal });
		return chosen === undefined ? undefined : order.find((answer) => words[answer] === chosen);
	}

	/** The changes, if they can be read in the time that a user does not notice; the page with the changes waits for them. */
	async #soon(): Promise<Pick<RunDiff, "patch" | "cut"> | undefined> {
		const { scope } = this.#request.session;
		this.#diff ??= this.#readDiff();
		const read = await Promise.race([
			this.#diff,
			new Promise<undefined>((resolve) => scope.after(patienceMs, () => resolve(undefined))),
		]);
		return read?.ok ? read.value : undefined;
	}

	async #readDiff(): Promise<Result<RunDiff, Failure>> {
		const { session, project, run } = this.#request;
		const live = session.supervised.get(run.id);
		const read = live ? ({ ok: true, value: live.ledger } as const) : await project.store.read(run.id);
		return read.ok ? diffRun(project, { ...read.value, run }, undefined, live) : read;
	}

	async #takeAnother(): Promise<Approval | undefined> {
		const { ctx, signal } = this.#request;
		const labels = this.#others.map(({ name, summary }) =>
			printable(`${name} · ${summary.replace(/\s+/g, " ")}`.slice(0, labelLength)),
		);
		const chosen = await chooseOption(ctx, {
			title: "Which child is taken?",
			message: this.#about(),
			options: labels,
			leave: "Esc back",
			signal,
		});
		const winner = this.#others[labels.indexOf(chosen ?? "")]?.name;
		return winner === undefined ? undefined : { kind: "approved", winner };
	}

	async #reject(): Promise<Approval | undefined> {
		const words = await this.#input(`What should change in ${this.#request.question.state}?`, "Message for the worker");
		return words === undefined || words === "" ? undefined : { kind: "rejected", words };
	}

	async #sendElsewhere(): Promise<Approval | undefined> {
		const { ctx, run, signal } = this.#request;
		const to = await chooseOption(ctx, {
			title: "Which state is next?",
			message: "",
			options: statesOf(run),
			leave: "Esc back",
			signal,
		});
		if (to === undefined || to === "nobody") return undefined;
		const words = await this.#input(`Message for the worker of ${to}`, "Optional");
		return words === undefined ? undefined : { kind: "sent", to, ...(words === "" ? {} : { words }) };
	}

	async #tellWorker(): Promise<undefined> {
		const { session, run } = this.#request;
		const words = await this.#input("What should the next worker know?", "Message for the worker");
		if (!words) return undefined;
		const seen = { visit: run.visit, attempt: run.attempt };
		const event = { kind: "told", text: words, seen } as const;
		const { supervision } = session.supervised.get(run.id) ?? {};
		const refused = supervision ? (await supervision.submit(event)).refused : await this.#post(event);
		if (refused === undefined) this.#report("The next worker reads it.", "info");
		else this.#report(refused, "warning");
		return undefined;
	}

	/** A child's supervision is its parent's: its messages go to its inbox. */
	async #post(event: UserEvent): Promise<string | undefined> {
		const { project, run } = this.#request;
		const posted = await project.store.post(run.id, event);
		return posted.ok ? undefined : posted.failure.message;
	}

	async #showChanges(): Promise<"approve" | "reject" | undefined> {
		const { ctx, signal } = this.#request;
		this.#diff = this.#readDiff();
		const found = await this.#diff;
		if (!found.ok) {
			this.#report(`${found.failure.message} ${found.failure.remedy}`, "warning");
			return undefined;
		}
		const answers = [
			{ value: "approve", words: "approve", key: answerKeys.approve },
			{ value: "reject", words: "reject", key: answerKeys.reject },
		] as const;
		const { taking, state } = found.value;
		return showPatch(ctx, taking ? takingTitle(taking) : `Changes in ${state}`, found.value, answers, signal);
	}

	/** A message, trimmed; `undefined` if the user left. */
	#input(title: string, placeholder: string): Promise<string | undefined> {
		const { ctx, signal } = this.#request;
		return askForWords(ctx, {
			...{ title, message: this.#about(), placeholder, leave: "Esc back, the text is kept", signal },
			text: this.#drafts.get(title),
			left: (text) => this.#drafts.set(title, text),
		});
	}

	#about(): string {
		const { question, run } = this.#request;
		return questionLines(question, run, new Date().toISOString()).join("\n");
	}

	#report(text: string, tone: "info" | "warning"): void {
		const { ctx } = this.#request;
		if (ctx.mode === "tui") this.#note = text;
		else say(ctx, text, tone);
	}
}

/** Shows a diff: on a separate page with answers in the terminal, and as a message elsewhere. */
export async function showPatch<T = never>(
	ctx: ExtensionContext,
	title: string,
	difference: Omit<RunDiff, "visit" | "state">,
	choices: readonly SheetOption<T>[] = [],
	signal?: AbortSignal,
): Promise<T | undefined> {
	const { patch, cut: isCut } = difference;
	const lines = differenceLines(difference);
	if (ctx.mode === "tui")
		return showSheet(ctx, patchSheet({ title, head: lines, text: patch, cut: isCut }, choices), signal);
	const cut =
		patch.length > diffLength ? `${patch.slice(0, diffLength)}\n… truncated; pi-chronicle diff shows all of it` : patch;
	say(ctx, [`${title}: ${lines.join("\n")}`, ...(patch === "" ? [] : ["", cut.trimEnd()])].join("\n"));
	return undefined;
}

export interface QuestionRequest extends Pick<ApprovalRequest, "ctx" | "run" | "signal" | "uncalled"> {
	readonly question: UserQuestion;
}

const ownWords = "Answer in your own words";

/** The answer; `undefined` if the user postpones it. */
export async function askQuestion(request: QuestionRequest): Promise<string | undefined> {
	const { question, signal } = request;
	const { choices } = question;
	for (let uncalled = request.uncalled; !signal.aborted; uncalled = false) {
		const chosen = choices.length === 0 ? "words" : await choose(request, uncalled);
		if (typeof chosen === "number") return choices[chosen];
		if (chosen === undefined) return undefined;
		const words = await write(request, choices.length === 0 && uncalled);
		if (words !== undefined) return words;
		if (choices.length === 0) return undefined;
	}
	return undefined;
}

/** The index of a proposed answer, or `words` for another one. */
async function choose(
	{ ctx, question, run, signal }: QuestionRequest,
	uncalled: boolean,
): Promise<number | "words" | undefined> {
	const { text, choices } = question;
	const title = titleOf(run);
	if (ctx.mode === "tui") return showSheet(ctx, askedSheet({ title, text, choices, ownWords, uncalled }, run), signal);
	const options = [...choices.map((choice, index) => `${index + 1} ${printable(choice)}`), ownWords];
	const chosen = await ctx.ui.select(printable(`${title}\n${text}`), options, { signal });
	const at = options.indexOf(chosen ?? "");
	return at === -1 ? undefined : at === choices.length ? "words" : at;
}

/** The user's words; `undefined` if there are none. */
async function write({ ctx, question, run, signal }: QuestionRequest, uncalled: boolean): Promise<string | undefined> {
	const title = titleOf(run);
	const message = printable(askedLines(question).join("\n"));
	const isTerminal = ctx.mode === "tui";
	const words = await askForWords(ctx, {
		title: isTerminal ? title : printable(`${title}\n${message}`),
		message: isTerminal ? message : "",
		placeholder: "Your answer",
		leave: question.choices.length === 0 ? "Esc later" : "Esc back",
		signal,
		uncalled,
	});
	return words === "" ? undefined : words;
}

function titleOf(run: Run): string {
	return printable(`${run.parent?.name ?? runTitle(run)} · ${run.state} asks`);
}

/** The words, trimmed; `undefined` if the user left. Words that are too long are shown again with the reason. */
async function askForWords(ctx: ExtensionContext, question: InputQuestion): Promise<string | undefined> {
	const { message = "", signal } = question;
	const left = (text: string): void => {
		if (signal?.aborted) keepWords(ctx, text);
		else question.left?.(text);
	};
	let { text } = question;
	for (let problem: string | undefined; ; ) {
		const shown = problem === undefined ? message : `${problem}\n\n${message}`;
		const words = await askForLine(ctx, { ...question, message: shown, text, left });
		problem = words === undefined ? undefined : tooLong(words.trim());
		if (problem === undefined) return words?.trim();
		text = words;
	}
}

/** Puts what the user was typing into the input line, because the question has been answered elsewhere. */
function keepWords({ ui }: ExtensionContext, text: string): void {
	if (text.trim() === "" || ui.getEditorText() !== "") return;
	ui.setEditorText(text);
	ui.notify("The question has been answered elsewhere. What you were typing is in the input line.", "warning");
}
