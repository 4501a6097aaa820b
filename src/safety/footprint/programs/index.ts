export { dropsData } from "./data-tasks.ts";
export { judgeSqlText } from "./databases.ts";
export { parseOptions } from "./options.ts";
export type { Call, Does, Item, Positions, Program, Programs, Role, ScriptDetail } from "./program.ts";
export { findProgram, isProgramName, programGroups } from "./table.ts";
