export { type CatalogueMemory, loadCatalogue, openCatalogueMemory, type Roots, workflowRoots } from "./catalogue.ts";
export type {
	Capability,
	Catalogue,
	Phase,
	Reference,
	Rejection,
	ShellRule,
	ToolLimits,
	ToolMention,
	WorkflowDefinition,
} from "./definition.ts";
export { type TextUse, type Variable, variables } from "./variables.ts";
export { commandWords } from "./workflow-file.ts";
