// Where what is read from rule files is gathered, and what every part of the reader needs for it.

import type { RulePlace } from "./locate.ts";
import type { Entry, Reading } from "./read-rule.ts";
import type { RuleSet } from "./rules.ts";

/** A rule set while it is read. */
export type Writable = {
	-readonly [Key in keyof RuleSet]: RuleSet[Key] extends readonly (infer Item)[] ? Item[] : RuleSet[Key];
};

export interface Into {
	readonly place: RulePlace;
	readonly dryRun: boolean;
	readonly rules: Writable;
}

/** Where an entry stands. */
export function originOf(entry: Entry, { source }: Reading): { file: string; line: number } {
	return { file: source.file, line: source.place(entry.start).line ?? 1 };
}

/** A reason as one sentence without its end. */
export function sentence(text: string): string {
	return text
		.trim()
		.replace(/[.!]+$/, "")
		.replaceAll(/\s+/g, " ");
}
