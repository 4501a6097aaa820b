// A player over files: each request is a numbered file in a folder, and the answer is expected in another one. Any program can play.
// Every file that is written appears whole; an answer is read when its last line is `end`, or when nobody has written to it for two
// seconds; what is wrong with an answer is written to a file, and the answer can be corrected.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt, replaceFileSync } from "../../../disk/index.ts";
import { setTime } from "../../../pi/index.ts";
import {
	answerHelp,
	decisionHelp,
	type ModelAnswer,
	type PlayedDecision,
	parseDecision,
	readAnswer,
	type TypedText,
} from "./answer-text.ts";
import { PlayEnded, type PlayedQuestion, type Player } from "./player.ts";
import { padded, requestMarkdown } from "./request-text.ts";

const pollMs = 200;
const settledMs = 2000;

/** Why a folder cannot be played in; `undefined`: it can. It must be new or empty, so that no old answer is taken for a new one. */
export function folderProblem(folder: string): string | undefined {
	if (!existsSync(folder)) return undefined;
	if (!statSync(folder).isDirectory()) return `${folder} is a file; --by-hand needs a folder.`;
	return readdirSync(folder).length === 0
		? undefined
		: `${folder} is not empty. Requests and answers need a folder of their own: name a new one, or empty it.`;
}

/** Plays over the files of `folder` (absolute), which is created. `waitMs`: maximum time without an answer. */
export function openFilesPlayer(folder: string, waitMs: number): Player {
	mkdirSync(folder, { recursive: true });
	const write = (name: string, text: string): void => replaceFileSync(join(folder, name), `${text.trimEnd()}\n`);
	write("how-to-answer.md", howToAnswer);
	return {
		async answer(request, share, signal) {
			const name = padded(request.number);
			const { system, tools, messages } = request.posted;
			write(`${name}-request.json`, JSON.stringify({ system, tools, messages }, null, "\t"));
			write(`${name}-request.md`, requestMarkdown(request, share));
			return waitForAnswer<ModelAnswer>({ folder, name, read: readAnswer, waitMs, signal });
		},
		async decide(question, signal) {
			const name = padded(question.number);
			write(`${name}-user.md`, playedQuestionText(question));
			const read = (text: string): TypedText<PlayedDecision> => acceptable(parseDecision(text), question);
			return waitForAnswer<PlayedDecision>({ folder, name, read, waitMs, signal });
		},
		withdrawn: ({ number }) =>
			write(`${padded(number)}-withdrawn.md`, "This request needs no answer any more: its agent was stopped."),
		finish: (lines) => write("done.md", lines.join("\n")),
	};
}

/** A decision, or why this question does not take it. */
export function acceptable(typed: TypedText<PlayedDecision>, { accepts }: PlayedQuestion): TypedText<PlayedDecision> {
	if (typed.kind !== "whole" || accepts.includes(typed.value.kind)) return typed;
	const kinds = accepts.map((kind) => `\`${kind}\``).join(", ");
	return { kind: "wrong", problems: [`Line 1: This question takes ${kinds}, not \`${typed.value.kind}\`.`] };
}

interface Wait<T> {
	readonly folder: string;
	/** Number of the request, as in its file's name. */
	readonly name: string;
	readonly read: (text: string, end: "required" | "implied") => TypedText<T>;
	readonly waitMs: number;
	readonly signal: AbortSignal;
}

async function waitForAnswer<T>({ folder, name, read, waitMs, signal }: Wait<T>): Promise<T> {
	const file = join(folder, `${name}-answer.txt`);
	const problem = join(folder, `${name}-problem.md`);
	let until = Date.now() + waitMs;
	let refused: string | undefined;
	for (;;) {
		const found = readSettled(file);
		if (found && found.text !== refused) {
			const typed = read(found.text, found.settled ? "implied" : "required");
			if (typed.kind === "whole") {
				rmSync(problem, { force: true });
				return typed.value;
			}
			if (typed.kind === "wrong") {
				refused = found.text;
				until = Date.now() + waitMs;
				replaceFileSync(problem, `${problemText(name, typed.problems)}\n`);
			}
		}
		if (Date.now() > until) {
			throw new PlayEnded(`Nobody answered ${name} within ${setTime(waitMs)} (--wait), so the rehearsal ended.`);
		}
		await sleep(pollMs, undefined, { signal });
	}
}

/** The text of a file, and whether nobody has written to it for a while; `undefined` if it does not exist. */
function readSettled(file: string): { readonly text: string; readonly settled: boolean } | undefined {
	return attempt(() => {
		const settled = Date.now() - statSync(file).mtimeMs > settledMs;
		return { text: readFileSync(file, "utf8"), settled };
	});
}

function problemText(name: string, problems: readonly string[]): string {
	return [
		`# The answer ${name}-answer.txt was not used`,
		...problems.map((problem) => `- ${problem}`),
		`Correct ${name}-answer.txt; it is read again when it changes.`,
	].join("\n\n");
}

function playedQuestionText({ number, text }: PlayedQuestion): string {
	return [
		`# ${padded(number)}: a question to the user`,
		"Answer this as the user of the run, not as the model.",
		text,
	].join("\n\n");
}

const howToAnswer = [
	"# How to answer",
	"You answer in place of a model. `001-request.md` shows what the model gets: what is new in each request, marked with where it belongs. `001-request.json` is the same request whole, as a provider gets it.",
	"Write the answer to `001-answer.txt`, with the number of the request, one instruction per line:",
	`\`\`\`text\n${answerHelp.join("\n")}\n\`\`\``,
	"`001-problem.md` says what is wrong with an answer; correct the answer then. Several requests may wait at the same time: they come from agents that work in parallel.",
	"`002-user.md` is a question to the user of the run. Answer it in `002-answer.txt` with one line:",
	`\`\`\`text\n${decisionHelp.join("\n")}\n\`\`\``,
	"When all is over, `done.md` has the result.",
].join("\n\n");
