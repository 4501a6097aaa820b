// Rehearses a chronicle: finds its template and plans a path through its states.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { pairKey, type Template } from "@pi-chronicle/core/template";
import { type FoundTemplate, type PlannedEnds, readLog, readTemplates, templateFolders } from "../../local/index.ts";
import { type AgentRegistry, loadAgentRegistry } from "../../persona/index.ts";
import { playChronicle } from "./chronicle-run.ts";
import { commandStates, planCommands } from "./commands.ts";
import {
	chronicleEvidence,
	type Evidence,
	ledgerOrigin,
	planChronicleCoverage,
	type RehearsedChild,
	withChildren,
} from "./every/index.ts";
import { aroundTemplates, checkTemplateInstructions, toolsOfStates } from "./instructions/index.ts";
import { openScenario, unknownScripts } from "./open-scenario.ts";
import { planPath } from "./path.ts";
import {
	type Coverage,
	defaultTask,
	type Expected,
	type Playable,
	type Program,
	type ProjectPaths,
	type RehearsalRequest,
	type Unplayable,
} from "./rehearse.ts";
import type { Cue } from "./scenario.ts";

/** The names of all templates that load. */
export function chronicleNames(paths: ProjectPaths): string[] {
	return [...loadTemplates(paths)].filter(([, { read }]) => read !== undefined).map(([name]) => name);
}

/** Finds and checks the requested template; `undefined` if no template has that name, valid or not. */
export function planChronicle(request: RehearsalRequest, paths: ProjectPaths): Playable | Unplayable | undefined {
	const found = loadTemplates(paths).get(request.name);
	if (!found) return undefined;
	if (!found.read)
		return {
			kind: "unplayable",
			message: `The chronicle ${request.name} does not load.`,
			diagnostics: found.diagnostics,
		};
	const opened = openScenario(request, paths, "chronicle", found);
	if (opened.kind === "unplayable") return opened;
	const { template } = found.read;
	const expected = [...expectedStates(template), ...childStates(template, paths)];
	const task = request.task.trim() || defaultTask;
	return {
		kind: "playable",
		shipped: found.tier === "shipped",
		program: {
			kind: "chronicle",
			name: found.key,
			task,
			scenario: opened.file,
			diagnostics: [
				...found.diagnostics,
				...templateInstructionProblems(found, paths),
				...opened.diagnostics,
				...unknownScripts(opened, "state", [...expected, ...commandPlaces(template, paths)]),
			],
			expected,
		},
		config: { path: plannedPath(template), commands: rehearsedCommands(template, paths, opened.scenario.states) },
		play: (scene) => playChronicle(found.key, task, scene),
		coverage: () => coverageOf(template, paths, { name: found.key, task }),
	};
}

function coverageOf(template: Template, paths: ProjectPaths, { name, task }: Pick<Program, "name" | "task">): Coverage {
	const children = childTemplates(template, paths);
	return {
		plan: withChildren(planChronicleCoverage(template, stateTools(template, paths)), template, children),
		commands: (script) => rehearsedCommands(template, paths, new Map(Object.entries(script)), []),
		async play(scene, atStart) {
			const ended = await playChronicle(name, task, scene, atStart);
			const sessions = join(scene.copy.project, ".pi", "chronicle", "sessions");
			const logs = readdirSync(sessions).filter((name) => name.endsWith(".events.jsonl"));
			scene.tracker.end("stopped");
			const ledgers = logs.map((name) => readLog(join(sessions, name)));
			return { ...ended, evidence: treeEvidence(template, children, ledgers, scene.tracker.visits) };
		},
	};
}

/** How the commands of a run and of its children end. */
function rehearsedCommands(
	template: Template,
	paths: ProjectPaths,
	scripts: ReadonlyMap<string, readonly Cue[]>,
	path: readonly string[] = plannedPath(template),
): PlannedEnds {
	const children = childTemplates(template, paths).map(({ key, template: child }) =>
		planCommands(child, scripts, { scope: key }),
	);
	return Object.assign({}, ...children, planCommands(template, scripts, { path }));
}

/** The states that are a command, for which a scenario can have an exit code. */
function commandPlaces(template: Template, paths: ProjectPaths): Expected[] {
	const children = childTemplates(template, paths).flatMap(({ key, template: child }) =>
		commandStates(child).map(({ name }) => ({ scope: key, id: name, name, label: `${key}/${name}` })),
	);
	return [
		...commandStates(template).map(({ name }) => ({ scope: undefined, id: name, name, label: name })),
		...children,
	];
}

/** The evidence of a run and of its child runs. */
function treeEvidence(
	template: Template,
	children: readonly RehearsedChild[],
	ledgers: readonly (readonly LedgerEvent[])[],
	visits: Parameters<typeof chronicleEvidence>[2],
): Evidence {
	const root = ledgers.find((events) => ledgerOrigin(events).child === undefined) ?? [];
	const { covered, broken, end } = chronicleEvidence(template, root, visits);
	const all = { covered: new Set(covered), broken: new Map(broken), end };
	for (const events of ledgers.filter((one) => ledgerOrigin(one).child !== undefined)) {
		const child = children.find(({ key }) => key === ledgerOrigin(events).name);
		if (!child) continue;
		const { covered: below, broken: wrong } = chronicleEvidence(child.template, events, visits, child.key);
		for (const id of below) all.covered.add(`${child.key}/${id}`);
		for (const [id, why] of wrong) all.broken.set(`${child.key}/${id}`, why);
	}
	return all;
}

/** The templates that the children of a template run, directly and through others. */
function childTemplates(template: Template, paths: ProjectPaths): readonly RehearsedChild[] {
	const catalogue = loadTemplates(paths);
	const found = new Map<string, RehearsedChild>();
	const add = (plan: Template, root: string | undefined): void => {
		for (const { name, children } of plan.states.values())
			for (const branch of children?.branches ?? []) {
				const [key, child] = childTemplate(branch, catalogue);
				if (!child || found.has(key)) continue;
				const state = root ?? name;
				found.set(key, { key, template: child, toolsOf: stateTools(child, paths), state });
				add(child, state);
			}
	};
	add(template, undefined);
	return [...found.values()];
}

function stateTools(template: Template, paths: ProjectPaths): (state: string) => readonly string[] | undefined {
	return toolsOfStates(template, registryOf(paths));
}

/** The agents; the home folder of a rehearsal has none. */
function registryOf({ cwd, agentFolder }: ProjectPaths): AgentRegistry {
	return loadAgentRegistry({ cwd, project: "trusted", agentFolder, home: agentFolder });
}

/** Warnings about instructions that the template's workers, or those of its children, cannot follow. */
function templateInstructionProblems(found: FoundTemplate, paths: ProjectPaths): Diagnostic[] {
	const catalogue = loadTemplates(paths);
	const around = aroundTemplates(registryOf(paths), catalogue.values());
	const children = found.read ? childTemplates(found.read.template, paths).map(({ key }) => catalogue.get(key)) : [];
	return [found, ...children].flatMap((each) => (each ? checkTemplateInstructions(each, around) : []));
}

function loadTemplates({ cwd, agentFolder }: ProjectPaths): ReadonlyMap<string, FoundTemplate> {
	return readTemplates(templateFolders({ cwd, agentFolder, trusted: true })).templates;
}

/** The states of all child runs, by the names of their templates. */
function childStates(template: Template, paths: ProjectPaths): Expected[] {
	const templates = childTemplates(template, paths);
	const all = [template, ...templates.map(({ template: child }) => child)];
	return templates.flatMap(({ key, template: child }) => {
		const children = [...new Set(all.flatMap((parent) => namesOfChildren(parent, key)))];
		return expectedStates(child).map((state) => ({ ...state, scope: key, children, label: `${key}/${state.name}` }));
	});
}

/** Names of the children of `parent` that run the template `key`. */
function namesOfChildren({ states }: Template, key: string): string[] {
	return [...states.values()].flatMap(({ children }) =>
		(children?.branches ?? [])
			.filter(({ name, template }) => (template.kind === "inline" ? name : template.name) === key)
			.map(({ name }) => (children?.forEach === undefined ? name : `${name} 1`)),
	);
}

type StatePlan = NonNullable<ReturnType<Template["states"]["get"]>>;
type Branch = NonNullable<StatePlan["children"]>["branches"][number];

/** The name and the template of a child run; no template if it does not load. */
function childTemplate(
	{ name, template }: Branch,
	catalogue: ReadonlyMap<string, FoundTemplate>,
): readonly [string, Template | undefined] {
	if (template.kind === "inline") return [name, template.template];
	return [template.name, catalogue.get(template.name)?.read?.template];
}

/** The states with a worker. */
function expectedStates({ states }: Template): Expected[] {
	return [...states.values()]
		.filter(({ terminal, persona, children, command }) => (!terminal || persona !== undefined) && !children && !command)
		.filter(({ name }) => name !== "human_intervention")
		.map(({ name }) => ({ scope: undefined, id: name, name, label: name }));
}

function plannedPath({ initial, states, limits }: Template): readonly string[] {
	return planPath({
		initial,
		person: "human_intervention",
		personChooses: true,
		mayRepeat: () => false,
		next: new Map(
			[...states].map(([name, { next, terminal, children }]) => [
				name,
				terminal ? [] : children ? next.slice(0, 1) : next,
			]),
		),
		maxMoves: limits.moves,
		maxMovesBetween: (one, other) => limits.pairs[pairKey(one, other)] ?? limits.pairMoves,
	});
}
