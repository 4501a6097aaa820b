// Bounds of one visit of a state or phase: model requests, tool calls, and repetition. Pure: counts and judges.
// Refused calls count like others; the count restarts when the user resumes a stopped visit.
import { addCall, type CycleCount, digest, mostRepeatedCycle, NO_REPETITION, type Repetition } from "./repetition.ts";

/** The use of a visit since it began, or since the user last resumed it. */
export interface VisitUse {
	readonly requests: number;
	readonly calls: number;
	/** Repetition of single calls. */
	readonly circling: Repetition;
	/** Repetition of whole messages, whose calls may be in any order; `undefined` if only single calls are known. */
	readonly messages?: Repetition;
}

export const NO_USE: VisitUse = { requests: 0, calls: 0, circling: NO_REPETITION };

/** Limits of one visit, and whether it repeats calls on purpose. */
export interface VisitLimits {
	readonly requests: number;
	readonly calls: number;
	readonly polling: boolean;
}

/** Default limits, far above the needs of useful work. */
export const VISIT_DEFAULTS = { requests: 400, calls: 800 } as const;

export type VisitVerdict =
	| { readonly kind: "fine" }
	/** The model should be warned that it is making no progress. */
	| { readonly kind: "nudge"; readonly text: string }
	/** The visit stops until the user resumes it; `text` is the reason, one sentence. */
	| { readonly kind: "stop"; readonly cause: "circling" | "ceiling"; readonly text: string };

const nudgeAt = 3;
const stopAt = 6;

/** Adds `count` model requests. */
export function useRequests(use: VisitUse, count: number): VisitUse {
	return { ...use, requests: use.requests + count };
}

/** Adds one call; `fingerprint` includes its outcome and is `undefined` if that is unknown. */
export function useCall(use: VisitUse, fingerprint: string | undefined): VisitUse {
	const circling = fingerprint === undefined ? NO_REPETITION : addCall(use.circling, fingerprint);
	return { ...use, calls: use.calls + 1, circling };
}

/** Adds the calls of one message; `fingerprints` include the outcomes and are in call order. */
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

/** Judges the use `after`; `before` is the previously judged use. */
export function judgeUse(before: VisitUse, after: VisitUse, limits: VisitLimits): VisitVerdict {
	const round = limits.polling ? { times: 1, period: 1 } : rounds(after);
	if (round.times >= stopAt) return { kind: "stop", cause: "circling", text: `No progress: ${cycleText(round)}.` };
	if (after.calls >= limits.calls)
		return { kind: "stop", cause: "ceiling", text: ceilingText(after.calls, "calls of tools") };
	if (after.requests >= limits.requests)
		return { kind: "stop", cause: "ceiling", text: ceilingText(after.requests, "requests to the model") };
	if (round.times >= nudgeAt && rounds(before).times < nudgeAt && after.calls > before.calls)
		return { kind: "nudge", text: nudgeText(round) };
	return { kind: "fine" };
}

function cycleText({ times, period, ofMessages }: CycleCount): string {
	if (ofMessages) return `the same calls were made in ${times * period} messages in a row with the same results`;
	return period === 1
		? `the same call was made ${times} times with the same result`
		: `the same ${period} calls were made ${times} times in a row with the same results`;
}

function nudgeText(round: CycleCount): string {
	return `You are making no progress: ${cycleText(round)}. Repeating it will not help. Do something else: read the result, try another approach, or report what is missing. After ${stopAt} times, the work pauses for the user.`;
}

function ceilingText(used: number, what: string): string {
	return `Limit of one visit reached: ${used.toLocaleString("en-US")} ${what}.`;
}
