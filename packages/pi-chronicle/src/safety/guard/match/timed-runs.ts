// Runs the expressions of rules under a time limit, because any of them may take exponential time.
// An item without an answer within the limit is reported, never passed over.
import { type Context, createContext, Script } from "node:vm";

export interface TimedRuns {
	/** Calls `act` on each item in order. `late` is called with an item that exceeds the limit, and decides whether the rest follows. */
	each<Item>(items: readonly Item[], act: (item: Item) => void, late: (item: Item) => "go on" | "stop"): void;
}

/** For all items of one call, in ms: far more than they take, unless the time of one of them explodes. */
const limitMs = 500;

/** Opens the runner; `limit` is in ms. */
export function openTimedRuns(limit = limitMs): TimedRuns {
	const script = new Script("run()");
	let context: Context | undefined;
	return {
		each(items, act, late) {
			context ??= createContext({});
			let at = 0;
			context.run = () => {
				for (const item of items.slice(at)) {
					act(item);
					at += 1;
				}
			};
			while (at < items.length) {
				try {
					script.runInContext(context, { timeout: limit });
				} catch (error) {
					if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
					const item = items[at];
					if (item === undefined || late(item) === "stop") return;
					at += 1;
				}
			}
		},
	};
}
