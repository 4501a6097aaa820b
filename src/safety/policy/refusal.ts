// What a person and a model are told about a call that does not simply pass.
import { isWithin } from "./containment.ts";
import { originText } from "./decision-record.ts";
import type { ToolCall } from "./policy.ts";
import { redactInput } from "./redaction.ts";
import type { Verdict } from "./verdict.ts";

/** The text of the failed call, for the model: every reason, then what to do instead. */
export function refusalText(verdicts: readonly Verdict[], because: "rule" | "person" | "nobody", cwd: string): string {
	const lines = verdicts.slice(0, 6).map((verdict) => `${verdict.reason}${ruleText(verdict, cwd)}`);
	if (verdicts.length > 6) lines.push(`(${verdicts.length - 6} more rules say so.)`);
	const advice = [...new Set(verdicts.flatMap((verdict) => verdict.advice ?? []))];
	if (because === "person")
		advice.unshift("The person was asked and said no. Do not try it another way; ask what to do if you need it.");
	if (because === "nobody") {
		advice.unshift(
			"A person has to agree to this, and nobody is here to be asked. Go on without it, or say that it has to be done by hand.",
		);
	}
	if (because === "rule" && advice.length === 0)
		advice.push("Do not try it another way. Go on without it, or say what you need it for.");
	return ["Refused.", ...lines, ...advice.slice(0, 4)].join("\n");
}

/**
 * What a call came to, for comparing it with others: of a refusal its first reason, since the advice after it counts the attempts; of any
 * other result all of its text.
 */
export function comparableOutcome(text: string, isError: boolean): string {
	return isError && text.startsWith("Refused.\n") ? text.split("\n", 2).join("\n") : text;
}

/** What the person is asked: the call, then every reason with the place of its rule. */
export function questionText(
	call: ToolCall,
	verdicts: readonly Verdict[],
	cwd: string,
): { title: string; message: string } {
	const reasons = verdicts.slice(0, 6).map((verdict) => `• ${verdict.reason}${ruleText(verdict, cwd)}`);
	return {
		title: `Allow ${call.tool}?`,
		message: [redactInput(call.input, 600), "", ...reasons].join("\n"),
	};
}

function ruleText({ policy, rule, origin }: Verdict, cwd: string): string {
	return ` [${policy}: ${rule}${origin ? `, ${originFrom(origin, cwd)}` : ""}]`;
}

/** The place of a rule as seen from the folder that pi works in. */
function originFrom(origin: NonNullable<Verdict["origin"]>, cwd: string): string {
	const file = isWithin(origin.file, cwd) ? origin.file.slice(cwd.length).replace(/^[\\/]/, "") : origin.file;
	return originText({ ...origin, file });
}
