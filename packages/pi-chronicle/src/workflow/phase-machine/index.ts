export { definitionType, stateType } from "./entry-types.ts";
export type { EndedVisit, ExitKind, ModelDecision, WorkflowAction, WorkflowEvent, WorkflowRefusal } from "./event.ts";
export { activeTime, type DatedState, foldHistory, type PhaseVisit } from "./history.ts";
export { type PinnedCopy, pinnedDefinitions, reachable, readPinned, readPinnedLimits } from "./pinned.ts";
export {
	currentPhase,
	definitionOf,
	entryAt,
	firstPosition,
	laterPhase,
	loopsLeft,
	nextPosition,
	phaseAt,
	previousPosition,
	rootOf,
	samePlace,
	scopeOf,
	waitsForUser,
} from "./position.ts";
export {
	beginWorkflowRun,
	type Definitions,
	isActive,
	type LiveWorkflowRun,
	type PauseCause,
	type Position,
	type Segment,
	type WorkflowRun,
} from "./run.ts";
export { type Note, readState, restoreRun, type StateChange, type StoredState, storeRun } from "./stored.ts";
export { earlierPhases, type WorkflowTransition, workflowTransition } from "./transition.ts";
