// Reads rule files into one rule set. D1 all problems are told, with line and column; D2 a file that is not read as it was meant
// closes the guard: it never counts for less than it says; D3 a project's file can add, not take away.
import {
	type Diagnostic,
	describeNode,
	didYouMean,
	type MapEntry,
	type Node,
	openReport,
	parseYaml,
	type Report,
	readSource,
	type Source,
} from "../../definition/index.ts";
import { type Effect, effects as knownEffects } from "../footprint/index.ts";
import { type Entry, isCheapForPaths, type Reading, readEntries, readExpression } from "./entry.ts";
import { type KeyMeaning, ownKeys, readKey } from "./keys.ts";
import type { RulePlace } from "./locate.ts";
import { type BuiltIn, type EffectRule, noRules, type PathException, type RuleSet } from "./rules.ts";

type Writable = {
	-readonly [Key in keyof RuleSet]: RuleSet[Key] extends readonly (infer Item)[] ? Item[] : RuleSet[Key];
};

/** Reads every file and merges what they say. */
export function readRules(places: readonly RulePlace[], platform: NodeJS.Platform): RuleSet {
	const rules: Writable = {
		...noRules,
		commands: [],
		paths: [],
		exceptions: [],
		effects: [],
		files: [],
		diagnostics: [],
	};
	for (const place of places) readFile(place, platform, rules);
	rules.closed = rules.diagnostics.some(({ severity }) => severity === "error");
	return rules;
}

function readFile(place: RulePlace, platform: NodeJS.Platform, rules: Writable): void {
	const report = openReport();
	const read = readSource(place.file);
	const before = rules.commands.length + rules.paths.length + rules.effects.length;
	let dialect = "damage-control";
	if (read.kind === "problem") report.add([read.diagnostic]);
	else if (read.kind === "absent") report.error({ file: place.file }, gone);
	else {
		const parsed = parseYaml(read.source);
		report.add(parsed.diagnostics);
		if (parsed.root) dialect = readRoot(parsed.root, read.source, report, place, platform, rules);
	}
	const count = rules.commands.length + rules.paths.length + rules.effects.length - before;
	if (count === 0 && !report.failed) report.warn({ file: place.file }, empty);
	rules.files.push({ file: place.file, tier: place.tier, dialect, count });
	rules.diagnostics.push(...report.diagnostics);
}

const gone = {
	code: "dead-link",
	message: "This rule file is a link that leads nowhere, or it has just been removed.",
	remedy: "Put the file where the link points, or remove the link.",
};
const empty = {
	code: "no-rules",
	message: "This file holds no rules.",
	remedy: "Add some, or run `/guard init` in another place and take them from there.",
};

/** Reads the top level; returns the name of the dialect. */
function readRoot(
	root: Node,
	source: Source,
	report: Report,
	place: RulePlace,
	platform: NodeJS.Platform,
	rules: Writable,
): string {
	if (root.kind !== "map") {
		report.error(source.place(root.start), {
			code: "wrong-type",
			message: `The file is ${describeNode(root)}, and keys with lists of rules are wanted.`,
			remedy: "Begin with a key such as `zeroAccessPaths:` and put the entries below it.",
		});
		return "unknown";
	}
	const translated: string[] = [];
	const trial = root.entries.get("dryRun")?.value;
	const dryRun = trial?.kind === "scalar" && trial.value === true;
	for (const [key, entry] of root.entries) {
		const known = readKey(key);
		if (!known) {
			report.error(source.place(entry.keyStart), {
				code: "unknown-key",
				message: `\`${key}\` is no key of a rule file.${didYouMean(key, Object.keys(ownKeys))}`,
				remedy: `Known are ${Object.keys(ownKeys).join(", ")}.`,
			});
			continue;
		}
		if (!known.own) translated.push(key);
		readValue(known.meaning, entry, { source, report, key, platform }, { place, dryRun, rules });
	}
	if (translated.length === 0) return "damage-control";
	report.warn(source.place(root.start), {
		code: "dialect",
		message: `${translated.map((key) => `\`${key}\``).join(", ")} ${translated.length === 1 ? "is" : "are"} read as another guard would read ${translated.length === 1 ? "it" : "them"}.`,
		remedy: "Nothing has to be done; `/guard rules` shows what they were read as.",
	});
	return `relative (${translated.join(", ")})`;
}

interface Into {
	readonly place: RulePlace;
	readonly dryRun: boolean;
	readonly rules: Writable;
}

function readValue(meaning: KeyMeaning, { value, keyStart }: MapEntry, reading: Reading, into: Into): void {
	const { rules, place } = into;
	switch (meaning.kind) {
		case "note":
			return;
		case "commands":
			readCommands(value, meaning.decision, reading, into);
			return;
		case "paths":
			readPaths(value, meaning, reading, into);
			return;
		case "path-group":
			readGroup(value, reading, into);
			return;
		case "exceptions":
			for (const entry of readEntries(value, reading))
				rules.exceptions.push(exception(entry, meaning.access, reading, into));
			return;
		case "effects":
			readEffects(value, reading, into);
			return;
		case "flag": {
			const truth = readTruth(value, reading);
			if (truth === undefined || meaning.flag === "dryRun") return;
			if (meaning.flag === "caseInsensitive") rules.foldCase = rules.foldCase === true || truth;
			else rules[meaning.flag] = rules[meaning.flag] || truth;
			return;
		}
		case "matching":
			readMatching(value, reading, rules);
			return;
		case "built-in":
			readBuiltIn(value, keyStart, meaning.builtIn, place, reading, rules);
			return;
	}
}

function readCommands(value: Node, decision: "ask" | "deny", reading: Reading, into: Into): void {
	if (value.kind === "map") {
		// `block:` and `ask:` lists below one key.
		for (const [name, inner] of value.entries) {
			const said = /^(?:ask|confirm)$/i.test(name) ? "ask" : /^(?:block|deny)$/i.test(name) ? "deny" : undefined;
			if (said) readCommands(inner.value, said, { ...reading, key: `${reading.key}.${name}` }, into);
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

function readPaths(
	value: Node,
	{ limit, decision }: Extract<KeyMeaning, { kind: "paths" }>,
	reading: Reading,
	into: Into,
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

function readGroup(value: Node, reading: Reading, into: Into): void {
	if (value.kind !== "map") {
		readPaths(value, { kind: "paths", limit: "read-only", decision: "deny" }, reading, into);
		return;
	}
	for (const [name, inner] of value.entries) {
		const known = readKey(name)?.meaning;
		const key = `${reading.key}.${name}`;
		if (known?.kind === "paths" || known?.kind === "exceptions") readValue(known, inner, { ...reading, key }, into);
		else unknownInner(name, inner, reading, "zero_access, read_only, no_delete");
	}
}

function unknownInner(name: string, { keyStart }: MapEntry, { source, report, key }: Reading, known: string): void {
	report.error(source.place(keyStart), {
		code: "unknown-key",
		message: `\`${key}\` has no \`${name}\`.`,
		remedy: `Known are ${known}.`,
	});
}

function exception(entry: Entry, access: "read" | "all", reading: Reading, { place }: Into): PathException {
	return {
		pattern: entry.text.trim(),
		base: place.base,
		access: entry.access ?? access,
		of: place.tier === "global" ? "every-file" : { file: place.file },
		origin: originOf(entry, reading),
	};
}

function readEffects(value: Node, reading: Reading, into: Into): void {
	const { source, report, key } = reading;
	if (value.kind !== "map") {
		report.error(source.place(value.start), {
			code: "wrong-type",
			message: `\`${key}\` is ${describeNode(value)}, and names of effects with what to do are wanted.`,
			remedy: "Write lines such as `recursive-delete: deny` below it.",
		});
		return;
	}
	for (const [name, entry] of value.entries) {
		if (!Object.hasOwn(knownEffects, name)) {
			report.error(source.place(entry.keyStart), {
				code: "unknown-key",
				message: `There is no effect \`${name}\`.${didYouMean(name, Object.keys(knownEffects))}`,
				remedy: `Known are ${Object.keys(knownEffects).join(", ")}.`,
			});
			continue;
		}
		const rule = readEffect(name as Effect, entry, { ...reading, key: `${key}.${name}` }, into);
		if (rule) into.rules.effects.push(rule);
	}
}

function readEffect(
	effect: Effect,
	entry: MapEntry,
	reading: Reading,
	{ place, dryRun }: Into,
): EffectRule | undefined {
	const { source } = reading;
	const fields = entry.value.kind === "map" ? entry.value.entries : new Map<string, MapEntry>();
	const decision = readDecision(fields.get("decision")?.value ?? entry.value, reading);
	for (const [name, inner] of fields) {
		if (!["decision", "reason", "except", "dryRun"].includes(name))
			unknownInner(name, inner, reading, "decision, reason, except, dryRun");
	}
	const except = fields.get("except")?.value;
	const reason = fields.get("reason")?.value;
	if (decision === "off") return undefined;
	return {
		kind: "effect",
		effect,
		decision: decision ?? "deny",
		name: `effect ${effect}`,
		reason: sentence(reason?.kind === "scalar" && reason.value !== null ? reason.written : "a rule forbids it"),
		dryRun: dryRun || readTruthField(fields.get("dryRun"), reading),
		except: except
			? readEntries(except, { ...reading, key: `${reading.key}.except` }).map(({ text }) => text.trim())
			: [],
		base: place.base,
		origin: { file: source.file, line: source.place(entry.keyStart).line ?? 1 },
	};
}

function readTruthField(entry: MapEntry | undefined, reading: Reading): boolean {
	return entry ? (readTruth(entry.value, reading) ?? false) : false;
}

function readDecision(value: Node, { source, report, key }: Reading): BuiltIn | undefined {
	const said = value.kind === "scalar" ? value.written : undefined;
	if (said === "deny" || said === "ask" || said === "off") return said;
	if (value.kind === "scalar" && value.value === false) return "off";
	report.error(source.place(value.start), {
		code: "wrong-value",
		message: `\`${key}\` is ${describeNode(value)}${said === undefined ? "" : ` (${said})`}, and \`deny\`, \`ask\` or \`off\` is wanted.`,
		remedy: `Write \`${key.split(".").at(-1)}: deny\`.`,
	});
	return undefined;
}

function readTruth(value: Node, { source, report, key }: Reading): boolean | undefined {
	if (value.kind === "scalar" && typeof value.value === "boolean") return value.value;
	report.error(source.place(value.start), {
		code: "wrong-type",
		message: `\`${key}\` is ${describeNode(value)}, and \`true\` or \`false\` is wanted.`,
		remedy: `Write \`${key}: true\`.`,
	});
	return undefined;
}

function readMatching(value: Node, { source, report, key }: Reading, rules: Writable): void {
	const said = value.kind === "scalar" ? value.written : "";
	if (said === "substring" || said === "segments") rules.matching = said;
	else {
		report.error(source.place(value.start), {
			code: "wrong-value",
			message: `\`${key}\` is ${describeNode(value)}, and \`segments\` or \`substring\` is wanted.`,
			remedy: "Write `pathMatching: segments`.",
		});
	}
}

const strength: Record<BuiltIn, number> = { off: 0, ask: 1, deny: 2 };

function readBuiltIn(
	value: Node,
	keyStart: number,
	builtIn: "selfProtection" | "nestedAgents",
	place: RulePlace,
	reading: Reading,
	rules: Writable,
): void {
	const said = readDecision(value, reading);
	if (!said) return;
	if (place.tier === "project" && strength[said] < strength[rules[builtIn]]) {
		reading.report.warn(reading.source.place(keyStart), {
			code: "only-global",
			message: `\`${builtIn}: ${said}\` would take protection away, which a project's file cannot.`,
			remedy: "Write it into the rule file in your home directory if you want it.",
		});
		return;
	}
	rules[builtIn] = said;
}

function originOf(entry: Entry, { source }: Reading): { file: string; line: number } {
	return { file: source.file, line: source.place(entry.start).line ?? 1 };
}

function sentence(text: string): string {
	return text
		.trim()
		.replace(/[.!]+$/, "")
		.replaceAll(/\s+/g, " ");
}

/** Whether any diagnostic stops workers from starting. */
export function blockingProblems({ diagnostics }: Pick<RuleSet, "diagnostics">): readonly Diagnostic[] {
	return diagnostics.filter(({ severity }) => severity === "error");
}
