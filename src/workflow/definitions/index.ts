export type {
	Capability,
	Catalogue,
	Phase,
	Reference,
	ShellRule,
	ToolLimits,
	WorkflowDefinition,
} from "./definition.ts";
