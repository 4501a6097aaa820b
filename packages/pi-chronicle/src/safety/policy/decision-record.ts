// The record of a decision: one custom entry of the session. Calls that pass without a decision are not recorded.
// Invariants: an entry has at most 2 KB, whatever the call was; it contains no file contents and no recognizable secrets.

import type { ToolCall } from "./policy.ts";
import { redactInput, redactText } from "./redaction.ts";
import type { Verdict } from "./verdict.ts";

/** Type of the custom entries. */
export const decisionEntry = "chronicle:decision";

/**
 * `denied` by a rule · `allowed` or `refused` by the user · `unasked`: the user had to be asked but was not available · `withheld`: part of
 * the result did not reach the model · `noted`: a rule on trial would have stopped the call.
 */
export type DecisionOutcome = "denied" | "allowed" | "refused" | "unasked" | "withheld" | "noted";

export interface DecisionRecord {
	readonly version: 1;
	readonly outcome: DecisionOutcome;
	/** Who allowed it: the user when asked, a remembered answer, or `/guard allow once`. Absent in entries of earlier versions. */
	readonly by?: AllowedBy;
	/** Id of the call. */
	readonly call?: string;
	readonly tool: string;
	/** Arguments on one line, without bodies and secrets. */
	readonly input: string;
	readonly policy: string;
	readonly rule: string;
	readonly reason: string;
	/** `file:line` of the rule. */
	readonly origin?: string;
	/** Rules after the first. */
	readonly others?: readonly string[];
}

export type AllowedBy = "user" | "answer" | "once";

/** Makes the record of a decision. `verdicts` are strongest first. */
export function recordDecision(
	outcome: DecisionOutcome,
	call: ToolCall,
	[first, ...rest]: readonly [Verdict, ...Verdict[]],
	by?: AllowedBy,
): DecisionRecord {
	return {
		version: 1,
		outcome,
		...(by === undefined ? {} : { by }),
		call: call.id.slice(0, 120),
		tool: redactText(call.tool, 80),
		input: redactInput(call.input, 320),
		policy: redactText(first.policy, 40),
		rule: redactText(first.rule, 160),
		reason: redactText(first.reason, 320),
		...(first.origin ? { origin: redactText(originText(first.origin), 300) } : {}),
		...(rest.length > 0 ? { others: rest.slice(0, 4).map(({ rule }) => redactText(rule, 100)) } : {}),
	};
}

/** Reads an entry's data; `undefined` if it is not a record. */
export function readDecision(data: unknown): DecisionRecord | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const record = data as Partial<Record<keyof DecisionRecord, unknown>>;
	const texts = [record.outcome, record.tool, record.input, record.policy, record.rule, record.reason];
	return record.version === 1 && texts.every((text) => typeof text === "string") ? (data as DecisionRecord) : undefined;
}

/** `file:line`, or the file alone. */
export function originText({ file, line }: { readonly file: string; readonly line?: number }): string {
	return line === undefined ? file : `${file}:${line}`;
}
