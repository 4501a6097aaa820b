// Reads the lists of a rule file: expressions over commands, paths, exceptions. Translates the forms of other guards.
import { didYouMean, type MapEntry, type Node } from "@pi-chronicle/core/definition";
import { type KeyMeaning, readKey } from "./keys.ts";
import {
	type Expression,
	holdsText,
	type RuleEntry,
	type RuleReadContext,
	readEntries,
	readExpression,
} from "./read-rule.ts";
import type { PathRule } from "./rule-set.ts";
import { originOf, type RuleTarget, sentence } from "./rule-set-builder.ts";

/** Reads expressions over commands, or `block:` and `ask:` lists of them. */
export function readCommandRules(
	value: Node,
	decision: "ask" | "deny",
	reading: RuleReadContext,
	into: RuleTarget,
): void {
	if (value.kind === "map" && !holdsText(value)) {
		readCommandGroup(value, reading, into);
		return;
	}
	for (const entry of readEntries(value, reading)) {
		const expression = readCommandExpression(entry, reading);
		if (!expression) continue;
		into.rules.commands.push({
			kind: "command",
			...expression,
			...ruleFields(entry, decision, reading, into),
			name: entry.text,
			reason: sentence(entry.reason ?? "a rule forbids it"),
		});
	}
}

function readCommandGroup(group: Extract<Node, { kind: "map" }>, reading: RuleReadContext, into: RuleTarget): void {
	for (const [name, inner] of group.entries) {
		const decision = /^(?:ask|confirm)$/i.test(name) ? "ask" : /^(?:block|deny)$/i.test(name) ? "deny" : undefined;
		if (decision) readCommandRules(inner.value, decision, { ...reading, path: `${reading.path}.${name}` }, into);
		else unknownInner(name, inner, reading, "block, ask");
	}
}

/** An entry of another guard's list may be a command as typed rather than an expression. */
function readCommandExpression(entry: RuleEntry, reading: RuleReadContext): Expression | undefined {
	const isTyped = reading.path !== "bashToolPatterns" && entry.as !== "regex" && isLiteral(entry.text);
	return readExpression(isTyped ? { ...entry, text: literalCommand(entry.text) } : entry, reading);
}

function ruleFields(entry: RuleEntry, decision: "ask" | "deny", reading: RuleReadContext, into: RuleTarget) {
	return {
		decision: entry.decision ?? decision,
		dryRun: entry.dryRun || into.dryRun,
		origin: originOf(entry, reading),
	};
}

/** Whether another guard's entry is a command as typed, not an expression. */
function isLiteral(text: string): boolean {
	return !/[\\^$()[\]{}+?]|\.\*|\|/.test(text);
}

/** A typed command as an expression: any blanks between its words, its last word complete; `*` at its end matches anything. */
function literalCommand(text: string): string {
	const open = text.trim().endsWith("*");
	const words = text.trim().replace(/\*+$/, "").trim().split(/\s+/);
	const escaped = words.map((word) =>
		word.replaceAll(/[.*/-]/g, (unit) => (unit === "*" ? ".*" : unit === "." ? "\\." : unit)),
	);
	const start = /^\w/.test(text.trim()) ? "\\b" : "";
	return `${start}${escaped.join("\\s+")}${open ? "" : "(?![\\w/.-])"}`;
}

/** Reads the paths of one limit. */
export function readPathRules(
	value: Node,
	{ limit, decision }: Extract<KeyMeaning, { kind: "paths" }>,
	reading: RuleReadContext,
	into: RuleTarget,
): void {
	for (const entry of readEntries(value, reading)) {
		const place = readPlace(entry, reading);
		if (!place) continue;
		into.rules.paths.push({
			kind: "path",
			limit,
			...place,
			base: into.place.base,
			...ruleFields(entry, decision, reading, into),
			name: `${limit} ${entry.text.trim()}`,
			reason: sentence(entry.reason ?? ""),
		});
	}
}

/** The pattern of a path rule; `undefined` for an invalid expression, which is reported. */
function readPlace(entry: RuleEntry, reading: RuleReadContext): Pick<PathRule, "pattern" | "syntax"> | undefined {
	const isRegex = entry.as === "regex" || (reading.path !== "zeroAccessPaths" && looksLikeRegex(entry.text));
	if (!isRegex) return { pattern: entry.text.trim(), syntax: "glob" };
	const written = readExpression(entry, reading);
	return written && { pattern: written.pattern, syntax: "regex" };
}

/** Whether text has characters that path patterns don't have. `secrets.*` and `**` are path patterns; `.*` followed by text isn't. */
function looksLikeRegex(text: string): boolean {
	return /\\\.|\(\^?\||\|\)|\(\?|^\.\*.|\$$|^\^|\\[bdswBDSW]/.test(text);
}

/** Reads an object of path lists, or one list that means `read-only`. */
export function readPathGroup(value: Node, reading: RuleReadContext, into: RuleTarget): void {
	if (value.kind !== "map") {
		readPathRules(value, { kind: "paths", limit: "read-only", decision: "deny" }, reading, into);
		return;
	}
	for (const [name, inner] of value.entries) {
		const known = readKey(name)?.meaning;
		const path = `${reading.path}.${name}`;
		if (known?.kind === "paths") readPathRules(inner.value, known, { ...reading, path }, into);
		else if (known?.kind === "exceptions") readPathExceptions(inner.value, known, { ...reading, path }, into);
		else unknownInner(name, inner, reading, "zero_access, read_only, no_delete");
	}
}

/** Reports an unknown key of an object. */
export function unknownInner(
	name: string,
	{ keyStart }: MapEntry,
	{ source, report, path }: RuleReadContext,
	known: string,
): void {
	report.error(source.place(keyStart), {
		code: "unknown-key",
		message: `\`${path}\` has no \`${name}\`.${didYouMean(name, known.split(", "))}`,
		remedy: `The known keys are ${known}.${/\s/.test(name) ? " Within braces, a value with a comma needs quotes." : ""}`,
	});
}

/** Reads paths that rules exclude. */
export function readPathExceptions(
	value: Node,
	{ access, limits }: Extract<KeyMeaning, { kind: "exceptions" }>,
	reading: RuleReadContext,
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
