export { type LedgerEvent, referencesIn, splitReference, type Template } from "./core/index.ts";
export {
	agentExclusions,
	askThroughHost,
	type CheckedFile,
	checkTemplates,
	examineLedger,
	type FoundTemplate,
	ledgersOf,
	linksFor,
	logCopiesRoot,
	openExclusions,
	openProject,
	openTrialCopy,
	orphanedChildFolders,
	orphanedLogCopies,
	type Project,
	type ProjectEnvironment,
	readBrief,
	readLog,
	readTemplateFile,
	readTemplates,
	registerWorker,
	removeOutsideFolder,
	type TrialCopy,
	templateFolders,
	templateNames,
	UNCHANGED_ADVICE,
	unstartedRuns,
} from "./engine/index.ts";
export {
	commonOptions,
	runChronicleCommand,
	runCompletionCommand,
	runProjectCommand,
	shellCommands,
} from "./ui/cli/index.ts";
export {
	type Command,
	type CommandCall,
	type CommandResponse,
	type LazyCommand,
	misuse,
	parseArguments,
	refused,
} from "./ui/commands/index.ts";
export { templateDiagram } from "./ui/phrases/index.ts";
export { registerChronicle } from "./ui/session/index.ts";
