export { ByteTail } from "./byte-tail.ts";
export { type Child, type ChildExit, startChild } from "./child.ts";
export { RECORD_CAP, splitRecords } from "./line-records.ts";
export { findOrphans, RUN_TAG, runsWithProcesses, stopOrphans } from "./orphans.ts";
export { isProcessAlive, isSameProcess, processStart } from "./process-identity.ts";
export { childTagPrefix, enclosingRun } from "./run-tag.ts";
export { runShellCommand, type ShellCommandEnd } from "./shell-command.ts";
export { unlessAborted, untilAborted, within } from "./within.ts";
