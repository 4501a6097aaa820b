// How the commands of a chronicle's states end in a rehearsal, which runs none of them: as the script says, else so that the planned path is taken. Pure.
import type { CommandPlan, StatePlan, Template } from "@pi-chronicle/core/template";
import type { PlannedEnd, PlannedEnds } from "../../local/index.ts";
import { sampleData } from "./sample-data.ts";
import type { Cue } from "./scenario.ts";

type Case = CommandPlan["cases"][number];
type CommandState = StatePlan & { readonly command: CommandPlan };

/** The states that are a command. */
export function commandStates({ states }: Template): readonly CommandState[] {
	return [...states.values()].filter((state): state is CommandState => state.command !== undefined);
}

/** A way out of a command: one of its cases, or `else`. */
export interface Way {
	/** `0`, `{output.test.failed} == 0`, `else`. */
	readonly name: string;
	readonly to: string;
	readonly end: PlannedEnd;
}

/** Every way out of a command that a rehearsal can play, in order. Cases with the value of another state cannot be chosen. */
export function waysOf(state: CommandState): readonly Way[] {
	const { cases, otherwise } = state.command;
	const own = cases.flatMap((one): Way[] => {
		if (one.kind === "code") return [{ name: String(one.code), to: one.to, end: endFor(state, one.code, []) }];
		const name = `{output.${one.reference}} ${one.negated ? "!=" : "=="} ${JSON.stringify(one.value)}`;
		return isOwn(state, one) ? [{ name, to: one.to, end: endFor(state, 0, [[one, true]]) }] : [];
	});
	if (otherwise === undefined) return own;
	const codes = new Set(cases.flatMap((one) => (one.kind === "code" ? [one.code] : [])));
	const code = [1, 2, 3, 0].find((one) => !codes.has(one)) ?? 4;
	const failed = cases.flatMap((one): [Case, boolean][] => (isOwn(state, one) ? [[one, false]] : []));
	return [...own, { name: "else", to: otherwise, end: endFor(state, code, failed) }];
}

function isOwn({ name }: StatePlan, one: Case): boolean {
	return one.kind === "when" && one.reference.startsWith(`${name}.`);
}

/** An end with this exit code, whose data makes each comparison hold, or not. */
function endFor(state: CommandState, exit: number, wanted: readonly (readonly [Case, boolean])[]): PlannedEnd {
	if (state.command.parse === undefined) return { exit, prints: "" };
	let data = sampleData(state.output ?? { type: "object" }, state.name);
	for (const [one, holds] of wanted) {
		if (one.kind !== "when") continue;
		const equals = holds !== one.negated;
		data = withValue(
			data,
			one.reference.slice(state.name.length + 1).split("."),
			equals ? one.value : other(one.value),
		);
	}
	return { exit, prints: JSON.stringify(data) };
}

/** A value of the same kind that is not `value`. */
function other(value: string | number | boolean | null): unknown {
	switch (typeof value) {
		case "number":
			return value + 1;
		case "boolean":
			return !value;
		case "string":
			return `not ${value}`;
		default:
			return 1;
	}
}

function withValue(data: unknown, [step = "", ...rest]: readonly string[], value: unknown): unknown {
	const group = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
	const inner = (group as Readonly<Record<string, unknown>>)[step];
	return { ...group, [step]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

/**
 * The ends of all commands of a template. `scripts`: by visit, as in a scenario; `path`: states in order; `scope`: of a child, its name in the
 * scenario.
 */
export function planCommands(
	template: Template,
	scripts: Iterable<readonly [string, readonly Cue[]]>,
	{ path = [], scope }: { readonly path?: readonly string[]; readonly scope?: string } = {},
): PlannedEnds {
	const at = scope === undefined ? "" : `${scope}/`;
	const ends = commandStates(template).flatMap((state) => {
		const ways = waysOf(state);
		const scripted = scriptedEnds(state, scripts);
		// What a script names for one visit holds for those after it.
		const first = Math.min(...scripted.map(([place]) => visitIn(place)));
		const planned = endsOnPath(state.name, ways, path).filter(([place]) => visitIn(place) < first);
		return [
			[`${at}${state.name}`, ways[0]?.end ?? endFor(state, 0, [])] as const,
			...planned.map(([place, end]) => [`${at}${place}`, end] as const),
			...scripted,
		];
	});
	return Object.fromEntries(ends);
}

/** The visit of a place such as `state#2.3`. */
function visitIn(place: string): number {
	return Number(/#(\d+)(?:\.\d+)?$/.exec(place)?.[1] ?? 1);
}

/** The ends that lead along a path, by visit. */
function endsOnPath(state: string, ways: readonly Way[], path: readonly string[]): (readonly [string, PlannedEnd])[] {
	const visits = path.flatMap((name, index) => (name === state && path[index - 1] !== name ? [index] : []));
	return visits.flatMap((index, visit) => {
		const way = ways.find(({ to }) => to === path[index + 1]);
		return way ? [[`${state}#${visit + 1}`, way.end] as const] : [];
	});
}

/** The ends that a script names. */
function scriptedEnds(
	state: CommandState,
	scripts: Iterable<readonly [string, readonly Cue[]]>,
): (readonly [string, PlannedEnd])[] {
	const isHere = new RegExp(`^(?:.*/)?${escapedExpression(state.name)}(?:#[\\d.]+)?$`, "s");
	return [...scripts].flatMap(([place, cues]) => {
		const { exitCode: exit, say = "" } = cues.find(({ exitCode }) => exitCode !== undefined) ?? {};
		if (exit === undefined || !isHere.test(place)) return [];
		return [[place, { exit, prints: say || endFor(state, 0, []).prints }] as const];
	});
}

function escapedExpression(text: string): string {
	return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
