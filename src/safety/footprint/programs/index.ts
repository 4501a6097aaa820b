export { parseOptions } from "./options.ts";
export type { Call, Does, Item, Positions, Program, Programs, Role } from "./program.ts";
export { findProgram } from "./table.ts";
