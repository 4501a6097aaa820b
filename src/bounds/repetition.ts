// Whether calls go round: the same calls with the same results again and again, one alone or a short cycle. Pure, of constant size.
// C1 a call is its fingerprint: equal fingerprints are equal calls with equal outcomes; C2 calls that are all different never go round;
// C3 the order within a cycle means nothing: calls of one message run at once and end in any order.
import { createHash } from "node:crypto";

/** Cycles of at most this many calls are seen. */
const longest = 4;

export interface Repetition {
	/** Fingerprints of the last calls, newest last, at most `longest`. */
	readonly last: readonly string[];
	/** Per period, from 1: the cycle that the newest calls go through. */
	readonly cycles: readonly Cycle[];
}

interface Cycle {
	/** Fingerprints of its calls; none before there were enough calls. */
	readonly calls: readonly string[];
	/** The calls that the present round still lacks, one bit for each. */
	readonly missing: number;
	/** How often it has been gone through. */
	readonly times: number;
}

export const NO_REPETITION: Repetition = { last: [], cycles: [] };

/** The calls with one more. */
export function addCall(before: Repetition, print: string): Repetition {
	const short = digest(print).slice(0, 8);
	const last = [...before.last, short].slice(-longest);
	const cycles = Array.from({ length: longest }, (_, at) => advanceCycle(before.cycles[at], short, last, at + 1));
	return { last, cycles };
}

/** The cycle of `period` calls after one more; a call that is none of it begins another one with the calls before. */
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
	/** How often the cycle has been gone through by now; 1 where nothing repeats. */
	readonly times: number;
	/** Calls of one cycle. */
	readonly period: number;
	/** What was counted are messages with all their calls. */
	readonly ofMessages?: boolean;
}

/** The cycle that the newest calls have gone through most often; of two the shorter. */
export function longestCycle({ cycles }: Repetition): CycleCount {
	const rounds = cycles.map(({ times }, at) => ({ times, period: at + 1 }));
	return rounds.reduce((most, round) => (round.times > most.times ? round : most), { times: 1, period: 1 });
}

/** Fingerprint of a call's tool and arguments, whatever the order of their keys: 16 hex digits. */
export function callFingerprint(tool: string, args: unknown): string {
	return digest(`${tool} ${canonical(args)}`);
}

/** Fingerprint of a call with its outcome: a digest of its result, or the rule that refused it. */
export function outcomeFingerprint(call: string, outcome: string): string {
	return digest(`${call} ${outcome}`);
}

/** Times of day, dates and durations: a result that differs in them alone is the same result. */
const times =
	/\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,3}:\d\d(?::\d\d(?:[.,]\d{1,9})?|[.,]\d{1,9})|(?:\d{1,12}(?:[.,]\d{1,9})?\s?(?:[nµu]?s|ms|secs?|seconds?|m|mins?|minutes?|h|hours?)){1,3})\b/g;

/** Digest of a call's result as far as it says whether the call came to something else than before. */
export function resultDigest(text: string): string {
	return digest(text.replaceAll(times, "…"));
}

/** First 16 hex digits of a text's SHA-256. */
export function digest(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === "object" && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}
