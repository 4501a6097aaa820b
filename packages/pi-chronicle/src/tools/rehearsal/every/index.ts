// Coverage of a definition: the items to show, the runs that show them, and the evidence. Pure, except that it reads ledgers.

export { chronicleEvidence, ledgerOrigin } from "./chronicle-evidence.ts";
export { planChronicleCoverage, type RehearsedChild, withChildren } from "./chronicle-plan.ts";
export type { CoverageItem, CoveragePlan, Evidence, Excluded, Group, PlannedRun } from "./coverage.ts";
export { NOT_STARTED } from "./coverage.ts";
export { type Graph, isEnd, join, NO_COUNTS, searchPath } from "./paths.ts";
export { readSession, workflowEvidence } from "./workflow-evidence.ts";
export { planWorkflowCoverage } from "./workflow-plan.ts";
