// Public interface of workflows.
export {
	type Catalogue,
	checkModelNames,
	emptyBlacklistEntries,
	filesOfWorkflow,
	loadCatalogue,
	type Phase,
	type ToolLimits,
	type WorkflowDefinition,
	workflowDiagram,
	workflowRoots,
} from "./definitions/index.ts";
export { changesAreMeant, isNameRefused } from "./limits/index.ts";
export {
	type Definitions,
	definitionType,
	firstPosition,
	nextPosition,
	type Position,
	readPinned,
	readState,
	type StoredState,
	stateType,
} from "./phase-machine/index.ts";
export { answerLine, askLine } from "./prompts/messages.ts";
export { registerWorkflow } from "./register.ts";
export type { OpenRunFiles } from "./session/index.ts";
