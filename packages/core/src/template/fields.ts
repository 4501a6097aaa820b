// The fields of a template file: names, types, meanings. The reader, the JSON Schema and the reference tables are derived from them.
// The format has two dialects: ours, and that of published templates, which use `initial`, `agent` and `approval_mode`.

import { VISIT_DEFAULTS } from "../bounds/index.ts";
import {
	choice,
	custom,
	didYouMean,
	duration,
	flag,
	integer,
	type Node,
	names,
	number,
	objectField,
	quoted,
	type ReadContext,
	text,
	wrongType,
} from "../definition/index.ts";
import { childrenFields } from "./children-fields.ts";
import { cleanupField } from "./cleanup.ts";
import { commandFields } from "./command-fields.ts";
import { hostField, requiresField, stateSandbox, templateSandbox } from "./host-field.ts";
import { checkName } from "./names.ts";
import { nextField } from "./next-field.ts";
import { outputField } from "./output-schema.ts";

const spendFields = {
	cost_usd: number({ about: "Maximum cost, in US dollars.", min: 0 }),
	tokens: integer({ about: "Maximum number of tokens, as pi totals them.", min: 1 }),
	minutes: number({ about: "Maximum minutes of worker time. Waiting does not count.", min: 0 }),
};

/** A limit on moves between two states: a number for all pairs, or an object with exceptions. */
export interface PairMoves {
	readonly all: number | undefined;
	readonly pairs: readonly {
		readonly one: string;
		readonly other: string;
		readonly limit: number;
	}[];
}

/** Limits of a run that names none. */
export const DEFAULT_CEILINGS = { costUsd: 20, tokens: 50_000_000 } as const;

export const limitFields = {
	cost_usd: number({
		about: "Maximum cost of the run, in US dollars. The user can raise it.",
		min: 0,
		fallback: DEFAULT_CEILINGS.costUsd,
	}),
	tokens: integer({
		about: "Maximum number of tokens of the run, as pi totals them.",
		min: 1,
		fallback: DEFAULT_CEILINGS.tokens,
	}),
	minutes: number({
		about: "Maximum minutes of worker time. Waiting does not count.",
		min: 0,
		fallback: 600,
	}),
	moves: integer({
		about: "Maximum moves of the whole run; the next one waits for the user.",
		min: 1,
		max: 10_000,
		fallback: 40,
	}),
	pair_moves: custom<PairMoves, { about: string; shown: string }>(
		{
			about:
				'Maximum moves between the same two states, in either direction; the next one waits for the user. A number, or an object: `default` and exceptions such as `"coding <-> review": 7`.',
			shown: "`3`",
		},
		"whole number of at least 1, or object of them",
		{
			anyOf: [
				{ type: "integer", minimum: 1 },
				{ type: "object", additionalProperties: { type: "integer", minimum: 1 } },
			],
		},
		readPairMoves,
	),
	max_pair_moves: integer({ about: "Alias of `pair_moves`.", min: 1, max: 10_000 }),
	attempts: integer({
		about: "Maximum workers of one visit of a state; then the run waits for the user.",
		min: 1,
		max: 1000,
		fallback: 5,
	}),
	retries: integer({
		about: "Maximum automatic restarts of a visit after its worker crashed or hung.",
		min: 0,
		max: 100,
		fallback: 1,
	}),
	nudges: integer({
		about: "Maximum reminders to a worker that stops without a transition; then the run pauses.",
		min: 0,
		max: 20,
		fallback: 2,
	}),
	rejections: integer({
		about: "Maximum rejections of one visit; then the run goes to `human_intervention`.",
		min: 1,
		max: 1000,
		fallback: 5,
	}),
	no_progress: integer({
		about:
			"Number of consecutive moves of a state to itself, with the same summary and the same files, after which the run waits for the user.",
		min: 2,
		max: 1000,
		fallback: 3,
	}),
	requests: integer({
		about: "Maximum requests to the model in one visit of a state; then the run pauses, and its work is kept.",
		min: 1,
		max: 1_000_000,
		fallback: VISIT_DEFAULTS.requests,
	}),
	calls: integer({
		about: "Maximum tool calls in one visit of a state, including refused ones; then the run pauses.",
		min: 1,
		max: 1_000_000,
		fallback: VISIT_DEFAULTS.calls,
	}),
	pause_seconds: integer({
		about:
			"Maximum seconds that a pause waits for the current message of the model; then the worker ends, and its conversation is kept.",
		min: 0,
		max: 3600,
		fallback: 60,
	}),
	cache_reads: choice(["count", "ignore"], {
		about: "Whether tokens read from the provider's cache count toward `tokens`.",
		fallback: "count",
	}),
	warn_at: number({ about: "Fraction of a limit at which a warning is shown.", min: 0, max: 1, fallback: 0.8 }),
};

/** See `StatePlan.shell`. */
const shellRules = ["judged", "strict", "free"] as const;

export const stateFields = {
	description: text({ about: "Purpose of the state, shown to the user and to its worker.", max: 4000 }),
	persona: text({
		about: "The persona of the worker: the name of an agent file, or a role in plain words.",
		form: "line",
		max: 400,
	}),
	agent: text({ about: "The same, but an agent file with this name must exist.", form: "line", max: 400 }),
	...childrenFields,
	host: hostField,
	team: text({ about: "Team of `teams.yaml` that the agent must belong to.", form: "line", max: 200 }),
	next: nextField,
	...commandFields,
	requires_approval: custom<boolean | "entry" | "exit" | "both", { about: string; fallback: false }>(
		{
			about:
				'Whether the user must approve before the run leaves the state (`true`, `"exit"`), before it enters the state (`"entry"`), or both.',
			fallback: false,
		},
		'`true`, `false`, `"entry"`, `"exit"` or `"both"`',
		{ enum: [true, false, "entry", "exit", "both"] },
		readApproval,
	),
	output: outputField,
	approval_mode: choice(["pre", "post"], {
		about: "When `requires_approval: true` asks: `pre` before the run enters the state, `post` before it leaves it.",
	}),
	tools: names({
		about: "Tools of the worker, instead of those of its agent file. The workflow tools are always added.",
		empty: "error",
	}),
	shell: choice(shellRules, {
		about:
			"How a worker without `edit` and `write` is kept from changing the project through its shell and other tools: `judged` refuses calls that are known to change it and program text that is not known to read, `strict` all with unknown effects, `free` none.",
		shown: "that of the template",
	}),
	sandbox: stateSandbox,
	skills: names({ about: "Skills of the worker, in addition to those of its agent file." }),
	extra_skills: names({ about: "Alias of `skills`." }),
	extensions: names({
		about:
			"Extensions that the worker loads, by path or name, or packages that pi has installed. By default it loads none.",
	}),
	model: text({
		about: "Model of the worker: `provider/id`, an alias, or `cheap` or `strong`, which the setting `models` explains.",
		form: "line",
		max: 200,
	}),
	models: names({
		about: "Models in order: if the provider of one fails, the next continues in the same conversation.",
		empty: "error",
	}),
	fallback: names({
		about: "Models that take over if those of the state, or of its agent file, fail.",
		empty: "error",
	}),
	thinking: choice(["off", "minimal", "low", "medium", "high", "xhigh", "max"], {
		about: "Thinking level of the worker.",
	}),
	instructions: text({ about: "Instructions to the worker, in addition to the task.", max: 40_000 }),
	limits: objectField(
		{
			...spendFields,
			attempts: integer({ about: "Maximum workers of one visit of this state.", min: 1, max: 1000 }),
			requests: integer({
				about: "Maximum requests to the model in one visit of this state.",
				min: 1,
				max: 1_000_000,
			}),
			calls: integer({ about: "Maximum tool calls in one visit of this state.", min: 1, max: 1_000_000 }),
		},
		{ about: "Limits of all visits of this state together.", shown: "none" },
	),
	timeout_minutes: number({
		about: "Maximum minutes that one worker may run; then the run pauses, and its work is kept.",
		min: 0.01,
		max: 10_000,
		fallback: 60,
	}),
	idle_minutes: number({
		about: "Minutes of silence after which a worker counts as hung.",
		min: 0.01,
		max: 10_000,
		fallback: 15,
	}),
	cleanup: cleanupField,
	questions: choice(["user", "none"], {
		about:
			"`none`: the worker of the state, or the children whose templates are written in it, cannot ask the user. Default: that of the template.",
	}),
	polling: flag({
		about:
			"`true` for a state that repeats itself on purpose: repeated attempts and calls are not counted as lack of progress.",
		fallback: false,
	}),
};

export const templateFields = {
	name: text({ about: "Display name.", form: "line", max: 200, shown: "the file's name" }),
	requires: requiresField,
	description: text({ about: "Purpose of the template.", max: 4000 }),
	initial: text({ about: "State in which the run starts.", form: "line", shown: "the first of `states`" }),
	team: text({ about: "Team of states that name none.", form: "line", max: 200 }),
	limits: objectField(limitFields, { about: "Limits of the run.", shown: "as below" }),
	shell: choice(shellRules, { about: "`shell` of states that have none.", shown: "`judged`" }),
	sandbox: templateSandbox,
	files: choice(["folder", "repository"], {
		about:
			"Which files are saved, compared and restored by a rewind: those of the working folder, or those of the whole repository that contains it.",
		fallback: "folder",
	}),
	secret_files: choice(["leave", "keep"], {
		about:
			"Whether to save the contents of files whose names mark them as secret (`.env`, keys) too. If not, a rewind leaves such files unchanged and lists them.",
		fallback: "leave",
	}),
	questions: choice(["user", "none"], {
		about: "`none`: workers have no tool `ask_user`, so they cannot ask the user. A state can differ.",
		fallback: "user",
	}),
	fallback: names({ about: "`fallback` of states that have none.", empty: "error" }),
	provider_wait: duration(
		{
			about:
				"How long the run waits for a provider that fails, in all: `90s`, `30m`, `12h`, or a number of minutes. `0`: it pauses at once.",
			shown: "the setting `providerWait`, `12h`",
		},
		false,
	),
	states: custom<ReadonlyMap<string, StateEntry>, { about: string; required: true }>(
		{ about: "The states by name, in order.", required: true },
		"object of states",
		{ type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/state" } },
		readStatesField,
	),
};

/** A state as written in the file. */
export interface StateEntry {
	readonly keyStart: number;
	readonly node: Node;
}

function readStatesField(node: Node, reading: ReadContext): ReadonlyMap<string, StateEntry> | undefined {
	if (node.kind !== "map") return wrongType(node, reading, "an object", 'Write `"name": { … }` for each state.');
	if (node.entries.size === 0)
		return wrongType(
			node,
			reading,
			"an object with at least one state",
			'Add a state: `"planning": { "persona": "…" }`.',
		);
	const states = new Map<string, StateEntry>();
	// A bad name fails the file through the report; return the states anyway, so that their problems are reported too.
	for (const [name, { keyStart, value }] of node.entries) {
		checkName(name, keyStart, reading);
		states.set(name, { keyStart, node: value });
	}
	return states;
}

function readApproval(node: Node, reading: ReadContext): boolean | "entry" | "exit" | "both" | undefined {
	const value = node.kind === "scalar" ? node.value : undefined;
	if (typeof value === "boolean" || value === "entry" || value === "exit" || value === "both") return value;
	const meant = { yes: "true", on: "true", no: "false", off: "false", pre: '"entry"', post: '"exit"' } as const;
	const word =
		typeof value === "string" && Object.hasOwn(meant, value) ? meant[value as keyof typeof meant] : undefined;
	const remedy = word === undefined ? "Write one of them." : `Write \`${word}\`.`;
	return wrongType(node, reading, '`true`, `false`, `"entry"`, `"exit"` or `"both"`', remedy);
}

function readPairMoves(node: Node, reading: ReadContext): PairMoves | undefined {
	const least = (value: Node, path: string): number | undefined => {
		if (
			value.kind === "scalar" &&
			typeof value.value === "number" &&
			Number.isSafeInteger(value.value) &&
			value.value >= 1
		)
			return value.value;
		return wrongType(
			value,
			{ ...reading, path },
			"a whole number of at least 1",
			"Write the number in digits, without quotes.",
		);
	};
	if (node.kind !== "map") {
		const all = least(node, reading.path);
		return all === undefined ? undefined : { all, pairs: [] };
	}
	let all: number | undefined;
	const pairs: PairMoves["pairs"][number][] = [];
	// An entry that cannot be read fails the file through the report.
	for (const [key, { keyStart, value }] of node.entries) {
		const limit = least(value, `${reading.path}.${key}`) ?? 1;
		const pair = pairNames(key);
		if (key === "default") all = limit;
		else if (pair) pairs.push({ one: pair[0], other: pair[1], limit });
		else
			reading.report.error(reading.source.place(keyStart), {
				code: "bad-pair",
				message: `${quoted(key)} in \`${reading.path}\` is not a pair of states.${didYouMean(key, ["default"])}`,
				remedy: 'Write `"one <-> other"`, or `"default"`.',
			});
	}
	return { all, pairs };
}

/** The two states of a key `one <-> other`. */
export function pairNames(key: string): readonly [string, string] | undefined {
	const [one, other, ...rest] = key.split("<->").map((part) => part.trim());
	return one && other && rest.length === 0 ? [one, other] : undefined;
}
