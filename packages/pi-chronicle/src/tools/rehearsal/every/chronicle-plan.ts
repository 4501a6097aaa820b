// Plans the coverage rehearsal of a chronicle: items and runs. Pure. No user lifts a limit in these runs, so "unreachable" means
// unreachable under the template's own limits.
import { pairKey, type StatePlan, type Template } from "@pi-chronicle/core/template";
import { commandStates, waysOf } from "../commands.ts";
import type { Script } from "../scenario.ts";
import {
	approvalsOf,
	attemptsOf,
	callsOnPath,
	endWith,
	exitTo,
	type Facts,
	keyOfApproval,
	type Pending,
	personState,
	probeCue,
	scriptOfPath,
	wayId,
} from "./chronicle-script.ts";
import {
	type CoverageItem,
	type CoveragePlan,
	type Excluded,
	joinPlans,
	type PlannedRun,
	rejection,
} from "./coverage.ts";
import { coverEdges, type Edge, edgesOf, type Graph, pathTo, type Why } from "./paths.ts";

/** The tools of a state's worker by pi's names; `undefined`: nothing limits them. */
export type ToolsOf = (state: string) => readonly string[] | undefined;

const whys: Record<Why, string> = {
	"no-path": "no path leads to its state",
	repeat: "the limit on attempts allows only one",
	pair: "the limit between the two states is used up on the way",
	moves: "the limit on moves comes first",
};

/** Plans the coverage of a template. `person`: whether its workers escalate to the user; in child runs, nobody would answer. */
export function planChronicleCoverage(
	template: Template,
	toolsOf: ToolsOf,
	person: "asked" | "never asked" = "asked",
): CoveragePlan {
	const graph = graphOf(template, person);
	const { paths, unreachable } = coverEdges(graph);
	const facts: Facts = { template, graph, probes: probesOf(template, toolsOf) };
	const isCommand = (name: string): boolean => template.states.get(name)?.command !== undefined;
	const moves = edgesOf(graph)
		.filter(({ from }) => !isCommand(from))
		.map((edge): Candidate => {
			const lost = unreachable.find((one) => one.edge.from === edge.from && one.edge.to === edge.to);
			return [transitionItem(edge), lost && whys[lost.why]];
		});
	const ends = finishers(template).map(
		({ name }): Candidate => [transitionItem({ from: name, to: "done" }), whyUnreached(graph, name)],
	);
	const transitions = splitByReason([...moves, ...ends]);
	const runs = withFinishers(facts, paths);
	const approvals = planApprovals(facts, runs);
	const questions = planQuestions(facts);
	const tools = planTools(facts, toolsOf);
	const commands = planWays(facts);
	const ways = new Map(commands.map(({ id, way }) => [id, way]));
	const pending = {
		ways,
		rejections: new Set(approvals.inline),
		probes: new Set(tools.items.map(({ id }) => id)),
		questions: new Set(questions.items.map(({ id }) => id)),
	};
	const walked = runs.map((path): PlannedRun => {
		const { script, covers } = scriptOfPath(facts, path, pending);
		return { title: path.join(" → "), covers, script };
	});
	const further = [...ways].flatMap(([id, { from, to }]) => runOfWay(facts, id, { from, to }, pending));
	return {
		items: [
			...transitions.items,
			...commands.map(({ id, text }) => ({ id, text, group: "transition" as const })),
			...approvals.items,
			...questions.items,
			...tools.items,
		],
		unreachable: [...transitions.excluded, ...approvals.excluded, ...questions.excluded, ...tools.excluded],
		runs: [...walked, ...further, ...approvals.runs],
	};
}

/** Every way out of a command, by the id of its item. */
function planWays({ template, graph }: Facts) {
	return commandStates(template).flatMap((state) =>
		whyUnreached(graph, state.name) === undefined
			? waysOf(state).map((way) => ({
					id: wayId(state.name, way.name),
					text: `${state.name}: ${way.name} → ${way.to}`,
					way: { ...way, from: state.name },
				}))
			: [],
	);
}

/** A run for a way out of a command that no path has taken. */
function runOfWay(facts: Facts, id: string, { from, to }: Edge, pending: Pending): readonly PlannedRun[] {
	const before = pathTo(facts.graph, from);
	if (!before || !pending.ways?.has(id)) return [];
	const { script, covers } = scriptOfPath(facts, [...before, to], { ...pending, first: id });
	return [{ title: `${id.slice("way:".length)} → ${to}`, covers, script }];
}

/** An item, and why no run can cover it; `undefined`: one can. */
type Candidate = readonly [item: CoverageItem, why: string | undefined];

interface SplitItems {
	readonly items: readonly CoverageItem[];
	readonly excluded: readonly Excluded[];
}

function splitByReason(candidates: readonly Candidate[]): SplitItems {
	return {
		items: candidates.flatMap(([item, why]) => (why === undefined ? [item] : [])),
		excluded: candidates.flatMap(([item, why]) => (why === undefined ? [] : [{ ...item, why }])),
	};
}

/** Why no run enters the state; `undefined`: one does. */
function whyUnreached(graph: Graph, state: string): string | undefined {
	return pathTo(graph, state) ? undefined : whys["no-path"];
}

function transitionItem({ from, to }: Edge): CoverageItem {
	return { id: `move:${from}>${to}`, group: "transition", text: `${from} → ${to}` };
}

function approvalItem(key: string, answer: "yes" | "no"): CoverageItem {
	const [side, state] = key.split(/:(.*)/s);
	return { id: `approval:${key}:${answer}`, group: "approval", text: `${side} of ${state}: ${answer}` };
}

function toolsItem(state: string, probe?: string): CoverageItem {
	return { id: `tools:${state}`, group: "tools", text: probe === undefined ? state : `${state} refuses ${probe}` };
}

/** Where a state leads, in a run that may also go to `asked`. */
function targetsOf({ next, terminal, children, command }: StatePlan, asked: readonly string[]): readonly string[] {
	// Child runs make no decision: they lead to the first target.
	if (children) return next.slice(0, 1);
	if (terminal) return [];
	// A command asks nobody.
	return command ? next : [...new Set([...next, ...asked])];
}

export function graphOf({ initial, states, limits }: Template, person: "asked" | "never asked" = "asked"): Graph {
	const asked = person === "asked" ? [personState] : [];
	const next = new Map<string, readonly string[]>();
	const own = states.get(personState)?.next.filter((name) => states.has(name)) ?? [];
	for (const state of states.values()) if (state.name !== personState) next.set(state.name, targetsOf(state, asked));
	if (person === "asked") next.set(personState, own);
	return {
		initial,
		next,
		person: personState,
		personChooses: own.length > 0,
		maxMoves: limits.moves,
		maxMovesBetween: (one, other) => limits.pairs[pairKey(one, other)] ?? limits.pairMoves,
		mayRepeat: (state) => attemptsOf({ states, limits }, state) > 1,
	};
}

/** States with a worker. */
function workersOf({ states }: Template) {
	return [...states.values()].filter(({ persona }) => persona !== undefined);
}

/** Final states with a worker. */
function finishers(template: Template) {
	return workersOf(template).filter(({ terminal }) => terminal);
}

/** The paths, and one more to each final state with a worker that none of them ends in. */
function withFinishers({ template, graph }: Facts, paths: EdgePathList): EdgePathList {
	const ends = new Set(paths.map((path) => path.at(-1)));
	const more = finishers(template).flatMap(({ name }) => {
		const path = ends.has(name) ? undefined : pathTo(graph, name);
		return path ? [path] : [];
	});
	const all = [...paths, ...more];
	return all.length > 0 ? all : [[graph.initial]];
}

type EdgePathList = readonly (readonly string[])[];

/** The first of pi's own tools that each state forbids. */
function probesOf(template: Template, toolsOf: ToolsOf): ReadonlyMap<string, string> {
	return new Map(
		workersOf(template).flatMap(({ name }): [string, string][] => {
			const allowed = toolsOf(name);
			const probe = allowed && probeCue.tools.find((tool) => !allowed.includes(tool) && !allowed.includes("*"));
			return probe === undefined ? [] : [[name, probe]];
		}),
	);
}

function planTools({ template, graph, probes }: Facts, toolsOf: ToolsOf): SplitItems {
	return splitByReason(
		workersOf(template).map(({ name }): Candidate => {
			const probe = probes.get(name);
			const unlimited = toolsOf(name) === undefined ? "nothing limits its tools" : "it may use all of pi's own tools";
			return [toolsItem(name, probe), probe === undefined ? unlimited : whyUnreached(graph, name)];
		}),
	);
}

/** Every worker that may ask the user asks once. */
function planQuestions({ template, graph }: Facts): SplitItems {
	const { limits } = template;
	return splitByReason(
		workersOf(template).map(({ name, questions, limits: own }): Candidate => {
			const item: CoverageItem = { id: `question:${name}`, group: "question", text: `${name} asks the user` };
			if (questions === "none") return [item, "its `questions` are `none`"];
			const room = Math.min(own.requests ?? limits.requests, own.calls ?? limits.calls);
			const tooFew = room < callsOnPath ? "its limits on requests and calls leave no room for it" : undefined;
			return [item, whyUnreached(graph, name) ?? tooFew];
		}),
	);
}

interface ApprovalPlan extends SplitItems {
	/** Approvals that are refused once on a path before they are given. */
	readonly inline: readonly string[];
	readonly runs: readonly PlannedRun[];
}

/** Approvals are given on the paths. They are also refused there if the limit on rejections allows it, else in a separate run. */
function planApprovals(facts: Facts, paths: EdgePathList): ApprovalPlan {
	const { template, graph } = facts;
	const asked = askedOn(facts, paths);
	const atStart = template.states.get(graph.initial)?.approval.entry === true;
	const candidates: Candidate[] = [];
	const inline: string[] = [];
	const runs: PlannedRun[] = [];
	for (const key of approvalsOf(template)) {
		const both = [approvalItem(key, "yes"), approvalItem(key, "no")];
		const path = asked.get(key);
		const first = atStart && key === `entry:${graph.initial}`;
		const why = notAskedReason(facts, key, path !== undefined || first);
		candidates.push(...both.map((item): Candidate => [item, why]));
		if (why !== undefined) continue;
		const title = `no at the ${key.replace(":", " of ")}`;
		const covers = [`approval:${key}:no`];
		if (first) runs.push({ title, covers, script: {}, atStart: rejection });
		else if (template.limits.rejections > 1) inline.push(key);
		else if (path) runs.push({ title, covers, script: refusedAtEnd(facts, path) });
	}
	return { ...splitByReason(candidates), inline, runs };
}

function notAskedReason(facts: Facts, key: string, isReached: boolean): string | undefined {
	if (isAskedByChildren(facts, key)) return "it is asked after child runs or a command, not by a worker";
	if (isReached) return undefined;
	return key.startsWith("entry:") ? "no transition asks it, because the previous state asks" : whys["no-path"];
}

/** Whether no worker's move asks for the approval, because child runs or commands lead there. */
function isAskedByChildren({ template, graph }: Facts, key: string): boolean {
	const [side, state = ""] = key.split(/:(.*)/s);
	const asks = (name: string): boolean => {
		const { children, command } = template.states.get(name) ?? {};
		return children !== undefined || command !== undefined;
	};
	if (side === "exit") return asks(state);
	const before = [...graph.next].flatMap(([from, targets]) => (targets.includes(state) ? [from] : []));
	return before.length > 0 && before.every(asks);
}

/** By approval, a path whose last step asks for it. */
function askedOn({ template, graph }: Facts, paths: EdgePathList): ReadonlyMap<string, readonly string[]> {
	const steps = paths.flatMap((path) => path.slice(1).map((_, at) => path.slice(0, at + 2)));
	const finishing = finishers(template).flatMap(({ name }) => {
		const path = pathTo(graph, name);
		return path ? [[...path, "done"]] : [];
	});
	const asked = new Map<string, readonly string[]>();
	for (const path of [...steps, ...finishing]) {
		const [from = "", to = ""] = path.slice(-2);
		const key = from === to ? undefined : keyOfApproval(template, from, to);
		if (key !== undefined && !asked.has(key)) asked.set(key, path);
	}
	return asked;
}

/** A path whose last step the user refuses. */
function refusedAtEnd(facts: Facts, path: readonly string[]): Script {
	const to = path.at(-1) ?? "";
	return endWith(facts, path.slice(0, -1), [exitTo(to, rejection)]);
}

/** A template that children run. */
export interface RehearsedChild {
	/** Its name, or that of its branch. */
	readonly key: string;
	readonly template: Template;
	readonly toolsOf: ToolsOf;
	/** State of the first run that leads to it. */
	readonly state: string;
}

/**
 * The plan with the items and runs of the children. What a child does comes to pass in a run of the plan that leads to its state: its first whole path
 * in that run itself, where all children are awaited; each other path in a run of its own.
 */
export function withChildren(
	plan: CoveragePlan,
	{ states }: Template,
	children: readonly RehearsedChild[],
): CoveragePlan {
	const runs = [...plan.runs];
	const added = children.map((child): CoveragePlan => {
		const at = runs.findIndex(({ covers }) => covers.some((id) => id.startsWith(`move:${child.state}>`)));
		const own = planChild(child);
		const { join, take } = states.get(child.state)?.children ?? {};
		const whole = join === "all" && take === "all" ? own.runs.find((run) => run.isWhole) : undefined;
		const [first, through] = [runs[at], plan.runs[at]];
		if (whole !== undefined && first !== undefined) runs[at] = joinRuns(first, whole);
		const others = first === undefined ? own.runs : own.runs.filter((run) => run !== whole);
		return { ...own, runs: others.map((run) => ({ ...run, script: { ...through?.script, ...run.script } })) };
	});
	return joinPlans([{ ...plan, runs }, ...added]);
}

/** Two runs whose scripts are of different states, at once. */
function joinRuns(one: PlannedRun, other: PlannedRun): PlannedRun {
	const { title } = other;
	return {
		...one,
		title: `${one.title}; ${title}`,
		covers: [...one.covers, ...other.covers],
		script: { ...one.script, ...other.script },
	};
}

interface ChildRun extends PlannedRun {
	/** Whether it leads the child to its end. */
	readonly isWhole: boolean;
}

function planChild({
	key,
	template,
	toolsOf,
}: RehearsedChild): Omit<CoveragePlan, "runs"> & { readonly runs: readonly ChildRun[] } {
	const { items, unreachable, runs } = planChronicleCoverage(template, toolsOf, "never asked");
	const named = <T extends CoverageItem>(item: T): T => ({
		...item,
		id: `${key}/${item.id}`,
		text: `${key}: ${item.text}`,
	});
	const ends = new Set(["done", ...finishersWithoutWorker(template)]);
	return {
		items: items.map(named),
		unreachable: unreachable.map(named),
		runs: runs.map(({ title, covers, script }) => ({
			title: `${key}: ${title}`,
			covers: covers.map((id) => `${key}/${id}`),
			script: Object.fromEntries(Object.entries(script).map(([place, cues]) => [`${key}/${place}`, cues])),
			isWhole: covers.some((id) => ends.has(/^move:.*>(.*)$/s.exec(id)?.[1] ?? "")),
		})),
	};
}

/** Final states that are reached without further work. */
function finishersWithoutWorker({ states }: Template): string[] {
	return [...states.values()].flatMap(({ name, terminal, persona }) =>
		terminal && persona === undefined ? [name] : [],
	);
}
