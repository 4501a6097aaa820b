// `/guard allow once`, `/guard forget`, and the remembered answers in `/guard`.
import { errorMessage } from "@pi-chronicle/core/definition";
import type { NoticeLevel } from "../../../pi/index.ts";
import { subjectText } from "./ask.ts";
import type { AnswerBook, ListedAnswer } from "./session.ts";

/** The reply of a command. */
export interface CommandReply {
	readonly text: string;
	readonly tone?: NoticeLevel;
}

/** The remembered answers, one line each, with their numbers for `/guard forget`. */
export function answerLines(book: AnswerBook): string[] {
	const { answers, problem } = book.list();
	const lines = answers.map((answer, index) => `  ${index + 1}. ${answerText(answer)}`);
	if (lines.length > 0) lines.unshift("Remembered answers (`/guard forget <number>` undoes one):");
	if (problem !== undefined)
		lines.push(
			`Answers in ${book.file} cannot be read (${problem}), so none of them apply. Repair or remove the file.`,
		);
	return lines;
}

/** Runs `/guard allow once`; `asks`: whether the user can be asked in this session. */
export function allowOnce(rest: string, asks: boolean, book: AnswerBook): CommandReply {
	const warning = (text: string): CommandReply => ({ text, tone: "warning" });
	if (rest.trim() !== "once") return warning("Use `/guard allow once`: it allows the last refused call, one time.");
	if (!asks) return warning("Nobody can be asked in this session, so nothing is allowed.");
	const result = book.allowOnce();
	switch (result.kind) {
		case "nothing":
			return warning("No call was refused in this session.");
		case "built-in":
			return warning(
				"The last refused call was not refused by a rule of a file, so it cannot be allowed here. `/guard log` shows why.",
			);
		case "lifted":
			return {
				text: `Allowed once: ${subjectText(result.subject)}, exactly this. Tell the agent to try it again; \`/guard forget all\` revokes it.`,
			};
	}
}

/** Runs `/guard forget <number>` and `/guard forget all`. */
export function forget(rest: string, book: AnswerBook): CommandReply {
	const word = rest.trim();
	if (word !== "all" && !/^[1-9]\d{0,4}$/.test(word)) {
		const lines = answerLines(book);
		return { text: lines.length > 0 ? lines.join("\n") : "No answer is remembered." };
	}
	try {
		const gone = book.forget(word === "all" ? "all" : Number(word));
		if (gone.length === 0) return { text: "No such answer is remembered; `/guard` lists them.", tone: "warning" };
		return { text: ["Forgotten:", ...gone.map((answer) => `  ${answerText(answer)}`)].join("\n") };
	} catch (error) {
		return { text: `Not forgotten: ${errorMessage(error)}`, tone: "error" };
	}
}

function answerText({ answer, holds, subject, until }: ListedAnswer): string {
	const what = answer === "yes" ? "allowed" : "refused";
	return `${what} ${{ once: "once", session: "in this session", always: until === undefined ? "always" : `until ${new Date(until).toTimeString().slice(0, 5)}` }[holds]}: ${subjectText(subject)}`;
}
