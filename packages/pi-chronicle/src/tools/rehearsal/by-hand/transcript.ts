// The transcript of a rehearsal by hand: what was asked and answered, the same on every machine, so that another rehearsal can replay it. Pure.
import type { ModelAnswer, PlayedDecision } from "./answer-text.ts";
import { mapTexts, maskPlaces, maskText, type Surroundings } from "./mask.ts";
import type { Exchange } from "./play.ts";
import { newParts, type RequestPart } from "./request-text.ts";

/** What was played. */
export interface Played {
	readonly kind: "workflow" | "chronicle";
	readonly name: string;
	readonly task: string;
}

export type CallOutcome = "ok" | "refused" | "failed" | "unknown";

/** Outcomes of the calls of each request, by its number. */
export type Outcomes = ReadonlyMap<number, readonly CallOutcome[]>;

/** Of all requests together, as they were sent. */
export interface PlayFigures {
	readonly characters: number;
	/** Of these, written by this package. */
	readonly ownCharacters: number;
}

export interface PlayTranscript extends Played {
	readonly outcome: "done" | "stopped";
	readonly figures: PlayFigures;
	readonly entries: readonly TranscriptEntry[];
}

export type TranscriptEntry = ModelEntry | UserEntry;

export interface ModelEntry {
	readonly kind: "model";
	readonly number: number;
	readonly conversation: string;
	/** Number of the request in its conversation, from 1. */
	readonly turn: number;
	/** The new parts of the request. */
	readonly asked: readonly RequestPart[];
	readonly answer: ModelAnswer;
	readonly outcomes: readonly CallOutcome[];
}

interface UserEntry {
	readonly kind: "user";
	readonly number: number;
	readonly question: string;
	readonly decision: PlayedDecision;
}

/** The transcript of a finished rehearsal. */
export function transcriptOf(
	played: Played,
	outcome: "done" | "stopped",
	{
		exchanges,
		outcomes,
		around,
	}: { readonly exchanges: readonly Exchange[]; readonly outcomes: Outcomes; readonly around: Surroundings },
): PlayTranscript {
	const { kind, name, task } = played;
	return {
		...{ kind, name, task, outcome },
		figures: figuresOf(exchanges),
		entries: exchanges.map((exchange) => entryOf(exchange, outcomes, around)),
	};
}

function figuresOf(exchanges: readonly Exchange[]): PlayFigures {
	const shares = exchanges.flatMap((exchange) => (exchange.kind === "model" ? [exchange.share] : []));
	return {
		characters: shares.reduce((sum, { all }) => sum + all, 0),
		ownCharacters: shares.reduce((sum, { own }) => sum + own, 0),
	};
}

/** This package's share of all characters, in percent with one decimal. */
export function sharePercent({ characters, ownCharacters }: PlayFigures): string {
	return characters === 0 ? "0.0" : ((ownCharacters / characters) * 100).toFixed(1);
}

function entryOf(exchange: Exchange, outcomes: Outcomes, around: Surroundings): TranscriptEntry {
	if (exchange.kind === "user") {
		const { question, decision } = exchange;
		return { kind: "user", number: question.number, question: maskText(question.text, around), decision };
	}
	const { request, answer } = exchange;
	return {
		kind: "model",
		number: request.number,
		conversation: maskPlaces(request.conversation, around),
		turn: request.turn,
		asked: newParts(request).map(({ title, text }) => ({ title, text: maskText(text, around) })),
		answer: mapTexts(answer, (text) => maskPlaces(text, around)),
		outcomes: outcomes.get(request.number) ?? [],
	};
}
