// The regular expression of a command rule, compiled.
import { isProgramName } from "@pi-chronicle/footprint";
import type { CommandRule } from "../rules/index.ts";

export interface CommandPattern {
	readonly rule: CommandRule;
	readonly expression: RegExp;
	/** The program that every match starts with, such as `git`; `undefined` if a match may start otherwise. */
	readonly head: string | undefined;
	/** It concerns more than one simple command: pipes, redirections, separators. */
	readonly spansCommands: boolean;
}

/** Compiles a rule. The reader has made sure that the expression is valid. */
export function compileCommandRule(rule: CommandRule): CommandPattern {
	const { pattern, flags } = rule;
	const word = flags.includes("i") ? undefined : leadingWord(pattern);
	return {
		rule,
		expression: new RegExp(pattern, flags),
		head: word !== undefined && isProgramName(word) ? word : undefined,
		spansCommands: /\\[|>&;(]|(?<!\(\?)[<>&;](?![=!])|\[[^\]]*[|;&<>][^\]]*\]|\\n/.test(
			pattern.replaceAll("(?<", "(?"),
		),
	};
}

/** The word that every match starts with, closed by a blank or a word boundary; `undefined` if a match may start otherwise. */
function leadingWord(source: string): string | undefined {
	if (hasAlternatives(source)) return undefined;
	const found = /^(?:\^|\\b)*([A-Za-z](?:[\w-]|\\[.+])*)(?=\\[bs]| |\$|\(\?[=!]|\[(?: |\\[st])+\])/.exec(source);
	return found?.[1]?.replaceAll("\\", "");
}

/** Whether an expression has a `|` outside of groups. */
function hasAlternatives(source: string): boolean {
	let depth = 0;
	for (const [unit] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[()|]/gs)) {
		if (unit === "|" && depth === 0) return true;
		if (unit === "(") depth += 1;
		if (unit === ")") depth -= 1;
	}
	return false;
}
