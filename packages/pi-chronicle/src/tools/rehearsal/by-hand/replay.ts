// Replays a transcript: its answers are given again, each to the same request of the same conversation.
import { mapTexts, maskText, type Surroundings, unmaskPlaces } from "./mask.ts";
import { PlayEnded, type Player } from "./player.ts";
import type { PlayTranscript } from "./transcript.ts";

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
			// Children that work at the same time ask in any order.
			const asked = maskText(text, around());
			const same = decisions.findIndex(({ question }) => question === asked);
			const [next] = decisions.splice(Math.max(0, same), 1);
			if (!next) throw new PlayEnded(`The transcript has no answer to the question to the user: ${text}`);
			return next.decision;
		},
		withdrawn: () => {},
		finish: () => {},
	};
}
