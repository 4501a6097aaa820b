// Compiles the fields of a file to the exact values that the machine trusts: units, defaults, the two dialects.
import type { Fields, MapEntry, MapNode, ReadContext, SandboxChoice, Values } from "../definition/index.ts";
import { compileChildren, type ReadInline } from "./children.ts";
import { compileCommand } from "./command.ts";
import { limitFields, stateFields, type templateFields } from "./fields.ts";
import type { InheritedFields } from "./inherited-fields.ts";
import { reporterAt, type StateNode } from "./state-node.ts";
import {
	HUMAN_INTERVENTION,
	type PersonaReference,
	pairKey,
	type RunLimits,
	type SpendLimits,
	type StatePlan,
	type Template,
} from "./template.ts";

type StateValues = Values<typeof stateFields>;
type LimitValues = NonNullable<Values<typeof templateFields>["limits"]>;

/** Values that states inherit from the template. */
export interface StateDefaults {
	readonly dialect: Template["dialect"];
	readonly team: string | undefined;
	readonly questions: "user" | "none" | undefined;
	readonly fallback: readonly string[] | undefined;
	readonly shell: StatePlan["shell"];
	/** The template's choice, and as it is written. */
	readonly sandbox: { readonly choice: SandboxChoice; readonly entry: MapEntry | undefined } | undefined;
	readonly ofRun: InheritedFields["ofRun"];
	/** `limits` as written; `undefined`: none, or with problems. */
	readonly limits: MapNode | undefined;
	readonly readInline: ReadInline;
}

const defaultPairMoves = 3;
const minute = 60_000;
/** Fields that say who does a state. */
const doers = ["agent", "persona", "run", "branches", "command"] as const;

/** Compiles the limits of a run; `undefined` means that the template has none. */
export function compileLimits(values: LimitValues | undefined): RunLimits {
	const given = values ?? defaultsOf(limitFields);
	const pairs: Record<string, number> = {};
	for (const { one, other, limit } of given.pair_moves?.pairs ?? []) pairs[pairKey(one, other)] = limit;
	return {
		...spendLimits(given),
		moves: given.moves,
		pairMoves: given.pair_moves?.all ?? given.max_pair_moves ?? defaultPairMoves,
		pairs,
		attempts: given.attempts,
		retries: given.retries,
		nudges: given.nudges,
		rejections: given.rejections,
		noProgress: given.no_progress,
		requests: given.requests,
		calls: given.calls,
		pauseMs: given.pause_seconds * 1000,
		countCacheReads: given.cache_reads === "count",
		warnAt: given.warn_at,
	};
}

/** The defaults of all fields. */
export function defaultsOf<F extends Fields>(fields: F): Values<F> {
	return Object.fromEntries(Object.entries(fields).map(([key, { fallback }]) => [key, fallback])) as Values<F>;
}

function spendLimits(given: {
	cost_usd?: number | undefined;
	tokens?: number | undefined;
	minutes?: number | undefined;
}): SpendLimits {
	const activeMs = given.minutes === undefined ? undefined : given.minutes * minute;
	return withoutUndefined({ costUsd: given.cost_usd, tokens: given.tokens, activeMs });
}

/** Compiles one state. Reports fields that contradict each other or have no effect. */
export function compileState(
	name: string,
	values: StateValues,
	at: StateNode,
	reading: ReadContext,
	defaults: StateDefaults,
): StatePlan {
	const isHuman = name === HUMAN_INTERVENTION;
	const written = values.next?.names.map((word) => word.text) ?? [];
	const terminal = !isHuman && (name === "done" || written.length === 0);
	const { readInline } = defaults;
	const inherited = inheritedBy(values, at, defaults);
	const team = values.team || defaults.team;
	const children = compileChildren(name, values, { at, reading, readInline, team, inherited });
	const command = compileCommand(values, at, reading);
	const persona = command ? undefined : statePersona(name, values, terminal, at, reading);
	const warn = (...[key, message, remedy]: IdleField): void =>
		reporterAt(at, reading)("warn", key, { code: "no-effect", message, remedy });
	warnNoEffect(name, values, warn);
	const isDone = persona || children || command;
	const host = isDone ? values.host : undefined;
	if (!isDone) warnIdle(name, values, warn);
	const { description, tools, model, models, thinking, instructions, limits } = values;
	const { questions, fallback } = inherited;
	return {
		name,
		...withoutUndefined({
			description,
			persona,
			children,
			command,
			host,
			team: values.team || defaults.team || undefined,
		}),
		next: name === "done" ? [] : written,
		terminal,
		implicit: false,
		approval: approvalOf(values, defaults.dialect),
		...unaskedIf(questions),
		shell: defaults.shell,
		...withoutUndefined({
			tools,
			shell: values.shell,
			sandbox: stateSandbox(values, defaults),
			model,
			models,
			fallback,
			thinking,
			instructions,
			output: outputPlan(values, persona, command),
		}),
		skills: [...new Set([...(values.skills ?? []), ...(values.extra_skills ?? [])])],
		extensions: values.extensions ?? [],
		limits: {
			...spendLimits(limits ?? {}),
			...withoutUndefined({ attempts: limits?.attempts, requests: limits?.requests, calls: limits?.calls }),
		},
		wallMs: values.timeout_minutes * minute,
		idleMs: values.idle_minutes * minute,
		cleanup: values.cleanup,
		polling: values.polling,
	};
}

function outputPlan(
	{ output }: StateValues,
	persona: StatePlan["persona"],
	command: StatePlan["command"],
): StatePlan["output"] {
	return persona || command?.parse ? output?.schema : undefined;
}

function stateSandbox({ sandbox }: StateValues, defaults: StateDefaults): StatePlan["sandbox"] {
	return sandbox ?? defaults.sandbox?.choice;
}

function unaskedIf(questions: InheritedFields["questions"]): Pick<StatePlan, "questions"> {
	return questions === "none" ? { questions } : {};
}

/** What the inline templates of a state get. */
function inheritedBy(values: StateValues, at: StateNode, defaults: StateDefaults): InheritedFields {
	const { shell, questions, limits, fallback, ofRun } = defaults;
	return {
		shell,
		ofRun,
		sandbox: at.node.entries.get("sandbox") ?? defaults.sandbox?.entry,
		fallback: values.fallback ?? fallback,
		questions: values.questions ?? questions,
		limits: [limits, mapAt(at.node, values.limits && "limits")],
	};
}

/** The object that a map has under `key`. */
export function mapAt({ entries }: MapNode, key: string | undefined): MapNode | undefined {
	const value = key === undefined ? undefined : entries.get(key)?.value;
	return value?.kind === "map" ? value : undefined;
}

type IdleField = readonly [key: string, message: string, remedy: string];

/** Reports fields of a state that have no effect. */
function warnNoEffect(name: string, values: StateValues, warn: (...found: IdleField) => void): void {
	if (name === "done" && values.next && values.next.names.length > 0)
		warn("next", "`done` ends the run, so its `next` has no effect.", "Remove `next`, or rename the state.");
	if (values.skills && values.extra_skills)
		warn("extra_skills", "`skills` and `extra_skills` are the same; both lists are used.", "Keep one of them.");
	if (values.approval_mode && values.requires_approval === false)
		warn(
			"approval_mode",
			"`approval_mode` has no effect without `requires_approval`.",
			"Add `requires_approval: true`, or remove it.",
		);
}

/** Reports fields that have no effect where nothing is done. */
function warnIdle(name: string, values: StateValues, warn: (...found: IdleField) => void): void {
	if (values.output?.schema)
		warn(
			"output",
			`No worker does \`${name}\`, so its \`output\` has no effect.`,
			"Write it in the state whose worker hands over the data.",
		);
	if (values.host)
		warn(
			"host",
			`Nothing is done in \`${name}\`, so its \`host\` has no effect.`,
			"Write it in a state that is done by a worker or by child runs.",
		);
}

/** The fields that have a value. */
function withoutUndefined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The plan of a state that is only named as a target: the run ends there, except in `human_intervention`. */
export function implicitState(name: string): StatePlan {
	const human = name === HUMAN_INTERVENTION;
	return {
		name,
		next: [],
		terminal: !human,
		implicit: true,
		approval: { entry: false, exit: false },
		shell: "judged",
		skills: [],
		extensions: [],
		limits: {},
		wallMs: stateFields.timeout_minutes.fallback * minute,
		idleMs: stateFields.idle_minutes.fallback * minute,
		cleanup: [],
		polling: false,
	};
}

function approvalOf(values: StateValues, dialect: Template["dialect"]): StatePlan["approval"] {
	const wanted = values.requires_approval;
	if (wanted === false) return { entry: false, exit: false };
	if (wanted === true) {
		const entry = values.approval_mode === undefined ? dialect === "ae" : values.approval_mode === "pre";
		return { entry, exit: !entry };
	}
	return { entry: wanted !== "exit", exit: wanted !== "entry" };
}

function isFailedCommand({ node }: StateNode, { source }: ReadContext): boolean {
	return source.file !== "" && node.entries.has("command");
}

function statePersona(
	name: string,
	values: StateValues,
	terminal: boolean,
	at: StateNode,
	reading: ReadContext,
): PersonaReference | undefined {
	const { agent, persona, instructions } = values;
	const place = (key: string) => reading.source.place(at.node.entries.get(key)?.keyStart ?? at.keyStart);
	if (name === HUMAN_INTERVENTION) {
		const doer = doers.find((key) => at.node.entries.has(key));
		if (doer !== undefined)
			reading.report.error(place(doer), {
				code: "reserved-name",
				message: `\`${HUMAN_INTERVENTION}\` is where the run waits for you; it cannot have a worker.`,
				remedy: `Remove its \`${doer}\`, or rename the state.`,
			});
		return undefined;
	}
	if (values.run !== undefined || values.branches !== undefined || isFailedCommand(at, reading)) return undefined;
	if (agent !== undefined) {
		if (persona !== undefined)
			reading.report.warn(place("persona"), {
				code: "no-effect",
				message: `\`${reading.path}\` has an \`agent\`, so its \`persona\` has no effect.`,
				remedy: "Keep one of the two.",
			});
		return { kind: "agent", name: agent };
	}
	if (persona !== undefined) return { kind: "persona", name: persona };
	if (terminal && instructions === undefined) return undefined;
	reading.report.warn(reading.source.place(at.keyStart), {
		code: "no-persona",
		message: `\`${reading.path}\` names no persona or agent; its own name is used as the role.`,
		remedy: "Add `persona` or `agent`.",
	});
	return { kind: "persona", name };
}
