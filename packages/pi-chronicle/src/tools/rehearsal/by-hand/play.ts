// A rehearsal by hand while it runs: takes the requests from the mailbox, has the player answer them, and keeps a record of everything.
// Requests are answered as they come, several at a time; a request whose process ended is withdrawn from the player; when the player
// gives up, the rehearsal ends.
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { ModelAnswer, PlayedDecision } from "./answer-text.ts";
import { type Mailbox, openMailbox } from "./mailbox.ts";
import { OwnText, type Share } from "./own-text.ts";
import { PlayEnded, type PlayedQuestion, type Player } from "./player.ts";
import { type HandRequest, openRequestDesk } from "./request.ts";

/** One answered request, or one decision of the user. */
export type Exchange =
	| { readonly kind: "model"; readonly request: HandRequest; readonly share: Share; readonly answer: ModelAnswer }
	| { readonly kind: "user"; readonly question: PlayedQuestion; readonly decision: PlayedDecision };

export interface Play {
	/** In the order of their numbers. */
	readonly exchanges: readonly Exchange[];
	/** Why the player ended the rehearsal; `undefined`: it did not. */
	readonly ended: string | undefined;
	/** Has the player decide for the user. Rejects when the rehearsal ends. */
	decide(question: Omit<PlayedQuestion, "number">): Promise<PlayedDecision>;
	/** Stops serving requests; resolves once nothing is open. */
	close(): Promise<void>;
}

export interface PlayOptions {
	/** Folder of the mailbox, absolute; it is created. */
	readonly mailbox: string;
	readonly player: Player;
	/** Texts of the user and of definitions. */
	readonly foreign: readonly string[];
	/** Ends the rehearsal. */
	readonly stop: AbortController;
}

const pollMs = 50;

/** Id of a call in pi's conversation. */
export function callId(request: number, index: number): string {
	return `call-${request}-${index + 1}`;
}

/** Starts to serve the requests of a rehearsal. */
export function startPlay({ mailbox: folder, player, foreign, stop }: PlayOptions): Play {
	const mailbox = openMailbox(folder);
	const desk = openRequestDesk();
	const own = new OwnText(foreign);
	const exchanges: Exchange[] = [];
	const open = new Set<Promise<void>>();
	const closing = new AbortController();
	let ended: string | undefined;
	const giveUp = (error: unknown): void => {
		if (closing.signal.aborted) return;
		ended ??= error instanceof PlayEnded ? error.message : `The rehearsal failed: ${errorMessage(error)}`;
		stop.abort();
	};
	const serve = async (request: HandRequest): Promise<void> => {
		const withdrawal = watch(mailbox, request, [closing.signal, stop.signal]);
		try {
			const share = own.measure(request);
			const answer = await player.answer(request, share, withdrawal.signal);
			const calls = answer.calls.map((call, index) => ({ ...call, id: callId(request.number, index) }));
			mailbox.answer(request.name, { text: answer.text, calls });
			own.addAnswer(answer);
			exchanges.push({ kind: "model", request, share, answer });
		} catch (error) {
			if (withdrawal.signal.aborted) player.withdrawn(request);
			else giveUp(error);
		} finally {
			withdrawal.close();
		}
	};
	const polling = (async () => {
		while (!closing.signal.aborted) {
			for (const waiting of mailbox.arrivals()) {
				const served = serve(desk.receive(waiting));
				open.add(served);
				void served.finally(() => open.delete(served));
			}
			await sleep(pollMs, undefined, { signal: closing.signal }).catch(() => {});
		}
	})();
	return {
		get exchanges() {
			return exchanges.toSorted((a, b) => numberOf(a) - numberOf(b));
		},
		get ended() {
			return ended;
		},
		async decide(asked) {
			const question = { ...asked, number: desk.takeNumber() };
			try {
				const decision = await player.decide(question, stop.signal);
				if ("words" in decision) own.add(decision.words ?? "");
				exchanges.push({ kind: "user", question, decision });
				return decision;
			} catch (error) {
				if (!stop.signal.aborted) giveUp(error);
				return { kind: "stop" };
			}
		},
		async close() {
			closing.abort();
			await polling;
			await Promise.all(open);
		},
	};
}

function numberOf(exchange: Exchange): number {
	return exchange.kind === "model" ? exchange.request.number : exchange.question.number;
}

/** A signal that aborts with `others`, and once the request no longer waits. */
function watch(
	mailbox: Mailbox,
	{ name }: HandRequest,
	others: readonly AbortSignal[],
): { readonly signal: AbortSignal; close(): void } {
	const withdrawn = new AbortController();
	const timer = setInterval(() => {
		if (!mailbox.waits(name)) withdrawn.abort();
	}, 500);
	return { signal: AbortSignal.any([...others, withdrawn.signal]), close: () => clearInterval(timer) };
}
