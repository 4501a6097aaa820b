// The answers of a session: what a person said for now, for this session, and for ever, and how they are asked.
// A1 only where a person can be asked are answers asked for, remembered or used; A2 an answer never lifts a refusal, except the one
// that a person has lifted for the next call; A3 every dialog and every line says what exactly is remembered, and where.
import { homedir } from "node:os";
import { type Answer, askPerson, choosePerson } from "../../../pi/index.ts";
import { type Answers, placeName, questionText } from "../../policy/index.ts";
import { answersFile, readAnswers, type StoredAnswer, writeAnswers } from "./file.ts";
import { isSameSubject, refusedSubject, rememberedSubject, type Subject } from "./subject.ts";

/** One answer as it is listed. */
export interface ListedAnswer extends StoredAnswer {
	readonly holds: "session" | "always" | "once";
}

/** The answers with what `/guard` does with them. */
export interface AnswerBook extends Answers {
	/** Everything remembered, in the order of its numbers; `problem` where the file cannot be read. */
	list(): { readonly answers: readonly ListedAnswer[]; readonly problem: string | undefined };
	/** Forgets one by its number from 1, or all; says which. Throws where the file cannot be written. */
	forget(which: number | "all"): readonly ListedAnswer[];
	/** Lifts the last refusal for the next call that is the same. */
	allowOnce(): { readonly kind: "lifted"; readonly subject: Subject } | { readonly kind: "nothing" | "built-in" };
	/** Where the answers that hold always are kept. */
	readonly file: string;
}

const no = "No";
const once = "Yes, once";
const session = "Yes, in this session";
const always = "Yes, always";
const never = "No, never";

/** Opens the answers of a session; nothing is read before the first question. */
export function openAnswers(agentDir: string): AnswerBook {
	const file = answersFile(agentDir);
	let forSession: StoredAnswer[] = [];
	/** The last call that rules refused; `undefined` where nothing was, or it cannot be lifted. */
	let last: Subject | "built-in" | undefined;
	let lifted: Subject | undefined;

	const kept = (): readonly StoredAnswer[] => {
		const read = readAnswers(file);
		return read.kind === "read" ? read.answers : [];
	};
	const find = (subject: Subject, answers: readonly StoredAnswer[]) =>
		answers.findLast((known) => isSameSubject(subject, known.subject))?.answer;

	const keep = (answer: "yes" | "no", subject: Subject): void => {
		// Read again: another session may have written since.
		const others = kept().filter((known) => !isSameSubject(subject, known.subject));
		writeAnswers(file, [...others, { answer, subject, at: new Date().toISOString() }]);
	};

	return {
		file,
		recall(judged, ctx) {
			const subject = ctx.hasUI ? rememberedSubject(judged, ctx.cwd) : undefined;
			return subject && (find(subject, forSession) ?? find(subject, kept()));
		},
		async ask(judged, ctx) {
			const question = { ...questionText(judged.call, judged.verdicts, ctx.cwd), signal: ctx.signal, uncalled: true };
			const subject = rememberedSubject(judged, ctx.cwd);
			if (!subject) return askPerson(ctx, question);
			const readable = readAnswers(file).kind === "read";
			const options = readable ? ([no, once, session, always, never] as const) : ([no, once, session] as const);
			const chosen = await choosePerson(ctx, {
				...question,
				message: `${question.message}\n\n${aboutRemembering(subject)}`,
				options,
				keys: { [no]: "n", [once]: "y", [session]: "s", [always]: "a", [never]: "r" },
				leave: "Esc refuses",
			});
			if (chosen === "nobody") return "nobody";
			const answer: Answer = chosen === once || chosen === session || chosen === always ? "yes" : "no";
			if (chosen === session) forSession.push({ answer, subject, at: new Date().toISOString() });
			if (chosen === always || chosen === never) {
				try {
					keep(answer, subject);
				} catch (error) {
					ctx.ui.notify(`This answer holds once; it could not be written to ${file}: ${messageOf(error)}`, "warning");
				}
			}
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

/** What an answer for longer than once would be about. */
function aboutRemembering(subject: Subject): string {
	return `What is remembered, if you choose so: ${subjectText(subject)}. Nothing that differs from it.`;
}

/** A subject on one line. */
export function subjectText({ tool, text, folder }: Subject): string {
	const here = placeName(folder, "", homedir());
	return tool === "bash"
		? `the command \`${text}\` in ${here}`
		: `${tool} of ${placeName(text, "", homedir())} from ${here}`;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
