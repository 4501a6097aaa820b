export { type Child, type ChildSpec, type Exit, startChild } from "./child.ts";
export { type RecordSink, type RecordSplitter, splitRecords } from "./line-records.ts";
export { findStrays, RUN_TAG, type Stray, type StrayStop, stopStrays } from "./orphans.ts";
export { isSameProcess, processStart } from "./process-identity.ts";
export { childTagPrefix, enclosingRun } from "./run-tag.ts";
