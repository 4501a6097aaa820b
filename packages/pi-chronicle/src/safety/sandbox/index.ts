export { type Confinement, type ConfinementOptions, openConfinement } from "./confinement.ts";
export { repositoryAbove } from "./git-rules.ts";
export { boxFolder, removeBox, settleBox } from "./leftovers.ts";
export { askAboutHost, openBoxOfSession } from "./of-session.ts";
export { sandboxPolicy } from "./policy.ts";
export { makeBoxFolder } from "./private-folder.ts";
export { probeSandbox, type SandboxProbe } from "./probe.ts";
export { agentReadable } from "./readable.ts";
