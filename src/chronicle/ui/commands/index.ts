export { type ParsedArguments, parseArguments } from "./arguments.ts";
export type { Command, CommandHost, CommandResponse, Complaint, Confirmation, View } from "./command.ts";
export { type DispatchResult, dispatch } from "./dispatch.ts";
export { completeLine } from "./line-completions.ts";
export { statesOf, tooLong } from "./run-command.ts";
export { startCommand } from "./start.ts";
export { deliveryResult } from "./steer.ts";
export { commands, grammarOf, performCommand } from "./table.ts";
