export { type Child, type ChildExit, type ChildSpec, startChild } from "./child.ts";
export { RECORD_CAP, type RecordSink, type RecordSplitter, splitRecords } from "./line-records.ts";
export { findOrphans, type Orphan, type OrphanStop, RUN_TAG, runsWithProcesses, stopOrphans } from "./orphans.ts";
export { isSameProcess, processStart } from "./process-identity.ts";
export { childTagPrefix, enclosingRun } from "./run-tag.ts";
