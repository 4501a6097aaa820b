export { workflowChoices } from "./choices.ts";
export { cancelWorkflow, completeWorkflow, runWorkflow } from "./command.ts";
export { inheritance, inheritedPolicy } from "./inherited.ts";
export type { OpenRunFiles } from "./phase-files.ts";
export { runWorkflowStep } from "./step.ts";
export { openWorkflows, type Workflows } from "./workflows.ts";
