// The regular expression of a command rule, compiled, with facts derived from its text.
import { isProgramName } from "../../../footprint/index.ts";
import { type CommandRule, costExponent, leadingWord, requiredTexts } from "../rules/index.ts";

export interface CommandPattern {
	readonly rule: CommandRule;
	readonly expression: RegExp;
	/** A match takes about `length ** exponent` steps; `Infinity` if that is unknown. */
	readonly exponent: number;
	/** Texts that every match contains. */
	readonly required: readonly string[];
	/** The program that every match starts with, such as `git`; `undefined` if a match may start otherwise. */
	readonly head: string | undefined;
	/** It concerns more than one simple command: pipes, redirections, separators. */
	readonly spansCommands: boolean;
}

/** Compiles a rule. The reader has made sure that the expression is valid. */
export function compileCommandRule(rule: CommandRule): CommandPattern {
	const source = withoutKnownExplosion(rule.pattern);
	const ignoreCase = rule.flags.includes("i");
	const word = ignoreCase ? undefined : leadingWord(source);
	return {
		rule,
		expression: new RegExp(source, rule.flags),
		exponent: costExponent(source),
		required: ignoreCase ? [] : requiredTexts(source),
		head: word !== undefined && isProgramName(word) ? word : undefined,
		spansCommands: /\\[|>&;(]|(?<!\(\?)[<>&;](?![=!])|\[[^\]]*[|;&<>][^\]]*\]|\\n/.test(source.replaceAll("(?<", "(?")),
	};
}

/**
 * Rewrites a repeated group that starts with a character which its own rest accepts. However often it is passed, `(-[^\s]*)*` accepts what
 * one pass or none accepts, but takes exponential time to find that out.
 */
function withoutKnownExplosion(source: string): string {
	if (/\\[1-9k]/.test(source)) return source;
	return source.replaceAll(/\((?:\?:)?(-)(\[\^\\s\]|\\S)([*+])\)\*/g, "(?:$1$2$3)?");
}
