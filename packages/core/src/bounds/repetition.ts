// Detects repetition: the same calls with the same results, a single call or a short cycle. Pure; the state has constant size.
// A fingerprint identifies a call: equal fingerprints mean equal calls with equal outcomes; distinct calls never count as repetition;
// the order within a cycle does not matter, because the calls of one message run in parallel and end in any order.
import { createHash } from "node:crypto";

/** Length of the longest detected cycle, in calls. */
const longest = 4;

export interface Repetition {
	/** Fingerprints of the latest calls, newest last; at most `longest`. */
	readonly last: readonly string[];
	/** For each period from 1: the cycle that the newest calls repeat. */
	readonly cycles: readonly Cycle[];
}

interface Cycle {
	/** Fingerprints of its calls; empty until there are enough calls. */
	readonly calls: readonly string[];
	/** Bit mask of the calls that the current round still lacks. */
	readonly missing: number;
	/** Number of completed rounds. */
	readonly times: number;
}

export const NO_REPETITION: Repetition = { last: [], cycles: [] };

export function addCall(before: Repetition, fingerprint: string): Repetition {
	const short = digest(fingerprint).slice(0, 8);
	const last = [...before.last, short].slice(-longest);
	const cycles = Array.from({ length: longest }, (_, at) => advanceCycle(before.cycles[at], short, last, at + 1));
	return { last, cycles };
}

/** Advances the cycle of `period` calls by one call. A call outside the cycle starts a new cycle that includes the preceding calls. */
function advanceCycle(cycle: Cycle | undefined, call: string, last: readonly string[], period: number): Cycle {
	const all = 2 ** period - 1;
	const at = cycle?.calls.findIndex((one, bit) => one === call && (cycle.missing & (1 << bit)) !== 0) ?? -1;
	if (!cycle || at === -1)
		return last.length < period
			? { calls: [], missing: 0, times: 0 }
			: { calls: last.slice(-period), missing: all, times: 1 };
	const missing = cycle.missing & ~(1 << at);
	return missing === 0 ? { ...cycle, missing: all, times: cycle.times + 1 } : { ...cycle, missing };
}

export interface CycleCount {
	/** Number of completed rounds; 1 if nothing repeats. */
	readonly times: number;
	/** Calls in one cycle. */
	readonly period: number;
	/** The cycle consists of whole messages instead of single calls. */
	readonly ofMessages?: boolean;
}

/** The cycle with the most completed rounds; of equals, the shortest. */
export function mostRepeatedCycle({ cycles }: Repetition): CycleCount {
	const rounds = cycles.map(({ times }, at) => ({ times, period: at + 1 }));
	return rounds.reduce((most, round) => (round.times > most.times ? round : most), { times: 1, period: 1 });
}

/** Fingerprint of a call's tool and arguments, independent of key order: 16 hex digits. */
export function callFingerprint(tool: string, args: unknown): string {
	return digest(`${tool} ${canonicalJson(args)}`);
}

/** Fingerprint of a call with its outcome. `outcome`: a digest of its result, or the rule that refused it. */
export function outcomeFingerprint(call: string, outcome: string): string {
	return digest(`${call} ${outcome}`);
}

/** Matches times of day, dates, and durations. Results that differ only in these count as equal. */
const times =
	/\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,3}:\d\d(?::\d\d(?:[.,]\d{1,9})?|[.,]\d{1,9})|(?:\d{1,12}(?:[.,]\d{1,9})?\s?(?:[nµu]?s|ms|secs?|seconds?|m|mins?|minutes?|h|hours?)){1,3})\b/g;

/** Digest of a call's result, ignoring times, for comparison with earlier results. */
export function resultDigest(text: string): string {
	return digest(text.replaceAll(times, "…"));
}

/** First 16 hex digits of a text's SHA-256. */
export function digest(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === "object" && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}
