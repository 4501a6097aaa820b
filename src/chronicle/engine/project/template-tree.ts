// A template with all templates that its children run, directly and indirectly, as pinned in a run's ledger.
// T1 no template runs itself, not even indirectly; T2 there are at most `MOST_LEVELS` levels of children.
import { didYouMean, loopFrom, quoted } from "../../../definition/index.ts";
import {
	type LaunchProblem,
	MOST_LEVELS,
	type PinnedTemplate,
	type StatePlan,
	type Template,
	type WorkerLauncher,
} from "../../core/index.ts";
import type { FoundTemplate, TemplateCatalogue } from "./template-catalogue.ts";

export interface TreeProblem {
	/** State that names the template. */
	readonly state: string;
	readonly message: string;
	readonly remedy: string;
}

export interface TreeTemplate {
	/** States that lead to it; empty for the root. */
	readonly path: string;
	readonly template: Template;
	/** It is written in another one. */
	readonly inline: boolean;
}

export interface TemplateTree {
	readonly pinned: Readonly<Record<string, PinnedTemplate>>;
	/** The first is the root. */
	readonly templates: readonly TreeTemplate[];
	readonly problems: readonly TreeProblem[];
}

/** Templates by name. */
export type TemplateLookup = (name: string) => Pick<FoundTemplate, "read" | "file"> | undefined;

interface Visit extends TreeTemplate {
	readonly level: number;
}

/** Collects the templates that `template` (named `name`) runs. `names`: all that exist, for suggestions. */
export function readTree(
	name: string,
	template: Template,
	find: TemplateLookup,
	names: readonly string[] = [],
): TemplateTree {
	const pinned: Record<string, PinnedTemplate> = {};
	const templates: TreeTemplate[] = [];
	const problems: TreeProblem[] = [];
	const loop = findLoop(name, (one) => namedBy(one === name ? template : find(one)?.read?.template));
	if (loop) {
		const state = stateNaming(template, loop.first);
		const message = `The templates run each other in a loop: ${loop.way.join(" → ")}.`;
		return { pinned, templates, problems: [{ state, message, remedy: "Let one of them do the work itself." }] };
	}
	const open: Visit[] = [{ template, path: "", inline: false, level: 0 }];
	const levels = new Map<Template, number>();
	for (let next = open.shift(); next; next = open.shift()) {
		const { path, level, inline } = next;
		// Named again at another level, only its depth can differ.
		if (levels.get(next.template) === level) continue;
		levels.set(next.template, level);
		templates.push({ path, template: next.template, inline });
		for (const state of next.template.states.values()) {
			const at = path === "" ? state.name : `${path}/${state.name}`;
			if (state.children && level >= MOST_LEVELS) {
				const message = `Children are nested deeper than ${MOST_LEVELS} levels.`;
				problems.push({ state: at, message, remedy: "Move this into a state of an outer template." });
				continue;
			}
			open.push(...childrenOf(state, { find, names, pinned, problems, at, level }));
		}
	}
	return { pinned, templates, problems };
}

/** A circle among the templates that `name` runs, and which of its own templates leads to it. */
function findLoop(
	name: string,
	references: (name: string) => readonly string[],
): { readonly way: readonly string[]; readonly first: string } | undefined {
	const own = loopFrom(name, references);
	if (own) return { way: own, first: own[1] ?? name };
	for (const first of new Set(references(name))) {
		const reached = new Set([first]);
		for (const one of reached) {
			const way = loopFrom(one, references);
			if (way) return { way, first };
			for (const next of references(one)) reached.add(next);
		}
	}
	return undefined;
}

interface Collected {
	readonly find: TemplateLookup;
	readonly names: readonly string[];
	readonly pinned: Record<string, PinnedTemplate>;
	readonly problems: TreeProblem[];
	readonly at: string;
	readonly level: number;
}

function childrenOf({ children }: StatePlan, { find, names, pinned, problems, at, level }: Collected): Visit[] {
	const visits: Visit[] = [];
	for (const { name, template } of children?.branches ?? []) {
		const path = children?.branches.length === 1 ? at : `${at}/${name}`;
		if (template.kind === "inline") {
			visits.push({ template: template.template, path, inline: true, level: level + 1 });
			continue;
		}
		const found = find(template.name);
		if (!found?.read) {
			const message = found
				? `The template ${quoted(template.name)} does not load.`
				: `There is no template ${quoted(template.name)}.${didYouMean(template.name, names)}`;
			problems.push({
				state: at,
				message,
				remedy: found ? "Fix it: see check." : "Name a template file, without its extension.",
			});
			continue;
		}
		const { definition, hash } = found.read;
		pinned[template.name] = { hash, definition, file: found.file };
		visits.push({ template: found.read.template, path, inline: false, level: level + 1 });
	}
	return visits;
}

/** Names of the templates that a template runs, also in templates that are written in it. */
function namedBy(template: Template | undefined): string[] {
	return [...(template?.states.values() ?? [])].flatMap(({ children }) =>
		(children?.branches ?? []).flatMap(({ template: child }) =>
			child.kind === "named" ? [child.name] : namedBy(child.template),
		),
	);
}

/** The first state that names the template. */
function stateNaming(template: Template, name: string): string {
	for (const state of template.states.values())
		for (const { template: child } of state.children?.branches ?? [])
			if (child.kind === "named" ? child.name === name : namedBy(child.template).includes(name)) return state.name;
	return template.initial;
}

/** What the ledger keeps for child runs; empty without them. */
export interface PinnedChildren {
	readonly children?: Readonly<Record<string, PinnedTemplate>>;
	readonly readOnlyAgents?: readonly string[];
}

/** The pins of a tree. `writers`: states whose workers can change files. */
export function pinnedChildren({ pinned, templates }: TemplateTree, writers: ReadonlySet<StatePlan>): PinnedChildren {
	if (templates.length < 2) return {};
	const states = templates.flatMap(({ template }) => [...template.states.values()]);
	const named = (wanted: boolean): string[] =>
		states.flatMap((state) =>
			state.persona && !state.tools && writers.has(state) === wanted ? [state.persona.name] : [],
		);
	const writing = new Set(named(true));
	const readOnlyAgents = [...new Set(named(false))].filter((name) => !writing.has(name));
	return {
		...(Object.keys(pinned).length > 0 ? { children: pinned } : {}),
		...(readOnlyAgents.length > 0 ? { readOnlyAgents } : {}),
	};
}

/** Checks a template with all that its children run: what the states name, and who shares files. Problems name the path of their state. */
export async function checkTree(
	launcher: WorkerLauncher,
	name: string,
	template: Template,
	catalogue: Pick<TemplateCatalogue, "templates">,
	signal?: AbortSignal,
): Promise<{
	readonly tree: TemplateTree;
	readonly problems: readonly LaunchProblem[];
	readonly writers: ReadonlySet<StatePlan>;
}> {
	const { templates: known } = catalogue;
	const tree = readTree(name, template, (one) => known.get(one), [...known.keys()]);
	const problems: LaunchProblem[] = tree.problems.map((problem) => ({ ...problem, severity: "error" }));
	for (const { path, template: one } of tree.templates)
		for (const problem of await launcher.check([...one.states.values()], signal))
			problems.push(path === "" ? problem : { ...problem, state: `${path}/${problem.state}` });
	if (tree.templates.length < 2) return { tree, problems, writers: new Set() };
	const states = tree.templates.flatMap(({ template: one }) =>
		[...one.states.values()].filter(({ persona }) => persona),
	);
	const writers = await launcher.writers(states);
	return { tree, problems: [...problems, ...sharingProblems(tree, known, writers)], writers };
}

/** Children that share the run's folder must not be able to write. */
function sharingProblems(
	{ templates }: TemplateTree,
	known: TemplateCatalogue["templates"],
	writers: ReadonlySet<StatePlan>,
): LaunchProblem[] {
	const writes = (template: Template | undefined): boolean =>
		template !== undefined &&
		[...template.states.values()].some(
			(state) =>
				writers.has(state) ||
				state.cleanup.length > 0 ||
				(state.children?.branches ?? []).some(({ template: child }) =>
					writes(child.kind === "inline" ? child.template : known.get(child.name)?.read?.template),
				),
		);
	return templates.flatMap(({ path, template }) =>
		[...template.states.values()].flatMap(({ name, children }) => {
			if (children?.files !== "shared") return [];
			const writing = children.branches.filter(({ template: child }) =>
				writes(child.kind === "inline" ? child.template : known.get(child.name)?.read?.template),
			);
			return writing.map((branch) => ({
				state: path === "" ? name : `${path}/${name}`,
				severity: "error" as const,
				message: `\`files: shared\`, but "${branch.name}" can change files.`,
				remedy: "Give its states only read tools, or remove `files`.",
			}));
		}),
	);
}
