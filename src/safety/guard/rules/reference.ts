// The reference of rule files: tables of keys and effects for the documents, and the JSON Schema. Derived from the reader's own tables.
import { type Effect, effects } from "../../../footprint/index.ts";
import { type KeyMeaning, ownKeys } from "./keys.ts";

const about: Readonly<Record<string, readonly [form: string, meaning: string]>> = {
	bashToolPatterns: [
		"list of `{pattern, reason, ask, dryRun, platforms}`",
		"JavaScript expressions over commands; `ask: true` asks instead of refusing",
	],
	zeroAccessPaths: [
		"list of places",
		"closed to every tool: not read, not listed, not changed; searches leave them out",
	],
	readOnlyPaths: ["list of places", "read, not changed"],
	noDeletePaths: ["list of places", "changed, not removed, moved away or emptied"],
	generatedPaths: ["list of places", "made by a tool: not edited by hand, but removed and made again"],
	zeroAccessExclusions: [
		"list of places",
		"left out of `zeroAccessPaths` of the same file; in a global file, of every file",
	],
	allowReadPaths: ["list of places", "the same, for reading only"],
	effects: [
		"effect → `deny`, `ask`, `off` or `{decision, reason, except, dryRun}`",
		"what a command does, however it is spelled",
	],
	strict: ["`true`", "ask about whatever cannot be known beforehand"],
	scanWrites: ["`true`", "ask when a shell script is written whose commands would not pass"],
	dryRun: ["`true`", "the rules of this file are on trial: what they would do is logged, nothing is stopped"],
	caseInsensitive: ["`true`", "upper and lower case do not count in paths; on macOS and Windows they never do"],
	pathMatching: [
		"`segments`, `substring`",
		"`substring`: a pattern matches anywhere in a path, as in the first guard of this kind",
	],
	selfProtection: [
		"`deny`, `ask`, `off`",
		"changes of rules, settings, definitions and records; only a global file may weaken it",
	],
	nestedAgents: ["`deny`, `ask`, `off`", "starting another coding agent; only a global file may weaken it"],
};

/** Tables in Markdown, one line an item. */
export function guardTables(): { readonly keys: readonly string[]; readonly effects: readonly string[] } {
	return {
		keys: [
			"| key | value | meaning |",
			"|---|---|---|",
			...Object.keys(ownKeys).map((key) => `| \`${key}\` | ${about[key]?.join(" | ") ?? ""} |`),
		],
		effects: [
			"| effect | a command that |",
			"|---|---|",
			...Object.entries(effects).map(([name, text]) => `| \`${name}\` | ${text} |`),
		],
	};
}

const decision = { enum: ["deny", "ask", "off"] };
const places = {
	type: "array",
	items: {
		anyOf: [
			{ type: "string", minLength: 1 },
			{
				type: "object",
				required: ["path"],
				additionalProperties: false,
				properties: {
					path: { type: "string" },
					reason: { type: "string" },
					ask: { type: "boolean" },
					dryRun: { type: "boolean" },
				},
			},
		],
	},
};
const pattern = {
	type: "object",
	required: ["pattern"],
	properties: {
		pattern: { type: "string", format: "regex" },
		reason: { type: "string" },
		ask: { type: "boolean" },
		dryRun: { type: "boolean" },
		caseInsensitive: { type: "boolean" },
		platforms: { type: "array", items: { type: "string" } },
	},
};
const effect = {
	anyOf: [
		decision,
		{
			type: "object",
			required: ["decision"],
			additionalProperties: false,
			properties: {
				decision,
				reason: { type: "string" },
				except: { type: "array", items: { type: "string" } },
				dryRun: { type: "boolean" },
			},
		},
	],
};
/** The JSON Schema of a rule file in this package's own form; the forms of other guards are not described. */
export function ruleFileSchema(): object {
	const forms: Record<KeyMeaning["kind"], object> = {
		commands: { type: "array", items: { anyOf: [{ type: "string", minLength: 1 }, pattern] } },
		paths: places,
		"path-group": places,
		exceptions: { type: "array", items: { type: "string", minLength: 1 } },
		effects: {
			type: "object",
			additionalProperties: false,
			properties: Object.fromEntries(
				(Object.keys(effects) as Effect[]).map((name) => [name, { description: effects[name], ...effect }]),
			),
		},
		flag: { type: "boolean" },
		"built-in": decision,
		matching: { enum: ["segments", "substring"] },
		note: {},
	};
	return {
		$schema: "http://json-schema.org/draft-07/schema#",
		title: "damage-control rules",
		description: "What an agent may do: rules over commands, places and effects.",
		type: "object",
		additionalProperties: false,
		properties: Object.fromEntries(
			Object.entries(ownKeys).map(([key, { kind }]) => [
				key,
				{ description: (about[key]?.[1] ?? "").replaceAll("`", ""), ...forms[kind] },
			]),
		),
	};
}
