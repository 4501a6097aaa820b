export { type FrozenRules, readBrief, type WorkerBrief } from "./brief.ts";
export type { Casting } from "./casting.ts";
export { askThroughHost, registerWorker } from "./inside/index.ts";
export { type LauncherOptions, openLauncher } from "./launcher.ts";
export { type LocalPlace, openLocalLauncher } from "./local.ts";
export { freezeRunRules, type UnreadableRules } from "./rules.ts";
