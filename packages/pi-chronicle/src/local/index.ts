// The engine of chronicles: supervisor, ledger, workers, workspace.
export * from "./ledger/index.ts";
export * from "./notice-outbox/index.ts";
export * from "./project/index.ts";
export * from "./supervisor/index.ts";
export * from "./worker/index.ts";
export * from "./workspace/index.ts";
