export type * from "./ledger.ts";
export type * from "./result.ts";
export type * from "./supervision.ts";
export type * from "./supervisor.ts";
export type * from "./worker.ts";
export type * from "./workspace.ts";
