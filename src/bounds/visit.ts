// What one visit of a state or phase may use: requests to the model, calls of tools, and going round. Pure: it counts and judges.
// V1 refused calls count like others; V2 a visit that is stopped counts anew once a person has let it go on.
import { addCall, type CycleCount, digest, longestCycle, NO_REPETITION, type Repetition } from "./repetition.ts";

/** What a visit has used since it began, or since a person last let it go on. */
export interface VisitUse {
	readonly requests: number;
	readonly calls: number;
	/** Of single calls. */
	readonly circling: Repetition;
	/** Of whole messages, whatever the order of their calls; absent where only single calls are known. */
	readonly messages?: Repetition;
}

export const NO_USE: VisitUse = { requests: 0, calls: 0, circling: NO_REPETITION };

/** Ceilings of one visit, and whether it repeats itself on purpose. */
export interface VisitLimits {
	readonly requests: number;
	readonly calls: number;
	readonly polling: boolean;
}

/** Where nobody says otherwise: far above what useful work takes. */
export const VISIT_DEFAULTS = { requests: 400, calls: 800 } as const;

export type VisitVerdict =
	| { readonly kind: "fine" }
	/** The model is to be told that it goes round. */
	| { readonly kind: "nudge"; readonly text: string }
	/** The visit stops until a person lets it go on; `text` is the reason, one sentence. */
	| { readonly kind: "stop"; readonly cause: "circling" | "ceiling"; readonly text: string };

const nudgeAt = 3;
const stopAt = 6;

/** The use with `count` more requests to the model. */
export function useRequests(use: VisitUse, count: number): VisitUse {
	return { ...use, requests: use.requests + count };
}

/** The use with one more call; `print` is its fingerprint with its outcome, `undefined` where it is not known. */
export function useCall(use: VisitUse, print: string | undefined): VisitUse {
	const circling = print === undefined ? NO_REPETITION : addCall(use.circling, print);
	return { ...use, calls: use.calls + 1, circling };
}

/** The use with the calls of one message; `prints` are their fingerprints with their outcomes, in the order of the calls. */
export function useMessage(use: VisitUse, prints: readonly string[]): VisitUse {
	const counted = prints.reduce(useCall, use);
	return { ...counted, messages: addCall(use.messages ?? NO_REPETITION, digest([...prints].sort().join(" "))) };
}

/** How often a cycle has been gone through, of calls or of whole messages. */
function rounds(use: VisitUse): CycleCount {
	const single = longestCycle(use.circling);
	const message = longestCycle(use.messages ?? NO_REPETITION);
	return message.times > single.times ? { ...message, ofMessages: true } : single;
}

/** Judges what a visit has used after `before` became `after`. */
export function judgeUse(before: VisitUse, after: VisitUse, limits: VisitLimits): VisitVerdict {
	const round = limits.polling ? { times: 1, period: 1 } : rounds(after);
	if (round.times >= stopAt) return { kind: "stop", cause: "circling", text: `It goes round: ${roundText(round)}.` };
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
	return `You are going round: ${roundText(round)}. Making them again will not change that. Do something else: read the result, try another way, or say what you lack. After ${stopAt} times the work is paused for a person.`;
}

function ceilingText(used: number, what: string): string {
	return `The ceiling of one visit is reached: ${used.toLocaleString("en-US")} ${what}.`;
}
