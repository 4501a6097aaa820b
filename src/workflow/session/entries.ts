// What a run leaves in the session, and how it is found again. The newest state on the branch decides; nothing older is ever revived.
// E1 a state entry has a bounded size; E2 the definition is written once per run and never changed; E3 what cannot be read is no run.
import { createHash } from "node:crypto";
import type { ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { customEntries, newestFirst, writeEntry } from "../../pi/index.ts";
import {
	type DatedState,
	type Definitions,
	type EndedVisit,
	foldHistory,
	type LiveWorkflowRun,
	type Note,
	type PhaseVisit,
	type PinnedCopy,
	pinnedDefinitions,
	reachable,
	readPinned,
	readState,
	restoreRun,
	type StoredState,
	storeRun,
	type WorkflowRun,
} from "../machine/index.ts";

export const stateType = "workflow:state";
export const definitionType = "workflow:definition";
export const completeType = "workflow:complete";
/** The figures of a run that ended while the model was at work. */
export const spentType = "workflow:spent";

type Session = ExtensionContext["sessionManager"];

/** Which copy of its definitions a run goes by. */
export interface Pinned {
	/** Id of the session entry that holds it. */
	readonly entry: string;
	/** See `hashOf`. */
	readonly hash: string;
}

/** A run as this session holds it. */
export interface HeldRun {
	readonly run: WorkflowRun;
	/** Absent where the run was begun by the reference package. */
	readonly pinned: Pinned | undefined;
}

/** 16 hexadecimal digits that are the same for the same definitions, wherever their files lie. */
export function definitionsHash(definitions: Definitions): string {
	const text = JSON.stringify(pinnedDefinitions(definitions), inOrder);
	return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** For `JSON.stringify`: objects with their keys in order, so that equal values are equal texts. */
function inOrder(_key: string, value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes the definitions of a run into the session. */
export function pinDefinitions(pi: ExtensionAPI, session: Session, run: WorkflowRun, definitions: Definitions): Pinned {
	const copy: PinnedCopy = {
		version: 1,
		taskId: run.id,
		task: run.task,
		root: run.workflowKey,
		definitions: pinnedDefinitions(definitions),
	};
	writeEntry(pi, definitionType, copy);
	return { entry: session.getLeafId() ?? "", hash: definitionsHash(definitions) };
}

/** Writes what a run has become. */
export function writeState(
	pi: ExtensionAPI,
	{ run, pinned }: HeldRun,
	change: {
		readonly left?: EndedVisit | undefined;
		readonly note?: Note | undefined;
		readonly away?: number | undefined;
	},
): void {
	writeEntry(pi, stateType, storeRun(run, { pinned: pinned?.entry, ...change }));
}

export type FoundRun =
	| { readonly kind: "none" }
	| { readonly kind: "held"; readonly held: HeldRun }
	/** In words, for the person. */
	| { readonly kind: "unreadable"; readonly problem: string };

/** The run that the session's current branch is in, or was in last. `catalogue` is asked only for a run without a copy of its own. */
export function findWorkflowRun(session: Session, catalogue: () => Definitions): FoundRun {
	const [entry] = customEntries(session, [stateType]);
	if (!entry) return { kind: "none" };
	const read = readState(entry.data);
	if (read.kind === "invalid") return { kind: "unreadable", problem: read.problem };
	const { state } = read;
	const copy = findCopy(session, state);
	const pinned = copy && { entry: copy.entry, hash: definitionsHash(copy.definitions) };
	const restored = copy
		? restoreRun(state, { kind: "pinned", definitions: copy.definitions, task: copy.task })
		: // What is over needs no definition, and must not be made to look as if it missed one.
			restoreRun(state, {
				kind: "catalogue",
				definitions: state.active ? reachable(catalogue(), state.workflowKey) : new Map(),
			});
	if (restored.kind === "invalid") return { kind: "unreadable", problem: restored.problem };
	return { kind: "held", held: { run: restored.run, pinned } };
}

interface Copy {
	readonly entry: string;
	readonly definitions: Definitions;
	readonly task: string;
}

/** The pinned copy that a state names; in a session whose entries were given new ids the newest one of the run. */
function findCopy(session: Session, { pin, taskId }: StoredState): Copy | undefined {
	if (pin === undefined) return undefined;
	const read = (entry: SessionEntry | undefined): Copy | undefined => {
		if (entry?.type !== "custom" || entry.customType !== definitionType) return undefined;
		const copy = readPinned(entry.data);
		return copy?.taskId === taskId ? { entry: entry.id, ...copy } : undefined;
	};
	const named = read(session.getEntry(pin));
	if (named) return named;
	for (const entry of customEntries(session, [definitionType])) {
		const copy = read(entry);
		if (copy) return copy;
	}
	return undefined;
}

/** The run that a state of this session tells of, by its own copy; `undefined` where it has none. */
export function runOfState(session: Session, state: StoredState): LiveWorkflowRun | undefined {
	const copy = findCopy(session, state);
	const restored = copy && restoreRun(state, { kind: "pinned", ...copy });
	return restored?.kind === "run" && restored.run.kind === "live" ? restored.run : undefined;
}

/** Since when nobody has been at work in the session: ms since the epoch. What pi notes itself when it opens one is no work. */
export function restingSince(session: Session): number | undefined {
	const work = new Set<string>(["message", "custom_message", "compaction", "branch_summary"]);
	for (const entry of newestFirst(session))
		if (work.has(entry.type) || (entry.type === "custom" && entry.customType === stateType))
			return Date.parse(entry.timestamp);
	return undefined;
}

/** What a run has been through on the current branch, oldest first; see `foldHistory`. */
export function historyOf(session: Session, runId: string): PhaseVisit[] {
	return foldHistory(datedStates(session), runId, Date.now());
}

function* datedStates(session: Session): Generator<DatedState> {
	for (const entry of customEntries(session, [stateType])) {
		const read = readState(entry.data);
		if (read.kind === "state") yield { state: read.state, at: Date.parse(entry.timestamp) };
	}
}
