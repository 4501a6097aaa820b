import type { JoinConflict } from "./child-run.ts";

/** The approval question to the user before a move. */
export interface ApprovalQuestion {
	/** `seq` of the event that raised it; an answer must name it. */
	readonly seq: number;
	/** Its `approval_asked` is recorded. Absent: not, or an earlier version asked it. */
	readonly recorded?: true;
	readonly state: string;
	readonly visit: number;
	/** `exit`: before `state` is left for `target`. `entry`: before `state` starts. `conflict`: how to resolve the conflicts of a join. */
	readonly side: "entry" | "exit" | "conflict";
	readonly target: string;
	/** The worker's summary, on exit. */
	readonly summary: string;
	/** Tree that the answer is bound to; empty if files cannot be measured. */
	readonly diff: string;
	/** Why the changes are unknown or incomplete; absent if they are complete. */
	readonly unmeasured?: string;
	/** Of side `conflict`. */
	readonly conflicts?: readonly JoinConflict[];
}
