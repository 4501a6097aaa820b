// Detects repetition: the same calls with the same results, one alone or in a short cycle. Pure, of constant size.
// C1 a call is its fingerprint: equal fingerprints mean equal calls with equal outcomes; C2 distinct calls never count as repetition;
// C3 the order within a cycle does not matter: the calls of one message run in parallel and end in any order.
import { createHash } from "node:crypto";

/** Longest cycle that is detected, in calls. */
const longest = 4;

export interface Repetition {
	/** Fingerprints of the last calls, newest last, at most `longest`. */
	readonly last: readonly string[];
	/** For each period from 1: the cycle that the newest calls repeat. */
	readonly cycles: readonly Cycle[];
}

interface Cycle {
	/** Fingerprints of its calls; empty before there were enough calls. */
	readonly calls: readonly string[];
	/** The calls that the current round still lacks, one bit each. */
	readonly missing: number;
	/** How often it was completed. */
	readonly times: number;
}

export const NO_REPETITION: Repetition = { last: [], cycles: [] };

/** Adds one call. */
export function addCall(before: Repetition, fingerprint: string): Repetition {
	const short = digest(fingerprint).slice(0, 8);
	const last = [...before.last, short].slice(-longest);
	const cycles = Array.from({ length: longest }, (_, at) => advanceCycle(before.cycles[at], short, last, at + 1));
	return { last, cycles };
}

/** The cycle of `period` calls after one more call; a call that does not belong to it starts another cycle with the calls before. */
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
	/** How often the cycle was completed; 1 where nothing repeats. */
	readonly times: number;
	/** Calls in one cycle. */
	readonly period: number;
	/** The cycle consists of whole messages instead of single calls. */
	readonly ofMessages?: boolean;
}

/** The cycle that was completed most often; the shorter of two. */
export function mostRepeatedCycle({ cycles }: Repetition): CycleCount {
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

/** Times of day, dates and durations: results that differ only in these are equal. */
const times =
	/\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,3}:\d\d(?::\d\d(?:[.,]\d{1,9})?|[.,]\d{1,9})|(?:\d{1,12}(?:[.,]\d{1,9})?\s?(?:[nµu]?s|ms|secs?|seconds?|m|mins?|minutes?|h|hours?)){1,3})\b/g;

/** Digest of a call's result without times, for comparison with earlier results. */
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
