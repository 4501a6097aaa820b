// The engine of one machine, as packages that extend it see it: `pi-chronicle/local`.

export { FailureError, parseUntrusted } from "@pi-chronicle/core/definition";
export { attempt, deepestRealPath, freeBytes, makePrivateFolder } from "../disk/index.ts";
export { exactTime, listModels, packageRoot, shortTime } from "../pi/index.ts";
export { processStart, RUN_TAG, runShellCommand } from "../process/index.ts";
export { isSecretName, openRedaction, type Redact, redactText } from "../safety/index.ts";
export {
	isRunId,
	OWN_COMMAND,
	openDeliveryLoop,
	parsePost,
	postText,
	postTooLong,
	redactEvent,
	resolveRunId,
	stampEvent,
	storeFailure,
	summarizeRun,
	thisHost,
} from "./ledger/index.ts";
export { type Channel, type Delivery, deliveryKey, type NoticeKey, noticeKind } from "./notice-outbox/index.ts";
export {
	type CleanupApprovals,
	type EngineSetting,
	firstOfChild,
	openProject,
	type Project,
	systemClock,
	tooManyChildren,
	workspaceScope,
} from "./project/index.ts";
export * from "./remote/index.ts";
export {
	approvalOf,
	type CrashPoint,
	nobody,
	openCrashPoints,
	type Supervision,
	type SupervisionEnd,
	setUpChild,
	supervise,
} from "./supervisor/index.ts";
export type { ProjectEnvironment } from "./worker/index.ts";
export {
	commitTree,
	type EndedElsewhere,
	type EndingChild,
	explainGit,
	gitText,
	runGit,
	WorkspaceError,
} from "./workspace/index.ts";
