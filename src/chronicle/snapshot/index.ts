export type { FileChange } from "./files.ts";
export type { Finding, Snapshot, SnapshotData, Summary } from "./snapshot.ts";
