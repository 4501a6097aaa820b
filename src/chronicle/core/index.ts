// The chronicle as pure data and functions: templates, the state machine, snapshots, and the ports that the engine implements.
export * from "./handover/index.ts";
export * from "./history/index.ts";
export * from "./machine/index.ts";
export * from "./output/index.ts";
export type * from "./ports/index.ts";
export * from "./snapshot/index.ts";
export * from "./template/index.ts";
