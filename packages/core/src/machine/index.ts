export type { Action, RunChild, StopChild } from "./action.ts";
export { isAnswerTo, openQuestion } from "./approval.ts";
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
} from "./budget/budget.ts";
export { activityMs, activityOf, runsAlike, workersBelow } from "./budget/child-activity.ts";
export { liveTotals } from "./budget/totals.ts";
export {
	candidatesIn,
	dueOutput,
	explainWinner,
	findCandidate,
	outputIn,
	targetsWithoutOutput,
	winnerOf,
} from "./candidates.ts";
export { awaitedBy, criticalPath, dueConflict, inOrderOfNeeds, isGraph } from "./children/child-graph.ts";
export { needsChild } from "./children/children.ts";
export { inheritedBy, knownSnapshot } from "./children/inherit.ts";
export { describeKept } from "./children/kept-child-folders.ts";
export { type ApartState, apartState, explainUntakable, isJoinedAgain } from "./children/take-copy.ts";
export { commandEndText, commandOutcomeText } from "./command-run.ts";
export { decide } from "./decide.ts";
export { decisionsSince } from "./decision-record.ts";
export { firstAnswer, lastAnswer } from "./given-answer.ts";
export { beginMessage, MESSAGE_LENGTH, markMessage, markReminder, messageWords, outboxOfLaunch } from "./outbox.ts";
export { isParked, pendingActions } from "./pending-actions.ts";
export { type AwaitedList, awaitedLists } from "./plan/awaited-list.ts";
export { readOutput, statesWithData } from "./plan/child-items.ts";
export { problemsOfItems, READ_ONLY_TOOLS, templateOf } from "./plan/child-plan.ts";
export { type HostNeed, hostNeed, labelsOf, missingLabels } from "./plan/host-labels.ts";
export { likelyNext } from "./plan/likely-next.ts";
export { explainLists, explainSavedLists } from "./plan/list-check.ts";
export { explainCause, judgeMove, legalTargets, targetMeanings } from "./plan/moves.ts";
export { childrenPlanOf, planOf } from "./plan/plan.ts";
export { findTarget } from "./plan/target.ts";
export { undoOf } from "./rewind.ts";
export { copyId } from "./run/apart.ts";
export type { ApprovalQuestion } from "./run/approval-question.ts";
export type * from "./run/ceilings.ts";
export type { ChildEnded, ChildWait, KeptChildFolder, WaitingBelow } from "./run/child-event.ts";
export type { ChildChoice, ChildGroup, ChildRun, ChildStatus } from "./run/child-group.ts";
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
} from "./run/child-run.ts";
export type * from "./run/command-event.ts";
export type { ConditionChanged } from "./run/condition.ts";
export type { Created } from "./run/created-event.ts";
export type * from "./run/decision-event.ts";
export type * from "./run/event.ts";
export * from "./run/launch.ts";
export { PROVIDER_DEFAULTS } from "./run/provider-wait.ts";
export { isRefusal } from "./run/refusal.ts";
export {
	type KeptState,
	type ListOfFile,
	type Move,
	type Run,
	type RunStatus,
	SCHEMA_VERSION,
	type UserQuestion,
} from "./run/run.ts";
export type { RunDecision } from "./run/run-decision.ts";
export { outcomeOf, type RunOutcome, visitChanges, wholeSummary } from "./run/run-outcome.ts";
export { continuesAlone, isFinished } from "./run/run-status.ts";
export { addSpend, NO_SPEND, type Spend, spendBeyond } from "./run/spend.ts";
export { decodeRun, encodeRun, NOTHING_STORED, type StoredRun } from "./run/stored-run.ts";
export type * from "./run/user-event.ts";
export { dueQuestion, unansweredQuestion } from "./run/user-question.ts";
export { explainResult } from "./shutdown.ts";
export { foldEvent, isKnownEvent, startRun } from "./transition.ts";
export { awaitedAnswer, decidedEarlier } from "./user-decisions.ts";
