export { chronicleVerbs, commonOptions, runChronicleVerb } from "./cli/index.ts";
export { registerChronicle } from "./command/index.ts";
export { type FoundTemplate, readTemplates, templateFolders } from "./project/index.ts";
export { parseArguments } from "./steering/index.ts";
export type { Template } from "./template/index.ts";
export {
	askThroughHost,
	readBrief,
	registerWorker,
} from "./worker/index.ts";
