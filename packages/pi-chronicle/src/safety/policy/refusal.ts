// Messages about a call that is refused or needs approval, for the model and for the user.
import { isWithin } from "../containment.ts";
import { originText } from "./decision-record.ts";
import type { ToolCall } from "./policy.ts";
import { redactInput, redactText, showInput } from "./redaction.ts";
import type { Verdict } from "./verdict.ts";

/** The first line of every refusal. */
const refusedLine = "Refused.";

/** Whether the text of a failed call is a refusal. */
export function isRefusalText(text: string): boolean {
	return text.startsWith(`${refusedLine}\n`);
}

/** The text for the model about a refused call: every reason, then advice. */
export function refusalText(verdicts: readonly Verdict[], because: "rule" | "user" | "nobody", cwd: string): string {
	const lines = verdicts.slice(0, 6).map((verdict) => `${verdict.reason}${ruleText(verdict, cwd)}`);
	if (verdicts.length > 6) lines.push(`(${verdicts.length - 6} more rules refuse it.)`);
	const advice = [...new Set(verdicts.flatMap((verdict) => verdict.advice ?? []))];
	if (because === "user")
		advice.unshift("The user was asked and said no. Do not try it another way; if you need it, ask what to do.");
	if (because === "nobody") {
		advice.unshift(
			"The user has to approve this, and nobody can be asked now. Continue without it, or say that it must be done by hand.",
		);
	}
	if (because === "rule" && advice.length === 0)
		advice.push("Do not try it another way. Continue without it, or explain why you need it.");
	return [refusedLine, ...lines, ...advice.slice(0, 4)].join("\n");
}

/**
 * The part of a result to compare with other results when detecting repetition. For a refusal, that is the first reason, because the advice
 * after it counts attempts; for any other result, the whole text.
 */
export function comparableOutcome(text: string, isError: boolean): string {
	return isError && isRefusalText(text) ? text.split("\n", 2).join("\n") : text;
}

/** The question to the user: what rules named, with the places of the rules, then the whole call. */
export function questionText(
	call: ToolCall,
	verdicts: readonly Verdict[],
	cwd: string,
): { title: string; message: string } {
	const reasons = verdicts.slice(0, 6).map((verdict) => `• ${verdict.reason}${ruleText(verdict, cwd)}`);
	return {
		title: `Allow ${call.tool}?`,
		message: [...reasons, "", showInput(call.input)].join("\n"),
	};
}

/** How a message names a call: its tool and the beginning of its command, or of its arguments. */
export function callTitle({ tool, input }: Pick<ToolCall, "tool" | "input">): string {
	const { command } = input;
	const text = typeof command === "string" ? redactText(command, 60) : redactInput(input, 60);
	return text === "" ? tool : `${tool} \`${text}\``;
}

function ruleText({ policy, rule, origin }: Verdict, cwd: string): string {
	return ` [${policy}: ${rule}${origin ? `, ${originFrom(origin, cwd)}` : ""}]`;
}

/** The place of a rule relative to the folder that pi works in. */
function originFrom(origin: NonNullable<Verdict["origin"]>, cwd: string): string {
	const file = isWithin(origin.file, cwd) ? origin.file.slice(cwd.length).replace(/^[\\/]/, "") : origin.file;
	return originText({ ...origin, file });
}
