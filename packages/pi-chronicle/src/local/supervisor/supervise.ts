// The supervisor: records events one at a time and executes the pending actions; their results are events again. It never calls a model.
// An event and its decisions are on disk, in one write, before any action that depends on them starts; an action is executed once per
// supervisor, and again after a crash; a failed write (a full disk) ends the supervision, never the run; a parked
// run has no process and no timer: the supervision ends; while shutting down, no action starts and no inbox message is consumed; a
// supervisor that has lost the lease does nothing more for the run; work that needs another host ends the supervision before it starts.

import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage, FailureError } from "@pi-chronicle/core/definition";
import {
	type Action,
	type ConditionChanged,
	decide,
	type EventBody,
	foldEvent,
	isAnswerTo,
	isParked,
	isRefusal,
	openQuestion,
	pendingActions,
	type Run,
	type UserEvent,
	workersBelow,
} from "@pi-chronicle/core/machine";
import type {
	Failure,
	HeldLedger,
	RunListener,
	Supervision,
	SupervisionEnd,
	SupervisorPorts,
} from "@pi-chronicle/core/ports";
import { within } from "../../process/index.ts";
import { type ActionExecutor, openActionExecutor } from "./action-executor.ts";
import { openClockJumps } from "./clock-jumps.ts";
import { openCrashPoints } from "./executor-context.ts";

/** Milliseconds after which the sender of a posted event has stopped waiting for the answer. */
const postPatienceMs = 5000;
/** Milliseconds for actions to end once the supervision is ending. */
const lingerMs = 3000;
/** Milliseconds of a wait for a provider that is not worth giving the run back. */
const shortWaitMs = 2000;
/** Milliseconds between two checks whether a question is asked again. */
const askAgainMs = 20;
const notSupervised = "The run is no longer supervised here.";

/** Supervises the run of `ledger` from its current state. `fresh`: this process has just created it. */
export function supervise(ledger: HeldLedger, ports: SupervisorPorts, origin: "fresh" | "reopened"): Supervision {
	const supervisor = new Supervisor(ledger, ports, origin);
	supervisor.start();
	return supervisor;
}

class Supervisor implements Supervision {
	run: Run;
	readonly ended: Promise<SupervisionEnd>;
	readonly #ledger: HeldLedger;
	readonly #ports: SupervisorPorts;
	readonly #origin: "fresh" | "reopened";
	readonly #executor: ActionExecutor;
	readonly #clockJumps: ReturnType<typeof openClockJumps>;
	readonly #crashAt = openCrashPoints();
	readonly #listeners = new Set<RunListener>();
	/** Events to be recorded, one after another. */
	readonly #queue: { readonly body: EventBody; readonly done: (refused: string | undefined) => void }[] = [];
	readonly #running = new Map<string, { readonly control: AbortController; readonly done: Promise<void> }>();
	/** Ended actions, with the `seq` up to which they are not started again. */
	readonly #endedAt = new Map<string, number>();
	/** The queue is being processed. */
	#recording: Promise<void> | undefined;
	#failure: Failure | undefined;
	#stopRequested = false;
	/** Whether all commands posted while the run had no holder are recorded or refused. */
	#inboxRead = false;
	#closing: Promise<void> | undefined;
	#closed = false;
	#end: (how: SupervisionEnd) => void = () => {};

	constructor(ledger: HeldLedger, ports: SupervisorPorts, origin: "fresh" | "reopened") {
		this.run = ledger.run;
		this.#ledger = ledger;
		this.#ports = ports;
		this.#origin = origin;
		this.#clockJumps = openClockJumps(ports.clock);
		this.ended = new Promise((resolve) => {
			this.#end = resolve;
		});
		const run = (): Run => this.run;
		// A copy is joined into the files of the user; everything else happens in the copy.
		const joined = (): Pick<SupervisorPorts, "workspace" | "forbidden"> =>
			(run().children?.ofCopy && ports.userFiles) || ports;
		this.#executor = openActionExecutor({
			...ports,
			get workspace() {
				return joined().workspace;
			},
			get forbidden() {
				return joined().forbidden;
			},
			origin,
			run,
			record: (body) => this.#enqueue(body),
			holdsLease: () => this.#holdsLease(),
			crashAt: this.#crashAt,
			events: () => ledger.events(),
			place: ledger.place,
			folder: ledger.folder,
		});
	}

	start(): void {
		// Events posted in the meantime apply to the run as taken over by this supervisor.
		if (this.#origin === "reopened")
			void this.#enqueue({ kind: "opened", ...this.#ports.self }).then(() => this.#readInboxOrEnd());
		else {
			void this.#readInboxOrEnd();
			this.#reconcile();
		}
	}

	updateLimits(): void {
		this.#executor.updateLimits();
	}

	watch(listener: RunListener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	async submit(
		event: UserEvent | ConditionChanged,
	): Promise<{ readonly refused: string | undefined; readonly failure?: Failure }> {
		if (this.#closing) return { refused: notSupervised };
		const refused = await this.#enqueue(event);
		return refused !== undefined && this.#failure ? { refused, failure: this.#failure } : { refused };
	}

	stop(): Promise<SupervisionEnd> {
		this.#stopRequested = true;
		// While events are queued, the end of the queue ends the supervision.
		this.#reconcile();
		return this.ended;
	}

	// ── recording ──

	/** Resolves once the event is recorded, or with the reason why it is not. */
	#enqueue(body: EventBody): Promise<string | undefined> {
		return new Promise((done) => {
			this.#queue.push({ body, done });
			this.#recording ??= this.#recordQueue();
		});
	}

	async #recordQueue(): Promise<void> {
		for (let next = this.#queue.shift(); next; next = this.#queue.shift())
			next.done(await this.#record(next.body).catch((error) => this.#break(error)));
		this.#recording = undefined;
		this.#reconcile();
	}

	async #record(body: EventBody): Promise<string | undefined> {
		if (this.#failure) return this.#failure.message;
		if (this.#closed) return notSupervised;
		const ms = this.#clockJumps.take();
		const at = new Date(this.#ports.clock.now()).toISOString();
		const events: EventBody[] = [];
		let refused: string | undefined;
		let { run } = this;
		for (const next of ms === 0 ? [body] : [{ kind: "clock_jumped", ms } as const, body]) {
			const batch = decide(run, next, at, this.#ports.labels);
			if (isRefusal(batch)) refused = batch.message;
			else {
				events.push(...batch.events);
				run = batch.run;
			}
		}
		return (events.length > 0 ? await this.#append(events) : undefined) ?? refused;
	}

	async #append(batch: readonly EventBody[]): Promise<string | undefined> {
		for (const { kind } of batch) this.#crashAt(`before ${kind}`);
		const durability = durabilityOf(batch);
		const appended = await this.#ledger.append(batch, durability);
		if (!appended.ok) {
			this.#failure = appended.failure;
			return appended.failure.message;
		}
		for (const { kind } of batch) this.#crashAt(`after ${kind}`);
		const steps = appended.value.map((event) => {
			const before = this.run;
			this.run = foldEvent(before, event);
			return { run: this.run, event, before };
		});
		const { run } = this;
		this.#clockJumps.watch(isTimed(run, this.#ports));
		if (durability === "durable") await this.#saveCheckpoint();
		if (batch.some(({ kind }) => kind === "limits_changed")) this.#executor.updateLimits();
		for (const step of steps) for (const listener of this.#listeners) listener(step.run, step.event, step.before);
		return undefined;
	}

	/** Other programs read a run that waits from the checkpoint. */
	async #saveCheckpoint(): Promise<void> {
		const isWaiting = isParked(this.run) || this.run.stage.kind === "awaiting_provider";
		const saved = await this.#ledger.checkpoint(this.run, isWaiting ? "now" : "if due");
		if (!saved.ok) this.#failure = saved.failure;
	}

	/** After an exception, the effects are unknown: the supervision ends, and the run stays as recorded. */
	#break(error: unknown): string {
		const message = errorMessage(error);
		const broken = { reason: "broken", message, remedy: "Resume the run; if it happens again, report it." };
		this.#failure ??= error instanceof FailureError ? error.failure : broken;
		return message;
	}

	async #attempt(work: () => Promise<unknown>): Promise<void> {
		try {
			await work();
		} catch (error) {
			this.#break(error);
		}
	}

	// ── acting ──

	/** Does what is due, and ends the supervision when nothing is left. */
	#reconcile(): void {
		if (this.#recording || this.#closing) return;
		if (this.#failure || this.#stopRequested) {
			this.#close();
			return;
		}
		// Where the work needs another host, this one can still record the commands that are there.
		const leaves = this.#isToLeave();
		if (!leaves) this.#startPending();
		if (this.#running.size === 0 && this.#inboxRead && (leaves || isParked(this.run))) this.#close();
	}

	/** Whether another host continues the run, or any later. */
	#isToLeave(): boolean {
		const { stage, providerWait } = this.run;
		if (isAwaitingHost(this.run)) return true;
		const isWaiting = this.#ports.givesBackWaits === true && stage.kind === "awaiting_provider";
		return isWaiting && Date.parse(providerWait?.next ?? "") - this.#ports.clock.now() > shortWaitMs;
	}

	/** Starts newly pending actions, and aborts those no longer pending. */
	#startPending(): void {
		const pending = new Map(pendingActions(this.run).map((action) => [action.key, action]));
		for (const [key, { control }] of this.#running) if (!pending.has(key)) control.abort();
		for (const [key, action] of pending)
			if (!this.#running.has(key) && this.run.seq > (this.#endedAt.get(key) ?? -1)) this.#startAction(action);
		this.#executor.keepReady();
	}

	#startAction(action: Action): void {
		const control = new AbortController();
		this.#crashAt(`before doing ${action.kind}`);
		const done = this.#execute(action, control.signal)
			.catch((error) => void this.#break(error))
			.then(() => {
				this.#crashAt(`after doing ${action.kind}`);
				this.#running.delete(action.key);
				// Finished but still pending: retried after the next event, except an unanswered question.
				const isQuestion = action.kind === "ask_approval" || action.kind === "ask_user";
				const unanswered = isQuestion && !control.signal.aborted;
				this.#endedAt.set(action.key, unanswered ? Number.POSITIVE_INFINITY : this.run.seq);
				this.#reconcile();
			});
		this.#running.set(action.key, { control, done });
	}

	async #execute(action: Action, signal: AbortSignal): Promise<void> {
		if ((await this.#holdsLease()) && !signal.aborted) await this.#executor.execute(action, signal);
	}

	/** Checked before any action that another holder of the run may also perform; without the lease, the supervision ends. */
	async #holdsLease(): Promise<boolean> {
		if (await this.#ledger.holdsLease()) return true;
		this.#failure ??= await this.#ledger.leaseLoss();
		this.#reconcile();
		return false;
	}

	// ── the inbox ──

	async #readInboxOrEnd(): Promise<void> {
		await this.#attempt(() => this.#readInbox());
		if (this.#failure) this.#reconcile();
	}

	async #readInbox(): Promise<void> {
		await this.#ledger.onPosted({
			event: (event, at) => this.#recordPosted(event, at),
			unread: async (path, why) => {
				await this.#enqueue({
					kind: "noted",
					text: `A message to the run could not be read (${why}). It is kept as ${path}.`,
				});
			},
		});
		this.#inboxRead = true;
		this.#reconcile();
	}

	async #recordPosted(event: UserEvent, at: number): Promise<string | undefined> {
		// A supervisor that opens a run measures its files before it asks the same question again.
		while (asksAgain(this.run, event) && !this.#closing && !this.#failure && !this.#stopRequested)
			await sleep(askAgainMs);
		if (this.#closing || this.#failure) throw new Error(notSupervised);
		const refused = await this.#enqueue(event);
		const failure = this.#failure as Failure | undefined;
		if (failure) throw new Error(failure.message);
		if (refused !== undefined && this.#ports.clock.now() - at > postPatienceMs)
			await this.#enqueue({
				kind: "noted",
				text: `A user's command (${event.kind.replaceAll("_", " ")}) was refused: ${refused}`,
			});
		return refused;
	}

	// ── ending ──

	#close(): void {
		this.#closing ??= this.#shutDown();
	}

	async #shutDown(): Promise<void> {
		for (const { control } of this.#running.values()) control.abort();
		await this.#attempt(() => this.#executor.stopWorkers());
		if (this.run.stage.kind === "over" && !this.#failure)
			await this.#attempt(() => this.#ports.launcher.redactSessions(this.#ledger.folder));
		await within(lingerMs, Promise.all([...this.#running.values()].map(({ done }) => done)));
		while (this.#recording) await this.#recording;
		this.#closed = true;
		this.#clockJumps.watch(false);
		if (!this.#failure) await this.#attempt(() => this.#ledger.checkpoint(this.run));
		await this.#attempt(() => this.#ledger.releaseLease());
		this.#listeners.clear();
		this.#end(this.#howEnded());
	}

	#howEnded(): SupervisionEnd {
		const { run } = this;
		if (this.#failure) return { kind: "failed", run, failure: this.#failure };
		return { kind: this.#stopRequested || !isParked(run) ? "released" : "parked", run };
	}
}

/** Whether time of workers in this process is running. */
function isTimed(run: Run, ports: SupervisorPorts): boolean {
	const { stage } = run;
	if (stage.kind === "working" || stage.kind === "stopping") return stage.startedAt !== "";
	return stage.kind === "children" && ports.children?.here === true && workersBelow(run) > 0;
}

/** Whether the work that is due needs another host. */
function isAwaitingHost({ stage }: Run): boolean {
	return stage.kind === "baselining" && stage.awaits !== undefined;
}

/** Whether the question that `event` answers is about to be asked again. */
function asksAgain(run: Run, event: UserEvent): boolean {
	const question = run.stage.kind === "stopping" ? openQuestion(run) : undefined;
	return question !== undefined && "answers" in event && isAnswerTo(question, event.answers);
}

/** Reports of a worker's calls and spend, thousands per run: the next durable write includes them. */
const deferrable: ReadonlySet<EventBody["kind"]> = new Set(["tool_started", "tool_ended", "used"]);

/** How a batch is appended. */
function durabilityOf(events: readonly EventBody[]): "durable" | "soon" {
	return events.every(({ kind }) => deferrable.has(kind)) ? "soon" : "durable";
}
