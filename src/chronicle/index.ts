export type { Template } from "./core/index.ts";
export {
	askThroughHost,
	type CheckedFile,
	checkTemplates,
	type FoundTemplate,
	type Project,
	readBrief,
	readTemplates,
	registerWorker,
	templateFolders,
} from "./engine/index.ts";
export {
	chronicleVerbs,
	commonOptions,
	commonUsage,
	type Outcome,
	runChronicleVerb,
	runProjectVerb,
	type Verb,
	type VerbCall,
} from "./ui/cli/index.ts";
export { registerChronicle } from "./ui/command/index.ts";
export { parseArguments } from "./ui/commands/index.ts";
