// A player in a terminal: shows one request at a time and reads its answer line by line. Other requests wait meanwhile.
import { createInterface } from "node:readline";
import { printable } from "../../../pi/index.ts";
import {
	answerHelp,
	decisionHelp,
	emptyMessage,
	type ModelAnswer,
	parseDecision,
	readAnswerLine,
} from "./answer-text.ts";
import { acceptable } from "./files-player.ts";
import { PlayEnded, type Player } from "./player.ts";
import { padded, requestMarkdown } from "./request-text.ts";

/** The lines that a person types, and where to show them something. */
export interface Terminal {
	readonly input: NodeJS.ReadableStream;
	write(text: string): void;
}

/** Plays in a terminal until its input ends. `close` lets go of the input. */
export function openTerminalPlayer({ input, write }: Terminal): Player & { close(): void } {
	const lines = openLines(input);
	const show = (text: string): void => write(`${printable(text)}\n`);
	let turn = Promise.resolve();
	/** One conversation with the person at a time. */
	const inTurn = async <T>(signal: AbortSignal, talk: () => Promise<T>): Promise<T> => {
		const before = turn;
		const { promise, resolve } = Promise.withResolvers<void>();
		turn = promise;
		try {
			await before;
			signal.throwIfAborted();
			return await talk();
		} finally {
			resolve();
		}
	};
	return {
		answer: (request, share, signal) =>
			inTurn(signal, async () => {
				show(`\n${requestMarkdown(request, share)}\n`);
				show(`Answer ${padded(request.number)} as the model:\n${indentedText(answerHelp)}`);
				return readMessage(lines, show, signal);
			}),
		decide: (question, signal) =>
			inTurn(signal, async () => {
				show(`\n# ${padded(question.number)}: a question to the user\n\n${question.text}\n`);
				const takes = decisionHelp.filter((line) => question.accepts.some((kind) => line.startsWith(kind)));
				show(`Answer ${padded(question.number)} as the user:\n${indentedText(takes)}`);
				for (;;) {
					const typed = acceptable(parseDecision(await lines.next(signal)), question);
					if (typed.kind === "whole") return typed.value;
					if (typed.kind === "wrong") show(typed.problems.join("\n"));
				}
			}),
		withdrawn: ({ number }) => show(`Request ${padded(number)} needs no answer any more: its agent was stopped.`),
		finish: () => {},
		close: () => lines.close(),
	};
}

async function readMessage(lines: Lines, show: (text: string) => void, signal: AbortSignal): Promise<ModelAnswer> {
	const said: string[] = [];
	const calls: ModelAnswer["calls"][number][] = [];
	for (;;) {
		const line = await lines.next(signal);
		if (line.trim() === "") continue;
		const read = readAnswerLine(line);
		if (read === "end") {
			if (said.length + calls.length > 0) return { text: said.join("\n"), calls };
			show(emptyMessage);
		} else if ("say" in read) said.push(read.say);
		else if ("call" in read) calls.push(read.call);
		else show(read.problem);
	}
}

interface Lines {
	/** The next line. Rejects at the end of the input, and when `signal` aborts. */
	next(signal: AbortSignal): Promise<string>;
	close(): void;
}

function openLines(input: NodeJS.ReadableStream): Lines {
	const reader = createInterface({ input });
	const waiting: string[] = [];
	let over = false;
	let wake = (): void => {};
	reader.on("line", (line) => {
		waiting.push(line);
		wake();
	});
	reader.on("close", () => {
		over = true;
		wake();
	});
	return {
		async next(signal) {
			const abort = (): void => wake();
			signal.addEventListener("abort", abort, { once: true });
			try {
				for (;;) {
					signal.throwIfAborted();
					const line = waiting.shift();
					if (line !== undefined) return line;
					if (over) throw new PlayEnded("The input ended, so the rehearsal ended.");
					await new Promise<void>((resolve) => {
						wake = resolve;
					});
				}
			} finally {
				signal.removeEventListener("abort", abort);
			}
		},
		close: () => reader.close(),
	};
}

function indentedText(lines: readonly string[]): string {
	return lines.map((line) => `  ${line}`).join("\n");
}
