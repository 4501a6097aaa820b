export { ALL_RUNS } from "./catalogue.ts";
export { CHECKPOINT_BYTES } from "./checkpoint.ts";
export { type Disk, realDisk, replaceFile } from "./disk.ts";
export { type FileStoreOptions, openFileStore } from "./file-store.ts";
export { isRunId } from "./layout.ts";
export { thisHost } from "./lease.ts";
export { openMemoryStore } from "./memory-store.ts";
export { redactEvent } from "./redaction.ts";
export { eventKinds, eventSchema, ledgerFields, ledgerSchema, ledgerTables } from "./reference.ts";
