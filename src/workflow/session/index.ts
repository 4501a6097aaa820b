export { cancelWorkflow, completeWorkflow, runWorkflow } from "./command.ts";
export { openWorkflows, type Workflows } from "./workflows.ts";
