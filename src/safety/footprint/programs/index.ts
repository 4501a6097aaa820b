export { parseOptions } from "./options.ts";
export type { Call, Does, Item, Positions, Program, Programs, Role, ScriptDetail } from "./program.ts";
export { findProgram, programGroups } from "./table.ts";
