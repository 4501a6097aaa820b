// The durable record of runs. Nothing here says that a ledger is a file.
import type { EventBody, LedgerEvent, PersonEvent, Run } from "../machine/index.ts";
import type { Failure, Result } from "./result.ts";

export interface StoreFailure extends Failure {
	readonly reason:
		| "exists"
		| "unknown"
		| "ambiguous"
		/** Another living supervisor has the run, or none is proved dead. */
		| "held"
		/** This lease has been taken over. */
		| "fenced"
		/** More than a holder reads. */
		| "too_long"
		| "corrupt"
		/** Written by a newer version. */
		| "newer"
		/** Another program's ledger: it is shown, never written. */
		| "foreign"
		| "no_space"
		| "io";
}

export interface LedgerStore {
	/** Writes the first event and takes the run's lease. The run is on disk, and readable, when this resolves. */
	create(first: EventBody & { readonly kind: "created" }): Promise<Result<HeldLedger, StoreFailure>>;
	/** Takes the lease of run `id` and folds it. A torn end is cut and reported in `repairs`. */
	open(id: string): Promise<Result<HeldLedger, StoreFailure>>;
	/** Reads without taking the lease; never writes. */
	read(id: string): Promise<Result<ReadLedger, StoreFailure>>;
	/** Every run the store knows, newest first; unreadable and foreign ones too, with what is wrong with them. */
	list(): Promise<readonly LedgerEntry[]>;
	/** The id that `name` stands for: an id, a unique beginning of one, or `last`. */
	find(name: string): Promise<Result<string, StoreFailure>>;
	/** Leaves a person's event for the supervisor that holds the run. */
	post(id: string, event: PersonEvent): Promise<Result<Post, StoreFailure>>;
	/** Takes the run away with everything that it keeps; never one that a living supervisor has (`held`). */
	remove(id: string): Promise<Result<{ readonly bytes: number }, StoreFailure>>;
}

/** A person's event that was left for the holder of a run. */
export interface Post {
	state(): Promise<PostState>;
	/** Takes it back; `false` where it has been taken. */
	withdraw(): Promise<boolean>;
}

export type PostState =
	| { readonly kind: "waiting" }
	| { readonly kind: "taken" }
	| { readonly kind: "refused"; readonly reason: string };

/** What a holder does with what people leave for it. */
export interface PostListener {
	/** Resolves with why the event was refused. `at`: when it was posted, in milliseconds since the epoch. */
	event(event: PersonEvent, at: number): Promise<string | undefined>;
	/** A post could not be read, and is kept as `path`. */
	unread(path: string, why: string): Promise<void>;
}

export interface ReadLedger {
	readonly run: Run;
	/** What had to be repaired or was found missing, in words. */
	readonly repairs: readonly string[];
	/** Whoever holds the run now. */
	readonly holder: LeaseHolder | undefined;
	/** Where the whole record can be read, in words for people and agents: a path here. */
	readonly place: string;
	/** Folder for what belongs to the run and is not an event: conversations, kept files, reports. */
	readonly folder: string;
	/** All events after `seq`, in order. */
	events(after?: number): AsyncIterable<LedgerEvent>;
}

export interface HeldLedger extends ReadLedger {
	readonly fence: number;
	/** Whether the lease is still this one's: to be asked before anything is done that another holder may be doing. */
	holdsLease(): Promise<boolean>;
	/** Why it is not. */
	leaseLoss(): Promise<StoreFailure>;
	/**
	 * Appends in order and numbers them, secrets taken out: the events that it gives back are what counts. `durable`: they are on disk when this resolves, and so is everything before them.
	 * Nothing is appended when it fails.
	 */
	append(
		bodies: readonly EventBody[],
		durability: "durable" | "soon",
	): Promise<Result<readonly LedgerEvent[], StoreFailure>>;
	/** Replaces the folded state. `if due`: only where reading what came after it would take long. */
	checkpoint(run: Run, when?: "now" | "if due"): Promise<Result<void, StoreFailure>>;
	/**
	 * Gives `listener` each event posted to this run, one after another, those that already wait first, until the ledger is released.
	 * An event is forgotten once the listener's promise resolves, and kept for the next holder when it rejects; it may come again after a
	 * crash. Resolves once those that already wait have been given.
	 */
	onPosted(listener: PostListener): Promise<void>;
	/** Writes what is still to be written and gives the lease back. */
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

/** What another implementation's ledger tells beside its summary. */
export interface ForeignStory {
	/** Oldest first; `at` is ISO 8601, empty where it is not known. */
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
}
