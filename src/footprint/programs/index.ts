export { dropsData } from "./data-tasks.ts";
export { parseOptions } from "./options.ts";
export type { Call, Does, Item, Positions, Program, Programs, Role, ScriptDetail } from "./program.ts";
export { publishesByTask } from "./publishing-tasks.ts";
export { judgeSqlText } from "./sql.ts";
export { findProgram, isProgramName, programGroups } from "./table.ts";
