export { answerChoices } from "./answer-choices.ts";
export { type ParsedArguments, parseArguments } from "./arguments.ts";
export { askHere } from "./child-dispatch.ts";
export {
	type Command,
	type CommandCall,
	type CommandDone,
	type CommandHost,
	type CommandResponse,
	type Complaint,
	type Confirmation,
	engineComplaint,
	failed,
	type LazyCommand,
	misuse,
	NO_WAIT,
	refused,
	type View,
} from "./command.ts";
export { decideCleanup } from "./decisions.ts";
export type { Supervisors } from "./delivery.ts";

export { dispatch } from "./dispatch.ts";
export { completeLine, runItems } from "./line-completions.ts";
export { type LineItem, nameItems, offer, splitLine } from "./line-names.ts";
export { withRun } from "./look.ts";
export { statesOf, tooLong } from "./run-command.ts";
export { RECENT_RUNS } from "./run-name.ts";
export { startCommand } from "./start.ts";
export { commands, grammarOf, performCommand } from "./table.ts";
