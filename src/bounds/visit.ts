// Bounds of one visit of a state or phase: requests to the model, tool calls, and repetition. Pure: it counts and judges.
// V1 refused calls count like others; V2 the count restarts when a user resumes a stopped visit.
import { addCall, type CycleCount, digest, mostRepeatedCycle, NO_REPETITION, type Repetition } from "./repetition.ts";

/** What a visit has used since it began, or since a user last resumed it. */
export interface VisitUse {
	readonly requests: number;
	readonly calls: number;
	/** Repetition of single calls. */
	readonly circling: Repetition;
	/** Repetition of whole messages, whose calls may be in any order; absent where only single calls are known. */
	readonly messages?: Repetition;
}

export const NO_USE: VisitUse = { requests: 0, calls: 0, circling: NO_REPETITION };

/** Ceilings of one visit, and whether it repeats calls on purpose. */
export interface VisitLimits {
	readonly requests: number;
	readonly calls: number;
	readonly polling: boolean;
}

/** Default ceilings, far above what useful work takes. */
export const VISIT_DEFAULTS = { requests: 400, calls: 800 } as const;

export type VisitVerdict =
	| { readonly kind: "fine" }
	/** The model should be told that it makes no progress. */
	| { readonly kind: "nudge"; readonly text: string }
	/** The visit stops until a user resumes it; `text` is the reason, one sentence. */
	| { readonly kind: "stop"; readonly cause: "circling" | "ceiling"; readonly text: string };

const nudgeAt = 3;
const stopAt = 6;

/** Adds `count` requests to the model. */
export function useRequests(use: VisitUse, count: number): VisitUse {
	return { ...use, requests: use.requests + count };
}

/** Adds one call; `fingerprint` is its fingerprint with its outcome, `undefined` where it is unknown. */
export function useCall(use: VisitUse, fingerprint: string | undefined): VisitUse {
	const circling = fingerprint === undefined ? NO_REPETITION : addCall(use.circling, fingerprint);
	return { ...use, calls: use.calls + 1, circling };
}

/** Adds the calls of one message; `fingerprints` are their fingerprints with their outcomes, in the order of the calls. */
export function useMessage(use: VisitUse, fingerprints: readonly string[]): VisitUse {
	const counted = fingerprints.reduce(useCall, use);
	return { ...counted, messages: addCall(use.messages ?? NO_REPETITION, digest([...fingerprints].sort().join(" "))) };
}

/** The most repeated cycle, of calls or of whole messages. */
function rounds(use: VisitUse): CycleCount {
	const single = mostRepeatedCycle(use.circling);
	const message = mostRepeatedCycle(use.messages ?? NO_REPETITION);
	return message.times > single.times ? { ...message, ofMessages: true } : single;
}

/** Judges the use `after`, which was `before` until now. */
export function judgeUse(before: VisitUse, after: VisitUse, limits: VisitLimits): VisitVerdict {
	const round = limits.polling ? { times: 1, period: 1 } : rounds(after);
	if (round.times >= stopAt) return { kind: "stop", cause: "circling", text: `No progress: ${roundText(round)}.` };
	if (after.calls >= limits.calls)
		return { kind: "stop", cause: "ceiling", text: ceilingText(after.calls, "calls of tools") };
	if (after.requests >= limits.requests)
		return { kind: "stop", cause: "ceiling", text: ceilingText(after.requests, "requests to the model") };
	if (round.times >= nudgeAt && rounds(before).times < nudgeAt && after.calls > before.calls)
		return { kind: "nudge", text: nudgeText(round) };
	return { kind: "fine" };
}

function roundText({ times, period, ofMessages }: CycleCount): string {
	if (ofMessages) return `the same calls were made in ${times * period} messages in a row with the same results`;
	return period === 1
		? `the same call was made ${times} times with the same result`
		: `the same ${period} calls were made ${times} times in a row with the same results`;
}

function nudgeText(round: CycleCount): string {
	return `You are making no progress: ${roundText(round)}. Repeating it will not change that. Do something else: read the result, try another approach, or say what you are missing. After ${stopAt} times the work is paused for the user.`;
}

function ceilingText(used: number, what: string): string {
	return `The ceiling of one visit is reached: ${used.toLocaleString("en-US")} ${what}.`;
}
