// What the failures of the models of one turn come to: the first model may fail for a while and the next one for good, or the other way round.
// The run waits if any of them may answer later: until the earliest moment that one of them has named.

import type { TurnSettled } from "@pi-chronicle/core/machine";
import { classifyProviderError, type ProviderFailure, resetIn } from "../../pi/index.ts";
import { redactText } from "../../safety/index.ts";

export interface ProviderFailures {
	/** The provider has named a moment with its last refusal, in ms since the epoch. */
	name(at: number): void;
	/** A model has failed with this message of pi. */
	add(error: string): void;
	/** A model has answered. */
	clear(): void;
	/** What the failures come to. */
	settled(): Pick<TurnSettled, "stop" | "detail" | "retryAt">;
}

interface KnownFailure {
	readonly stop: ProviderFailure;
	readonly detail: string;
	readonly at: number | undefined;
}

/** Collects failures; `now` is in ms since the epoch. */
export function openProviderFailures(now: () => number = Date.now): ProviderFailures {
	let named: number | undefined;
	let failures: KnownFailure[] = [];
	return {
		name(at) {
			named = at;
		},
		add(error) {
			failures.push({
				stop: classifyProviderError(error),
				detail: redactText(error, 400),
				at: named ?? resetIn(error, now()),
			});
			named = undefined;
		},
		clear() {
			named = undefined;
			failures = [];
		},
		settled() {
			const passing = failures.filter(({ stop, at }) => stop === "transient" || (stop === "quota" && at !== undefined));
			const { stop = "provider_error", detail = "" } = passing.at(-1) ?? failures.at(-1) ?? {};
			const moments = passing.flatMap(({ at }) => (at === undefined ? [] : [at]));
			failures = [];
			// One that names no moment may answer before the others.
			const at = moments.length === passing.length ? Math.min(...moments) : undefined;
			return {
				stop,
				detail,
				...(at === undefined || moments.length === 0 ? {} : { retryAt: new Date(at).toISOString() }),
			};
		},
	};
}
