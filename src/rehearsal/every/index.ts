// Coverage of a definition: what has to be shown, the runs that show it, and the evidence. Pure but for reading a ledger.
export { chronicleEvidence, readLedger } from "./chronicle-evidence.ts";
export { planChronicleCoverage } from "./chronicle-plan.ts";
export type { CoveragePlan, Evidence, Excluded, Group, Item, PlannedRun } from "./item.ts";
export { NOT_STARTED } from "./item.ts";
export { readSession, workflowEvidence } from "./workflow-evidence.ts";
export { planWorkflowCoverage } from "./workflow-plan.ts";
