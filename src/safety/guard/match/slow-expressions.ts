// Runs expressions whose work cannot be bounded in advance, under a time limit. Starting the timer takes some 50 µs, so cheap expressions are
// run elsewhere.
// Invariants: an expression without an answer within the limit counts as too slow; it stays too slow for the same texts, so that a repeated call
// gets the same verdict.
import { type Context, createContext, Script } from "node:vm";

type SlowAnswer =
	/** Index of the first text that matches. */
	{ readonly kind: "match"; readonly text: number } | { readonly kind: "none" } | { readonly kind: "too-slow" };

export interface SlowExpressions {
	/** Tries an expression on texts, in order. */
	find(expression: RegExp, texts: readonly string[]): SlowAnswer;
}

/** For one expression on all its texts, in ms. A cheap one takes far less than 1 ms; an exponential one takes years. */
const LIMIT_MS = 250;
const MAX_KNOWN = 200;

/** Opens a runner for slow expressions; `limit` is in ms. */
export function openSlowExpressions(limit = LIMIT_MS): SlowExpressions {
	let context: Context | undefined;
	const script = new Script("find()");
	const slow = new Set<string>();
	return {
		find(expression, texts) {
			const key = JSON.stringify([expression.source, expression.flags, ...texts]);
			if (slow.has(key)) return { kind: "too-slow" };
			context ??= createContext({});
			context.find = () => texts.findIndex((text) => expression.test(text));
			try {
				const text = script.runInContext(context, { timeout: limit }) as number;
				return text < 0 ? { kind: "none" } : { kind: "match", text };
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
				if (slow.size >= MAX_KNOWN) slow.clear();
				slow.add(key);
				return { kind: "too-slow" };
			}
		},
	};
}
