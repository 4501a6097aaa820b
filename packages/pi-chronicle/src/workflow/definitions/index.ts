export { filesOfWorkflow, loadCatalogue, type Roots, workflowRoots } from "./catalogue.ts";
export { checkModelNames, checkToolNames, emptyBlacklistEntries } from "./check-tools.ts";
export type {
	Capability,
	Catalogue,
	Phase,
	PhaseGate,
	Reference,
	Rejection,
	ToolLimits,
	VisitCeilings,
	WorkflowDefinition,
} from "./definition.ts";
export { workflowDiagram } from "./diagram.ts";
export { gateTimeoutMs } from "./gate-field.ts";
export { catalogueCheckLines, listLines, usageLines, usageNotes, visibleCommands } from "./listing.ts";
export { variables } from "./variables.ts";
export { commandWords } from "./workflow-file.ts";
