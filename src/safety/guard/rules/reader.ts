// Reads rule files into one rule set. D1 all problems are told, with line and column; D2 a file that is not read as it was meant
// closes the guard: it never counts for less than it says; D3 a project's file can add, not take away.
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
} from "../../../definition/index.ts";
import { type KeyMeaning, ownKeys, readKey } from "./keys.ts";
import type { RuleFileLocation } from "./locate-rules.ts";
import { readCommandRules, readPathExceptions, readPathGroup, readPathRules } from "./read-lists.ts";
import type { ReadContext } from "./read-rule.ts";
import { readBuiltIn, readEffects, readMatching, readTruth } from "./read-settings.ts";
import { recoverRules } from "./recover-rules.ts";
import { emptyRuleSet, type RuleSet } from "./rule-set.ts";
import type { RuleSetDraft, RuleTarget } from "./rule-set-builder.ts";

/** Reads every file and merges what they say. */
export function readRules(places: readonly RuleFileLocation[], platform: NodeJS.Platform): RuleSet {
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

function readFile(place: RuleFileLocation, platform: NodeJS.Platform, rules: RuleSetDraft): void {
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
		else recoverRules(read.source, platform, { place, dryRun: false, rules });
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
const foreignRules = (name: string): Problem => ({
	code: "foreign-format",
	message: `This is ${name}: none of its rules can be enforced, and nothing is allowed before that is settled.`,
	remedy: `Keep it where its own tool reads it, and let \`/guard init\` write this one. Known keys are ${Object.keys(ownKeys).join(", ")}.`,
});
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
	place: RuleFileLocation,
	platform: NodeJS.Platform,
	rules: RuleSetDraft,
): string {
	if (root.kind !== "map") {
		report.error(source.place(root.start), {
			code: "wrong-type",
			message: `The file is ${describeNode(root)}, and keys with lists of rules are wanted.`,
			remedy: "Begin with a key such as `zeroAccessPaths:` and put the entries below it.",
		});
		return "unknown";
	}
	const other = [...root.entries.keys()].some(readKey) ? undefined : foreignFormat(root);
	if (other) {
		report.error(source.place(root.start), foreignRules(other.name));
		return "unknown";
	}
	const translated: string[] = [];
	const trial = root.entries.get("dryRun")?.value;
	const dryRun = trial?.kind === "scalar" && trial.value === true;
	for (const [key, entry] of root.entries) {
		const known = readKey(key);
		if (!known) {
			const guess = didYouMean(key, Object.keys(ownKeys));
			report.error(source.place(entry.keyStart), {
				code: "unknown-key",
				message: `\`${key}\` is no key of a rule file.${guess}`,
				remedy: `Known are ${Object.keys(ownKeys).join(", ")}.`,
			});
			// A slip of the pen opens nothing: what most likely was meant to forbid forbids.
			const meant = readKey(/`([^`]+)`/.exec(guess)?.[1] ?? "")?.meaning;
			if (meant?.kind === "commands" || meant?.kind === "paths")
				readValue(meant, entry, { source, report: openReport(), key, platform }, { place, dryRun, rules });
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

function readValue(meaning: KeyMeaning, { value, keyStart }: MapEntry, reading: ReadContext, into: RuleTarget): void {
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
			// Not to fold where the system does would take protection away.
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

/** Whether any diagnostic stops workers from starting. */
export function blockingProblems({ diagnostics }: Pick<RuleSet, "diagnostics">): readonly Diagnostic[] {
	return diagnostics.filter(({ severity }) => severity === "error");
}
