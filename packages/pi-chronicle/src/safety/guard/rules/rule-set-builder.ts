// Builds the rule set while rule files are read.
import type { RuleFileLocation } from "./locate-rules.ts";
import type { RuleEntry, RuleReadContext } from "./read-rule.ts";
import type { RuleSet } from "./rule-set.ts";

/** A rule set under construction. */
export type RuleSetDraft = {
	-readonly [Key in keyof RuleSet]: RuleSet[Key] extends readonly (infer Item)[] ? Item[] : RuleSet[Key];
};

export interface RuleTarget {
	readonly place: RuleFileLocation;
	readonly dryRun: boolean;
	readonly rules: RuleSetDraft;
}

/** The place of an entry. */
export function originOf(entry: RuleEntry, { source }: RuleReadContext): { file: string; line: number } {
	return { file: source.file, line: source.place(entry.start).line ?? 1 };
}

/** A reason as one sentence without its period. */
export function sentence(text: string): string {
	return text
		.trim()
		.replace(/[.!]+$/, "")
		.replaceAll(/\s+/g, " ");
}
