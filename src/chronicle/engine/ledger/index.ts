export { CHECKPOINT_BYTES } from "./checkpoint.ts";
export { type FileStoreOptions, openFileStore } from "./file-store.ts";
export { isRunId } from "./layout.ts";
export { thisHost } from "./lease.ts";
export { ALL_RUNS } from "./list-runs.ts";
export { redactEvent } from "./redaction.ts";
