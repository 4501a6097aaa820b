// Watches the ceilings of a child: minutes, tokens, dollars. Uses one timer, which pauses while a question to the user is open.
import { setTime, shortCost } from "../../pi/index.ts";
import type { ChildCeilings } from "./settings.ts";

export interface Watch {
	/** Reports the child's total usage so far. */
	used(tokens: number, costUsd: number): void;
	/** Reports the number of open questions to the user. */
	asking(count: number): void;
	close(): void;
}

/** Starts the watch. Calls `over` once, with the exceeded ceiling as text. */
export function watchCeilings(ceilings: ChildCeilings, over: (ceiling: string) => void): Watch {
	let left = ceilings.minutes * 60_000;
	let since: number | undefined;
	let timer: NodeJS.Timeout | undefined;
	let ended = false;

	const end = (ceiling: string) => {
		if (ended) return;
		close();
		over(ceiling);
	};
	const pause = () => {
		clearTimeout(timer);
		if (since !== undefined) left -= performance.now() - since;
		since = undefined;
	};
	const go = () => {
		if (ended || since !== undefined) return;
		since = performance.now();
		timer = setTimeout(() => end(setTime(ceilings.minutes * 60_000)), Math.max(left, 0));
	};
	const close = () => {
		ended = true;
		pause();
	};
	go();
	return {
		used(tokens, costUsd) {
			if (tokens >= ceilings.tokens) end(`${ceilings.tokens.toLocaleString("en-US")} tokens`);
			else if (costUsd >= ceilings.costUsd) end(shortCost(ceilings.costUsd));
		},
		asking(count) {
			if (count > 0) pause();
			else go();
		},
		close,
	};
}
