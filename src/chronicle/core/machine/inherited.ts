// What a child run begins with: the knowledge of its parent when the child was planned, and its place among its siblings. Data only.
import type { PathList } from "../../../definition/index.ts";
import type { Snapshot } from "../snapshot/index.ts";
import type { RunDecision } from "./run-decision.ts";

export interface Inherited {
	/** Template and state of the parent. */
	readonly run: string;
	readonly state: string;
	/** Names of all children of the state, in order. */
	readonly siblings: readonly string[];
	/** The state whose worker reads the child's results; absent: none. */
	readonly reader?: string;
	/** Paths of the conflicts that it resolves; absent: it does not merge. */
	readonly conflicts?: readonly string[];
	/** What the user wrote for the first run of the tree. */
	readonly task: string;
	/** Of the parent and of its parents, oldest first. */
	readonly decisions: readonly RunDecision[];
	/** What the parent and its parents knew. */
	readonly snapshot: Snapshot;
	/** The user's uncommitted changes before the first run of the tree; absent: none, or unknown. */
	readonly uncommitted?: PathList;
	/** Ids of entries in `snapshot` that this run has resolved since; absent: none. */
	readonly resolved?: readonly string[];
}
