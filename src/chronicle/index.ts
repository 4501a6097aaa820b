export {
	chronicleVerbs,
	commonOptions,
	commonUsage,
	type Outcome,
	runChronicleVerb,
	runProjectVerb,
	type Verb,
	type VerbCall,
} from "./cli/index.ts";
export { registerChronicle } from "./command/index.ts";
export {
	type CheckedFile,
	checkTemplates,
	type FoundTemplate,
	type Project,
	readTemplates,
	templateFolders,
} from "./project/index.ts";
export { parseArguments } from "./steering/index.ts";
export type { Template } from "./template/index.ts";
export {
	askThroughHost,
	readBrief,
	registerWorker,
} from "./worker/index.ts";
