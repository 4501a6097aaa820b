export { handoffStep, registerHandoff } from "./handoff/index.ts";
export { notebookMistake, notebookStep, registerNotebook } from "./notebook/index.ts";
export { type ChildCeilings, type ChildEnd, registerSpawn, runChild } from "./spawn/index.ts";
export { registerWatchdog } from "./watchdog/index.ts";
