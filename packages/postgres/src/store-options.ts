// What the parts of an engine's store share.

import type { Run } from "@pi-chronicle/core/machine";
import type { Clock, Result, StoreFailure } from "@pi-chronicle/core/ports";
import type { Redact, RunStart } from "pi-chronicle/local";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";

export interface StoreParts {
	readonly database: Database;
	readonly host: Host;
	readonly clock: Pick<Clock, "now">;
	readonly redact: Redact;
	/** The folder on this host for what a run has besides events. */
	readonly folderOf: (run: string) => string;
}

export interface PostgresStoreOptions extends StoreParts {
	readonly project: string;
	/** Name in pg-boss of the queue that new runs go to. */
	readonly queue: string;
	/** Jobs of a higher priority are taken first. */
	readonly priority?: number;
	/** The schedule whose run it creates. */
	readonly schedule?: string;
	/** Whether `create` leaves the run to the hosts (with `base`: starting from that snapshot of the files), or holds it here. */
	readonly creates: { readonly kind: "held" } | { readonly kind: "submitted"; readonly base: BaseOf };
}

/** Publishes the files that a run starts with. */
type BaseOf = (run: Run) => Promise<Result<RunStart | null, StoreFailure>>;
