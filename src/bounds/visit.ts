// What one visit of a state or phase may use: requests to the model, calls of tools, and going round. Pure: it counts and judges.
// V1 refused calls count like others; V2 a visit that is stopped counts anew once a person has let it go on.
import { addCall, type Circling, NO_CIRCLING, roundOf } from "./circling.ts";

/** What a visit has used since it began, or since a person last let it go on. */
export interface VisitUse {
	readonly requests: number;
	readonly calls: number;
	readonly circling: Circling;
}

export const NO_USE: VisitUse = { requests: 0, calls: 0, circling: NO_CIRCLING };

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
	const circling = print === undefined ? NO_CIRCLING : addCall(use.circling, print);
	return { ...use, calls: use.calls + 1, circling };
}

/** Judges what a visit has used after `before` became `after`. */
export function judgeUse(before: VisitUse, after: VisitUse, limits: VisitLimits): VisitVerdict {
	const { times, period } = limits.polling ? { times: 1, period: 1 } : roundOf(after.circling);
	if (times >= stopAt) return { kind: "stop", cause: "circling", text: `It goes round: ${roundText(times, period)}.` };
	if (after.calls >= limits.calls)
		return { kind: "stop", cause: "ceiling", text: ceilingText(after.calls, "calls of tools") };
	if (after.requests >= limits.requests)
		return { kind: "stop", cause: "ceiling", text: ceilingText(after.requests, "requests to the model") };
	if (times >= nudgeAt && roundOf(before.circling).times < nudgeAt && after.calls > before.calls)
		return { kind: "nudge", text: nudgeText(times, period) };
	return { kind: "fine" };
}

function roundText(times: number, period: number): string {
	return period === 1
		? `the same call was made ${times} times with the same result`
		: `the same ${period} calls were made ${times} times in a row with the same results`;
}

function nudgeText(times: number, period: number): string {
	return `You are going round: ${roundText(times, period)}. Making them again will not change that. Do something else: read the result, try another way, or say what you lack. After ${stopAt} times the work is paused for a person.`;
}

function ceilingText(used: number, what: string): string {
	return `The ceiling of one visit is reached: ${used.toLocaleString("en-US")} ${what}.`;
}
