export { type FrozenRules, readBrief, type UnchangedProject } from "./brief.ts";
export { askThroughHost, PROMPT_ENTRY, registerWorker, UNCHANGED_ADVICE } from "./extension/index.ts";
export { type LauncherOptions, openLauncher } from "./launcher.ts";
export { openProjectLauncher, type ProjectEnvironment, sandboxOf } from "./project-launcher.ts";
export { redactSessionText } from "./redact-sessions.ts";
export { freezeRunRules, type UnreadableRules } from "./rules.ts";
export { chooseBox } from "./worker-box.ts";
export { numberSettings, type Setting, workerSettings } from "./worker-settings.ts";
