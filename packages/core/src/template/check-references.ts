// Checks a template's references to the data that its states hand over: `{output.<state>.<path>}` in texts, `output.…` in `for_each`.
import { didYouMean, type Node, propertiesOf, quoted, type ReadContext } from "../definition/index.ts";
import { type OutputReference, referenceOf, referencesIn, splitReference } from "../output/index.ts";
import type { StateEntry } from "./fields.ts";
import { comparedReferences } from "./next-field.ts";
import type { StatePlan } from "./template.ts";

type States = ReadonlyMap<string, StatePlan>;

interface WrittenReference {
	/** The part after `output.`. */
	readonly reference: string;
	/** Full key of the text. */
	readonly path: string;
	readonly start: number;
	readonly isList: boolean;
	/** States of the inline templates around the text, which it can also name; those check it themselves. */
	readonly inner: readonly string[];
}

export interface StatePaths {
	/** Paths of states in their file. */
	readonly pathOf: (state: string) => string;
	/** States of the templates that run this one as a child, whose data it can use. */
	readonly outer: readonly string[];
}

/** Texts of a state in which references are filled in, and commands, in which they are not. */
const texts = ["description", "instructions", "task"];
const commands = ["cleanup", "setup", "command"];

/** Reports references without a target. Ledgers keep what earlier versions accepted. */
export function checkReferences(
	states: States,
	entries: ReadonlyMap<string, StateEntry>,
	reading: ReadContext & StatePaths,
): void {
	if (reading.source.file === "") return;
	for (const [name, { node }] of entries) {
		if (node.kind !== "map") continue;
		const path = reading.pathOf(name);
		for (const written of writtenIn(node, path)) checkReference(written, states, reading);
		for (const key of commands) warnCommands(node.entries.get(key)?.value, `${path}.${key}`, reading);
	}
}

function writtenIn(node: Extract<Node, { kind: "map" }>, path: string): WrittenReference[] {
	const found = [...referencesInTexts(node, path, []), ...inlineIn(node, path, [])];
	for (const { reference, start } of comparedReferences(node.entries.get("next")?.value))
		found.push({ reference, path: `${path}.next.when`, start, isList: false, inner: [] });
	const source = node.entries.get("for_each")?.value;
	const reference =
		source?.kind === "scalar" && typeof source.value === "string" ? referenceOf(source.value.trim()) : undefined;
	if (source && reference !== undefined)
		found.push({ reference, path: `${path}.for_each`, start: source.start, isList: true, inner: [] });
	return found;
}

type MapNode = Extract<Node, { kind: "map" }>;

function referencesInTexts(node: MapNode, path: string, inner: readonly string[]): readonly WrittenReference[] {
	return texts.flatMap((key) => {
		const value = node.entries.get(key)?.value;
		if (value?.kind !== "scalar" || typeof value.value !== "string") return [];
		const { start } = value;
		return referencesIn(value.value).map((reference) => ({
			...{ reference, path: `${path}.${key}`, start, isList: false, inner },
		}));
	});
}

/** The texts of the inline children of a state, and of theirs. */
function inlineIn(node: MapNode, path: string, inner: readonly string[]): readonly WrittenReference[] {
	const branches = node.entries.get("branches")?.value;
	const runs = [...(branches?.kind === "map" ? branches.entries : [])].flatMap(([name, { value }]) => {
		if (value.kind !== "map") return [];
		const at = `${path}.branches.${name}`;
		return [...referencesInTexts(value, at, inner), ...inlineIn(value, at, inner)];
	});
	const states = writtenStates(node.entries.get("run")?.value);
	const names = [...inner, ...(states?.keys() ?? [])];
	const nested = [...(states ?? [])].flatMap(([name, { value }]) => {
		if (value.kind !== "map") return [];
		const at = `${path}.run.states.${name}`;
		return [...referencesInTexts(value, at, names), ...inlineIn(value, at, names)];
	});
	return [...runs, ...nested];
}

function writtenStates(run: Node | undefined): MapNode["entries"] | undefined {
	const states = run?.kind === "map" ? run.entries.get("states")?.value : undefined;
	return states?.kind === "map" ? states.entries : undefined;
}

function checkReference(
	{ reference, path, start, isList, inner }: WrittenReference,
	states: States,
	reading: ReadContext & StatePaths,
): void {
	const place = reading.source.place(start);
	const report = (severity: "error" | "warn", message: string, remedy: string): void =>
		reading.report[severity](place, { code: "bad-reference", message: `\`${path}\`: ${message}`, remedy });
	const shown = quoted(isList ? `output.${reference}` : `{output.${reference}}`);
	const found = splitReference(reference, states.keys());
	if (splitReference(reference, inner) || (!found && splitReference(reference, reading.outer))) return;
	// A text of an inline template may name a state of the template around it, which checks it.
	if (!found && !isList && reading.path !== "") return;
	const [first = ""] = reference.split(".");
	if (!found) {
		const near = didYouMean(first, states.keys());
		// A template without such data may use braces for something else.
		const isMeant = isList || near !== "" || [...states.values()].some(({ output }) => output);
		report(
			isMeant ? "error" : "warn",
			`${shown} does not name a state of this template.${near}`,
			"Name a state that hands over data, of this template or of one that runs it as a child.",
		);
		return;
	}
	const plan = states.get(found.state);
	if (found.path[0] === "winner" && isJudge(found.state, states)) return;
	const why = plan && (plan.children ? explainBranchPath(plan, found) : explainPath(plan, found, isList));
	if (why) report(why.severity, `${shown} ${why.message}`, why.remedy);
}

/** Whether the worker of the state chooses a child, so that its data has a `winner`. */
function isJudge(name: string, states: States): boolean {
	return [...states.values()].some(({ children, next }) => children?.take === "one" && next[0] === name);
}

type Why = { readonly severity: "error" | "warn"; readonly message: string; readonly remedy: string } | undefined;

/** The data of a state with branches has one field per branch, that of `for_each` is a list. */
function explainBranchPath({ children, name }: StatePlan, { path: [first] }: OutputReference): Why {
	const names = children?.branches.map((branch) => branch.name) ?? [];
	const single = children?.forEach !== undefined || (names.length === 1 && names[0] === name);
	if (single || first === undefined || names.some((branch) => branch === first || branch.startsWith(`${first}.`)))
		return undefined;
	const message = `does not name a branch of "${name}".${didYouMean(first, names)}`;
	return { severity: "error", message, remedy: `Write one of ${names.join(", ")}.` };
}

function explainPath({ name, output }: StatePlan, { path }: OutputReference, isList: boolean): Why {
	if (!output)
		return {
			severity: "error",
			message: `leads to nothing: "${name}" has no \`output\`.`,
			remedy: `Add an \`output\` to "${name}", or name another state.`,
		};
	let schema: unknown = output;
	for (const step of path) {
		const next = stepInto(propertiesOf(schema), step);
		if (next.kind === "unknown") return undefined;
		if (next.kind === "missing") {
			const message = `leads to ${quoted(step)}, which the \`output\` of "${name}" does not describe.${didYouMean(step, next.known)}`;
			return { severity: next.closed ? "error" : "warn", message, remedy: "Name a field of the data." };
		}
		schema = next.schema;
	}
	const { type } = propertiesOf(schema);
	if (!isList || type === undefined || [type].flat().includes("array")) return undefined;
	const message = `is not a list: its type is ${JSON.stringify(type)}.`;
	return { severity: "error", message, remedy: "Name a list in the data." };
}

type SchemaStep =
	| { readonly kind: "found"; readonly schema: unknown }
	| { readonly kind: "missing"; readonly known: readonly string[]; readonly closed: boolean }
	/** The schema does not say. */
	| { readonly kind: "unknown" };

type SchemaGroup = Readonly<Record<string, unknown>>;

/** Parts of a schema that may describe further fields. */
const otherParts = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties", "then"];

function stepInto(schema: SchemaGroup, step: string): SchemaStep {
	const { properties, additionalProperties, items, prefixItems } = schema;
	if (properties === undefined && /^\d+$/.test(step)) {
		const own = Array.isArray(prefixItems) ? prefixItems[Number(step)] : undefined;
		return { kind: "found", schema: own ?? items };
	}
	if (typeof properties !== "object" || properties === null) return { kind: "unknown" };
	if (Object.hasOwn(properties, step)) return { kind: "found", schema: (properties as SchemaGroup)[step] };
	if (otherParts.some((key) => key in schema)) return { kind: "unknown" };
	return { kind: "missing", known: Object.keys(properties), closed: additionalProperties === false };
}

/** Commands run exactly as they were approved. */
function warnCommands(node: Node | undefined, path: string, reading: ReadContext): void {
	if (node?.kind === "scalar" && referencesIn(node.written).length > 0)
		reading.report.warn(reading.source.place(node.start), {
			code: "no-effect",
			message: `\`${path}\`: references to data stay as they are, because commands run exactly as you approved them.`,
			remedy: "Let the worker write the data to a file, and read the file in the command.",
		});
	if (node?.kind === "list") for (const item of node.items) warnCommands(item, path, reading);
	if (node?.kind === "map") warnCommands(node.entries.get("command")?.value, path, reading);
}
