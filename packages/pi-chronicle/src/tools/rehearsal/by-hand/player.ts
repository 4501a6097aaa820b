// Who answers in a rehearsal by hand: a person in a terminal, a program over files, or an earlier transcript.
import type { ModelAnswer, PlayedDecision } from "./answer-text.ts";
import type { Share } from "./own-text.ts";
import type { HandRequest } from "./request.ts";

/** A question to the user of the run. */
export interface PlayedQuestion {
	readonly number: number;
	/** What the run asks, and what the answer is about. */
	readonly text: string;
	/** How the answer continues the run. */
	readonly accepts: readonly PlayedDecision["kind"][];
}

export interface Player {
	/** Answers as the model. Rejects when `signal` aborts: the request was withdrawn, or the rehearsal ends. */
	answer(request: HandRequest, share: Share, signal: AbortSignal): Promise<ModelAnswer>;
	/** Decides as the user. Rejects likewise. */
	decide(question: PlayedQuestion, signal: AbortSignal): Promise<PlayedDecision>;
	/** Called for a request that no longer needs an answer. */
	withdrawn(request: HandRequest): void;
	/** Called once, with the lines of the result. */
	finish(lines: readonly string[]): void;
}

/** The player gave up, or cannot continue; the message is for the report. */
export class PlayEnded extends Error {}
