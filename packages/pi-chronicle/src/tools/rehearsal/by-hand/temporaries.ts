// Temporary folders that agents make in a rehearsal: `mktemp` gives them other names each time.
import type { Surroundings } from "./mask.ts";
import type { Player } from "./player.ts";
import type { HandRequest } from "./request.ts";

/** A path as `mktemp` makes it without a template; see mktemp(1). */
const made = /(?:\/[\w.-]+)*\/tmp\.[A-Za-z0-9]{10}\b/g;

/** The temporary folders that requests have shown, named after the conversation that showed them first. */
export class Temporaries {
	readonly #names = new Map<string, string>();
	readonly #counts = new Map<string, number>();

	/** Path and name of each. */
	get names(): Surroundings["names"] {
		return [...this.#names].map(([text, name]) => ({ text, name }));
	}

	/** A player that answers as `player` does; the folders of each request are noted before. */
	before(player: Player): Player {
		return {
			answer: (request, share, signal) => {
				this.note(request);
				return player.answer(request, share, signal);
			},
			decide: (question, signal) => player.decide(question, signal),
			withdrawn: (request) => player.withdrawn(request),
			finish: (lines) => player.finish(lines),
		};
	}

	/** Notes the folders that the new messages of a request show. */
	note({ conversation, messages }: Pick<HandRequest, "conversation" | "messages">): void {
		for (const [path] of messages.flatMap(({ text }) => [...text.matchAll(made)])) {
			if (this.#names.has(path)) continue;
			const count = (this.#counts.get(conversation) ?? 0) + 1;
			this.#counts.set(conversation, count);
			this.#names.set(path, `temporary folder ${count} of ${conversation}`);
		}
	}
}
