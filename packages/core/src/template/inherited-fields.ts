// What an inline template gets from the template around it, where it says nothing itself: the ledger of its run keeps its definition alone.
import type { MapEntry, MapNode } from "../definition/index.ts";
import type { RunLimits, StatePlan } from "./template.ts";

export interface InheritedFields {
	readonly shell: StatePlan["shell"];
	readonly sandbox: MapEntry | undefined;
	readonly questions: "user" | "none" | undefined;
	readonly fallback: readonly string[] | undefined;
	/** `secret_files` and `provider_wait` as the template around it has them. */
	readonly ofRun: ReadonlyMap<string, MapEntry>;
	/** `limits` of the template around it, and of the state that it does. */
	readonly limits: readonly (MapNode | undefined)[];
}

/** Limits of one visit, or of how figures are counted: those of a whole run, such as `moves`, are each run's own. */
const visitLimits = [
	"attempts",
	"retries",
	"nudges",
	"rejections",
	"no_progress",
	"requests",
	"calls",
	"pause_seconds",
	"cache_reads",
	"warn_at",
];

/** Fields of a run that an inline template gets as they are written. */
const runFields = ["secret_files", "provider_wait"];

/** What a template gives to its inline ones as it is written. */
export function runFieldsOf({ entries }: MapNode): ReadonlyMap<string, MapEntry> {
	return new Map([...entries].filter(([key]) => runFields.includes(key)));
}

/** The definition with the inherited fields. */
export function inheritFields(
	map: MapNode,
	{ shell, sandbox, questions, fallback, ofRun, limits }: InheritedFields,
): MapNode {
	const shelled = withText(map, "shell", shell === "judged" ? undefined : shell);
	const asking = withText(withEntry(shelled, "sandbox", sandbox), "questions", questions);
	const waiting = [...ofRun].reduce((node, [key, entry]) => withEntry(node, key, entry), asking);
	return withLimits(withText(waiting, "fallback", fallback?.join(",")), limits);
}

/** A map with one more text at its beginning, unless it has that key. */
export function withText(map: MapNode, key: string, text: string | undefined): MapNode {
	if (text === undefined) return map;
	const { start, end } = map;
	return withEntry(map, key, { keyStart: start, value: { kind: "scalar", value: text, written: text, start, end } });
}

/** A map with one more entry at its beginning, unless it has that key. */
function withEntry(map: MapNode, key: string, entry: MapEntry | undefined): MapNode {
	if (entry === undefined || map.entries.has(key)) return map;
	return { ...map, entries: new Map([[key, entry], ...map.entries]) };
}

function withLimits(map: MapNode, outer: InheritedFields["limits"]): MapNode {
	const own = map.entries.get("limits");
	if (own && own.value.kind !== "map") return map;
	const written = own?.value.kind === "map" ? own.value.entries : new Map<string, MapEntry>();
	const added = outer.flatMap((limits) => [...(limits?.entries ?? [])].filter(([key]) => visitLimits.includes(key)));
	if (added.length === 0) return map;
	const { start, end } = own?.value ?? map;
	const value: MapNode = { kind: "map", entries: new Map([...added, ...written]), start, end };
	return { ...map, entries: new Map(map.entries).set("limits", { keyStart: own?.keyStart ?? start, value }) };
}

/** The limits of visits as fields of a definition. */
export function visitLimitFields(limits: RunLimits): Readonly<Record<string, number | string>> {
	const { attempts, retries, nudges, rejections, noProgress, requests, calls, pauseMs, countCacheReads, warnAt } =
		limits;
	return {
		...{ attempts, retries, nudges, rejections, no_progress: noProgress, requests, calls },
		...{ pause_seconds: pauseMs / 1000, cache_reads: countCacheReads ? "count" : "ignore", warn_at: warnAt },
	};
}
