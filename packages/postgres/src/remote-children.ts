// The child runs of a run that this host holds: any host does them, this one follows their rows until they park or end. A child that exists is
// followed, never begun again. It has ended here only once no host has it and all its events are folded. What a notification would have said is found
// a second later. A child that nothing is to be done for is not asked about.
import {
	activityOf,
	type ChildActivity,
	foldEvent,
	isParked,
	labelsOf,
	needsChild,
	type Run,
	type UserEvent,
} from "@pi-chronicle/core/machine";
import type {
	ChildOrder,
	ChildRuns,
	ChildSupervision,
	Failure,
	Result,
	RunListener,
	Supervision,
	SupervisionEnd,
} from "@pi-chronicle/core/ports";
import type { SharedWorkspace } from "pi-chronicle/local";
import { type CleanupApprovals, FailureError, firstOfChild, openDeliveryLoop } from "pi-chronicle/local";
import {
	activeChildren,
	type ChildStart,
	type ChildState,
	ceilingsText,
	childStates,
	dropChildren,
	filesOfChild,
	saveCeilings,
	withdrawJob,
} from "./child-rows.ts";
import type { Database } from "./database.ts";
import { outageMs, throughOutage, untilReached } from "./database-failure.ts";
import { readEventRows } from "./rows.ts";
import { wakeRun } from "./settle.ts";
import type { PostgresStore } from "./store.ts";

export interface RemoteChildrenOptions {
	readonly database: Database;
	readonly store: PostgresStore;
	readonly approvals: Pick<CleanupApprovals, "statusOf">;
	readonly parent: string;
	/** The run whose refs hold the snapshots of the whole tree. */
	readonly trees: string;
	readonly workspace: SharedWorkspace;
	/** Milliseconds for which a statement is repeated while the database is out of reach. Default: a minute. */
	readonly patienceMs?: number;
}

/** Milliseconds between two looks at the rows of the children that are at work. */
const lookMs = 1000;

/** The children of a run that this host holds. */
export class RemoteChildren implements ChildRuns {
	readonly #options: RemoteChildrenOptions;
	/** Those that have neither parked nor ended. */
	readonly #alive = new Map<string, RemoteChild>();
	readonly #loop = openDeliveryLoop(() => this.#look());
	#timer: NodeJS.Timeout | undefined;
	#listening: Promise<() => void> | undefined;
	/** The parent after its last event. */
	#parent: Run | undefined;
	/** Which children were not needed when they were last taken back. */
	#dropped: string | undefined;

	constructor(options: RemoteChildrenOptions) {
		this.#options = options;
	}

	async exists(id: string): Promise<boolean> {
		const { store, patienceMs = outageMs } = this.#options;
		const read = await untilReached(patienceMs, () => store.read(id));
		return read.ok || read.failure.reason !== "unknown";
	}

	/** Rejects where the database stays out of reach: the run is given back, and its next holder begins the child or follows it. */
	async start(order: ChildOrder): Promise<Result<ChildSupervision>> {
		const { database, store, approvals, trees, patienceMs = outageMs } = this.#options;
		const first = firstOfChild(order, approvals);
		if (!first.ok) return first;
		const begun = await throughOutage(patienceMs, () => filesOfChild(database, order.child.id));
		const start = begun.head === null ? await this.#publish(order) : null;
		this.#listening ??= this.#listen();
		await this.#listening;
		let ceilings: string | null = null;
		const begin = () =>
			store.beginChild(first.value, {
				...{ start, trees, labels: labelsOf(order.parent, order.parent.state) },
				ceilings() {
					ceilings = ceilingsText(order.ceilings());
					return ceilings;
				},
			});
		const started = await untilReached(patienceMs, begin);
		if (!started.ok && started.failure.reason === "fenced") throw new Error(started.failure.message);
		if (!started.ok) return started;
		const child = new RemoteChild({ database, store, order, run: started.value, ceilings, patienceMs });
		const { id } = child.run;
		this.#alive.set(id, child);
		void child.ended.then(() => this.#alive.delete(id));
		void this.#loop.look();
		return {
			ok: true,
			value: { supervision: child, result: () => throughOutage(patienceMs, () => resultOf(database, id)) },
		};
	}

	/** Takes children that the parent no longer needs back from the hosts that have them. To be called with each run of the parent. */
	drop(parent: Run): void {
		const { childCount, children } = parent;
		this.#parent = parent;
		if (childCount === 0) return;
		const unneeded = children?.children.filter(({ id }) => !needsChild(parent, id)).map(({ id }) => id);
		const key = `${children?.visit} ${unneeded?.join()}`;
		if (key === this.#dropped) return;
		this.#dropped = key;
		throughOutage(this.#options.patienceMs ?? outageMs, () => this.#takeBack()).catch(() => {
			this.#dropped = undefined;
		});
	}

	async close(): Promise<void> {
		clearTimeout(this.#timer);
		this.#alive.clear();
		await this.#loop.close();
		(await this.#listening)?.();
	}

	/** Brings what the child starts with to the remote. Throws a sentence: the run is released, and tried again. */
	async #publish({ tree }: ChildOrder): Promise<ChildStart["start"]> {
		const { publisher, snapshot, publishTrees } = this.#options.workspace;
		const taken = tree === null ? await snapshot() : undefined;
		if (taken?.ok === false) throw new FailureError(taken.failure);
		const head = tree ?? taken?.value.tree ?? "";
		const flushed = await publisher.flush();
		const pushed = flushed.ok ? await publishTrees([head]) : flushed;
		if (!pushed.ok) throw new FailureError(pushed.failure);
		return { head, parent: publisher.parentOf(head) ?? null };
	}

	#listen(): Promise<() => void> {
		const { database, parent } = this.#options;
		return database.listen((payload) => {
			const isMine = payload === undefined || payload === `child ${parent}`;
			if (isMine && this.#alive.size > 0) void this.#loop.look();
		});
	}

	async #look(): Promise<void> {
		clearTimeout(this.#timer);
		try {
			const asked = performance.now();
			const children = [...this.#alive.values()];
			const rows = await childStates(
				this.#options.database,
				children.map(({ run }) => run.id),
			);
			const found = new Map(rows.map((row) => [row.id, row]));
			await Promise.all(children.map((child) => child.see(found.get(child.run.id), asked)));
		} finally {
			if (this.#alive.size > 0) this.#timer = setTimeout(() => void this.#loop.look(), lookMs);
		}
	}

	async #takeBack(): Promise<void> {
		const { database, parent } = this.#options;
		const active = await activeChildren(database, parent);
		// What is active was planned before, so the parent knows it now if it needs it.
		const run = this.#parent;
		const unneeded = run ? active.filter((id) => !needsChild(run, id)) : [];
		await dropChildren(database, unneeded);
	}
}

/** The files of a child that is done: its last event was recorded with them. */
async function resultOf(database: Database, id: string): ReturnType<ChildSupervision["result"]> {
	const { head, base } = await filesOfChild(database, id);
	if (head !== null) return { ok: true, value: { tree: head, ...(base === null ? {} : { base }) } };
	const message = "No host has published files of it.";
	return { ok: false, failure: { reason: "io", message, remedy: "Rewind it, so that its last state is done again." } };
}

/** Milliseconds by which the clocks of two hosts differ, or an event is late, without any effect. */
const likeClocksMs = 5000;

/** Milliseconds since the last event of the run, by the clock of this host. */
function ageOf({ updatedAt }: Run): number {
	return Date.now() - Date.parse(updatedAt);
}

interface RemoteChildOptions {
	readonly database: Database;
	readonly store: PostgresStore;
	readonly order: ChildOrder;
	readonly run: Run;
	readonly ceilings: string | null;
	readonly patienceMs: number;
}

/** One child, as the supervisor of its parent sees it: commands go to its inbox, its events come from its rows. */
class RemoteChild implements Supervision {
	run: Run;
	readonly ended: Promise<SupervisionEnd>;
	readonly #options: RemoteChildOptions;
	readonly #listeners = new Set<RunListener>();
	#end: (how: SupervisionEnd) => void = () => {};
	#over = false;
	/** Commands that are on the way to its inbox, and when the last one got there. */
	#submitting = 0;
	#submittedAt = Number.NEGATIVE_INFINITY;
	/** The ceilings that its row has. */
	#ceilings: string | null;
	#writing: Promise<void> | undefined;
	/** Whether a host has it. */
	#isHeld = true;
	/** Milliseconds by which the clock of this host is ahead of that of the child's host, at most. */
	#aheadMs: number;

	constructor(options: RemoteChildOptions) {
		this.run = options.run;
		this.#options = options;
		this.#ceilings = options.ceilings;
		this.#aheadMs = ageOf(options.run);
		this.ended = new Promise((resolve) => {
			this.#end = (how) => {
				this.#over = true;
				resolve(how);
			};
		});
		this.updateLimits();
	}

	/** A worker whose host is lost does not work; its time is counted as far as it is known. */
	activity(): ChildActivity | undefined {
		const isPatient = this.run.stage.kind === "awaiting_provider";
		const activity = this.#isHeld || isPatient ? activityOf(this.run) : undefined;
		if (activity?.since === undefined || Math.abs(this.#aheadMs) < likeClocksMs) return activity;
		return { ...activity, since: new Date(Date.parse(activity.since) + this.#aheadMs).toISOString() };
	}

	watch(listener: RunListener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	/**
	 * Resolves once the command is in the child's inbox: the next host that takes the child records or refuses it. Rejects where the database stays
	 * out of reach: that is no refusal.
	 */
	async submit(event: UserEvent): Promise<{ readonly refused: string | undefined; readonly failure?: Failure }> {
		this.#submitting += 1;
		try {
			return await this.#post(event);
		} finally {
			this.#submitting -= 1;
			this.#submittedAt = performance.now();
		}
	}

	async #post(event: UserEvent): ReturnType<Supervision["submit"]> {
		const { database, store, patienceMs } = this.#options;
		const withdraw = () => throughOutage(patienceMs, () => withdrawJob(database, this.run.id));
		// A child that waits for a host pauses by not being taken.
		if (event.kind === "pause_requested" && (await withdraw())) {
			this.#end({ kind: "released", run: this.run });
			return { refused: undefined };
		}
		const posted = await untilReached(patienceMs, () => store.post(this.run.id, event, patienceMs));
		if (!posted.ok) return { refused: posted.failure.message };
		const state = await throughOutage(patienceMs, () => posted.value.state());
		return { refused: state.kind === "refused" ? state.reason : undefined };
	}

	/** The child continues on its host. */
	async stop(): Promise<SupervisionEnd> {
		this.#end({ kind: "released", run: this.run });
		return this.ended;
	}

	updateLimits(): void {
		this.#writing ??= this.#writeCeilings()
			.catch(() => {})
			.finally(() => {
				this.#writing = undefined;
			});
	}

	async #writeCeilings(): Promise<void> {
		const { database, order, patienceMs } = this.#options;
		for (;;) {
			const text = this.#over ? null : ceilingsText(order.ceilings());
			if (text === null || text === this.#ceilings) return;
			await throughOutage(patienceMs, () => saveCeilings(database, this.run.id, text));
			this.#ceilings = text;
		}
	}

	/** Takes what its row said when it was asked for, by `performance.now`; absent: the child was removed. */
	async see(row: ChildState | undefined, asked: number): Promise<void> {
		if (this.#over) return;
		if (!row) {
			const failure = {
				reason: "unknown",
				message: "Its run was removed.",
				remedy: "Drop the child, or rewind the run.",
			};
			this.#end({ kind: "failed", run: this.run, failure });
			return;
		}
		this.#isHeld = row.held;
		if (row.seq > this.run.seq) await this.#fold();
		// A command gives it a job.
		if (row.active || this.#submitting > 0 || asked < this.#submittedAt) return;
		if (isParked(this.run)) this.#end({ kind: "parked", run: this.run });
		// Nobody has it although something is to be done, as after a crash of the database.
		else await wakeRun(this.#options.database, this.run.id, true);
	}

	/** Folds its new events once all are read, then calls the listeners: what they report of several events they report once. */
	async #fold(): Promise<void> {
		const steps: Parameters<RunListener>[] = [];
		let run = this.run;
		for await (const event of readEventRows(this.#options.database, run.id, run.seq)) {
			const before = run;
			run = foldEvent(before, event);
			steps.push([run, event, before]);
		}
		this.run = run;
		this.#aheadMs = Math.min(this.#aheadMs, ageOf(run));
		for (const step of steps) for (const listener of this.#listeners) listener(...step);
	}
}
