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
