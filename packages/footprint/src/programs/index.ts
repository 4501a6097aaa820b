export { printedLogin } from "./logins.ts";
export { parseOptions } from "./options.ts";
export type {
	Behavior,
	Call,
	ParsedArgument,
	Positions,
	ProgramSpec,
	ProgramSpecs,
	Role,
	ScriptOptions,
	Where,
} from "./program-spec.ts";
export { judgeSqlText } from "./sql.ts";
export { findProgram, findPrograms, isCommandLine, isProgramName, programGroups } from "./table.ts";
export { rewritesFiles, taskEffects } from "./tasks.ts";
