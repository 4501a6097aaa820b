// A rule's regular expression made ready: compiled, rewritten where it is known to explode, its cost and its head word told.
// T1 the rewritten expression accepts exactly what the written one accepts.
import { isProgramName } from "../../../footprint/index.ts";
import type { CommandRule } from "../rules/index.ts";
import {
	costOf,
	literalPrefix,
	type PatternCost,
	type PatternNode,
	parsePattern,
	requiredTexts,
} from "../rules/index.ts";

export interface CommandPattern {
	readonly rule: CommandRule;
	readonly expression: RegExp;
	readonly cost: PatternCost;
	/** Texts that every match holds. */
	readonly required: readonly string[];
	/** The program that every match begins with, such as `git`; `undefined` where a match may begin otherwise. */
	readonly head: string | undefined;
	/** It speaks of more than one simple command: pipes, redirections, separators. */
	readonly spansCommands: boolean;
}

/** Compiles a rule. The reader has made sure that the expression is valid. */
export function compileCommandRule(rule: CommandRule): CommandPattern {
	const source = rewritten(rule.pattern);
	const ignoreCase = rule.flags.includes("i");
	const tree = parsePattern(source, ignoreCase);
	return {
		rule,
		expression: new RegExp(source, rule.flags),
		cost: costOf(tree, ignoreCase),
		required: tree && !ignoreCase ? requiredTexts(tree) : [],
		head: tree && !ignoreCase ? headOf(tree) : undefined,
		spansCommands: /\\[|>&;(]|(?<!\(\?)[<>&;](?![=!])|\[[^\]]*[|;&<>][^\]]*\]|\\n/.test(source.replaceAll("(?<", "(?")),
	};
}

/**
 * A group that begins with a character that its own rest accepts, repeated: `(-[^\s]*)*` accepts nothing or one pass, however often it
 * is passed, and takes exponential time to find that out. One pass is enough.
 */
function rewritten(source: string): string {
	if (/\\[1-9k]/.test(source)) return source;
	return source.replaceAll(/\((?:\?:)?(-)(\[\^\\s\]|\\S)([*+])\)\*/g, "(?:$1$2$3)?");
}

/** The first word of the literal beginning, where that word ends there and is the name of a program, and of nothing else. */
function headOf(tree: PatternNode): string | undefined {
	const found = /^([A-Za-z][\w.+-]*?)(?: |$)/.exec(literalPrefix(tree));
	const word = found?.[1];
	if (word === undefined || !isProgramName(word)) return undefined;
	// The word must be closed by a blank or a word boundary, else `rm` would stand for `rmdir` too.
	return closesWord(tree, word.length) ? word : undefined;
}

function closesWord(tree: PatternNode, length: number): boolean {
	let seen = 0;
	const items = tree.kind === "sequence" ? tree.items : [];
	for (const item of items) {
		if (seen === length) return item.kind === "assertion" || item.kind === "repeat" || literalOf(item) === " ";
		if (literalOf(item) !== undefined) seen++;
	}
	return false;
}

function literalOf(node: PatternNode): string | undefined {
	return node.kind === "set" ? node.literal : undefined;
}
