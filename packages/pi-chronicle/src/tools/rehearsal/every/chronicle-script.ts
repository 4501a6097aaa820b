// Writes the understudy's script for a path through a chronicle. Pure.
import type { Template } from "@pi-chronicle/core/template";
import { commandStates, type Way, waysOf } from "../commands.ts";
import type { Cue, Script, ScriptedCall, UserAnswer } from "../scenario.ts";
import { cue } from "../scenario.ts";
import type { Graph } from "./paths.ts";

/** Name of the state that only the user leaves. */
export const personState = "human_intervention";

export interface Facts {
	readonly template: Template;
	readonly graph: Graph;
	/** By state: one of pi's own tools that its worker may not have. */
	readonly probes: ReadonlyMap<string, string>;
}

/** Calls that must be refused: harmless if they are not refused, and recognizable by their arguments. */
export const probeCue = {
	tools: ["write", "edit", "bash", "grep", "find", "ls", "read"],
	mark: "rehearsal-probe",
	of(tool: string): Cue {
		return cue({ say: "This call should be refused.", calls: [{ ...probeCall(tool), undeclared: true }] });
	},
};

function probeCall(tool: string): ScriptedCall {
	const { mark } = probeCue;
	switch (tool) {
		case "write":
			return { tool, input: { path: mark, content: "" } };
		case "edit":
			return { tool, input: { path: mark, edits: [{ oldText: "a", newText: "b" }] } };
		case "bash":
			return { tool, input: { command: `echo ${mark}` } };
		case "grep":
			return { tool, input: { pattern: mark, path: mark } };
		case "find":
			return { tool, input: { pattern: mark, path: mark } };
		default:
			return { tool, input: { path: mark } };
	}
}

/** A worker's question to the user, with the answer. */
const questionCue = cue({
	calls: [{ tool: "ask_user", input: { question: "Is the rehearsal answered?" } }],
	person: { kind: "answer", words: "It is." },
});

/** The most calls of a visit on a path: a probe, a question, a list, a move. */
export const callsOnPath = 4;

/** Maximum number of attempts of one visit of a state. */
export function attemptsOf({ states, limits }: Pick<Template, "states" | "limits">, state: string): number {
	return states.get(state)?.limits.attempts ?? limits.attempts;
}

/** Every approval of a template: `entry:<state>` or `exit:<state>`. */
export function approvalsOf({ states }: Template): string[] {
	return [...states.values()].flatMap(({ name, approval }) => [
		...(approval.entry ? [`entry:${name}`] : []),
		...(approval.exit ? [`exit:${name}`] : []),
	]);
}

/** The approval that a worker's move asks for; `undefined`: none. */
export function keyOfApproval({ states }: Template, from: string, to: string): string | undefined {
	if (to === personState || from === personState) return undefined;
	if (states.get(from)?.approval.exit) return `exit:${from}`;
	return states.get(to)?.approval.entry ? `entry:${to}` : undefined;
}

/** The message that ends a state. */
export function exitTo(to: string, person?: UserAnswer): Cue {
	return cue({ exit: { kind: "transition", to, summary: "Rehearsed." }, person });
}

/** Items that the paths still have to show. Both sets shrink as scripts are written. */
export interface Pending {
	readonly rejections: Set<string>;
	/** Ids of items. */
	readonly probes: Set<string>;
	readonly questions: Set<string>;
	/** Ways out of commands, by the id of their item; absent: none. */
	readonly ways?: Map<string, Way & { readonly from: string }>;
	/** The way to take where it is possible. */
	readonly first?: string;
}

/** The id of the item of a way out of a command. */
export function wayId(state: string, way: string): string {
	return `way:${state}: ${way}`;
}

export interface PathScript {
	readonly script: Script;
	/** Key of the last visit. */
	readonly lastKey: string;
	/** Ids of the items that the path shows. */
	readonly covers: readonly string[];
}

/** The script by which the understudy follows a path. If the path does not end the run, it ends by escalating to the user. */
export function scriptOfPath(facts: Facts, path: readonly string[], pending: Pending): PathScript {
	const { graph } = facts;
	const script: Record<string, Cue[]> = {};
	const covers: string[] = [];
	const visits = new Map<string, number>();
	let attempt = 0;
	let lastKey = "";
	for (const [at, state] of path.entries()) {
		if (path[at - 1] === state) attempt += 1;
		else {
			attempt = 1;
			visits.set(state, (visits.get(state) ?? 0) + 1);
		}
		if (state === graph.person) continue;
		const key = `${state}#${visits.get(state)}`;
		lastKey = key;
		const cues = [...takeProbe(facts, state, pending, covers), ...takeQuestion(state, pending, covers)];
		const to = path[at + 1];
		if (to !== undefined) covers.push(`move:${state}>${to}`);
		const command = commandStates(facts.template).find(({ name }) => name === state);
		if (command) {
			const way = takeWay(command, to, pending, covers);
			const repeats = to === state || attempt > 1;
			if (way) script[repeats ? `${key}.${attempt}` : key] = [cue({ exitCode: way.end.exit, say: way.end.prints })];
			continue;
		}
		if (to === state) {
			script[`${key}.${attempt}`] = [...cues, exitTo(state)];
			continue;
		}
		script[key] = [...cues, ...leaveState(facts, path, at, pending, covers)];
	}
	return { script, lastKey, covers };
}

/** The messages that leave the state at index `at` of a path: first refused if that has not been shown yet. */
function leaveState(
	{ template, graph }: Facts,
	path: readonly string[],
	at: number,
	pending: Pending,
	covers: string[],
): Cue[] {
	const [state = "", to, after] = path.slice(at);
	const target = to ?? (template.states.get(state)?.terminal ? "done" : graph.person);
	if (to === undefined && target === "done") covers.push(`move:${state}>done`);
	const released = to === graph.person ? after : undefined;
	if (released !== undefined && graph.personChooses) covers.push(`move:${to}>${released}`);
	const last = exitTo(target, released === undefined ? undefined : { kind: "sent", to: released, words: "" });
	const first = listFor(template, target);
	const asked = keyOfApproval(template, state, target);
	if (asked === undefined) return [...first, last];
	covers.push(`approval:${asked}:yes`);
	if (!pending.rejections.delete(asked)) return [...first, last];
	covers.push(`approval:${asked}:no`);
	return [...first, exitTo(target, { kind: "reject", words: "Once more." }), last];
}

/** Saves the list that `for_each` of the next state needs, with two entries. */
function listFor({ states }: Template, target: string): Cue[] {
	const { forEach: list, fromFile } = states.get(target)?.children ?? {};
	if (list === undefined || fromFile) return [];
	const items = ["Rehearse the first.", "Rehearse the second."];
	const input =
		list === "pendingTasks"
			? { pending_tasks: items }
			: { findings: list === "findings" ? items : [{ key: list, items }] };
	return [cue({ say: "These are left to do.", calls: [{ tool: "workflow_update_snapshot", input }] })];
}

/** The way of a command to the next state of a path: one that is not shown yet, if possible. */
function takeWay(
	state: ReturnType<typeof commandStates>[number],
	to: string | undefined,
	{ ways: pending, first }: Pending,
	covers: string[],
): Way | undefined {
	const possible = waysOf(state).filter((way) => to === undefined || way.to === to);
	const idOf = ({ name }: Way): string => wayId(state.name, name);
	const way =
		possible.find((one) => idOf(one) === first) ?? possible.find((one) => pending?.has(idOf(one))) ?? possible[0];
	if (way && to !== undefined) {
		pending?.delete(idOf(way));
		covers.push(idOf(way));
	}
	return way;
}

/** The call that must be refused in a state, if it has not been planned yet. */
function takeProbe({ probes }: Facts, state: string, pending: Pending, covers: string[]): Cue[] {
	const probe = probes.get(state);
	if (probe === undefined || !pending.probes.delete(`tools:${state}`)) return [];
	covers.push(`tools:${state}`);
	return [probeCue.of(probe)];
}

/** The question of a state's worker, if it has not been planned yet. */
function takeQuestion(state: string, pending: Pending, covers: string[]): Cue[] {
	const id = `question:${state}`;
	if (!pending.questions.delete(id)) return [];
	covers.push(id);
	return [questionCue];
}

const nothingPending: Pending = { rejections: new Set(), probes: new Set(), questions: new Set() };

/** The script of a path with other messages in its last state. */
export function endWith(facts: Facts, path: readonly string[], last: readonly Cue[]): Script {
	const { script, lastKey } = scriptOfPath(facts, path, nothingPending);
	return { ...script, [lastKey]: last };
}
