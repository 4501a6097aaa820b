export { aroundTemplates, checkTemplateInstructions } from "./chronicle.ts";
export { toolsOfStates } from "./state-tools.ts";
export { checkPhaseInstructions } from "./workflow.ts";
