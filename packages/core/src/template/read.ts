// Reads the text of a template file into a `Template`, or reports every problem in it. Does not search for files.
// Every problem is reported, not only the first; a template with an error is not returned; the definition in a ledger compiles to
// the same template as the file did.
import {
	type Diagnostic,
	foreignFormat,
	foreignProblem,
	type MapNode,
	type Node,
	nearest,
	nodeOf,
	openReport,
	openSource,
	parseJson,
	parseYaml,
	plainOf,
	quoted,
	type ReadContext,
	readObject,
	type Source,
	sizeOf,
	type Values,
	wrongType,
} from "../definition/index.ts";
import { checkGraph, checkPairs } from "./check.ts";
import { checkReferences, type StatePaths } from "./check-references.ts";
import type { ReadInline } from "./children.ts";
import { withoutForeignFields } from "./command-fields.ts";
import { compileLimits, compileState, defaultsOf, implicitState, mapAt, type StateDefaults } from "./compile.ts";
import { type StateEntry, stateFields, templateFields } from "./fields.ts";
import { hashDefinition } from "./hash.ts";
import { runFieldsOf } from "./inherited-fields.ts";
import type { StatePlan, Template } from "./template.ts";

export interface TemplateRead {
	/** `undefined` if `diagnostics` has an error; then `partial` has what could be read. */
	readonly read: { readonly template: Template; readonly definition: unknown; readonly hash: string } | undefined;
	/** The states that could be read of a template with errors, for further checks; never to be run. */
	readonly partial?: Template;
	readonly diagnostics: readonly Diagnostic[];
}

/** Maximum characters of a definition; a file has at most a quarter of that. */
const maxData = 1_000_000;

/**
 * Reads a template from the text of a `.json` (comments allowed) or `.yaml` file. `fallbackName` names it if the file does not; `outer`: the states of
 * templates that run it as a child, whose data it can use.
 */
export function readTemplate(source: Source, fallbackName: string, outer: readonly string[] = []): TemplateRead {
	const parsed = /\.ya?ml$/i.test(source.file) ? parseYaml(source) : parseJson(source);
	const report = openReport();
	report.add(parsed.diagnostics);
	if (!parsed.root) {
		if (!report.failed)
			report.error(source.place(0), {
				code: "empty",
				message: "The file is empty.",
				remedy: "Write a template into it.",
			});
		return { read: undefined, diagnostics: report.diagnostics };
	}
	if (sizeOf(parsed.root) > maxData) {
		report.error(source.place(0), {
			code: "too-big",
			message: "With its aliases expanded, the template is too big for a ledger.",
			remedy: "Avoid aliases of aliases.",
		});
		return { read: undefined, diagnostics: report.diagnostics };
	}
	const template = readNode(parsed.root, { source, report, path: "", outer }, fallbackName);
	if (!template || report.failed)
		return { read: undefined, ...(template ? { partial: template } : {}), diagnostics: report.diagnostics };
	const definition = plainOf(parsed.root);
	return { read: { template, definition, hash: hashDefinition(definition) }, diagnostics: report.diagnostics };
}

/** Compiles a definition that was read before, such as a ledger's copy; `undefined` if it is invalid. */
export function compileDefinition(definition: unknown, fallbackName: string): Template | undefined {
	const report = openReport();
	const template = readNode(
		nodeOf(definition),
		{ source: openSource("", ""), report, path: "", outer: [] },
		fallbackName,
	);
	return report.failed ? undefined : template;
}

/**
 * Reads a whole template, as far as that is possible. An inline template has the path of its field. `onlyState`: the path of its only state, if
 * the file has the state without the template around it.
 */
function readNode(
	root: Node,
	reading: ReadContext & { readonly outer: readonly string[] },
	fallbackName: string,
	onlyState?: string,
): Template | undefined {
	const { report, source } = reading;
	const other = foreignFormat(root);
	if (other) {
		report.error(source.place(root.start), foreignProblem(other));
		return undefined;
	}
	if (root.kind !== "map")
		return wrongType(
			root,
			{ ...reading, path: reading.path || "template" },
			"an object",
			'Write `{ "name": …, "states": { … } }`.',
		);
	const group = readObject(root, templateFields, reading);
	const top = group.kind === "read" ? group.values : group.partial;
	const entries: ReadonlyMap<string, StateEntry> = top.states ?? new Map();
	const dialect = dialectOf(root, entries);
	const readInline: ReadInline = (node, path, name, only) => readNode(node, { ...reading, path }, name, only);
	const { team, questions, fallback, shell = "judged" } = top;
	const limitsNode = mapAt(root, top.limits && "limits");
	const sandbox = top.sandbox && { choice: top.sandbox, entry: root.entries.get("sandbox") };
	const ofRun = runFieldsOf(root);
	const defaults = { dialect, team, questions, fallback, shell, sandbox, ofRun, limits: limitsNode, readInline };
	const states = readStates(entries, reading, defaults, onlyState);
	const [first] = entries.keys();
	const initial = top.initial ?? first;
	if (initial !== undefined) checkGraph(root, states, entries, initial, reading);
	checkPairs(root, entries, reading);
	const paths = { ...reading, pathOf: (name: string) => onlyState ?? statePath(name, reading) };
	checkReferences(states, entries, paths);
	checkTake(states, entries, paths);
	if (initial === undefined) return undefined;
	const { name = fallbackName, description, limits, files = "folder", secret_files, provider_wait } = top;
	return Object.freeze({
		name,
		description,
		initial,
		states,
		limits: compileLimits(limits),
		dialect,
		files,
		providerWaitMs: provider_wait,
		secretFiles: secret_files === "keep" ? "kept" : "left out",
	});
}

/** The defined states that can be read, then those that are only named as targets. */
function readStates(
	entries: ReadonlyMap<string, StateEntry>,
	reading: ReadContext,
	defaults: StateDefaults,
	onlyState: string | undefined,
): ReadonlyMap<string, StatePlan> {
	const states = new Map<string, StatePlan>();
	for (const [name, entry] of entries) {
		const path = onlyState ?? statePath(name, reading);
		const state = readState(name, entry, { ...reading, path }, defaults);
		if (state) states.set(name, state);
	}
	// A defined state that could not be read is not implicit.
	for (const { next } of [...states.values()])
		for (const target of next)
			if (!entries.has(target) && !states.has(target)) states.set(target, implicitState(target));
	return states;
}

/** The path of a state in its file. */
function statePath(name: string, { path }: Pick<ReadContext, "path">): string {
	return [...(path ? [path] : []), "states", name].join(".");
}

function readState(
	name: string,
	{ keyStart, node: written }: StateEntry,
	reading: ReadContext,
	defaults: StateDefaults,
): StatePlan | undefined {
	if (written.kind !== "map")
		return wrongType(written, reading, "an object", 'Write `{ "persona": "…", "next": ["…"] }`.');
	const node = withoutForeignFields(written, reading);
	const read = readObject(node, stateFields, reading, { unknown: (key) => severityOf(key, reading) });
	if (read.kind === "read") return compileState(name, read.values, { node, keyStart }, reading, defaults);
	const partial = { ...read.partial, ...(read.partial.next ? {} : meantTargets(node)) };
	if (decisiveFields.some((key) => node.entries.has(key) && partial[key] === undefined)) return undefined;
	// Its other fields can still be checked. Problems that come only from what is missing are not reported.
	const silent = { ...reading, report: openReport() };
	return compileState(name, { ...defaultsOf(stateFields), ...partial }, { node, keyStart }, silent, defaults);
}

/** The only target, where it is written without a list. */
function meantTargets({ entries }: MapNode): Partial<Pick<Values<typeof stateFields>, "next">> {
	const value = entries.get("next")?.value;
	if (value?.kind !== "scalar" || typeof value.value !== "string") return {};
	return { next: { names: [{ text: value.value, start: value.start }], ways: undefined } };
}

/** Fields that say who does a state, or where it leads. */
const decisiveFields = ["persona", "agent", "run", "branches", "for_each", "next", "command"] as const;

/**
 * A misspelled field that defines a state's worker, host or targets must not be ignored. Ledgers keep what earlier versions accepted.
 * Other words, such as `comment`, are near `host` and `command`.
 */
function severityOf(key: string, { source }: ReadContext): "error" | "warning" {
	const meant = nearest(key, Object.keys(stateFields));
	const isDecisive =
		meant === "host"
			? /host/i.test(key)
			: meant === "command"
				? /^com+an/i.test(key)
				: decisiveFields.some((key) => key === meant);
	return source.file !== "" && isDecisive ? "error" : "warning";
}

/** See `Template.dialect`. A template with `$schema` is ours. */
function dialectOf(root: MapNode, entries: ReadonlyMap<string, StateEntry>): Template["dialect"] {
	const has = (key: string): boolean =>
		[...entries.values()].some(({ node }) => node.kind === "map" && node.entries.has(key));
	const ae = root.entries.has("initial") && !root.entries.has("$schema") && has("agent") && !has("persona");
	return ae ? "ae" : "chronicle";
}

/** Reports `take: one` without a next state whose worker can hand over the choice, and where there is nothing to choose. */
function checkTake(
	states: ReadonlyMap<string, StatePlan>,
	entries: ReadonlyMap<string, StateEntry>,
	reading: ReadContext & StatePaths,
): void {
	for (const [name, plan] of states) {
		const node = entries.get(name)?.node;
		if (plan.children?.take !== "one" || node?.kind !== "map") continue;
		const start = node.entries.get("take")?.keyStart ?? node.start;
		const path = `${reading.pathOf(name)}.take`;
		const { children, next } = plan;
		const problem = explainJudge(next[0], states);
		if (problem)
			reading.report.error(reading.source.place(start), {
				code: "no-choice",
				message: `\`${path}\` is \`one\`, but ${problem.message}`,
				remedy: problem.remedy,
			});
		else if (
			(children.forEach === undefined && children.branches.length === 1) ||
			children.join === "any" ||
			children.join === 1
		)
			reading.report.warn(reading.source.place(start), {
				code: "no-effect",
				message: `\`${path}\` is \`one\`, but at most one child is done.`,
				remedy: "Remove it, or let more children be done.",
			});
	}
}

function explainJudge(
	name: string | undefined,
	states: ReadonlyMap<string, StatePlan>,
): { readonly message: string; readonly remedy: string } | undefined {
	const judge = name === undefined ? undefined : states.get(name);
	if (!judge?.persona) {
		const message =
			name === undefined ? "no state follows that chooses." : `no worker does the next state, ${quoted(name)}.`;
		return { message, remedy: "Name a state first in `next` whose worker chooses." };
	}
	const { properties = {}, additionalProperties } = judge.output ?? {};
	if (additionalProperties !== false || Object.hasOwn(properties as object, "winner")) return undefined;
	return {
		message: `the \`output\` of the next state, ${quoted(judge.name)}, allows no \`winner\`.`,
		remedy: 'Add `"winner": { "type": "string" }` to its `properties`.',
	};
}
