// Reads rule files into one rule set.
// Invariants: every problem is reported with line and column; a file that cannot be read correctly closes the guard, so protection is never
// lost; a project's file can add protection, not remove it.
import {
	type Diagnostic,
	describeNode,
	didYouMean,
	foreignFormat,
	type MapEntry,
	type Node,
	openReport,
	type Problem,
	parseYaml,
	type Report,
	readSource,
	type Source,
} from "@pi-chronicle/core/definition";
import { type KeyMeaning, ownKeys, readKey } from "./keys.ts";
import type { RuleFileLocation } from "./locate-rules.ts";
import { readCommandRules, readPathExceptions, readPathGroup, readPathRules } from "./read-lists.ts";
import { type RuleReadContext, readTruth } from "./read-rule.ts";
import { readBuiltIn, readEffects, readMatching } from "./read-settings.ts";
import { emptyRuleSet, type RuleSet } from "./rule-set.ts";
import type { RuleSetDraft, RuleTarget } from "./rule-set-builder.ts";

/** Reads every file and merges the rules. */
export function readRules(places: readonly RuleFileLocation[], platform: string): RuleSet {
	const rules: RuleSetDraft = {
		...emptyRuleSet,
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

function readFile(place: RuleFileLocation, platform: string, rules: RuleSetDraft): void {
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
		else if (parsed.readable) readBans(parsed.readable, read.source, platform, { place, dryRun: false, rules });
	}
	const count = rules.commands.length + rules.paths.length + rules.effects.length - before;
	if (count === 0 && !report.failed) report.warn({ file: place.file }, empty);
	rules.files.push({ file: place.file, tier: place.tier, dialect, count });
	rules.diagnostics.push(...report.diagnostics);
}

const gone = {
	code: "dead-link",
	message: "This rule file is a broken link, or was just removed.",
	remedy: "Put the file where the link points, or remove the link.",
};
const foreignRules = (name: string): Problem => ({
	code: "foreign-format",
	message: `This is ${name}: none of its rules can be enforced, so every call that writes or runs something needs approval.`,
	remedy: `Keep it where its own tool reads it, and let \`/guard init\` write this one. The known keys are ${Object.keys(ownKeys).join(", ")}.`,
});
const empty = {
	code: "no-rules",
	message: "This file has no rules.",
	remedy: "Add some, or run `/guard init` in another folder and copy them from there.",
};

/** Reads what a file forbids, as far as it could be parsed. Its problems have been reported. */
function readBans(root: Node, source: Source, platform: string, into: RuleTarget): void {
	if (root.kind !== "map") return;
	for (const [key, entry] of root.entries) {
		const meaning = readKey(key)?.meaning;
		const forbids = meaning?.kind === "commands" || meaning?.kind === "paths" || meaning?.kind === "path-group";
		if (forbids) readValue(meaning, entry, { source, report: openReport(), path: key, platform }, into);
	}
	into.rules.exceptions = into.rules.exceptions.filter(({ origin }) => origin.file !== source.file);
}

/** Reads the top level; returns the name of the dialect. */
function readRoot(
	root: Node,
	source: Source,
	report: Report,
	place: RuleFileLocation,
	platform: string,
	rules: RuleSetDraft,
): string {
	if (root.kind !== "map") {
		report.error(source.place(root.start), {
			code: "wrong-type",
			message: `The file is ${describeNode(root)}, but keys with lists of rules are expected.`,
			remedy: "Start with a key such as `zeroAccessPaths:` and put the entries below it.",
		});
		return "unknown";
	}
	const other = [...root.entries.keys()].some(readKey) ? undefined : foreignFormat(root);
	if (other) {
		report.error(source.place(root.start), foreignRules(other.name));
		return "unknown";
	}
	const trial = root.entries.get("dryRun")?.value;
	const into: RuleTarget = { place, dryRun: trial?.kind === "scalar" && trial.value === true, rules };
	const translated: string[] = [];
	for (const [key, entry] of root.entries) {
		const reading = { source, report, path: key, platform };
		const known = readKey(key);
		if (known) readValue(known.meaning, entry, reading, into);
		else readUnknownKey(entry, reading, into);
		if (known && !known.own) translated.push(key);
	}
	if (translated.length === 0) return "damage-control";
	report.warn(source.place(root.start), translatedKeys(translated));
	return `relative (${translated.join(", ")})`;
}

function translatedKeys(keys: readonly string[]): Problem {
	const [are, them] = keys.length === 1 ? ["is", "it"] : ["are", "them"];
	return {
		code: "dialect",
		message: `${keys.map((key) => `\`${key}\``).join(", ")} ${are} read as another guard would read ${them}.`,
		remedy: "You need not change anything; `/guard rules` shows the result.",
	};
}

/** Reports an unknown key. A typo must not open anything: if the key was probably meant to forbid, its entries are read. */
function readUnknownKey(entry: MapEntry, reading: RuleReadContext, into: RuleTarget): void {
	const { source, report, path } = reading;
	const guess = didYouMean(path, Object.keys(ownKeys));
	report.error(source.place(entry.keyStart), {
		code: "unknown-key",
		message: `\`${path}\` is not a key of a rule file.${guess}`,
		remedy: `The known keys are ${Object.keys(ownKeys).join(", ")}.`,
	});
	const meant = readKey(/`([^`]+)`/.exec(guess)?.[1] ?? "")?.meaning;
	if (meant?.kind === "commands" || meant?.kind === "paths")
		readValue(meant, entry, { ...reading, report: openReport() }, into);
}

function readValue(
	meaning: KeyMeaning,
	{ value, keyStart }: MapEntry,
	reading: RuleReadContext,
	into: RuleTarget,
): void {
	const { rules, place } = into;
	switch (meaning.kind) {
		case "note":
			return;
		case "commands":
			readCommandRules(value, meaning.decision, reading, into);
			return;
		case "paths":
			readPathRules(value, meaning, reading, into);
			return;
		case "path-group":
			readPathGroup(value, reading, into);
			return;
		case "exceptions":
			readPathExceptions(value, meaning, reading, into);
			return;
		case "effects":
			readEffects(value, reading, into);
			return;
		case "flag": {
			const truth = readTruth(value, reading);
			if (truth === undefined || meaning.flag === "dryRun") return;
			// Matching case where the system ignores it would remove protection.
			if (meaning.flag === "caseInsensitive") {
				if (truth) rules.foldCase = true;
				else if (place.tier === "global") rules.foldCase ??= false;
			} else rules[meaning.flag] = rules[meaning.flag] || truth;
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

/** The problems that stop workers from starting. */
export function blockingProblems({ diagnostics }: Pick<RuleSet, "diagnostics">): readonly Diagnostic[] {
	return diagnostics.filter(({ severity }) => severity === "error");
}
