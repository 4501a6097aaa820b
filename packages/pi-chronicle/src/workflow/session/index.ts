export { workflowChoices } from "./choices.ts";
export { cancelWorkflow, completeWorkflow, runWorkflow } from "./command.ts";
export { inheritance, inheritedPolicy } from "./inherited.ts";
export { runWorkflowStep } from "./step.ts";
export { openWorkflows, type Workflows } from "./workflows.ts";
