// The user's answers for one call or for a shape of commands, for this session, for a time, or permanently.
// Invariants: answers are asked for, remembered and used only where a user can be asked; an answer never lifts a refusal, except the one that
// the user has lifted for the next call; every dialog and every line says exactly what is remembered, and where.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Answers, JudgedCall } from "../../policy/index.ts";
import { askToRemember } from "./ask.ts";
import { answersFile, readAnswers, type StoredAnswer, writeAnswers } from "./file.ts";
import { fitsShape, isShape, shapedCall } from "./shape.ts";
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

/** Opens the answers of a session; nothing is read before the first question. */
export function openAnswers(agentDir: string): AnswerBook {
	const file = answersFile(agentDir);
	let forSession: StoredAnswer[] = [];
	/** The last call that rules refused; `built-in` if that cannot be lifted. */
	let last: Subject | "built-in" | undefined;
	let lifted: Subject | undefined;

	const kept = () => storedAnswers(file);
	/** The newest answer for exactly this call, else the newest for its shape. */
	const find = (judged: JudgedCall, subject: Subject) => {
		const known = [...kept(), ...forSession];
		const exact = known.findLast((one) => isSameSubject(subject, one.subject));
		if (exact) return exact.answer;
		const call = known.some((one) => isShape(one.subject)) ? shapedCall(judged) : undefined;
		return call && known.findLast((one) => fitsShape(subject, call, one.subject))?.answer;
	};

	return {
		file,
		recall(judged, ctx) {
			const subject = ctx.hasUI ? rememberedSubject(judged, ctx.cwd) : undefined;
			return subject && find(judged, subject);
		},
		async ask(judged, ctx) {
			const subject = rememberedSubject(judged, ctx.cwd);
			const { answer, given, holds } = await askToRemember(judged, ctx, subject, readAnswers(file).kind === "read");
			if (given && holds === "session") forSession.push(given);
			else if (given) storeAnswer(file, given, ctx);
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
