import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	anyObject,
	custom,
	type Diagnostic,
	type Field,
	type Fields,
	integer,
	list,
	type Node,
	objectSchema,
	openReport,
	parseYaml,
	plainOf,
	type ReadContext,
	readObject,
	readSource,
	record,
	type Source,
	sizeOf,
	sortDiagnostics,
	text,
	wrongType,
} from "@pi-chronicle/core/definition";
import { shippedFolder } from "../shipped/index.ts";
import type { Cue, Exit, Scenario, ScriptedCall, UserAnswer } from "./scenario.ts";
import { cue } from "./scenario.ts";

/** In order of precedence. */
export const scenarioEndings: readonly string[] = ["yaml", "yml", "json"];
const folders = { workflow: "workflows", chronicle: "chronicles" };

/**
 * The scenario file of a definition in a project: `.pi/rehearsals/workflows/<key>.yaml` or `.pi/rehearsals/chronicles/<name>.yaml` (`.yml`
 * and `.json` too), or `undefined`. Names that are not plain file names have none.
 */
export function findScenario(project: string, kind: keyof typeof folders, name: string): string | undefined {
	if (/[\\/]/.test(name) || name.startsWith(".")) return undefined;
	return findIn(scenarioFolder(project, kind), name);
}

/** The package's scenario file for one of its definitions. */
export function findShippedScenario(kind: keyof typeof folders, name: string): string | undefined {
	return findIn(shippedFolder(`${kind} scenarios`), name);
}

function findIn(folder: string, name: string): string | undefined {
	return scenarioEndings.map((ending) => join(folder, `${name}.${ending}`)).find((file) => existsSync(file));
}

/** The folder of a project's scenarios for one kind of definition. */
export function scenarioFolder(project: string, kind: keyof typeof folders): string {
	return join(project, ".pi", "rehearsals", folders[kind]);
}

export interface ReadScenario {
	/** `undefined` if a diagnostic is an error. */
	readonly scenario: Scenario | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

const strict = { unknown: () => "error" as const };
const anything = {};

/** Ends a phase: with this summary, or without one if `true`. */
function stepField(about: string): Field<string | undefined> {
	return custom<string, { about: string; empty: "error" }>(
		{ about, empty: "error" },
		"string or `true`",
		{ type: ["string", "boolean"] },
		(node, reading) => {
			if (node.kind === "scalar" && typeof node.value === "string") return node.value;
			if (node.kind === "scalar" && node.value === true) return "";
			return wrongType(node, reading, "a summary or `true`", "Write the summary after the colon.");
		},
	);
}

const goFields = {
	to: text({ about: "The state to go to.", required: true }),
	summary: text({ about: "The worker's summary for the next state.", fallback: "", blank: "allowed" }),
	data: custom<{ readonly value: unknown }, { about: string }>(
		{ about: "The state's output, if it has an `output` schema. Default: data that matches the schema." },
		"anything",
		anything,
		scenarioValue,
	),
};

const sentFields = {
	to: text({ about: "The state or phase to go to.", required: true }),
	words: text({ about: "The user's message to it.", fallback: "", blank: "allowed" }),
};

export const cueFields = {
	say: text({ about: "The text of the message.", fallback: "", blank: "allowed" }),
	call: custom(
		{
			about:
				"Tool calls of this message, with their arguments: `{ read: { path: a.txt } }`, or a list of such objects.",
			fallback: [] as ScriptedCall[],
		},
		"object of tools and arguments, or a list of them",
		{ type: ["object", "array"] },
		readCalls,
	),
	remember: custom<ScriptedCall, { about: string }>(
		{
			about:
				"What the worker saves (`workflow_update_snapshot`): a finding, a list of findings, or an object with `findings`, `pending_tasks` and `resolve`. A finding or task is a string, or an object whose fields are all kept.",
		},
		"anything",
		anything,
		(node, reading) => {
			const data = scenarioValue(node, reading);
			return data && { tool: "workflow_update_snapshot", input: snapshotArguments(data.value) };
		},
	),
	next: stepField("Ends the phase and starts the next one."),
	loop: stepField("Restarts the innermost workflow."),
	cancel: stepField("Asks to cancel the workflow; the second request in a row cancels it."),
	go: custom<Exit, { about: string; empty: "error" }>(
		{ about: "Ends the state: `{ to: <state>, summary: …, data: … }`, or the name of the state.", empty: "error" },
		"string or object",
		{ anyOf: [{ type: "string" }, objectSchema(goFields)] },
		readGo,
	),
	reject: text({
		about: "The user's answer to the next question: no, with this text. The worker or phase that asked continues.",
	}),
	answer: text({ about: "The user's answer to the next question of a worker (`ask_user`)." }),
	sent: custom<UserAnswer, { about: string; empty: "error" }>(
		{
			about:
				"The user's answer to the next question: send the run to this state, or back to this phase. A name, or `{ to: <name>, words: … }`.",
			empty: "error",
		},
		"string or object",
		{ anyOf: [{ type: "string" }, objectSchema(sentFields)] },
		readSent,
	),
	wait: integer({ about: "Milliseconds to wait before the message.", fallback: 0, min: 0, max: 60_000 }),
	exit: integer({
		about: "Of a state that is a command, which a rehearsal does not run: its exit code. `say` is what it prints.",
		min: 0,
		max: 255,
	}),
	fail: text({ about: "Fails with this provider error instead of answering." }),
} satisfies Fields;

const cueField = custom<Cue, { about: string; required: true }>(
	{ about: "One message: a string, or an object with the fields below.", required: true },
	"message",
	{ anyOf: [{ type: "string" }, objectSchema(cueFields)] },
	readCue,
);

const messages = list(cueField, { about: "Messages, in order.", required: true });

export const scenarioFields = {
	description: text({ about: "Purpose of the scenario." }),
	phases: record(messages, {
		about:
			"The understudy's messages in each phase of a workflow: by the phase's id, `workflow/id` where ids repeat, `id#2` from the second visit on.",
		fallback: new Map<string, readonly Cue[]>(),
		shown: "none: the automatic round",
	}),
	states: record(messages, {
		about:
			"The understudy's messages in each state of a chronicle, with the same naming. In child runs, `template/state` or `child/state` also applies: `part 2/build` for the second child of a list.",
		fallback: new Map<string, readonly Cue[]>(),
		shown: "none: the automatic round",
	}),
	idle: list(cueField, { about: "Answers to prompts while no run is active, in order.", fallback: [], shown: "none" }),
} satisfies Fields;

/** Reads the scenario in `file` (absolute). The format: docs/rehearsal.md. */
export function readScenarioFile(file: string): ReadScenario {
	const read = readSource(file);
	switch (read.kind) {
		case "text":
			return readScenario(read.source);
		case "problem":
			return { scenario: undefined, diagnostics: [read.diagnostic] };
		case "absent": {
			const missing = { code: "file-missing", message: "The scenario file does not exist.", remedy: "Check its path." };
			return { scenario: undefined, diagnostics: [{ file, severity: "error", ...missing }] };
		}
	}
}

/** Reads a scenario that has been loaded. */
export function readScenario(source: Source): ReadScenario {
	const report = openReport();
	const { root, diagnostics } = parseYaml(source);
	report.add(diagnostics);
	const reading = { source, report, path: "" };
	let scenario: Scenario | undefined;
	if (!report.failed) {
		const map: Node = root ?? { kind: "map", entries: new Map(), start: 0, end: 0 };
		if (map.kind !== "map")
			wrongType(map, { ...reading, path: "(the whole file)" }, "an object", "Start with `phases:`.");
		else {
			checkNames(map, reading);
			const read = readObject(map, scenarioFields, reading, strict);
			if (read.kind === "read") {
				const { phases, states, idle } = read.values;
				scenario = { file: source.file, phases, states, idle };
			}
		}
	}
	return { scenario: report.failed ? undefined : scenario, diagnostics: sortDiagnostics(report.diagnostics) };
}

function checkNames(root: Node, { source, report }: ReadContext): void {
	if (root.kind !== "map") return;
	for (const key of ["phases", "states"]) {
		const scripts = root.entries.get(key)?.value;
		if (scripts?.kind !== "map") continue;
		for (const [name, { keyStart }] of scripts.entries) {
			if (/^[^#]+(#[1-9]\d*)?$/.test(name)) continue;
			report.error(source.place(keyStart), {
				code: "bad-name",
				message: `\`${name}\` is not the name of a visit.`,
				remedy: "Write an id, followed by `#2` for the script from the second visit on.",
			});
		}
	}
}

function readCue(node: Node, reading: ReadContext): Cue | undefined {
	if (node.kind === "scalar" && typeof node.value === "string") return cue({ say: node.value });
	if (node.kind !== "map") return wrongType(node, reading, "a string or an object", "Write `- say: …`.");
	const read = readObject(node, cueFields, reading, strict);
	if (read.kind === "failed") return undefined;
	const { say, call, remember, next, loop, cancel, go, reject, answer, sent, wait, fail, exit } = read.values;
	const exits: Exit[] = go ? [go] : [];
	for (const [action, summary] of [
		["next", next],
		["loop", loop],
		["cancel", cancel],
	] as const)
		if (summary !== undefined) exits.push({ kind: "step", action, summary });
	if (exits.length > 1) {
		reading.report.error(reading.source.place(node.start), {
			code: "two-exits",
			message: `\`${reading.path}\` ends its phase or state in two ways.`,
			remedy: "Keep one of `next`, `loop`, `cancel` and `go`.",
		});
		return undefined;
	}
	const said: readonly UserAnswer[] = [
		...(reject === undefined ? [] : [{ kind: "reject" as const, words: reject }]),
		...(answer === undefined ? [] : [{ kind: "answer" as const, words: answer }]),
		...(sent ? [sent] : []),
	];
	if (said.length > 1) {
		reading.report.error(reading.source.place(node.start), {
			code: "two-answers",
			message: `\`${reading.path}\` gives two answers of the user.`,
			remedy: "Keep one of `reject`, `answer` and `sent`.",
		});
		return undefined;
	}
	const [person] = said;
	return {
		say,
		calls: [...call, ...(remember ? [remember] : [])],
		exit: exits[0],
		waitMs: wait,
		fail,
		exitCode: exit,
		person,
	};
}

function readCalls(node: Node, reading: ReadContext): ScriptedCall[] | undefined {
	const calls: ScriptedCall[] = [];
	for (const group of node.kind === "list" ? node.items : [node]) {
		if (group.kind !== "map")
			return wrongType(
				group,
				reading,
				"an object of tools and their arguments",
				"Write `call: { read: { path: a.txt } }`.",
			);
		for (const [tool, { value }] of group.entries) {
			const read = scenarioValue(value, reading);
			if (!read) return undefined;
			const input = read.value ?? {};
			if (typeof input !== "object" || Array.isArray(input) || input === null)
				return wrongType(
					value,
					{ ...reading, path: `${reading.path}.${tool}` },
					"an object of arguments",
					"Write `{ path: a.txt }`.",
				);
			calls.push({ tool, input: input as Record<string, unknown> });
		}
	}
	return calls;
}

function readGo(node: Node, reading: ReadContext): Exit | undefined {
	if (node.kind === "scalar" && typeof node.value === "string")
		return { kind: "transition", to: node.value, summary: "" };
	if (node.kind !== "map")
		return wrongType(node, reading, "the name of a state, or an object with `to`", "Write `go: done`.");
	const read = readObject(node, goFields, reading, strict);
	if (read.kind === "failed") return undefined;
	const { to, summary, data } = read.values;
	return { kind: "transition", to, summary, ...(data ? { data: data.value } : {}) };
}

function readSent(node: Node, reading: ReadContext): UserAnswer | undefined {
	if (node.kind === "scalar" && typeof node.value === "string") return { kind: "sent", to: node.value, words: "" };
	if (node.kind !== "map")
		return wrongType(node, reading, "the name of a state or phase, or an object with `to`", "Write `sent: planning`.");
	const read = readObject(node, sentFields, reading, strict);
	return read.kind === "read" ? { kind: "sent", ...read.values } : undefined;
}

/** Characters of a value, with aliases expanded. */
const maxLength = 1_000_000;

/** The arguments that save `data`: an object is all of them. */
function snapshotArguments(data: unknown): Readonly<Record<string, unknown>> {
	if (Array.isArray(data)) return { findings: data };
	return anyObject(data) ? { ...data } : { findings: [data] };
}

/** A node as plain data; `undefined` if aliases expand it beyond the limit. */
function scenarioValue(node: Node, { source, report, path }: ReadContext): { value: unknown } | undefined {
	if (sizeOf(node) <= maxLength) return { value: plainOf(node) };
	report.error(source.place(node.start), {
		code: "too-large",
		message: `\`${path}\` is too long with its aliases expanded.`,
		remedy: "Use fewer aliases.",
	});
	return undefined;
}
