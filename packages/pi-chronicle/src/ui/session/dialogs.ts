// The dialogs of a run: an approval, the conflicts of a join, a worker's question. A dialog that the user leaves decides nothing.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type {
	ApprovalQuestion,
	ChildRun,
	ConflictChoice,
	Run,
	UserEvent,
	UserQuestion,
} from "@pi-chronicle/core/machine";
import type { Approval, Failure, ReadLedger, Result } from "@pi-chronicle/core/ports";
import { diffConflicts, diffRun, type Project, type RunDiff } from "../../local/index.ts";
import { askForLine, chooseOption, type InputQuestion, printable, say } from "../../pi/index.ts";
import { type SheetOption, showSheet } from "../../tui/index.ts";
import { statesOf, tooLong } from "../commands/index.ts";
import {
	askedLines,
	differenceLines,
	handLine,
	otherCandidates,
	questionLines,
	questionTitle,
	runTitle,
	takingTitle,
} from "../phrases/index.ts";
import { approvalSheet, askedSheet, openPatch } from "../screen/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";

const undecided = { kind: "undecided" } as const;
const diffLength = 12_000;
/** The answers in a dialog that is not a sheet, in order. */
const order = ["approve", "choose", "diff", "reject", "elsewhere", "tell", "later"] as const;
const labelLength = 120;

type Answer = (typeof order)[number];

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
	readonly #words: Readonly<Partial<Record<Answer, string>>>;
	/** The children that can be taken instead of the one that the worker named. */
	readonly #others: readonly ChildRun[];
	#uncalled: boolean;
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
		let next: Answer | undefined;
		while (!signal.aborted && !session.scope.closed) {
			const result = await this.#act(next ?? (await this.#choose()) ?? "later");
			if (typeof result === "object") return result;
			next = result;
		}
		return undecided;
	}

	/** The approval that results from an answer, or the next answer; `undefined`: show the question again. */
	async #act(answer: Answer): Promise<Approval | Answer | undefined> {
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

	async #choose(): Promise<Answer | undefined> {
		const { ctx, question, run, signal } = this.#request;
		const title = questionTitle(question);
		const lines = questionLines(question, run, new Date().toISOString());
		const words = this.#words;
		if (ctx.mode === "tui") {
			const note = this.#note === "" ? [] : [this.#note, ""];
			const text = { title, lines: [...note, ...lines], words, uncalled: this.#uncalled };
			this.#uncalled = false;
			this.#note = "";
			return showSheet(ctx, approvalSheet(text, run), signal);
		}
		const options = order.flatMap((answer) => words[answer] ?? []);
		const chosen = await ctx.ui.select(printable([title, ...lines].join("\n")), options, { signal });
		return chosen === undefined ? undefined : order.find((answer) => words[answer] === chosen);
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
		const { session, ctx, project, run, signal } = this.#request;
		const live = session.supervised.get(run.id);
		const read = live ? ({ ok: true, value: live.ledger } as const) : await project.store.read(run.id);
		if (!read.ok) {
			this.#report(read.failure.message, "warning");
			return undefined;
		}
		const found = await diffRun(project, { ...read.value, run }, undefined, live);
		if (!found.ok) {
			this.#report(`${found.failure.message} ${found.failure.remedy}`, "warning");
			return undefined;
		}
		const answers = [
			{ value: "approve", words: "approve", key: "a" },
			{ value: "reject", words: "reject", key: "r" },
		] as const;
		const { taking, state } = found.value;
		return showPatch(ctx, taking ? takingTitle(taking) : `Changes in ${state}`, found.value, answers, signal);
	}

	/** A message, trimmed; `undefined` if the user left. */
	#input(title: string, placeholder: string): Promise<string | undefined> {
		const { ctx, signal } = this.#request;
		return askForWords(ctx, { title, message: this.#about(), placeholder, leave: "Esc back", signal });
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
	if (ctx.mode === "tui") return openPatch(ctx, { title, head: lines, text: patch, cut: isCut }, choices, signal);
	const cut =
		patch.length > diffLength ? `${patch.slice(0, diffLength)}\n… truncated; pi-chronicle diff shows all of it` : patch;
	say(ctx, [`${title}: ${lines.join("\n")}`, ...(patch === "" ? [] : ["", cut.trimEnd()])].join("\n"));
	return undefined;
}

const words: Readonly<Record<ConflictChoice, string>> = {
	worker: "Let a worker resolve them",
	hand: "I have resolved them in the folder",
	ours: "Take the earlier side",
	theirs: "Take the later child",
};
const look = "Show the conflicts";
/** Letters that select an answer in the terminal. */
const keys = { [look]: "d", [words.worker]: "w", [words.hand]: "h", [words.ours]: "e", [words.theirs]: "l" };

/** `undecided` if the user postpones it. */
export async function askConflict(request: ApprovalRequest): Promise<Approval> {
	const { session, ctx, question, run, signal } = request;
	let { uncalled } = request;
	const read = await readLedger(request);
	const hand = read.ok ? ["", handLine({ ...read.value, run })] : [];
	const message = [...questionLines(question, run, new Date().toISOString()), ...hand].join("\n");
	while (!signal.aborted && !session.scope.closed) {
		const chosen = await chooseOption(ctx, {
			title: printable(questionTitle(question)),
			message: printable(message),
			options: [look, ...Object.values(words)],
			keys,
			leave: "Esc later",
			signal,
			uncalled,
		});
		uncalled = false;
		const choice = (Object.keys(words) as ConflictChoice[]).find((one) => words[one] === chosen);
		if (choice) return { kind: "approved", choice };
		if (chosen !== look) break;
		await showConflicts(request);
	}
	return { kind: "undecided" };
}

async function readLedger({ session, project, run }: ApprovalRequest): Promise<Result<ReadLedger, Failure>> {
	const live = session.supervised.get(run.id);
	return live ? { ok: true, value: live.ledger } : project.store.read(run.id);
}

async function showConflicts(request: ApprovalRequest): Promise<void> {
	const { session, ctx, project, run, signal } = request;
	const read = await readLedger(request);
	const found = read.ok ? await diffConflicts(project, { ...read.value, run }, session.supervised.get(run.id)) : read;
	if (found.ok) await showPatch(ctx, `Conflicts in ${run.state}`, found.value, [], signal);
	else say(ctx, `${found.failure.message} ${found.failure.remedy}`, "warning");
}

export interface QuestionRequest {
	readonly ctx: ExtensionContext;
	readonly question: UserQuestion;
	readonly run: Run;
	readonly signal: AbortSignal;
	/** It opens automatically, not through a command of the user. */
	readonly uncalled: boolean;
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

/** The words, trimmed; `undefined` if the user left, or wrote too much over RPC, which is reported. */
async function askForWords(ctx: ExtensionContext, question: InputQuestion): Promise<string | undefined> {
	const { message = "" } = question;
	let text: string | undefined;
	for (let problem: string | undefined; ; ) {
		const shown = problem === undefined ? message : `${problem}\n\n${message}`;
		const words = await askForLine(ctx, { ...question, message: shown, ...(text === undefined ? {} : { text }) });
		problem = words === undefined ? undefined : tooLong(words.trim());
		if (problem === undefined) return words?.trim();
		if (ctx.mode !== "tui") {
			say(ctx, problem, "warning");
			return undefined;
		}
		text = words;
	}
}
