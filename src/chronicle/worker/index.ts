export { BRIEF_VARIABLE, type FrozenRules, readBrief, type WorkerBrief } from "./brief.ts";
export type { Casting } from "./casting.ts";
export { registerWorker, SNAPSHOT_TOOL, TRANSITION_TOOL } from "./inside/index.ts";
export { type LauncherOptions, openLauncher } from "./launcher.ts";
export { freezeRunRules, type UnreadableRules } from "./rules.ts";
