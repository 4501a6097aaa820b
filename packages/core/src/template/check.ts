// Checks a template's states together: undefined targets, unreachable states, dead ends, and names that are too similar.
import { didYouMean, likely, type MapNode, quoted, type ReadContext } from "../definition/index.ts";
import { pairNames, type StateEntry } from "./fields.ts";
import { isIndex } from "./names.ts";
import { targetsIn } from "./next-field.ts";
import { HUMAN_INTERVENTION, type StatePlan } from "./template.ts";

const maxStates = 400;
/** Targets that need no definition. */
const reservedTargets = new Set([HUMAN_INTERVENTION, "done", "failed"]);

type PlaceOf = (name: string) => ReturnType<ReadContext["source"]["place"]>;

/** Reports problems in the graph of states. `entries` are the states as written, `states` those that could be read. */
export function checkGraph(
	root: MapNode,
	states: ReadonlyMap<string, StatePlan>,
	entries: ReadonlyMap<string, StateEntry>,
	initial: string,
	reading: ReadContext,
): void {
	const { report, source } = reading;
	const at: PlaceOf = (name) => source.place(entries.get(name)?.keyStart ?? 0);
	const names = [...entries.keys()];
	checkInitial(root, names, initial, reading, at);
	if (states.size > maxStates)
		report.error(at(names[maxStates] ?? ""), {
			code: "too-many",
			message: `There are ${states.size} states; a run can have at most ${maxStates}.`,
			remedy: "Merge states, or split the template.",
		});
	checkLikeness(names, reading, at);
	checkTargets(names, entries, reading);
	// With a state missing from the graph, reachability would be wrong.
	if (names.every((name) => states.has(name)) && states.has(initial))
		checkWays(withMeantTargets(states, names), initial, at, reading);
}

/** The states with the targets that are probably meant: a misspelled one is reported once, not also for what it leaves unreachable. */
function withMeantTargets(
	states: ReadonlyMap<string, StatePlan>,
	names: readonly string[],
): ReadonlyMap<string, StatePlan> {
	const meant = (target: string): string => {
		const near = names.includes(target) || reservedTargets.has(target) ? undefined : meantTarget(target, names);
		return near !== undefined && names.includes(near) ? near : target;
	};
	const written = [...states].filter(([name]) => meant(name) === name);
	return new Map(written.map(([name, state]) => [name, { ...state, next: state.next.map(meant) }]));
}

function meantTarget(target: string, names: readonly string[]): string | undefined {
	return likely(target, [...names, ...reservedTargets]);
}

function checkTargets(names: readonly string[], entries: ReadonlyMap<string, StateEntry>, reading: ReadContext): void {
	for (const { start, target } of writtenTargets(entries)) {
		if (entries.has(target) || reservedTargets.has(target)) continue;
		const near = meantTarget(target, names);
		const define = "Define it under `states` if it has work to do.";
		reading.report.warn(reading.source.place(start), {
			code: "undefined-state",
			message: `${quoted(target)} is not defined, so the run ends there.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`,
			remedy: near === undefined ? define : `Write \`${near}\`, or define it.`,
		});
	}
}

function checkWays(
	states: ReadonlyMap<string, StatePlan>,
	initial: string,
	at: PlaceOf,
	{ report }: ReadContext,
): void {
	for (const name of unreachable(states, initial)) {
		if (name === HUMAN_INTERVENTION) continue;
		report.warn(at(name), {
			code: "unreachable",
			message: `${quoted(name)} cannot be reached from ${quoted(initial)}; only you can send the run there.`,
			remedy: "Name it in the `next` of another state, or remove it.",
		});
	}
	const lost = endless(states).filter((name) => name !== HUMAN_INTERVENTION);
	const [first] = lost;
	if (first !== undefined)
		report.warn(at(first), {
			code: "dead-end",
			message: `No end can be reached from ${lost.map((name) => quoted(name)).join(", ")}; the run loops until a limit stops it.`,
			remedy: "Give one of them a `next` that ends, such as `done`.",
		});
}

function checkInitial(
	root: MapNode,
	names: readonly string[],
	initial: string,
	reading: ReadContext,
	at: PlaceOf,
): void {
	const { report, source } = reading;
	const written = root.entries.get("initial")?.value;
	const place = written ? source.place(written.start) : at(initial);
	const index = names.find(isIndex);
	if (!names.includes(initial))
		report.error(place, {
			code: "undefined-state",
			message: `\`initial\` is ${quoted(initial)}, which is not a state.${didYouMean(initial, names)}`,
			remedy: "Name one of the states.",
		});
	else if (initial === HUMAN_INTERVENTION)
		report.error(place, {
			code: "reserved-name",
			message: `A run cannot start in \`${HUMAN_INTERVENTION}\`.`,
			remedy: "Put another state first, or name it in `initial`.",
		});
	else if (!written && index !== undefined)
		report.error(at(index), {
			code: "no-order",
			message: "States with numeric names do not keep their order, so the first state is unknown.",
			remedy: "Add `initial`, or start the names with a letter.",
		});
}

function checkLikeness(names: readonly string[], reading: ReadContext, at: PlaceOf): void {
	const seen = new Map<string, string>();
	for (const name of names) {
		const plain = name.toLowerCase().replace(/[-_\s]/g, "");
		const earlier = seen.get(plain);
		if (earlier === undefined) seen.set(plain, name);
		else
			reading.report.warn(at(name), {
				code: "alike",
				message: `The states ${quoted(earlier)} and ${quoted(name)} differ only in case or punctuation.`,
				remedy: "Rename one of them to avoid confusion.",
			});
	}
}

/** Reports exceptions for pairs that name no states, even if other limits cannot be read. */
export function checkPairs(root: MapNode, entries: ReadonlyMap<string, StateEntry>, reading: ReadContext): void {
	const limits = root.entries.get("limits")?.value;
	const written = limits?.kind === "map" ? limits.entries.get("pair_moves")?.value : undefined;
	if (written?.kind !== "map") return;
	const names = new Set([...entries.keys(), ...writtenTargets(entries).map(({ target }) => target)]);
	for (const [key, { keyStart }] of written.entries)
		for (const name of pairNames(key) ?? []) {
			if (names.has(name)) continue;
			reading.report.error(reading.source.place(keyStart), {
				code: "undefined-state",
				message: `\`limits.pair_moves\` names ${quoted(name)}, which is not a state.${didYouMean(name, names)}`,
				remedy: "Name two of the states.",
			});
		}
}

/** Every target in the `next` of a state, including states that could not be read. */
function writtenTargets(entries: ReadonlyMap<string, StateEntry>): readonly { target: string; start: number }[] {
	return [...entries.values()].flatMap(({ node }) =>
		targetsIn(node.kind === "map" ? node.entries.get("next")?.value : undefined).map(({ text, start }) => ({
			...{ target: text, start },
		})),
	);
}

type StateLinks = Pick<StatePlan, "next" | "terminal" | "children">;
type LinkedStates = ReadonlyMap<string, StateLinks>;

/** States that cannot be reached from `initial`, in order. */
function unreachable(states: LinkedStates, initial: string): string[] {
	const reached = reach([initial], (name) => nextOf(states.get(name)));
	return [...states.keys()].filter((name) => !reached.has(name));
}

/** States from which no terminal state can be reached, in order. */
function endless(states: LinkedStates): string[] {
	const sources = new Map<string, string[]>();
	for (const [name, state] of states)
		for (const target of nextOf(state)) sources.set(target, [...(sources.get(target) ?? []), name]);
	const terminal = [...states].filter(([, state]) => state.terminal).map(([name]) => name);
	const ending = reach(terminal, (name) => sources.get(name) ?? []);
	return [...states.keys()].filter((name) => !ending.has(name));
}

/** Where the run can go from a state by itself. Nobody chooses after child runs: the first target follows. */
function nextOf(state: StateLinks | undefined): readonly string[] {
	return state?.children ? state.next.slice(0, 1) : (state?.next ?? []);
}

/** The names that a depth-first walk finds from `starts`, including `starts`. */
function reach(starts: readonly string[], neighborsOf: (name: string) => readonly string[]): Set<string> {
	const reached = new Set(starts);
	const open = [...starts];
	for (let name = open.pop(); name !== undefined; name = open.pop())
		for (const neighbor of neighborsOf(name)) {
			if (reached.has(neighbor)) continue;
			reached.add(neighbor);
			open.push(neighbor);
		}
	return reached;
}
