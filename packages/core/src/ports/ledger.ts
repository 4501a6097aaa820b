// The durable record of runs. This port does not assume that a ledger is a file.
import type { ApartState, EventBody, LedgerEvent, Run, RunParent, UserEvent } from "../machine/index.ts";
import type { Failure, Result } from "./result.ts";
import type { WorkingCopy } from "./workspace.ts";

export interface StoreFailure extends Failure {
	readonly reason:
		| "exists"
		| "unknown"
		| "ambiguous"
		/** Another supervisor holds the run and is alive, or is not proved dead. */
		| "held"
		/** This lease has been taken over. */
		| "fenced"
		/** Longer than a holder reads. */
		| "too_long"
		| "corrupt"
		/** Written by a newer version. */
		| "newer"
		/** Another program's ledger: shown, never written. */
		| "foreign"
		| "no_space"
		/** The git remote that hosts share cannot be reached for now. */
		| "remote_away"
		/** The database of the engine cannot be reached, or takes nothing, for now. */
		| "database_away"
		| "io";
}

export interface LedgerStore {
	/** Writes the first event and takes the run's lease. The run is durable and readable when this resolves. */
	create(first: EventBody & { readonly kind: "created" }): Promise<Result<HeldLedger, StoreFailure>>;
	/** Takes the lease of run `id` and folds its events. A torn tail is truncated and reported in `repairs`. */
	open(id: string): Promise<Result<HeldLedger, StoreFailure>>;
	/** Reads without taking the lease; never writes. */
	read(id: string): Promise<Result<ReadLedger, StoreFailure>>;
	/** Every run of the store, newest first, including unreadable and foreign ones, with the reason. */
	list(): Promise<readonly LedgerEntry[]>;
	/**
	 * The first runs that changed last, at most `count`, with child runs of them; newest first. Unlike `list`, it reads few runs, however many there
	 * are.
	 */
	recent(count: number): Promise<readonly LedgerEntry[]>;
	/** The ids of all runs, foreign ones included, in no order; empty if they cannot be listed. Reads no run. */
	ids(): Promise<readonly string[]>;
	/** The entry of one run in the list; `undefined`: there is no such run. */
	entry(id: string): Promise<LedgerEntry | undefined>;
	/** Resolves `name`, which is an id, a unique prefix of one, or `last`. */
	find(name: string): Promise<Result<string, StoreFailure>>;
	/** Queues a user's event for the supervisor that holds the run. */
	post(id: string, event: UserEvent): Promise<Result<Post, StoreFailure>>;
	/** Deletes the run and all its data. Fails with `held` while a live supervisor holds it. */
	remove(id: string): Promise<Result<{ readonly bytes: number }, StoreFailure>>;
}

/** A user's event in the queue of a run. */
export interface Post {
	state(): Promise<PostState>;
	/** Withdraws the event; `false` if it has already been taken. */
	withdraw(): Promise<boolean>;
}

export type PostState =
	| { readonly kind: "waiting" }
	| { readonly kind: "taken" }
	| { readonly kind: "refused"; readonly reason: string };

/** Handles posted events for the holder of a run. */
export interface PostListener {
	/** Resolves with the reason if the event was refused. `at`: time of posting, in milliseconds since the epoch. */
	event(event: UserEvent, at: number): Promise<string | undefined>;
	/** A post could not be read and is kept as `path`. */
	unread(path: string, why: string): Promise<void>;
}

export interface ReadLedger {
	readonly run: Run;
	/** Repairs and missing data, one sentence each. */
	readonly repairs: readonly string[];
	/** The current holder of the run. */
	readonly holder: LeaseHolder | undefined;
	/** Why nobody holds it although it is not left alone: what it waits for until a host of an engine takes it. One sentence. */
	readonly queued?: string | undefined;
	/** Location of the full record, for users and agents; a path in the file store. */
	readonly place: string;
	/** Folder for all data of the run other than events: conversations, kept files, reports. */
	readonly folder: string;
	/** On an engine: the keys of the conversations that were fetched into `folder`; the others are on a host. Absent: all are there. */
	readonly fetched?: readonly string[];
	/** On an engine: what the run has left on hosts besides its branch, one sentence for each folder. */
	readonly leftOnHosts?: readonly string[];
	/** All events after `seq`, in order. */
	events(after?: number): AsyncIterable<LedgerEvent>;
}

/** The copy of the project that a run works in, apart from the user's files. */
export interface RunCopy {
	readonly cwd: string;
	readonly copy: WorkingCopy;
	/** What it lacks, as sentences, when it was just made. */
	readonly notes: readonly string[];
	/** It was lost, and has the last recorded files. */
	readonly isSetBack: boolean;
}

export interface HeldLedger extends ReadLedger {
	/** Of a run apart; absent if it was discarded. */
	readonly copy?: RunCopy;
	readonly fence: number;
	/** Whether this ledger still holds the lease. Check before any action that another holder may also perform. */
	holdsLease(): Promise<boolean>;
	/** Why it no longer holds the lease. */
	leaseLoss(): Promise<StoreFailure>;
	/**
	 * Redacts, numbers and appends the events in one write; use the returned ones. `durable`: they, and everything before them, are on disk
	 * when this resolves. A failure appends nothing; a crash may leave a prefix of them.
	 */
	append(
		bodies: readonly EventBody[],
		durability: "durable" | "soon",
	): Promise<Result<readonly LedgerEvent[], StoreFailure>>;
	/** Replaces the stored checkpoint. `if due`: only if reading the events after it would take long. */
	checkpoint(run: Run, when?: "now" | "if due"): Promise<Result<void, StoreFailure>>;
	/**
	 * Calls `listener` for each event posted to this run, one after another, queued ones first, until the lease is released. An event is
	 * deleted once the listener's promise resolves, and kept for the next holder if it rejects; after a crash it may be delivered again.
	 * Resolves once the queued events are delivered.
	 */
	onPosted(listener: PostListener): Promise<void>;
	/** Writes pending data and releases the lease. */
	releaseLease(): Promise<void>;
}

export interface LeaseHolder {
	readonly host: string;
	readonly pid: number;
	readonly started: string;
	readonly fence: number;
	/** `unknown`: another host. */
	readonly alive: "yes" | "no" | "unknown";
}

export type LedgerEntry =
	| {
			readonly kind: "run";
			readonly id: string;
			readonly summary: RunSummary;
			readonly holder: LeaseHolder | undefined;
	  }
	/** Another implementation's ledger. */
	| {
			readonly kind: "foreign";
			readonly id: string;
			readonly summary: RunSummary;
			readonly format: string;
			readonly story: ForeignStory;
	  }
	| { readonly kind: "unreadable"; readonly id: string; readonly failure: StoreFailure };

/** Details from another implementation's ledger, in addition to its summary. */
export interface ForeignStory {
	/** Oldest first; `at` is ISO 8601, empty if unknown. */
	readonly history: readonly {
		readonly state: string;
		readonly who: string;
		readonly at: string;
		readonly tokens: number;
		readonly summary: string;
	}[];
	readonly findings: readonly string[];
	readonly pendingTasks: readonly string[];
	readonly files: readonly string[];
}

export interface RunSummary {
	readonly template: string;
	readonly task: string;
	readonly status: string;
	readonly state: string;
	readonly updatedAt: string;
	readonly costUsd: number;
	readonly tokens: number;
	/** What became of the copy of the project that it works in; absent: it works in the project's folder. */
	readonly apart?: ApartState;
	/** Whose child the run is. */
	readonly parent?: Pick<RunParent, "run" | "visit" | "index" | "name">;
}
