// Reads the settings of a rule file: effects by name, switches, how paths are matched, the built-in protections.
import { describeNode, didYouMean, type MapEntry, type Node, wrongType } from "@pi-chronicle/core/definition";
import { type Effect, effects as knownEffects } from "@pi-chronicle/footprint";
import type { RuleFileLocation } from "./locate-rules.ts";
import { unknownInner } from "./read-lists.ts";
import { type RuleReadContext, readEntries, readTruth } from "./read-rule.ts";
import type { BuiltIn, EffectRule } from "./rule-set.ts";
import { type RuleSetDraft, type RuleTarget, sentence } from "./rule-set-builder.ts";

/** Reads decisions about effects. */
export function readEffects(value: Node, reading: RuleReadContext, into: RuleTarget): void {
	const { source, report, path } = reading;
	if (value.kind !== "map") {
		wrongType(value, reading, "effects with decisions", "Write lines such as `recursive-delete: deny` below it.");
		return;
	}
	for (const [name, entry] of value.entries) {
		if (!Object.hasOwn(knownEffects, name)) {
			report.error(source.place(entry.keyStart), {
				code: "unknown-key",
				message: `There is no effect \`${name}\`.${didYouMean(name, Object.keys(knownEffects))}`,
				remedy: `The known effects are ${Object.keys(knownEffects).join(", ")}.`,
			});
			continue;
		}
		const rule = readEffect(name as Effect, entry, { ...reading, path: `${path}.${name}` }, into);
		if (rule) into.rules.effects.push(rule);
	}
}

function readEffect(
	effect: Effect,
	entry: MapEntry,
	reading: RuleReadContext,
	{ place, dryRun, rules }: RuleTarget,
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
	const trial = fields.get("dryRun")?.value;
	if (decision === "off" && effect === "large-tree") rules.largeTree = "off";
	if (decision === "off") return undefined;
	return {
		kind: "effect",
		effect,
		decision: decision ?? "deny",
		name: `effect ${effect}`,
		reason: sentence(reason?.kind === "scalar" && reason.value !== null ? reason.written : "a rule forbids it"),
		dryRun: dryRun || (trial !== undefined && readTruth(trial, reading) === true),
		except: except
			? readEntries(except, { ...reading, path: `${reading.path}.except` }).map(({ text }) => text.trim())
			: [],
		base: place.base,
		origin: { file: source.file, line: source.place(entry.keyStart).line ?? 1 },
	};
}

function readDecision(value: Node, { source, report, path }: RuleReadContext): BuiltIn | undefined {
	const written = value.kind === "scalar" ? value.written : undefined;
	if (written === "deny" || written === "ask" || written === "off") return written;
	if (value.kind === "scalar" && value.value === false) return "off";
	report.error(source.place(value.start), {
		code: "wrong-value",
		message: `\`${path}\` is ${describeNode(value)}${written === undefined ? "" : ` (${written})`}, but \`deny\`, \`ask\` or \`off\` is expected.`,
		remedy: `Write \`${path.split(".").at(-1)}: deny\`.`,
	});
	return undefined;
}

/** Reads how path patterns are matched. */
export function readMatching(value: Node, { source, report, path }: RuleReadContext, rules: RuleSetDraft): void {
	const written = value.kind === "scalar" ? value.written : "";
	// Substrings match everything that segments match: if one file selects them, they apply, and no file can revert that.
	if (written === "substring") rules.matching = written;
	else if (written === "segments") return;
	else {
		report.error(source.place(value.start), {
			code: "wrong-value",
			message: `\`${path}\` is ${describeNode(value)}, but \`segments\` or \`substring\` is expected.`,
			remedy: "Write `pathMatching: segments`.",
		});
	}
}

const strength: Record<BuiltIn, number> = { off: 0, ask: 1, deny: 2 };

/** Reads a built-in protection; a project's file cannot weaken it. */
export function readBuiltIn(
	value: Node,
	keyStart: number,
	builtIn: "selfProtection" | "nestedAgents",
	place: RuleFileLocation,
	reading: RuleReadContext,
	rules: RuleSetDraft,
): void {
	const decision = readDecision(value, reading);
	if (!decision) return;
	if (place.tier === "project" && strength[decision] < strength[rules[builtIn]]) {
		reading.report.warn(reading.source.place(keyStart), {
			code: "only-global",
			message: `\`${builtIn}: ${decision}\` would remove protection, which a project's file cannot do.`,
			remedy: "Write it into the rule file in your home directory if you want it.",
		});
		return;
	}
	rules[builtIn] = decision;
}
