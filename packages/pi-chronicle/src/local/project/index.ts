export { readBranch } from "./branch.ts";
export { type VisitChanges, watchChanges } from "./change-watch.ts";
export { type Check, type CheckedFile, checkTemplates } from "./check.ts";
export { type KeptFolders, keptFolders, orphanedChildFolders } from "./child-folders.ts";
export { firstOfChild, tooManyChildren } from "./child-runs.ts";
export type { CleanupApprovals } from "./cleanup-approvals.ts";
export { systemClock } from "./clock.ts";
export { makeCopyBranch } from "./copy-branch.ts";
export { writeCopyPatch } from "./copy-patch.ts";
export { diffConflicts, diffRun, isCutPatch, type RunDiff, withWorkspace } from "./diff.ts";
export {
	type EngineSetting,
	engineArgs,
	engineOptions,
	engineSetting,
	namesIn,
	submitOptions,
	withoutSecrets,
} from "./engine-setting.ts";
export { findNoModel, resolveModel } from "./model.ts";
export {
	type EngineLink,
	explainDistrust,
	type HandResolution,
	ledgersOf,
	openProject,
	type Project,
	workspaceScope,
} from "./project.ts";
export type { PlannedEnd, PlannedEnds } from "./rehearsed-command.ts";
export {
	daysOf,
	type Removable,
	type Removed,
	type RunEntry,
	removeRuns,
	runNamed,
	runSizes,
	runsOlderThan,
} from "./remove.ts";
export { discardCopy } from "./run-copy.ts";
export { firstRuns, type RunTree, runTrees, type WaitingChild, waitingChildren } from "./run-tree.ts";
export { notePage, pageOfRun } from "./served-page.ts";
export {
	type CleanupTexts,
	createRun,
	isLoaded,
	neighbourNotes,
	notFound,
	type Preparation,
	pinTemplate,
	prepareStart,
	type StartOrder,
	templateChange,
} from "./start.ts";
export { type SupervisedRun, startSupervision } from "./supervised-run.ts";
export {
	type FoundTemplate,
	readTemplateFile,
	readTemplates,
	type SelectedTemplate,
	type TemplateCatalogue,
} from "./template-catalogue.ts";
export { type TemplateName, templateFolders, templateNames } from "./template-files.ts";
export { openTrialCopy, type TrialCopy } from "./trial-copy.ts";
export { exitCodeOfEnd, exitCodeOfFailure, watchRun } from "./watch-run.ts";
export { wideFolder } from "./wide-folder.ts";
