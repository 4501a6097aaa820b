// Waiting out a provider that fails: when a run tries it again, and when it gives up. Pure.
// A moment that the provider has named is kept, otherwise waits grow from the first to the longest; no wait ends after the limit, counted
// from the first failure; nothing here reads a clock: every moment follows from the events.
import { setTime } from "../../definition/index.ts";
import type { ProviderAwaited } from "./decision-event.ts";

const minuteMs = 60_000;

export const PROVIDER_DEFAULTS = { firstMs: minuteMs, longestMs: 30 * minuteMs, maxMs: 12 * 60 * minuteMs } as const;

/** Named moments that come true too soon, again and again, are kept this often; from then on a first wait passes at least. */
const trustedTries = 3;
const leastMs = 1000;

/** A run's wait for a provider that has failed since its model last answered. */
export interface ProviderWait extends Omit<ProviderAwaited, "kind" | "visit"> {
	/** Whether the provider has named `next`. */
	readonly named: boolean;
	/** The next try has begun. */
	readonly trying?: true;
}

/** Why a run does not wait any longer. */
export interface WaitOver {
	readonly kind: "over";
	/** A sentence. */
	readonly detail: string;
}

/** A failure at `at`, as the event `turn_settled` records it. */
interface ProviderFailure {
	readonly at: string;
	readonly detail?: string;
	readonly retryAt?: string;
	readonly waits?: { readonly firstMs?: number; readonly maxMs?: number };
}

/** What follows from a failure of the provider. `maxMs`: the limit of the template; `undefined`: that of the settings, or the default. */
export function waitAfter(
	before: ProviderWait | null,
	{ at, detail = "", retryAt, waits = {} }: ProviderFailure,
	maxMs = waits.maxMs ?? PROVIDER_DEFAULTS.maxMs,
): ProviderWait | WaitOver {
	const now = Date.parse(at);
	const since = before?.since ?? at;
	const tries = before?.tries ?? 0;
	const end = Date.parse(since) + maxMs;
	const what = detail.replace(/\s+/g, " ").trim().slice(0, 200);
	if (now >= end) return { kind: "over", detail: explainOver(maxMs, what) };
	const firstMs = Math.min(waits.firstMs ?? PROVIDER_DEFAULTS.firstMs, PROVIDER_DEFAULTS.longestMs);
	const named = retryAt === undefined ? undefined : Date.parse(retryAt);
	if (named !== undefined && named > end) return { kind: "over", detail: explainLate(new Date(named), maxMs, what) };
	const least = now + Math.max(leastMs, tries < trustedTries ? 0 : firstMs);
	const next = named === undefined ? now + delayMs(tries, firstMs) : Math.max(named, least);
	return {
		since,
		tries: tries + 1,
		next: new Date(Math.min(next, end)).toISOString(),
		until: new Date(end).toISOString(),
		named: named !== undefined,
		detail: what,
	};
}

/** The wait after failure number `tries` from 0: the first one doubled each time, up to the longest. */
function delayMs(tries: number, firstMs: number): number {
	return Math.min(Math.max(leastMs, firstMs) * 2 ** Math.min(tries, 30), PROVIDER_DEFAULTS.longestMs);
}

function explainOver(maxMs: number, what: string): string {
	const about = what === "" ? "." : `: ${what}`;
	return maxMs === 0 ? `The provider fails${about}` : `The provider has failed for ${setTime(maxMs)}${about}`;
}

function explainLate(named: Date, maxMs: number, what: string): string {
	const moment = named
		.toISOString()
		.replace(/:\d\d\.\d+Z$/, " UTC")
		.replace("T", " ");
	return `The provider can be tried again at ${moment}, later than provider_wait (${setTime(maxMs)}) allows: ${what}`;
}
