// Writes a run to session entries and restores it from them. The newest state on the branch decides; older runs are never revived.
// A state entry has a bounded size; the pinned definition is written once and never changed, and a reload pins another copy;
// an unreadable state is not a run.

import type { ExtensionAPI, SessionEntry } from "@earendil-works/pi-coding-agent";
import { canonicalJson, digest } from "@pi-chronicle/core/bounds";
import type { PathList } from "@pi-chronicle/core/definition";
import { customEntries, newestFirst, type Session, writeEntry } from "../../pi/index.ts";
import {
	type DatedState,
	type Definitions,
	definitionType,
	foldHistory,
	type LiveWorkflowRun,
	type PhaseVisit,
	type PinnedCopy,
	pinnedDefinitions,
	reachable,
	readPinned,
	readState,
	restoreRun,
	type StateChange,
	type StoredState,
	stateType,
	storeRun,
	type WorkflowRun,
} from "../phase-machine/index.ts";
import { type FinishedVisit, phaseNameById } from "../prompts/index.ts";

export const completeType = "workflow:complete";
/** The figures of a run that ended while the model was working. */
export const spentType = "workflow:spent";

/** The pinned copy of the definitions that a run uses. */
export interface Pinned {
	/** Id of the session entry with the copy. */
	readonly entry: string;
	/** See `definitionsHash`. */
	readonly hash: string;
}

/** A run of this session and its pinned definitions. */
export interface HeldRun {
	readonly run: WorkflowRun;
	/** `undefined` if the reference package started the run. */
	readonly pinned: Pinned | undefined;
}

/** A hash of 16 hexadecimal digits. Equal definitions have equal hashes, regardless of the location of their files. */
export function definitionsHash(definitions: Definitions): string {
	return digest(canonicalJson(pinnedDefinitions(definitions)));
}

/** Writes the definitions of a run to the session. */
export function pinDefinitions(pi: ExtensionAPI, session: Session, run: WorkflowRun, definitions: Definitions): Pinned {
	const copy: PinnedCopy = {
		version: 1,
		taskId: run.id,
		task: run.task,
		...(run.kind === "live" && run.uncommitted && { uncommitted: run.uncommitted }),
		root: run.workflowKey,
		definitions: pinnedDefinitions(definitions),
	};
	writeEntry(pi, definitionType, copy);
	return { entry: session.getLeafId() ?? "", hash: definitionsHash(definitions) };
}

/** Writes the current state of a run to the session. */
export function writeState(pi: ExtensionAPI, { run, pinned }: HeldRun, change: Omit<StateChange, "pinned">): void {
	writeEntry(pi, stateType, storeRun(run, { pinned: pinned?.entry, ...change }));
}

export type FoundRun =
	| { readonly kind: "none" }
	| { readonly kind: "held"; readonly held: HeldRun }
	/** For the user. */
	| { readonly kind: "unreadable"; readonly problem: string };

/** Finds the current or last run of the session's current branch. `catalogue` is called only for a run without a pinned copy. */
export function findWorkflowRun(session: Session, catalogue: () => Definitions): FoundRun {
	const [entry] = customEntries(session, [stateType]);
	if (!entry) return { kind: "none" };
	const read = readState(entry.data);
	if (read.kind === "invalid") return { kind: "unreadable", problem: read.problem };
	const { state } = read;
	const copy = findCopy(session, state);
	const pinned = copy && { entry: copy.entry, hash: definitionsHash(copy.definitions) };
	const restored = copy
		? restoreRun(state, { kind: "pinned", ...copy })
		: // An ended run needs no definitions and must not be reported as missing one.
			restoreRun(state, {
				kind: "catalogue",
				definitions: state.active ? reachable(catalogue(), state.workflowKey) : new Map(),
			});
	if (restored.kind === "invalid") return { kind: "unreadable", problem: restored.problem };
	return { kind: "held", held: { run: restored.run, pinned } };
}

/** What the model needs to know of a run whose texts are not in its context: the visits that have ended. */
export function finishedVisits(session: Session, run: LiveWorkflowRun): FinishedVisit[] {
	return historyOf(session, run.id).flatMap(({ phaseId, way, ...visit }) =>
		way === undefined ? [] : [{ ...visit, phase: phaseNameById(run, phaseId), way }],
	);
}

interface Copy {
	readonly entry: string;
	readonly definitions: Definitions;
	readonly task: string;
	readonly uncommitted?: PathList | undefined;
}

/** The pinned copy that a state refers to. If the session's entries were given new ids, the newest copy of the run. */
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

/** The run that a state of this session describes, restored from its pinned copy; `undefined` if it has none. */
export function runOfState(session: Session, state: StoredState): LiveWorkflowRun | undefined {
	const copy = findCopy(session, state);
	const restored = copy && restoreRun(state, { kind: "pinned", ...copy });
	return restored?.kind === "run" && restored.run.kind === "live" ? restored.run : undefined;
}

/** Time of the last activity in the session, in ms since the epoch. Entries that pi writes when it opens a session don't count. */
export function restingSince(session: Session): number | undefined {
	const work = new Set<string>(["message", "custom_message", "compaction", "branch_summary"]);
	for (const entry of newestFirst(session))
		if (work.has(entry.type) || (entry.type === "custom" && entry.customType === stateType))
			return Date.parse(entry.timestamp);
	return undefined;
}

/** The phase visits of a run on the current branch, oldest first; see `foldHistory`. */
export function historyOf(session: Session, runId: string): PhaseVisit[] {
	return foldHistory(datedStates(session), runId, Date.now());
}

function* datedStates(session: Session): Generator<DatedState> {
	for (const entry of customEntries(session, [stateType])) {
		const read = readState(entry.data);
		if (read.kind === "state") yield { state: read.state, at: Date.parse(entry.timestamp) };
	}
}
