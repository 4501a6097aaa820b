export { type HandoffOutcome, type HandoffSession, registerHandoff, requestHandoff } from "./handoff/index.ts";
export { type NotebookSession, registerNotebook, runNotebookCommand } from "./notebook/index.ts";
export { registerSpawn } from "./spawn/index.ts";
export { registerWatchdog } from "./watchdog/index.ts";
