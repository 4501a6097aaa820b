// The file of a transcript: YAML, so that a person can read the texts and a program the rest. A long part that an earlier request had already is
// named instead of repeated.

import { isNumber, isText, listOf, object, oneOf, optional, type Shape } from "@pi-chronicle/core/definition";
import { parse, stringify } from "yaml";
import { parseDecision, readAnswer, writeAnswer, writeDecision } from "./answer-text.ts";
import type { RequestPart } from "./request-text.ts";
import type { CallOutcome, ModelEntry, PlayFigures, PlayTranscript, TranscriptEntry } from "./transcript.ts";

const version = 1;
/** Shorter parts are repeated. */
const longPart = 200;

type WrittenPart = { readonly part: string; readonly text?: string; readonly same_as?: number };

interface WrittenEntry {
	readonly request?: number;
	readonly user?: number;
	readonly conversation?: string;
	readonly turn?: number;
	readonly asked: readonly WrittenPart[] | string;
	readonly answer: string;
	readonly calls?: readonly CallOutcome[];
}

const isPart: Shape<WrittenPart> = object<WrittenPart>({
	part: isText,
	text: optional(isText),
	same_as: optional(isNumber),
});
const isAsked = (value: unknown): value is WrittenEntry["asked"] => isText(value) || listOf(isPart)(value);

const isWritten = object<WrittenTranscript>({
	transcript: oneOf(version),
	kind: oneOf("workflow", "chronicle"),
	name: isText,
	task: isText,
	outcome: oneOf("done", "stopped"),
	figures: object<PlayFigures>({ characters: isNumber, ownCharacters: isNumber }),
	entries: listOf(
		object<WrittenEntry>({
			request: optional(isNumber),
			user: optional(isNumber),
			conversation: optional(isText),
			turn: optional(isNumber),
			asked: isAsked,
			answer: isText,
			calls: optional(listOf(oneOf("ok", "refused", "failed", "unknown"))),
		}),
	),
});

interface WrittenTranscript extends Omit<PlayTranscript, "entries"> {
	readonly transcript: 1;
	readonly entries: readonly WrittenEntry[];
}

/** The text of a transcript's file. */
export function writeTranscript({ entries, ...head }: PlayTranscript): string {
	const known = new Map<string, number>();
	const written: WrittenTranscript = {
		transcript: version,
		...head,
		entries: entries.map((entry): WrittenEntry => {
			if (entry.kind === "user")
				return { user: entry.number, asked: entry.question, answer: writeDecision(entry.decision) };
			return {
				request: entry.number,
				conversation: entry.conversation,
				turn: entry.turn,
				asked: entry.asked.map((part) => writePart(part, entry, known)),
				answer: writeAnswer(entry.answer),
				calls: entry.outcomes,
			};
		}),
	};
	return stringify(written, { lineWidth: 0, blockQuote: "literal", aliasDuplicateObjects: false });
}

/** A part can be named by its title only where it is the only one of its request with that title. */
function writePart(
	{ title, text }: RequestPart,
	{ number, asked }: ModelEntry,
	known: Map<string, number>,
): WrittenPart {
	const key = `${title}\n${text}`;
	const before = known.get(key);
	if (before !== undefined && text.length >= longPart) return { part: title, same_as: before };
	const isOnly = asked.filter((part) => part.title === title).length === 1;
	if (before === undefined && isOnly) known.set(key, number);
	return { part: title, text };
}

/** Reads the text of a transcript's file; a string says what is wrong with it. */
export function parseTranscript(text: string): PlayTranscript | string {
	let written: unknown;
	try {
		written = parse(text, { maxAliasCount: 0 });
	} catch (error) {
		return `It is not valid YAML: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`;
	}
	if (!isWritten(written)) return "It is not a transcript of `pi-chronicle rehearse --by-hand`.";
	const { transcript: _version, entries, ...head } = written;
	const read: TranscriptEntry[] = [];
	for (const entry of entries) {
		const one = readTranscriptEntry(entry, read);
		if (typeof one === "string") return one;
		read.push(one);
	}
	return { ...head, entries: read };
}

function readTranscriptEntry(
	{ request, user, conversation = "", turn = 1, asked, answer, calls = [] }: WrittenEntry,
	before: readonly TranscriptEntry[],
): TranscriptEntry | string {
	if (typeof asked === "string") {
		const typed = parseDecision(answer);
		if (typed.kind !== "whole" || user === undefined) return `The decision ${user ?? ""} cannot be read: ${answer}`;
		return { kind: "user", number: user, question: asked, decision: typed.value };
	}
	const typed = readAnswer(answer, "required");
	if (typed.kind !== "whole" || request === undefined) return `The answer to request ${request ?? ""} cannot be read.`;
	const parts = asked.map(({ part, text, same_as: same }) => ({
		title: part,
		text: text ?? transcriptText(before, same, part),
	}));
	return { kind: "model", number: request, conversation, turn, asked: parts, answer: typed.value, outcomes: calls };
}

function transcriptText(entries: readonly TranscriptEntry[], number: number | undefined, title: string): string {
	const entry = entries.find((each) => each.number === number);
	return entry?.kind === "model" ? (entry.asked.find((part) => part.title === title)?.text ?? "") : "";
}
