// What the parts of an engine's store share.
import type { Redact } from "../../../safety/index.ts";
import type { Clock } from "../../core/index.ts";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";

/** What every part of a store works with. */
export interface StoreParts {
	readonly database: Database;
	readonly host: Host;
	readonly clock: Pick<Clock, "now">;
	readonly redact: Redact;
	/** The folder on this host for what a run has besides events. */
	readonly folderOf: (run: string) => string;
}
