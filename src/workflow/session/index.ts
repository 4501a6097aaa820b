export { cancelWorkflow, completeWorkflow, runWorkflow } from "./command.ts";
export { inheritance, inheritedPolicy } from "./inherited.ts";
export { openWorkflows, type Workflows } from "./workflows.ts";
