// The state of a run as stored in the session: one entry per change, of bounded size.
// The first nine fields are the reference package's, so that either package can read the other's states.
// Reading is strict: one invalid value invalidates the whole state.
import { isFlag, isRecord, isText, object, oneOf, optional, type PathList } from "@pi-chronicle/core/definition";
import type { EndedVisit } from "./event.ts";
import { currentPhase, enter, phaseAt, relocate } from "./position.ts";
import {
	type Definitions,
	isActive,
	noReminders,
	type PauseCause,
	type Position,
	type StaleWorkflowRun,
	type WorkflowRun,
	type WorkflowStatus,
} from "./run.ts";

interface StoredSegment {
	readonly workflowKey: string;
	readonly phaseIndex: number;
	/** Only in the innermost segment. */
	readonly phaseId?: string;
	/** Only if the scope was looped. */
	readonly loops?: number;
}

export interface StoredState {
	readonly active: boolean;
	readonly workflowKey: string;
	readonly currentPath: readonly StoredSegment[];
	readonly globalStepCount: number;
	readonly taskId: string;
	/** The beginning of the task, as far as it fits in the entry; the whole text is in the entry that pins the definition. */
	readonly taskDescription: string;
	readonly startedAt: number;
	readonly completionNotified: boolean;
	readonly cancelled: boolean;

	/** Id of the entry that pins the definition. Absent in states of the reference package. */
	readonly pin?: string;
	/** When the current phase was entered or the last one ended, in ms since the epoch. */
	readonly since?: number;
	readonly paused?: { readonly by: PauseCause; readonly why?: string };
	/** The model's question that the user has not answered yet. */
	readonly asks?: string;
	/** The visit that this change ended: of the phase of the previous state, from its `since` to the `since` of this state. */
	readonly left?: EndedVisit;
	/** The kind of change, if it was not a change of phase. */
	readonly note?: Note;
	/** How long pi was closed during the visit before this change, in ms. */
	readonly away?: number;
}

export type Note = "begun" | "resumed" | "reloaded";

/** Maximum bytes of each string. A summary has those of the 8,000 characters that a fresh context gets. */
const max = { begun: 2_000, why: 200, summary: 32_000, gate: 4_000, asks: 4_000 } as const;
/** Target size of an entry in bytes, and the minimum reserved for the task. */
const room = { entry: 450, task: 40 } as const;

/** Data to store in addition to the run. */
export interface StateChange {
	/** Id of the session entry that holds the definitions. */
	readonly pinned: string | undefined;
	readonly left?: EndedVisit | undefined;
	readonly note?: Note | undefined;
	readonly away?: number | undefined;
}

/** The state to store for a run. */
export function storeRun(run: WorkflowRun, { pinned, left, note, away }: StateChange): StoredState {
	const { status } = run;
	const phaseId = run.kind === "live" ? currentPhase(run).id : run.phaseId;
	const state: StoredState = {
		active: isActive(run),
		workflowKey: run.workflowKey,
		currentPath: run.position.map(({ workflowKey, phaseIndex, loops }, depth) => ({
			workflowKey,
			phaseIndex,
			...(depth === run.position.length - 1 && phaseId !== undefined ? { phaseId } : {}),
			...(loops > 0 ? { loops } : {}),
		})),
		globalStepCount: run.step,
		taskId: run.id,
		taskDescription: "",
		startedAt: run.startedAt,
		// Without this mark, the reference package would announce the end of the run.
		completionNotified: !isActive(run),
		cancelled: status.kind === "cancelled",
		pin: pinned,
		since: run.since,
		...(status.kind === "paused"
			? { paused: { by: status.by, ...(status.why === undefined ? {} : { why: cutBytes(status.why, max.why) }) } }
			: {}),
		asks: run.question === undefined ? undefined : cutBytes(run.question, max.asks),
		...(left
			? {
					left: {
						...left,
						summary: left.summary === undefined ? undefined : cutBytes(left.summary, max.summary),
						gate: left.gate === undefined ? undefined : cutBytes(left.gate, max.gate),
					},
				}
			: {}),
		...(note ? { note } : {}),
		...(away ? { away } : {}),
	};
	const { asks: _question, ...rest } = state;
	const bare = { ...rest, ...(left ? { left: { way: left.way } } : {}) };
	const task = note === "begun" ? max.begun : Math.max(room.entry - bytesOf(bare), room.task);
	return { ...state, taskDescription: cutBytes(run.task, task) };
}

/** Truncates text to at most `bytes` and adds an ellipsis. No character is split. */
function cutBytes(text: string, bytes: number): string {
	if (bytesOf(text) - 2 <= bytes) return text;
	let size = Buffer.byteLength("…");
	let kept = "";
	for (const character of text) {
		size += bytesOf(character) - 2;
		if (size > bytes) break;
		kept += character;
	}
	return `${kept}…`;
}

/** Bytes of a value as UTF-8 JSON. */
function bytesOf(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

export type StateRead =
	| { readonly kind: "state"; readonly state: StoredState }
	/** For the user. */
	| { readonly kind: "invalid"; readonly problem: string };

/** Reads the data of a `workflow:state` entry, including those of the reference package and its older form without a path. */
export function readState(data: unknown): StateRead {
	if (!isRecord(data)) return invalid("it is not an object");
	const { workflowKey } = data;
	if (typeof workflowKey !== "string" || workflowKey === "") return invalid("it names no workflow");
	const path = readPath(data, workflowKey);
	if (typeof path === "string") return invalid(path);
	for (const [field, isValid, expected] of simpleFields)
		if (!isValid(data[field])) return invalid(`\`${field}\` is not ${expected}`);
	const { paused, left } = data;
	if (paused !== undefined && !isPause(paused)) return invalid("`paused` is not a pause");
	if (left !== undefined && !isLeft(left)) return invalid("`left` is not a visit of a phase");
	// What the checks above have found to be valid.
	const {
		active,
		startedAt,
		globalStepCount,
		since,
		away,
		pin,
		asks,
		taskId = "",
		taskDescription = "",
	} = data as unknown as Partial<StoredState> & Pick<StoredState, "active" | "startedAt">;
	return {
		kind: "state",
		state: {
			active,
			workflowKey,
			currentPath: path,
			globalStepCount: globalStepCount ?? path[0]?.phaseIndex ?? 0,
			taskId,
			taskDescription,
			startedAt,
			completionNotified: data.completionNotified === true,
			cancelled: data.cancelled === true,
			pin,
			since,
			paused: paused && { by: paused.by, why: paused.why },
			asks,
			left: left && readLeft(left),
			note: storedNote(data.note),
			away,
		},
	};
}

/** The scalar fields: how they are checked, and the expected value for messages. */
const simpleFields: readonly (readonly [keyof StoredState, (value: unknown) => boolean, string])[] = [
	["active", isFlag, "true or false"],
	// As in the reference package, `null` is no step count.
	["globalStepCount", (value) => value === null || value === undefined || isCount(value), "a whole number"],
	["startedAt", isTime, "a time"],
	["taskId", optional(isText), "a string"],
	["taskDescription", optional(isText), "a string"],
	["pin", optional(isText), "a string"],
	["asks", optional(isText), "a string"],
	["completionNotified", optional(isFlag), "true or false"],
	["cancelled", optional(isFlag), "true or false"],
	["since", optional(isTime), "a time"],
	["away", optional(isTime), "a duration"],
];

export type RestoredRun = { readonly kind: "run"; readonly run: WorkflowRun } | Extract<StateRead, { kind: "invalid" }>;

/** Where the definitions of a stored run come from: its pinned copy, or the current catalogue. */
export type DefinitionsSource =
	| {
			readonly kind: "pinned";
			readonly definitions: Definitions;
			readonly task: string;
			readonly uncommitted?: PathList | undefined;
	  }
	| { readonly kind: "catalogue"; readonly definitions: Definitions };

/**
 * The run that a state describes. With a pinned copy, the path must match exactly. With the catalogue, the phase is found by its id; a
 * state without ids is restored by its indexes, which must exist.
 */
export function restoreRun(state: StoredState, source: DefinitionsSource): RestoredRun {
	const { definitions } = source;
	const position = state.currentPath.map(({ workflowKey, phaseIndex, loops = 0 }) => ({
		workflowKey,
		phaseIndex,
		loops,
	}));
	const phaseId = state.currentPath.at(-1)?.phaseId;
	const facts = {
		id: state.taskId,
		workflowKey: state.workflowKey,
		task: source.kind === "pinned" ? source.task : state.taskDescription,
		...(source.kind === "pinned" && source.uncommitted && { uncommitted: source.uncommitted }),
		startedAt: state.startedAt,
		step: state.globalStepCount,
		since: state.since ?? state.startedAt,
		status: storedStatus(state),
		question: state.asks,
		reminders: noReminders,
		askedToCancel: undefined,
	};
	const stale = (missing: string): StaleWorkflowRun => ({ kind: "stale", missing, phaseId, position, ...facts });
	const live = (place: Position): RestoredRun => ({
		kind: "run",
		run: { kind: "live", definitions, position: place, ...facts },
	});

	const missing = position.find(({ workflowKey }) => !definitions.has(workflowKey))?.workflowKey;
	if (missing !== undefined) return { kind: "run", run: stale(missing) };
	if (source.kind === "catalogue" && phaseId !== undefined) {
		const found = relocate(stale(""), definitions);
		return found.kind === "found" ? live(found.position) : { kind: "run", run: stale(found.id) };
	}
	const place = followPath(position, definitions);
	if (typeof place === "string") return invalid(place);
	if (phaseId !== undefined && phaseAt(definitions, place).id !== phaseId)
		return invalid(`its position is not the phase "${phaseId}"`);
	return live(place);
}

function storedStatus({ active, cancelled, paused }: StoredState): WorkflowStatus {
	if (!active) return { kind: cancelled ? "cancelled" : "done" };
	return paused ? { kind: "paused", by: paused.by, why: paused.why } : { kind: "running" };
}

/** Checks a path against definitions; returns the problem if it is invalid. Old states may end at a reference, which means its first phase. */
function followPath(segments: Position, definitions: Definitions): Position | string {
	for (const [depth, { workflowKey, phaseIndex }] of segments.entries()) {
		const entry = definitions.get(workflowKey)?.entries[phaseIndex];
		if (!entry) return `"${workflowKey}" has no entry number ${phaseIndex + 1}`;
		const inner = segments[depth + 1];
		if (inner && (entry.kind !== "reference" || entry.key !== inner.workflowKey))
			return `entry number ${phaseIndex + 1} of "${workflowKey}" does not lead to "${inner.workflowKey}"`;
	}
	return enter(definitions, segments);
}

function readPath(data: Record<string, unknown>, workflowKey: string): StoredSegment[] | string {
	const written =
		data.currentPath ??
		(data.currentPhaseIndex === undefined ? undefined : [{ workflowKey, phaseIndex: data.currentPhaseIndex }]);
	if (!Array.isArray(written) || written.length === 0) return "`currentPath` is not a path";
	const path: StoredSegment[] = [];
	for (const segment of written) {
		if (!isRecord(segment) || typeof segment.workflowKey !== "string" || !isCount(segment.phaseIndex))
			return "`currentPath` has an invalid part";
		if (segment.phaseId !== undefined && typeof segment.phaseId !== "string") return "a phase id is not a string";
		if (segment.loops !== undefined && !isCount(segment.loops)) return "a loop count is not an integer";
		path.push({
			workflowKey: segment.workflowKey,
			phaseIndex: segment.phaseIndex,
			phaseId: segment.phaseId,
			loops: segment.loops,
		});
	}
	return path[0]?.workflowKey === workflowKey ? path : "`currentPath` does not begin with the workflow";
}

const isPause = object<NonNullable<StoredState["paused"]>>({
	by: oneOf("person", "interrupt", "error", "reminders", "bounds"),
	why: optional(isText),
});
const isLeft = object<NonNullable<StoredState["left"]>>({
	way: oneOf("next", "loop", "skip", "back"),
	summary: optional(isText),
	gate: optional(isText),
	by: () => true,
});

function readLeft({ way, summary, gate, by }: NonNullable<StoredState["left"]>): StoredState["left"] {
	return { way, summary, gate, by: by === "person" ? by : undefined };
}

/** A note only labels the transcript, so an unknown one does not invalidate the state. */
function storedNote(value: unknown): Note | undefined {
	return value === "begun" || value === "resumed" || value === "reloaded" ? value : undefined;
}

function invalid(problem: string): Extract<StateRead, { kind: "invalid" }> {
	return { kind: "invalid", problem };
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): value is number {
	return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
