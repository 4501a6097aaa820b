// Identifies a child run and describes it in events. Pure.
// Ids are derived from the parent, the visit and the index, so starting a child again finds the existing one.
import { createHash } from "node:crypto";
import type { PathList } from "../../definition/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import type { RunDecision } from "./run-decision.ts";
import { NO_SPEND, type Spend } from "./spend.ts";

/** Most children of one state, of a whole tree, and levels below the first run. */
export const MAX_CHILDREN = 100;
export const MAX_RUNS_IN_TREE = 500;
export const MAX_CHILD_LEVELS = 4;

/** A template as it was when the run started. */
export interface PinnedTemplate {
	/** Of the definition's content, see `template/hash.ts`. */
	readonly hash: string;
	/** The data of the template file, unchanged. */
	readonly definition: unknown;
	readonly file?: string;
}

/** The parent of a run. */
export interface RunParent {
	/** Run id of the parent, and of the first run of the tree. */
	readonly run: string;
	readonly root: string;
	/** The visit of the parent, and the child's number in it. */
	readonly visit: number;
	readonly index: number;
	readonly name: string;
	/** 1 for a child of the first run. */
	readonly level: number;
	/** Whether it works in its own folder. */
	readonly files: "own" | "shared";
	/** What its own folder lacks, as sentences; absent: nothing. */
	readonly notes?: readonly string[];
}

/** A child as recorded when it was planned. */
export interface PlannedChild {
	/** From 1, in the order of the join. */
	readonly index: number;
	/** Run id. */
	readonly id: string;
	readonly name: string;
	/** Name of its template, and the hash of the definition. */
	readonly template: string;
	readonly hash: string;
	readonly task: string;
	/** Index of its branch in the state. */
	readonly branch: number;
	/** Id of the pending task that it does. */
	readonly entry?: string;
	/** It resolves the conflicts of the join; its folder starts with this tree. */
	readonly merges?: string;
	/** With `merges`: the number of the child whose files conflict; absent: those of all children, with the run's. */
	readonly joins?: number;
	/** Numbers of the children of the visit that must be joined before it begins; absent: none. */
	readonly needs?: readonly number[];
}

/** What a child used in total, including its own children. */
export interface ChildSpend {
	readonly spend: Spend;
	/** Working time of workers, in ms. */
	readonly activeMs: number;
	readonly attempts: number;
	readonly toolCalls: number;
	/** Tool calls that did not run because a rule, a limit or the user refused them; absent: none, or an earlier version recorded it. */
	readonly refused?: number;
}

export const NO_CHILD_SPEND: ChildSpend = { spend: NO_SPEND, activeMs: 0, attempts: 0, toolCalls: 0 };

/** Stages of a run in which something happens without the user. */
const activityStages = ["launching", "working", "stopping", "restoring", "children", "awaiting_provider"] as const;

/** What a child's run does. */
export interface ChildActivity {
	readonly stage: (typeof activityStages)[number];
	/** The newest call in flight; absent: none. */
	readonly tool?: string;
	/** Its arguments as in `tool_started`, cut. */
	readonly args?: string;
	/** The time of its worker from this moment on, ISO 8601, is not in its totals yet; absent: no time is running. */
	readonly since?: string;
	/** With `since`, the mean of their moments: how many workers of its own children work; absent: one worker. */
	readonly workers?: number;
	/** When its provider is tried again, ISO 8601; absent: it does not wait for it. */
	readonly next?: string;
	/** Milliseconds of workers that wait for answers, which are not in its totals either; absent: none. */
	readonly ms?: number;
}

export function isActivityStage(stage: string): stage is ChildActivity["stage"] {
	return (activityStages as readonly string[]).includes(stage);
}

export type ConflictChoice = "ours" | "theirs" | "worker" | "hand";

export interface JoinConflict {
	readonly path: string;
	/** What conflicts: `content`, `modify/delete`, `add/add`, `binary` … */
	readonly kind: string;
	/** The two sides: `YOUR_FILES`, with the names of the children whose files were merged before, or the name of a child. */
	readonly ours: string;
	readonly theirs: string;
}

/** The side of a merge with the files of the run's folder. */
export const YOUR_FILES = "your files";
/** The side with the results of all children, merged before. */
export const ALL_CHILDREN = "the children";

/** The name of the side `merged`, once the files of the child `name` are merged into it too. */
export function sideWith(merged: string, name: string): string {
	return merged === YOUR_FILES ? `${YOUR_FILES} and ${name}` : `${merged}, ${name}`;
}

/** A run whose files are being joined. */
interface JoiningRun {
	readonly id: string;
	readonly visit: number;
	readonly children: { readonly ofCopy?: { readonly since: number } } | null;
}

/**
 * The folder in which the user resolves conflicts by hand. `index`: the number of the child whose files conflict; 0: those of all children. A run that
 * has ended may be joined several times: each join has a folder of its own.
 */
export function conflictFolderId({ id, visit, children }: JoiningRun, index = 0): string {
	return childId(id, visit, -(children?.ofCopy?.since ?? index));
}

/** The run id of child `index` of `visit`: a UUID that follows from its arguments. */
export function childId(parent: string, visit: number, index: number): string {
	const hex = createHash("sha256").update(`${parent}/${visit}/${index}`).digest("hex");
	const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
	return [
		hex.slice(0, 8),
		hex.slice(8, 12),
		`4${hex.slice(13, 16)}`,
		`${variant}${hex.slice(17, 20)}`,
		hex.slice(20, 32),
	].join("-");
}

export interface Inherited {
	/** Template and state of the parent. */
	readonly run: string;
	readonly state: string;
	/** Names of all children of the state, in order. */
	readonly siblings: readonly string[];
	/** Names of the children whose results it builds on; absent: none. */
	readonly needs?: readonly string[];
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
