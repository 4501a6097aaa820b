export type { Action, RunChild, StopChild } from "./action.ts";
export { copyId } from "./apart.ts";
export { isAnswerTo, openQuestion } from "./approval.ts";
export type { ApprovalQuestion } from "./approval-question.ts";
export { type AwaitedList, awaitedLists } from "./awaited-list.ts";
export {
	allowanceOf,
	ceilingsOf,
	childTimeLeft,
	leastOf,
	type Measure,
	measures,
	remainderOf,
	type SpendFigures,
	type TreeCeilings,
} from "./budget.ts";
export {
	candidatesIn,
	dueOutput,
	explainWinner,
	findCandidate,
	outputIn,
	targetsWithoutOutput,
	winnerOf,
} from "./candidates.ts";
export type * from "./ceilings.ts";
export { activityMs, activityOf, runsAlike, workersBelow } from "./child-activity.ts";
export type { ChildEnded, ChildWait, KeptChildFolder, WaitingBelow } from "./child-event.ts";
export { awaitedBy, criticalPath, dueConflict, inOrderOfNeeds, isGraph } from "./child-graph.ts";
export type { ChildChoice, ChildGroup, ChildRun, ChildStatus } from "./child-group.ts";
export { readOutput, statesWithData } from "./child-items.ts";
export { needsOfItems } from "./child-needs.ts";
export { READ_ONLY_TOOLS, templateOf } from "./child-plan.ts";
export {
	ALL_CHILDREN,
	type ChildActivity,
	type ChildSpend,
	type ConflictChoice,
	conflictFolderId,
	type JoinConflict,
	MAX_CHILD_LEVELS,
	MAX_CHILDREN,
	MAX_RUNS_IN_TREE,
	NO_CHILD_SPEND,
	type PinnedTemplate,
	type RunParent,
	sideWith,
	YOUR_FILES,
} from "./child-run.ts";
export { needsChild } from "./children.ts";
export type * from "./command-event.ts";
export { commandEndText, commandOutcomeText } from "./command-run.ts";
export type { ConditionChanged } from "./condition.ts";
export type { Created } from "./created-event.ts";
export { decide } from "./decide.ts";
export type * from "./decision-event.ts";
export { decisionsSince } from "./decision-record.ts";
export type * from "./event.ts";
export { firstAnswer, lastAnswer } from "./given-answer.ts";
export { type HostNeed, hostNeed, labelsOf, missingLabels } from "./host-labels.ts";
export { inheritedBy, knownSnapshot } from "./inherit.ts";
export { describeKept } from "./kept-child-folders.ts";
export * from "./launch.ts";
export { likelyNext } from "./likely-next.ts";
export { explainLists, explainSavedLists } from "./list-check.ts";
export { explainCause, judgeMove, legalTargets, targetMeanings } from "./moves.ts";
export { beginMessage, MESSAGE_LENGTH, markMessage, markReminder, messageWords, outboxOfLaunch } from "./outbox.ts";
export { isParked, pendingActions } from "./pending-actions.ts";
export { childrenPlanOf, planOf } from "./plan.ts";
export { PROVIDER_DEFAULTS } from "./provider-wait.ts";
export { isRefusal } from "./refusal.ts";
export { undoOf } from "./rewind.ts";
export {
	type KeptState,
	type ListOfFile,
	type Move,
	type Run,
	type RunStatus,
	SCHEMA_VERSION,
	type UserQuestion,
} from "./run.ts";
export type { RunDecision } from "./run-decision.ts";
export { outcomeOf, type RunOutcome, visitChanges, wholeSummary } from "./run-outcome.ts";
export { continuesAlone, isFinished } from "./run-status.ts";
export { explainResult } from "./shutdown.ts";
export { addSpend, NO_SPEND, type Spend, spendBeyond } from "./spend.ts";
export { decodeRun, encodeRun, NOTHING_STORED, type StoredRun } from "./stored-run.ts";
export { type ApartState, apartState, explainUntakable } from "./take-copy.ts";
export { findTarget } from "./target.ts";
export { liveTotals } from "./totals.ts";
export { foldEvent, isKnownEvent, startRun } from "./transition.ts";
export { awaitedAnswer, decidedEarlier } from "./user-decisions.ts";
export type * from "./user-event.ts";
export { dueQuestion, unansweredQuestion } from "./user-question.ts";
