export type { Action, Decision, Event, Left, Refusal, Way } from "./event.ts";
export { type DatedState, foldHistory, timeOf, type Visit } from "./history.ts";
export { type PinnedCopy, pinnedDefinitions, reachable, readLimits, readPinned } from "./pinned.ts";
export {
	currentPhase,
	definitionOf,
	entryAt,
	firstPosition,
	innermost,
	nextPosition,
	phaseAt,
	previousPosition,
	rootOf,
	samePlace,
	scopeOf,
	waitsForPerson,
} from "./position.ts";
export {
	beginRun,
	type Definitions,
	isActive,
	type LiveRun,
	type PauseCause,
	type Position,
	type Run,
	type Segment,
	type StaleRun,
} from "./run.ts";
export {
	type Note,
	type Read,
	type Restored,
	readState,
	restoreRun,
	type Source,
	type StoredState,
	storeRun,
} from "./stored.ts";
export { earlierPhases, type Transition, transition } from "./transition.ts";
