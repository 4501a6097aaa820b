// The lists of a rule file: expressions over commands, places, exceptions. Relatives' ways of writing them are translated here.
import type { MapEntry, Node } from "../../../definition/index.ts";
import { type KeyMeaning, readKey } from "./keys.ts";
import { holdsText, isCheapForPaths, type ReadContext, readEntries, readExpression } from "./read-rule.ts";
import { originOf, type RuleTarget, sentence } from "./rule-set-builder.ts";

/** Expressions over commands, or `block:` and `ask:` lists of them. */
export function readCommandRules(value: Node, decision: "ask" | "deny", reading: ReadContext, into: RuleTarget): void {
	if (value.kind === "map" && !holdsText(value)) {
		// `block:` and `ask:` lists below one key.
		for (const [name, inner] of value.entries) {
			const said = /^(?:ask|confirm)$/i.test(name) ? "ask" : /^(?:block|deny)$/i.test(name) ? "deny" : undefined;
			if (said) readCommandRules(inner.value, said, { ...reading, key: `${reading.key}.${name}` }, into);
			else unknownInner(name, inner, reading, "block, ask");
		}
		return;
	}
	for (const entry of readEntries(value, reading)) {
		const literal = reading.key !== "bashToolPatterns" && entry.as !== "regex" && isLiteral(entry.text);
		const expression = readExpression(literal ? { ...entry, text: literalCommand(entry.text) } : entry, reading);
		if (!expression) continue;
		into.rules.commands.push({
			kind: "command",
			...expression,
			name: entry.text,
			reason: sentence(entry.reason ?? "a rule forbids it"),
			decision: entry.decision ?? decision,
			dryRun: entry.dryRun || into.dryRun,
			origin: originOf(entry, reading),
		});
	}
}

/** Whether a relative's entry is a command as one would type it, not an expression. */
function isLiteral(text: string): boolean {
	return !/[\\^$()[\]{}+?]|\.\*|\|/.test(text);
}

/** A typed command as an expression: any blanks between its words, and its last word whole; a `*` at its end means anything. */
function literalCommand(text: string): string {
	const open = text.trim().endsWith("*");
	const words = text.trim().replace(/\*+$/, "").trim().split(/\s+/);
	const escaped = words.map((word) =>
		word.replaceAll(/[.*/-]/g, (unit) => (unit === "*" ? ".*" : unit === "." ? "\\." : unit)),
	);
	const start = /^\w/.test(text.trim()) ? "\\b" : "";
	return `${start}${escaped.join("\\s+")}${open ? "" : "(?![\\w/.-])"}`;
}

/** Places of one limit. */
export function readPathRules(
	value: Node,
	{ limit, decision }: Extract<KeyMeaning, { kind: "paths" }>,
	reading: ReadContext,
	into: RuleTarget,
): void {
	for (const entry of readEntries(value, reading)) {
		const regex = entry.as === "regex" || (reading.key !== "zeroAccessPaths" && looksLikeRegex(entry.text));
		const written = regex ? readExpression(entry, reading) : undefined;
		if (regex && !written) continue;
		const expression = written && { ...written, pattern: withoutPadding(written.pattern) };
		if (expression && !isCheapForPaths(expression)) {
			reading.report.error(reading.source.place(entry.start), {
				code: "slow-pattern",
				message: `\`${entry.text.slice(0, 80)}\` could take very long on some paths.`,
				remedy: "Write it without a repetition within a repetition, or as a plain pattern such as `*.pem`.",
			});
			continue;
		}
		into.rules.paths.push({
			kind: "path",
			limit,
			pattern: expression?.pattern ?? entry.text.trim(),
			syntax: expression ? "regex" : "glob",
			base: into.place.base,
			name: `${limit} ${entry.text.trim()}`,
			reason: sentence(entry.reason ?? ""),
			decision: entry.decision ?? decision,
			dryRun: entry.dryRun || into.dryRun,
			origin: originOf(entry, reading),
		});
	}
}

/** `.*` at either end says nothing where the expression may match anywhere, and makes it slow. */
function withoutPadding(pattern: string): string {
	return pattern.replace(/^\^?(?:\.\*)+(?!$)/, "").replace(/(?<=[^\\])(?:\.\*)+\$?$/, "");
}

/** Signs that no path pattern has. `secrets.*` and `**` are patterns of paths; `.*` in front of more text is none. */
function looksLikeRegex(text: string): boolean {
	return /\\\.|\(\^?\||\|\)|\(\?|^\.\*.|\$$|^\^|\\[bdswBDSW]/.test(text);
}

/** A group of path lists, or one list that means `read-only`. */
export function readPathGroup(value: Node, reading: ReadContext, into: RuleTarget): void {
	if (value.kind !== "map") {
		readPathRules(value, { kind: "paths", limit: "read-only", decision: "deny" }, reading, into);
		return;
	}
	for (const [name, inner] of value.entries) {
		const known = readKey(name)?.meaning;
		const key = `${reading.key}.${name}`;
		if (known?.kind === "paths") readPathRules(inner.value, known, { ...reading, key }, into);
		else if (known?.kind === "exceptions") readPathExceptions(inner.value, known, { ...reading, key }, into);
		else unknownInner(name, inner, reading, "zero_access, read_only, no_delete");
	}
}

/** Reports a key of a group that means nothing. */
export function unknownInner(
	name: string,
	{ keyStart }: MapEntry,
	{ source, report, key }: ReadContext,
	known: string,
): void {
	report.error(source.place(keyStart), {
		code: "unknown-key",
		message: `\`${key}\` has no \`${name}\`.`,
		remedy: `Known are ${known}.${/\s/.test(name) ? " A text with a comma in it belongs in quotes within braces." : ""}`,
	});
}

/** Places that rules leave out. */
export function readPathExceptions(
	value: Node,
	{ access, limits }: Extract<KeyMeaning, { kind: "exceptions" }>,
	reading: ReadContext,
	{ rules, place }: RuleTarget,
): void {
	for (const entry of readEntries(value, reading)) {
		rules.exceptions.push({
			pattern: entry.text.trim(),
			base: place.base,
			access: entry.access ?? access,
			limits,
			of: place.tier === "global" ? "every-file" : { file: place.file },
			origin: originOf(entry, reading),
		});
	}
}
