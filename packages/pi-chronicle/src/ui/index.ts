export * from "./cli/index.ts";
export {
	type Command,
	type CommandCall,
	type CommandResponse,
	type LazyCommand,
	misuse,
	parseArguments,
	refused,
	startCommand,
} from "./commands/index.ts";
export { templateDiagram } from "./phrases/index.ts";
export { registerChronicle } from "./session/index.ts";
