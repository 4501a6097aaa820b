// One supervised run, and the child runs that a supervisor starts.
import type {
	ChildActivity,
	ChildRun,
	ConditionChanged,
	LedgerEvent,
	Run,
	TreeCeilings,
	UserEvent,
} from "../machine/index.ts";
import type { FileLeft } from "../snapshot/index.ts";
import type { Failure, Result } from "./result.ts";
import type { ChildFolder } from "./workspace.ts";

/** How a supervision ended. The run itself contains what it waits for. */
export type SupervisionEnd =
	| { readonly kind: "parked"; readonly run: Run }
	/** By `stop`. */
	| { readonly kind: "released"; readonly run: Run }
	/** The ledger could not be written, or another supervisor holds the run. Workers are stopped. */
	| { readonly kind: "failed"; readonly run: Run; readonly failure: Failure };

export interface Supervision {
	readonly run: Run;
	/** What the run does now, by the clock of this host; absent: what `run` says. */
	activity?(): ChildActivity | undefined;
	/** Calls `listener` after every event; the returned function removes it. */
	watch(listener: RunListener): () => void;
	/**
	 * Records a user's event, or a condition outside the run. Resolves once it is on disk, or with the reason why it does not apply. `failure`: it
	 * could not be recorded, and the supervision ends.
	 */
	submit(
		event: UserEvent | ConditionChanged,
	): Promise<{ readonly refused: string | undefined; readonly failure?: Failure }>;
	/**
	 * Stops the workers at once and releases the run in its recorded state, for another supervisor to continue. Events submitted before are
	 * recorded first; none of the actions that they lead to starts.
	 */
	stop(): Promise<SupervisionEnd>;
	/** Gives the workers the limits that hold now, for example after the parent run has spent something. */
	updateLimits(): void;
	readonly ended: Promise<SupervisionEnd>;
}

/** `run` is the one after the event, `before` the one before it. */
export type RunListener = (run: Run, event: LedgerEvent, before: Run) => void;

/** Child runs: each has its own ledger and its own supervision, here or on another host. */
export interface ChildRuns {
	/** The children work in this process, so that a jump of its clock concerns them; absent: on any host. */
	readonly here?: true;
	/** Whether the child's run exists. */
	exists(id: string): Promise<boolean>;
	/** Creates the child's run, or finds the one that exists, and follows it until it parks or ends. */
	start(order: ChildOrder): Promise<Result<ChildSupervision, Failure>>;
}

export interface ChildOrder {
	readonly parent: Run;
	readonly child: ChildRun;
	readonly files: "own" | "shared";
	/** The snapshot that its own folder starts with; `null`: it works in its parent's folder. */
	readonly tree: string | null;
	/** Prepares its own folder on this machine. `isNew`: its run does not exist yet, so that the set-up commands are due. */
	prepare(isNew: boolean): Promise<Result<ChildFolder>>;
	/** What the parents leave the child now. */
	ceilings(): TreeCeilings;
}

export interface ChildSupervision {
	readonly supervision: Supervision;
	/** The files of a child that is done: their snapshot. `base`: what its folder started with, where that differs from the order's tree. */
	result(): Promise<Result<{ readonly tree: string; readonly base?: string; readonly unkept?: readonly FileLeft[] }>>;
}
