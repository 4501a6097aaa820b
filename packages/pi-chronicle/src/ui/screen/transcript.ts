// A worker's conversation as lines for the terminal: messages, and calls with their results below them.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { dim, type Line, plain, type StyledText } from "../../tui/index.ts";
import {
	type ConversationCall,
	type ConversationMessage,
	type ConversationResult,
	type ReadMessages,
	readMessages,
} from "../phrases/index.ts";

const tailBytes = 256 * 1024;
const argumentLength = 500;
/** Maximum lines shown of one tool result, and of a text that a call writes. */
const maxResult = 6;
const maxWritten = 12;

/** The lines of the session file at `path`, oldest first; one sentence if it cannot be read. */
export function readTranscript(path: string | undefined): Line[] {
	if (path === undefined) return [[dim("No conversation yet.")]];
	let read: ReadMessages;
	try {
		read = readMessages(path, { head: 0, tail: tailBytes });
	} catch {
		return [[dim("The conversation cannot be read: its session file is missing or locked.")]];
	}
	const refused = new Set<string>();
	const lines = [...read.first, ...read.last].flatMap((message) => messageLines(message, refused));
	return read.isCut ? [[dim("… earlier entries are in the session file")], ...lines] : lines;
}

/** The end of the output of a command, from the file at `path`, which may still grow. */
export function readCommandOutput(path: string): Line[] {
	const head: Line = [dim(`── the output of the command, ${basename(path, ".log")} ──`)];
	try {
		const { text, isCut } = readEnd(path);
		const lines = stripVTControlCharacters(text).trimEnd().split("\n");
		// A progress bar writes over its line.
		const shown = lines.map((line): Line => [plain(line.replace(/\r+$/, "").split("\r").at(-1) ?? "")]);
		return [head, ...(isCut ? [[dim(`… all of it is in ${path}`)], ...shown.slice(1)] : shown)];
	} catch {
		return [head, [dim("It cannot be read: its file is missing or locked.")]];
	}
}

/** Throws disk errors. */
function readEnd(path: string): { readonly text: string; readonly isCut: boolean } {
	const file = openSync(path, "r");
	try {
		const { size } = fstatSync(file);
		const bytes = Buffer.alloc(Math.min(size, tailBytes));
		const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
		return { text: bytes.toString("utf8", 0, read), isCut: size > bytes.length };
	} finally {
		closeSync(file);
	}
}

const signs = { user: "»", worker: "●", note: "·" } as const;

function messageLines({ who, parts }: ConversationMessage, refused: Set<string>): Line[] {
	return parts.flatMap((part) => {
		if (part.kind === "text") return textLines(signs[who], part.text, who === "note" ? "dim" : "plain");
		return part.kind === "call" ? callLines(part, refused) : conversationResultLines(part, refused);
	});
}

function textLines(mark: string, text: string, tone: StyledText["tone"]): Line[] {
	return text
		.split("\n")
		.map((line, index) => [index === 0 ? { text: `${mark} `, tone: "accent" } : dim("  "), { text: line, tone }]);
}

function callLines({ tool, words, written, result }: ConversationCall, refused: Set<string>): Line[] {
	return [
		[{ text: `▸ ${tool} `, tone: "accent" }, dim(words.slice(0, argumentLength))],
		...written.flatMap(({ sign, lines }) =>
			firstLines(lines, maxWritten, "", (line) => ({
				text: `  ${sign} ${line}`,
				tone: sign === "+" ? "success" : "error",
			})),
		),
		...(result ? conversationResultLines(result, refused) : []),
	];
}

/** A result. A refusal is one line: its reason, and not again where it was shown before. */
function conversationResultLines({ tool, text, isError, refusal }: ConversationResult, refused: Set<string>): Line[] {
	if (refusal !== undefined) {
		const isShown = refused.has(refusal);
		refused.add(refusal);
		return [[{ text: `  ⊘ refused${isShown ? " again, as above" : `: ${refusal}`}`, tone: "warning" }]];
	}
	const styled = (line: string): StyledText => (isError ? { text: `  ${line}`, tone: "error" } : dim(`  ${line}`));
	return firstLines(text.split("\n"), maxResult, ` of ${tool}`, styled);
}

function firstLines(all: readonly string[], most: number, what: string, style: (line: string) => StyledText): Line[] {
	const more = all.length - most;
	const rest: Line[] = more > 0 ? [[dim(`  … ${more} more ${more === 1 ? "line" : "lines"}${what}`)]] : [];
	return [...all.slice(0, most).map((line): Line => [style(line)]), ...rest];
}
