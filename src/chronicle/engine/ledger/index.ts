export { CHECKPOINT_BYTES } from "./checkpoint.ts";
export { storeFailure } from "./failures.ts";
export { type FileStoreOptions, openFileStore, postTooLong } from "./file-store.ts";
export { parsePost, postText } from "./inbox.ts";
export { isRunId } from "./layout.ts";
export { thisHost } from "./lease.ts";
export { stampEvent } from "./line.ts";
export { ALL_RUNS, resolveRunId, summarizeRun } from "./list-runs.ts";
export { redactEvent } from "./redaction.ts";
