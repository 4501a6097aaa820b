// The user's answers for one call, for this session, or permanently; and the question itself.
// Invariants: answers are asked for, remembered and used only where a user can be asked; an answer never lifts a refusal, except the one that
// the user has lifted for the next call; every dialog and every line says exactly what is remembered, and where.
import { homedir } from "node:os";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "../../../definition/index.ts";
import { askUser, chooseOption } from "../../../pi/index.ts";
import { type Answers, placeName, questionText } from "../../policy/index.ts";
import { answersFile, readAnswers, type StoredAnswer, writeAnswers } from "./file.ts";
import { isSameSubject, refusedSubject, rememberedSubject, type Subject } from "./subject.ts";

/** A listed answer. */
export interface ListedAnswer extends StoredAnswer {
	readonly holds: "session" | "always" | "once";
}

/** The answers, and the operations of `/guard` on them. */
export interface AnswerBook extends Answers {
	/** All remembered answers, in the order of their numbers; `problem` if the file cannot be read. */
	list(): { readonly answers: readonly ListedAnswer[]; readonly problem: string | undefined };
	/** Forgets one by its number from 1, or all; returns which. Throws if the file cannot be written. */
	forget(which: number | "all"): readonly ListedAnswer[];
	/** Lifts the last refusal for the next identical call. */
	allowOnce(): { readonly kind: "lifted"; readonly subject: Subject } | { readonly kind: "nothing" | "built-in" };
	/** The file of permanent answers. */
	readonly file: string;
}

const no = "No";
const once = "Yes, once";
const session = "Yes, in this session";
const always = "Yes, always";
const never = "No, never";
const optionsForNow = [no, once, session] as const;
const everyOption = [...optionsForNow, always, never] as const;
type Option = (typeof everyOption)[number];
const keys: Record<Option, string> = { [no]: "n", [once]: "y", [session]: "s", [always]: "a", [never]: "r" };
const isYes: ReadonlySet<Option> = new Set([once, session, always]);

/** Opens the answers of a session; nothing is read before the first question. */
export function openAnswers(agentDir: string): AnswerBook {
	const file = answersFile(agentDir);
	let forSession: StoredAnswer[] = [];
	/** The last call that rules refused; `built-in` if that cannot be lifted. */
	let last: Subject | "built-in" | undefined;
	let lifted: Subject | undefined;

	const kept = () => storedAnswers(file);
	const find = (subject: Subject, answers: readonly StoredAnswer[]) =>
		answers.findLast((known) => isSameSubject(subject, known.subject))?.answer;

	return {
		file,
		recall(judged, ctx) {
			const subject = ctx.hasUI ? rememberedSubject(judged, ctx.cwd) : undefined;
			return subject && (find(subject, forSession) ?? find(subject, kept()));
		},
		async ask(judged, ctx) {
			const subject = rememberedSubject(judged, ctx.cwd);
			const question = { ...questionText(judged.call, judged.verdicts, ctx.cwd), signal: ctx.signal, uncalled: true };
			if (!subject) return askUser(ctx, question);
			const options = readAnswers(file).kind === "read" ? everyOption : optionsForNow;
			const message = `${question.message}\n\n${aboutRemembering(subject)}`;
			const chosen = await chooseOption(ctx, { ...question, message, options, keys, leave: "Esc refuses" });
			if (chosen === "nobody") return "nobody";
			const answer = chosen !== undefined && isYes.has(chosen) ? "yes" : "no";
			const given = { answer, subject, at: new Date().toISOString() } as const;
			if (chosen === session) forSession.push(given);
			if (chosen === always || chosen === never) storeAnswer(file, given, ctx);
			return answer;
		},
		refused(judged, ctx) {
			last = refusedSubject(judged, ctx.cwd) ?? "built-in";
		},
		lifts(judged, ctx) {
			if (!lifted || !ctx.hasUI) return false;
			const subject = refusedSubject(judged, ctx.cwd);
			if (!subject || !isSameSubject(subject, lifted)) return false;
			lifted = undefined;
			return true;
		},
		allowOnce() {
			if (last === undefined) return { kind: "nothing" };
			if (last === "built-in") return { kind: "built-in" };
			lifted = last;
			return { kind: "lifted", subject: last };
		},
		list() {
			const read = readAnswers(file);
			const held = (holds: ListedAnswer["holds"]) => (answer: StoredAnswer) => ({ ...answer, holds });
			return {
				problem: read.kind === "unreadable" ? read.reason : undefined,
				answers: [
					...(lifted ? [{ answer: "yes", subject: lifted, at: "", holds: "once" } as const] : []),
					...forSession.map(held("session")),
					...(read.kind === "read" ? read.answers : []).map(held("always")),
				],
			};
		},
		forget(which) {
			const { answers } = this.list();
			const gone = which === "all" ? answers : answers.slice(which - 1, which);
			const stays = (list: readonly StoredAnswer[], holds: ListedAnswer["holds"]) =>
				list.filter((known) => !gone.some((one) => one.holds === holds && isSameSubject(one.subject, known.subject)));
			if (gone.some(({ holds }) => holds === "once")) lifted = undefined;
			forSession = stays(forSession, "session");
			if (gone.some(({ holds }) => holds === "always")) writeAnswers(file, stays(kept(), "always"));
			return gone;
		},
	};
}

function storedAnswers(file: string): readonly StoredAnswer[] {
	const read = readAnswers(file);
	return read.kind === "read" ? read.answers : [];
}

/** Stores a permanent answer; if that fails, it applies once, and the user is notified. */
function storeAnswer(file: string, given: StoredAnswer, ctx: ExtensionContext): void {
	try {
		// Read again: another session may have written since.
		const others = storedAnswers(file).filter((known) => !isSameSubject(given.subject, known.subject));
		writeAnswers(file, [...others, given]);
	} catch (error) {
		ctx.ui.notify(
			`This answer applies only once, because it could not be written to ${file}: ${errorMessage(error)}`,
			"warning",
		);
	}
}

/** Explains what a remembered answer applies to. */
function aboutRemembering(subject: Subject): string {
	return `A remembered answer applies to exactly this: ${subjectText(subject)}.`;
}

/** A subject on one line. */
export function subjectText({ tool, text, folder }: Subject): string {
	const here = placeName(folder, "", homedir());
	return tool === "bash"
		? `the command \`${text}\` in ${here}`
		: `${tool} of ${placeName(text, "", homedir())} from ${here}`;
}
