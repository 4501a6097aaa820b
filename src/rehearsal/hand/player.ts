// Who answers in a rehearsal by hand: a person in a terminal, a program over files, or an earlier transcript.
import type { ModelAnswer, PlayedDecision } from "./answer-text.ts";
import { mapTexts, type Surroundings, unmaskPlaces } from "./mask.ts";
import type { Share } from "./own-text.ts";
import type { HandRequest } from "./request.ts";
import type { PlayTranscript } from "./transcript.ts";

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

/** A player that gives the answers of a transcript. `around` is asked at each answer: the ids of runs appear in the course of a rehearsal. */
export function openReplayPlayer({ entries }: PlayTranscript, around: () => Surroundings): Player {
	const asked = entries.filter((entry) => entry.kind === "model");
	const decisions = entries.filter((entry) => entry.kind === "user");
	return {
		async answer({ conversation, turn }) {
			const entry = asked.find((each) => each.conversation === conversation && each.turn === turn);
			if (!entry)
				throw new PlayEnded(`The transcript has no answer to request ${turn} of the conversation "${conversation}".`);
			return mapTexts(entry.answer, (text) => unmaskPlaces(text, around()));
		},
		async decide({ text }) {
			const next = decisions.shift();
			if (!next) throw new PlayEnded(`The transcript has no answer to the question to the user: ${text}`);
			return next.decision;
		},
		withdrawn: () => {},
		finish: () => {},
	};
}
