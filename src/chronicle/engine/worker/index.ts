export { type FrozenRules, readBrief, type WorkerBrief } from "./brief.ts";
export { askThroughHost, registerWorker } from "./extension/index.ts";
export { type LauncherOptions, openLauncher } from "./launcher.ts";
export { type LocalPlace, openLocalLauncher } from "./project-launcher.ts";
export { freezeRunRules, type UnreadableRules } from "./rules.ts";
export type { Casting } from "./worker-spec.ts";
