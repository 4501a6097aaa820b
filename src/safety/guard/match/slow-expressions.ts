// Expressions whose work cannot be bounded beforehand, tried under a time limit: the last resort behind the estimate of `pattern-cost.ts`.
// H1 an answer comes within the limit, or the expression counts as too slow; H2 what was too slow once stays so for the same texts:
// a verdict does not change when the same call comes again; H3 nothing is started before the first question.
import { type Context, createContext, Script } from "node:vm";

export type SlowAnswer =
	/** Index of the first text that matches. */
	{ readonly kind: "match"; readonly text: number } | { readonly kind: "none" } | { readonly kind: "too-slow" };

export interface SlowExpressions {
	/** Tries an expression on texts, in order. */
	find(expression: RegExp, texts: readonly string[]): SlowAnswer;
}

/** For one expression on all its texts, in ms. A cheap one takes far less than one; one that explodes does not end in years. */
const limitMs = 250;
const MAX_KNOWN = 200;

/** Opens a place to try expressions in. */
export function openSlowExpressions(timeout = limitMs): SlowExpressions {
	let context: Context | undefined;
	const script = new Script("texts.findIndex((text) => new RegExp(source, flags).test(text))");
	const slow = new Set<string>();
	return {
		find({ source, flags }, texts) {
			const key = JSON.stringify([source, flags, ...texts]);
			if (slow.has(key)) return { kind: "too-slow" };
			context ??= createContext({});
			Object.assign(context, { source, flags, texts });
			try {
				const text = script.runInContext(context, { timeout }) as number;
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
