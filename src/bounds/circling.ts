// Whether calls go round: the same call with the same result again and again, or a short cycle of them. Pure, of constant size.
// C1 a call is its fingerprint: equal fingerprints are equal calls with equal outcomes; C2 calls that are all different never go round.
import { createHash } from "node:crypto";

/** Cycles of at most this many calls are seen. */
const longest = 4;

export interface Circling {
	/** Fingerprints of the last calls, newest last, at most `longest`. */
	readonly last: readonly string[];
	/** Per period, from 1: how many calls in a row equal the one that many calls before. */
	readonly runs: readonly number[];
}

export const NO_CIRCLING: Circling = { last: [], runs: [] };

/** The calls with one more. */
export function addCall({ last, runs }: Circling, print: string): Circling {
	const counted = Array.from({ length: longest }, (_, at) => (last.at(-1 - at) === print ? (runs[at] ?? 0) + 1 : 0));
	return { last: [...last, print].slice(-longest), runs: counted };
}

export interface Round {
	/** How often the cycle has been gone through by now; 1 where nothing repeats. */
	readonly times: number;
	/** Calls of one cycle. */
	readonly period: number;
}

/** The cycle that the newest calls have gone through most often; of two the shorter. */
export function roundOf({ runs }: Circling): Round {
	const rounds = runs.map((run, at) => ({ times: Math.floor(run / (at + 1)) + 1, period: at + 1 }));
	return rounds.reduce((most, round) => (round.times > most.times ? round : most), { times: 1, period: 1 });
}

/** Fingerprint of a call's tool and arguments, whatever the order of their keys: 16 hex digits. */
export function printOfCall(tool: string, args: unknown): string {
	return digest(`${tool} ${canonical(args)}`);
}

/** Fingerprint of a call with its outcome: a digest of its result, or the rule that refused it. */
export function printWithOutcome(call: string, outcome: string): string {
	return digest(`${call} ${outcome}`);
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
