// Coverage of a definition: what has to be shown, the runs that show it, and the evidence. Pure but for reading a ledger.
export { type RehearsedChild, withChildren } from "./chronicle-children.ts";
export { chronicleEvidence, ledgerOrigin, readLedger } from "./chronicle-evidence.ts";
export { planChronicleCoverage } from "./chronicle-plan.ts";
export type { CoverageItem, CoveragePlan, Evidence, Excluded, Group, PlannedRun } from "./coverage.ts";
export { NOT_STARTED } from "./coverage.ts";
export { type Graph, isEnd, join, NO_COUNTS, searchPath } from "./paths.ts";
export { readSession, workflowEvidence } from "./workflow-evidence.ts";
export { planWorkflowCoverage } from "./workflow-plan.ts";
