// Locates a field of a state in the template's file, inline templates included.
// For a field that the file omits, the place is the state's name; if the state is not found either, it is the whole file.
import {
	type MapEntry,
	type Node,
	type Place,
	parseJson,
	parseYaml,
	readSource,
	type Source,
} from "@pi-chronicle/core/definition";

/** Where a template is written. */
export interface TemplateOrigin {
	/** Absolute. */
	readonly file: string;
	/** The states and branches that lead to it from the template of the file. */
	readonly way: readonly BranchStep[];
}

/** A child of a state; with `run` its branch has the name of the state. */
export interface BranchStep {
	readonly state: string;
	readonly branch: string;
}

/** What is looked for in a state: the first of these fields that is written, or what a branch runs. */
export type WantedField = readonly string[] | { readonly branch: string };

/** Finds places. Each file is read at most once. */
type FindPlace = (origin: TemplateOrigin, state: string, wanted: WantedField) => Place;

/** Fields that say who does a state. */
const doers = ["agent", "persona", "run", "branches", "command"];

export function openTemplatePlaces(): FindPlace {
	const files = new Map<string, { readonly source: Source; readonly root: Node | undefined } | undefined>();
	const read = (file: string) => {
		if (!files.has(file)) files.set(file, readTemplateFile(file));
		return files.get(file);
	};
	return ({ file, way }, state, wanted) => {
		const found = read(file);
		if (!found) return { file };
		let template = found.root;
		for (const step of way) template = branchIn(stateEntry(template, step.state)?.value, step.branch)?.value;
		const entry = stateEntry(template, state);
		if (!entry) return { file };
		const field =
			"branch" in wanted
				? branchIn(entry.value, wanted.branch)
				: [...wanted, ...doers].map((key) => mapEntries(entry.value)?.get(key)).find((one) => one !== undefined);
		return found.source.place(field?.value.start ?? entry.keyStart);
	};
}

function readTemplateFile(file: string): { readonly source: Source; readonly root: Node | undefined } | undefined {
	const read = readSource(file);
	if (read.kind !== "text") return undefined;
	const { source } = read;
	return { source, root: (/\.ya?ml$/i.test(file) ? parseYaml(source) : parseJson(source)).root };
}

/** A state of a template. A branch that is written as a state is its own template. */
function stateEntry(template: Node | undefined, name: string): MapEntry | undefined {
	const entries = mapEntries(template);
	if (template && entries && !entries.has("states")) return { keyStart: template.start, value: template };
	return mapEntries(entries?.get("states")?.value)?.get(name);
}

/** What the branch of a state runs: the name of a template, a template, or a state. */
function branchIn(state: Node | undefined, name: string): MapEntry | undefined {
	const entries = mapEntries(state);
	const branch = mapEntries(entries?.get("branches")?.value)?.get(name);
	return branch ? (mapEntries(branch.value)?.get("run") ?? branch) : entries?.get("run");
}

function mapEntries(node: Node | undefined): ReadonlyMap<string, MapEntry> | undefined {
	return node?.kind === "map" ? node.entries : undefined;
}
