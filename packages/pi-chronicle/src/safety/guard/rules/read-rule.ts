// Reads one entry of a list in a rule file: a string, or an object with one. Lenient if the meaning is clear; reports everything else.
// Invariant: a reported entry gives no rule, unless its probable meaning only forbids.
import {
	describeNode,
	didYouMean,
	expressionMistake,
	type MapNode,
	type Node,
	type ReadContext,
	wrongType,
} from "@pi-chronicle/core/definition";
import { noteFields } from "./keys.ts";

export interface RuleReadContext extends ReadContext {
	readonly platform: string;
}

export interface RuleEntry {
	readonly text: string;
	/** Whether its field declares an expression (`regex`), a path (`path`) or neither. */
	readonly as: "pattern" | "regex" | "path";
	readonly reason: string | undefined;
	readonly decision: "ask" | "deny" | undefined;
	readonly dryRun: boolean;
	readonly ignoreCase: boolean;
	/** For exceptions: what they allow. */
	readonly access: "read" | "all" | undefined;
	/** Offset of the entry. */
	readonly start: number;
}

const textFields = ["pattern", "regex", "path", "glob", "command", "match"];
const reasonFields = ["reason", "message", "description"];
const decisionFields = ["action", "decision", "severity", "mode"];
const knownFields = [
	...textFields,
	...reasonFields,
	"ask",
	"dryRun",
	"flags",
	"caseInsensitive",
	"platforms",
	"allow",
	...decisionFields,
	...noteFields,
];

/** Reads the items of a list; a single string counts as a list of one and is reported. */
export function readEntries(node: Node, reading: RuleReadContext): RuleEntry[] {
	const { source, report, path } = reading;
	if (node.kind === "list") return node.items.flatMap((item) => readRuleEntry(item, reading) ?? []);
	if (node.kind === "scalar" && node.value === null) {
		report.warn(source.place(node.start), {
			code: "empty-list",
			message: `\`${path}\` has no entries.`,
			remedy: `Write its entries below it, or \`${path}: []\`.`,
		});
		return [];
	}
	const remedy = node.kind === "scalar" ? `Write \`${path}: ["${node.written}"]\`.` : "Put a dash before every entry.";
	wrongType(node, reading, "a list", remedy);
	// It was probably meant to forbid something.
	if (node.kind === "scalar" || holdsText(node)) return [readRuleEntry(node, reading)].flatMap((entry) => entry ?? []);
	return [...node.entries.values()].flatMap(({ value }) => (value.kind === "list" ? readEntries(value, reading) : []));
}

/** Whether an object is one rule. */
export function holdsText(node: MapNode): boolean {
	return textFields.some((field) => node.entries.has(field));
}

function readRuleEntry(node: Node, reading: RuleReadContext): RuleEntry | undefined {
	switch (node.kind) {
		case "list":
			return wrong(node, reading, "is a list, but a string is expected", "Remove the inner brackets or dashes.");
		case "scalar": {
			if (node.value === null) {
				return wrong(node, reading, "is empty", 'Write a string, or remove the dash; a lone `~` needs quotes: `"~"`.');
			}
			const text = typeof node.value === "string" ? node.value : node.written;
			if (text.trim() === "") return wrong(node, reading, "is an empty string", "Write a string, or remove the entry.");
			reportSwallowed(node, reading);
			return plainRule(withoutEscapes(text, node, reading), node.start);
		}
		case "map":
			return readFields(node, reading);
	}
}

/** `"\b"` in double quotes is a backspace in YAML; a word boundary was meant. */
function withoutEscapes(text: string, node: Node, { source, report, path }: RuleReadContext): string {
	if (!text.includes("\b")) return text;
	report.error(source.place(node.start), {
		code: "bad-escape",
		message: `In double quotes, \`\\b\` in \`${path}\` is a backspace character, which no command contains.`,
		remedy: "Put the expression in single quotes.",
	});
	return text.replaceAll("\b", "\\b");
}

/** A dash that is indented more than the one above continues that entry's text: the two become one entry that matches nothing. */
function reportSwallowed({ start, end }: Node, { source, report, path }: RuleReadContext): void {
	const text = source.text.slice(start, end);
	const dash = /^["'|>]/.test(text) ? undefined : /\n\s*-\s/.exec(text);
	if (!dash) return;
	report.error(source.place(start + dash.index + dash[0].length - 2), {
		code: "swallowed-entry",
		message: `This line of \`${path}\` is read as the end of the entry above it.`,
		remedy: "Align its dash with the dash of that entry.",
	});
}

function plainRule(text: string, start: number): RuleEntry {
	return {
		text,
		as: "pattern",
		reason: undefined,
		decision: undefined,
		dryRun: false,
		ignoreCase: false,
		access: undefined,
		start,
	};
}

function readFields(node: MapNode, reading: RuleReadContext): RuleEntry | undefined {
	reportUnknownFields(node, reading);
	const field = textFields.find((name) => node.entries.has(name));
	const value = field === undefined ? undefined : node.entries.get(field)?.value;
	if (!value || field === undefined)
		return wrong(node, reading, "has no `pattern`", "Write `pattern:` with the command or path of the rule.");
	if (value.kind !== "scalar" || value.value === null)
		return wrong(value, reading, `has ${describeNode(value)} as its \`${field}\``, "Write a string in quotes.");
	const held = readRuleEntry(value, reading);
	const platforms = node.entries.get("platforms")?.value;
	if (!held || (platforms && !namesPlatform(platforms, reading.platform))) return undefined;
	const flags = ruleTextField(node, ["flags"], reading);
	return {
		text: held.text,
		as: formOf[field] ?? "pattern",
		reason: ruleTextField(node, reasonFields, reading),
		decision: truthOf(node, "ask", reading) ? "ask" : writtenDecision(node),
		dryRun: truthOf(node, "dryRun", reading) || isOnTrial(node),
		ignoreCase: truthOf(node, "caseInsensitive", reading) || (flags?.includes("i") ?? false),
		access: accessOf(node),
		start: node.start,
	};
}

const formOf: Readonly<Record<string, RuleEntry["as"]>> = { regex: "regex", path: "path", glob: "path" };

function isOnTrial(node: MapNode): boolean {
	return /^(?:log|warn|observe|dry-?run)$/i.test(rawDecision(node) ?? "");
}

function reportUnknownFields(node: MapNode, { source, report }: RuleReadContext): void {
	for (const [name, { keyStart }] of node.entries) {
		if (knownFields.includes(name)) continue;
		report.error(source.place(keyStart), {
			code: "unknown-key",
			message: `A rule has no field \`${name}\`.${didYouMean(name, knownFields)}`,
			remedy: "Use `pattern`, `reason`, `ask` and the other documented fields.",
		});
	}
}

function ruleTextField(node: MapNode, names: readonly string[], reading: RuleReadContext) {
	for (const name of names) {
		const value = node.entries.get(name)?.value;
		if (!value) continue;
		if (value.kind === "scalar" && value.value !== null) return value.written.trim();
		wrongType(value, { ...reading, path: name }, "a string", "Write a string, in quotes if it contains a colon.");
	}
	return undefined;
}

function truthOf(node: MapNode, name: string, reading: RuleReadContext): boolean {
	const value = node.entries.get(name)?.value;
	return value !== undefined && readTruth(value, { ...reading, path: name }) === true;
}

/** Reads `true` or `false`; reports anything else and returns `undefined`. */
export function readTruth(value: Node, reading: RuleReadContext): boolean | undefined {
	if (value.kind === "scalar" && typeof value.value === "boolean") return value.value;
	return wrongType(value, reading, "`true` or `false`", `Write \`${reading.path}: true\`.`);
}

function rawDecision(node: MapNode): string | undefined {
	for (const name of decisionFields) {
		const value = node.entries.get(name)?.value;
		if (value?.kind === "scalar" && typeof value.value === "string") return value.value;
	}
	return undefined;
}

function writtenDecision(node: MapNode): "ask" | "deny" | undefined {
	const written = rawDecision(node) ?? "";
	if (/^(?:ask|confirm|prompt|approve|approval)$/i.test(written)) return "ask";
	return /^(?:block|deny|forbid|refuse)$/i.test(written) ? "deny" : undefined;
}

function accessOf(node: MapNode): "read" | "all" | undefined {
	const value = node.entries.get("allow")?.value;
	if (value?.kind !== "scalar" || typeof value.value !== "string") return undefined;
	return value.value === "read" ? "read" : "all";
}

function namesPlatform(node: Node, platform: string): boolean {
	const names = (node.kind === "list" ? node.items : [node]).flatMap((item) =>
		item.kind === "scalar" ? [item.written.toLowerCase()] : [],
	);
	const called = { darwin: ["darwin", "macos", "mac", "osx"], win32: ["win32", "windows", "win"] }[
		platform as string
	] ?? [platform];
	return names.length === 0 || names.some((name) => called.includes(name) || name === "all");
}

function wrong(node: Node, { source, report, path }: RuleReadContext, what: string, remedy: string): undefined {
	report.error(source.place(node.start), { code: "wrong-type", message: `An entry of \`${path}\` ${what}.`, remedy });
	return undefined;
}

export interface Expression {
	readonly pattern: string;
	readonly flags: string;
}

/**
 * Reads an entry as a regular expression. `(?i)` at its start, as in other languages, becomes a flag, and so do the flags of `/text/flags`.
 * Text between slashes without flags counts as that form only if it cannot be a path.
 */
export function readExpression(entry: RuleEntry, { source, report }: RuleReadContext): Expression | undefined {
	const slashed = /^\/(.+)\/([gimsuyd]*)$/s.exec(entry.text);
	const literal =
		slashed && (slashed[2] !== "" || /\\[bswdBSWD]|\s|\.\*|\|/.test(slashed[1] ?? "")) ? slashed : undefined;
	const written = literal?.[1] ?? entry.text;
	const inline = /^\(\?([ims]+)\)/.exec(written);
	const pattern = inline ? written.slice(inline[0].length) : written;
	const given = `${inline?.[1] ?? ""}${literal?.[2]?.replace(/[gyd]/g, "") ?? ""}${entry.ignoreCase ? "i" : ""}`;
	const flags = [...new Set(given)].sort().join("");
	const mistake = expressionMistake(pattern, flags);
	if (mistake === undefined) return { pattern, flags };
	report.error(source.place(entry.start), {
		code: "bad-pattern",
		message: `\`${entry.text.slice(0, 80)}\` is not a regular expression: ${mistake}.`,
		remedy: "Write a JavaScript regular expression in single quotes; a backslash before `( [ * + ?` makes it literal.",
	});
	return undefined;
}
