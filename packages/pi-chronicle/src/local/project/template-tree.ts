// A template with all templates that its children run, directly and indirectly, as pinned in a run's ledger.
// No template runs itself, not even indirectly; there are at most `MAX_CHILD_LEVELS` levels of children.
import { basename } from "node:path";
import { didYouMean, formatPlace, loopFrom, quoted } from "@pi-chronicle/core/definition";
import { MAX_CHILD_LEVELS, type PinnedTemplate } from "@pi-chronicle/core/machine";
import type { CheckOptions, LaunchProblem, WorkerAbilities, WorkerLauncher } from "@pi-chronicle/core/ports";
import { DEFAULT_CEILINGS, type StatePlan, type Template } from "@pi-chronicle/core/template";
import { listFileProblems } from "./list-files.ts";
import { missingPrograms } from "./missing-programs.ts";
import type { FoundTemplate, TemplateCatalogue } from "./template-catalogue.ts";
import { type BranchStep, openTemplatePlaces, type TemplateOrigin, type WantedField } from "./template-place.ts";

interface TreeProblem {
	/** The template whose state has the problem. */
	readonly at: Pick<TreeTemplate, "path" | "origin">;
	readonly state: string;
	readonly wanted: WantedField;
	readonly message: string;
	readonly remedy: string;
}

interface TreeTemplate {
	/** States that lead to it; empty for the root. */
	readonly path: string;
	readonly template: Template;
	/** It is inline in another template. */
	readonly inline: boolean;
	readonly origin: TemplateOrigin;
}

export interface TemplateTree {
	readonly pinned: Readonly<Record<string, PinnedTemplate>>;
	/** The first is the root. */
	readonly templates: readonly TreeTemplate[];
	readonly problems: readonly TreeProblem[];
}

/** Templates by name. */
type TemplateLookup = (name: string) => Pick<FoundTemplate, "read" | "file" | "diagnostics"> | undefined;

interface Visit extends TreeTemplate {
	readonly level: number;
}

/** Collects the templates that the template `root` runs. `names`: all that exist, for suggestions. */
function readTree(
	{ key, file, read: { template } }: RootTemplate,
	find: TemplateLookup,
	names: readonly string[] = [],
): TemplateTree {
	const pinned: Record<string, PinnedTemplate> = {};
	const templates: TreeTemplate[] = [];
	const problems: TreeProblem[] = [];
	const root: Visit = { template, path: "", inline: false, origin: { file, way: [] }, level: 0 };
	const loop = findLoop(key, (one) => namedBy(one === key ? template : find(one)?.read?.template));
	if (loop) {
		const message = `The templates run each other in a loop: ${loop.way.join(" → ")}.`;
		const remedy = "Let one of them do the work itself.";
		const { state, branch } = branchNaming(template, loop.first);
		return { pinned, templates, problems: [{ at: root, state, wanted: { branch }, message, remedy }] };
	}
	const open: Visit[] = [root];
	const levels = new Map<Template, number>();
	for (let next = open.shift(); next; next = open.shift()) {
		// Named again at another level, only its depth can differ.
		if (levels.get(next.template) === next.level) continue;
		levels.set(next.template, next.level);
		templates.push(next);
		for (const state of next.template.states.values()) {
			if (state.children && next.level >= MAX_CHILD_LEVELS) {
				const message = `Children are nested deeper than ${MAX_CHILD_LEVELS} levels.`;
				const remedy = "Move this into a state of an outer template.";
				problems.push({ at: next, state: state.name, wanted: ["run", "branches"], message, remedy });
				continue;
			}
			open.push(...childVisits(state, next, { find, names, pinned, problems }));
		}
	}
	return { pinned, templates, problems };
}

/** The root: a template that loads, or what could be read of one that does not. */
type RootTemplate = Pick<FoundTemplate, "key" | "file"> & { readonly read: { readonly template: Template } };

/** The path of a state in a tree. */
function pathInTree({ path }: Pick<TreeTemplate, "path">, state: string): string {
	return path === "" ? state : `${path}/${state}`;
}

/** A cycle among the templates that `name` runs, and which of its own templates leads to it. */
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
}

function childVisits({ name: state, children }: StatePlan, parent: Visit, collected: Collected): Visit[] {
	const { find, pinned, problems } = collected;
	const visits: Visit[] = [];
	const at = pathInTree(parent, state);
	const level = parent.level + 1;
	for (const { name: branch, template } of children?.branches ?? []) {
		const path = children?.branches.length === 1 ? at : `${at}/${branch}`;
		if (template.kind === "inline") {
			const { file, way } = parent.origin;
			const origin = { file, way: [...way, { state, branch }] };
			visits.push({ template: template.template, path, inline: true, origin, level });
			continue;
		}
		const { name } = template;
		const found = find(name);
		if (!found?.read) {
			problems.push({ at: parent, state, wanted: { branch }, ...explainMissing(name, found, collected.names) });
			continue;
		}
		const { definition, hash } = found.read;
		pinned[name] = { hash, definition, file: found.file };
		visits.push({ template: found.read.template, path, inline: false, origin: { file: found.file, way: [] }, level });
	}
	return visits;
}

function explainMissing(
	name: string,
	found: ReturnType<TemplateLookup>,
	names: readonly string[],
): { readonly message: string; readonly remedy: string } {
	if (!found) {
		const meant = didYouMean(basename(name).replace(/\.(?:jsonc?|json5|ya?ml)$/i, ""), names);
		return {
			message: `There is no template ${quoted(name)}.${meant}`,
			remedy: "Name a template file, without its extension.",
		};
	}
	const error = found.diagnostics.find(({ severity }) => severity === "error");
	const why = error ? `: ${formatPlace({ ...error, file: basename(error.file) })} ${error.message}` : ".";
	return { message: `The template ${quoted(name)} does not load${why}`, remedy: error?.remedy ?? "Fix it: see check." };
}

/** Names of the templates that a template runs, including those in inline templates. */
function namedBy(template: Template | undefined): string[] {
	return [...(template?.states.values() ?? [])].flatMap(({ children }) =>
		(children?.branches ?? []).flatMap(({ template: child }) =>
			child.kind === "named" ? [child.name] : namedBy(child.template),
		),
	);
}

/** The first state that names the template, and its branch. */
function branchNaming(template: Template, name: string): BranchStep {
	for (const { name: state, children } of template.states.values())
		for (const { name: branch, template: child } of children?.branches ?? [])
			if (child.kind === "named" ? child.name === name : namedBy(child.template).includes(name))
				return { state, branch };
	return { state: template.initial, branch: "" };
}

/** Data for child runs in the ledger; empty without them. */
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

interface CheckTreeOptions {
	/** The folder of the run, absolute. */
	readonly cwd: string;
	readonly signal?: AbortSignal | undefined;
	readonly ceilings?: "checked";
}

/** Checks a template with all templates that its children run: the names in their states, shared files, and on demand whether models can be held to ceilings. Problems have the path and position of their state. */
export async function checkTree(
	launcher: WorkerLauncher,
	root: RootTemplate,
	catalogue: Pick<TemplateCatalogue, "templates">,
	{ cwd, signal, ceilings }: CheckTreeOptions,
): Promise<{
	readonly tree: TemplateTree;
	readonly problems: readonly LaunchProblem[];
	readonly writers: ReadonlySet<StatePlan>;
}> {
	const { templates: known } = catalogue;
	const { template } = root.read;
	const tree = readTree(root, (one) => known.get(one), [...known.keys()]);
	const findPlace = openTemplatePlaces();
	const problems: LaunchProblem[] = [];
	const report = ({ at, state, wanted, message, remedy }: TreeProblem, severity: LaunchProblem["severity"] = "error") =>
		problems.push({
			state: pathInTree(at, state),
			severity,
			message,
			remedy,
			place: findPlace(at.origin, state, wanted),
		});
	for (const problem of tree.problems) report(problem);
	for (const at of tree.templates)
		for (const { severity, fields = [], ...problem } of await launcher.check([...at.template.states.values()], {
			signal,
			...(ceilings && { ceilings: { ...writtenCeilings(template), ...writtenCeilings(at.template) } }),
		}))
			report({ ...problem, at, wanted: fields }, severity);
	for (const at of tree.templates)
		for (const problem of missingPrograms([...at.template.states.values()], process.env.PATH))
			report({ ...problem, at, wanted: ["command"] }, "warning");
	for (const [problem, severity] of await listProblems(tree, cwd)) report(problem, severity);
	if (tree.templates.length < 2) return { tree, problems, writers: new Set() };
	const states = tree.templates.flatMap(({ template: one }) =>
		[...one.states.values()].filter(({ persona }) => persona),
	);
	const abilities = await launcher.abilities(states);
	const writers = new Set(states.filter((state) => canWrite(abilities.get(state))));
	for (const problem of sharingProblems(tree, known, writers)) report(problem);
	return { tree, problems, writers };
}

/** Problems of lists in files. Children may find another list in their folders, so only the root's is fixed. */
async function listProblems(
	{ templates }: TemplateTree,
	cwd: string,
): Promise<readonly (readonly [TreeProblem, LaunchProblem["severity"]])[]> {
	const all = templates.map(async (at, index) =>
		(await listFileProblems(at.template, cwd)).map(
			({ severity, ...problem }) =>
				[{ ...problem, at, wanted: ["for_each"] }, index === 0 ? severity : "warning"] as const,
		),
	);
	return (await Promise.all(all)).flat();
}

/** The ceilings of a template that are not the defaults. */
function writtenCeilings({ limits: { costUsd, tokens } }: Template): NonNullable<CheckOptions["ceilings"]> {
	return {
		...(costUsd === undefined || costUsd === DEFAULT_CEILINGS.costUsd ? {} : { costUsd }),
		...(tokens === undefined || tokens === DEFAULT_CEILINGS.tokens ? {} : { tokens }),
	};
}

/** Unknown abilities count as all. */
function canWrite({ edits, runs, other }: WorkerAbilities = { edits: true, runs: true, other: true }): boolean {
	return edits || runs || other;
}

/** Children that share the run's folder must not be able to write. */
function sharingProblems(
	{ templates }: TemplateTree,
	known: TemplateCatalogue["templates"],
	writers: ReadonlySet<StatePlan>,
): TreeProblem[] {
	const writes = (template: Template | undefined): boolean =>
		template !== undefined &&
		[...template.states.values()].some(
			(state) =>
				writers.has(state) ||
				state.command !== undefined ||
				state.cleanup.length > 0 ||
				(state.children?.branches ?? []).some(({ template: child }) =>
					writes(child.kind === "inline" ? child.template : known.get(child.name)?.read?.template),
				),
		);
	return templates.flatMap((at) =>
		[...at.template.states.values()].flatMap(({ name: state, children }) => {
			if (children?.files !== "shared") return [];
			const writing = children.branches.filter(({ template: child }) =>
				writes(child.kind === "inline" ? child.template : known.get(child.name)?.read?.template),
			);
			return writing.map((branch) => ({
				at,
				state,
				wanted: ["files"],
				message: `\`files: shared\`, but "${branch.name}" can change files.`,
				remedy: "Give its states only read tools, or remove `files`.",
			}));
		}),
	);
}
