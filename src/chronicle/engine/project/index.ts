export { type VisitChanges, watchChanges } from "./change-watch.ts";
export { type Check, type CheckedFile, checkTemplates } from "./check.ts";
export type { CleanupStanding } from "./cleanup-approvals.ts";
export { type Difference, differenceOf, looking } from "./difference.ts";
export { exitCodeOfEnd, exitCodeOfFailure, exitCodes } from "./exit-code.ts";
export { followRun } from "./follow.ts";
export { attend, type LiveRun } from "./live-run.ts";
export { resolveModel } from "./model.ts";
export { openProject, type Project } from "./project.ts";
export { explainDistrust } from "./provenance.ts";
export { daysOf, type Removable, type Removed, type RunEntry, removeRuns, runNamed, runsOlderThan } from "./remove.ts";
export {
	type CleanupTexts,
	createRun,
	isLoaded,
	notFound,
	type Preparation,
	prepareStart,
	templateChange,
} from "./start.ts";
export {
	type FoundTemplate,
	type MeantTemplate,
	readTemplates,
	type TemplateShelf,
	templateFolders,
} from "./templates.ts";
export { keptBefore, startOfVisit, type VisitStart } from "./visit-start.ts";
