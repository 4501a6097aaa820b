export { handoffStep, registerHandoff } from "./handoff/index.ts";
export { notebookMistake, notebookStep, registerNotebook } from "./notebook/index.ts";
export { registerSpawn } from "./spawn/index.ts";
export { registerWatchdog } from "./watchdog/index.ts";
