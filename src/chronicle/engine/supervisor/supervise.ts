// The supervisor: a loop over the pure machine. One event at a time is judged, recorded, taken in; what is then owed is carried out, and its
// results are events again. It never calls a model.
// V1 an event is on disk before anything that depends on it is done; V2 an action is carried out once per owner, and again after a crash;
// V3 what the record refuses (a full disk) ends the work, never the run; V4 a run that waits for a person is no process and no timer: then
// the supervision is over; V5 nothing is begun and no word is taken once it is ending: words stay for the next one; V6 whoever has lost the
// run does nothing for it any more.

import type { Failure, HeldLedger, SupervisorPorts } from "../../core/index.ts";
import {
	type Action,
	type EventBody,
	isParked,
	type LedgerEvent,
	type PersonEvent,
	pendingActions,
	type Run,
	transition,
} from "../../core/index.ts";
import { type ActionExecutor, openActionExecutor } from "./action-executor.ts";
import { openJumps } from "./clock-jumps.ts";
import { openCrashPoints } from "./crash-point.ts";
import { durabilityOf } from "./durability.ts";

/** How a supervision ended. The run itself says what it waits for. */
export type SupervisionEnd =
	| { readonly kind: "parked"; readonly run: Run }
	/** It was let go, by `release`. */
	| { readonly kind: "released"; readonly run: Run }
	/** The record could not be written, or another supervisor has the run. Workers are stopped. */
	| { readonly kind: "failed"; readonly run: Run; readonly failure: Failure };

export interface Supervision {
	readonly run: Run;
	/** Calls `listener` after every event; the returned function ends that. */
	watch(listener: (run: Run, event: LedgerEvent) => void): () => void;
	/**
	 * A person's word. Resolves with the reason where it does not apply, once it is on disk otherwise. `failure`: it could not be recorded, and
	 * the supervision ends.
	 */
	submit(event: PersonEvent): Promise<{ readonly refused: string | undefined; readonly failure?: Failure }>;
	/**
	 * Stops workers at once and lets go of the run, which stays as it is recorded: another supervisor goes on with it. What was said before
	 * is recorded first, and nothing that it leads to is begun.
	 */
	stop(): Promise<SupervisionEnd>;
	readonly ended: Promise<SupervisionEnd>;
}

/** Milliseconds that people wait for an answer to what they leave for a run. */
const patienceMs = 5000;
/** Milliseconds that an action may go on after its supervision has ended. */
const lingerMs = 3000;

interface Waiting {
	readonly body: EventBody;
	readonly done: (refused: string | undefined) => void;
}

/** Takes the run on where its ledger says it is. `fresh`: it was created by this very process. */
export function supervise(ledger: HeldLedger, ports: SupervisorPorts, origin: "fresh" | "reopened"): Supervision {
	const crashAt = openCrashPoints();
	const listeners = new Set<(run: Run, event: LedgerEvent) => void>();
	const queue: Waiting[] = [];
	const doing = new Map<string, { readonly control: AbortController; readonly done: Promise<void> }>();
	/** Actions that ended, with the event up to which they need not be looked at again. */
	const putOff = new Map<string, number>();
	const jumps = openJumps(ports.clock);
	let run = ledger.run;
	/** Words that are being recorded, one after another. */
	let recording: Promise<void> | undefined;
	let failure: Failure | undefined;
	let finishing: Promise<void> | undefined;
	let released = false;
	let ended = false;
	const gone = "The run is not supervised here any more.";
	/** Words that people left while nobody held the run have been taken. */
	let heard = false;
	let end: (how: SupervisionEnd) => void = () => {};
	const over = new Promise<SupervisionEnd>((resolve) => {
		end = resolve;
	});

	/** Puts an event in line; resolves once it is recorded, or refused. */
	const take = (body: EventBody): Promise<string | undefined> =>
		new Promise((done) => {
			queue.push({ body, done });
			recording ??= recordAll();
		});

	/** Asked before whatever another holder of the run may be doing too; where it is not ours any more, the work ends. */
	const holds = async (): Promise<boolean> => {
		if (await ledger.holdsLease()) return true;
		failure ??= await ledger.leaseLoss();
		void rest();
		return false;
	};
	const hands: ActionExecutor = openActionExecutor(ports, {
		origin,
		run: () => run,
		record: take,
		holds,
		crashAt,
		place: ledger.place,
		folder: ledger.folder,
	});

	/** What throws is broken: nothing is known of what it did, so the work ends and the run stays as recorded. */
	function broken(error: unknown): string {
		const message = error instanceof Error ? error.message : String(error);
		failure ??= { reason: "broken", message, remedy: "Resume the run to go on; if it happens again, report it." };
		return message;
	}

	async function recordAll(): Promise<void> {
		for (let next = queue.shift(); next; next = queue.shift()) next.done(await record(next.body).catch(broken));
		recording = undefined;
		void rest();
	}

	async function record(body: EventBody): Promise<string | undefined> {
		if (failure) return failure.message;
		if (ended) return gone;
		const ms = jumps.take();
		const unrecorded = ms === 0 ? undefined : await record({ kind: "clock_jumped", ms });
		if (unrecorded !== undefined) return unrecorded;
		// Judged first with the number and time it will get: what does not apply is not recorded.
		const draft = { ...body, seq: run.seq + 1, at: new Date(ports.clock.now()).toISOString() } as LedgerEvent;
		const { refusal } = transition(run, draft);
		// A decision is due and nothing has been done for it yet: it goes first, then the word is judged by what it has led to.
		if (refusal?.reason === "busy" && run.stage.kind === "deciding")
			return (await record(run.stage.decision)) ?? record(body);
		if (refusal) return refusal.message;
		crashAt(`before ${body.kind}`);
		const appended = await ledger.append([body], durabilityOf(body));
		if (!appended.ok) {
			failure = appended.failure;
			return failure.message;
		}
		crashAt(`after ${body.kind}`);
		const [event] = appended.value;
		if (event === undefined) return undefined;
		run = transition(run, event).run;
		jumps.watch((run.stage.kind === "working" || run.stage.kind === "stopping") && run.stage.startedAt !== "");
		// A decision that is due is recorded in a moment: the folded state waits for it.
		if (durabilityOf(body) === "durable" && run.stage.kind !== "deciding") {
			// A run that waits is looked at by others, in the file too.
			const kept = await ledger.checkpoint(run, isParked(run) ? "now" : "if due");
			if (!kept.ok) failure = kept.failure;
		}
		if (event.kind === "limits_changed") hands.updateLimits();
		for (const listener of listeners) listener(run, event);
		return undefined;
	}

	/** Starts what is newly owed, ends what is owed no more, and sees whether anything is left to do. */
	async function rest(): Promise<void> {
		if (recording || finishing) return;
		if (failure || released) return finish();
		const due = new Map(pendingActions(run).map((action) => [action.key, action]));
		for (const [key, { control }] of doing) if (!due.has(key)) control.abort();
		for (const [key, action] of due) if (!doing.has(key) && run.seq > (putOff.get(key) ?? -1)) start(key, action);
		if (doing.size === 0 && isParked(run) && heard) return finish();
	}

	function start(key: string, action: Action): void {
		const control = new AbortController();
		crashAt(`before doing ${action.kind}`);
		const done = holds()
			.then((ours) => (ours && !control.signal.aborted ? hands.execute(action, control.signal) : undefined))
			.catch(broken)
			.then(() => {
				crashAt(`after doing ${action.kind}`);
				doing.delete(key);
				// Done and still owed: it is tried again after the next event, a question that nobody answered not at all.
				const unanswered = action.kind === "ask_approval" && !control.signal.aborted;
				putOff.set(key, unanswered ? Number.POSITIVE_INFINITY : run.seq);
				void rest();
			});
		doing.set(key, { control, done });
	}

	function finish(): Promise<void> {
		finishing ??= (async () => {
			for (const { control } of doing.values()) control.abort();
			await hands.stopWorkers();
			if (run.stage.kind === "over" && !failure) await ports.launcher.redactSessions(ledger.folder);
			await settled([...doing.values()].map(({ done }) => done));
			while (recording) await recording;
			ended = true;
			jumps.watch(false);
			if (!failure) await ledger.checkpoint(run);
			await ledger.releaseLease();
			listeners.clear();
			end(failure ? { kind: "failed", run, failure } : released ? { kind: "released", run } : { kind: "parked", run });
		})();
		return finishing;
	}

	void ledger
		.onPosted({
			async event(event, at) {
				if (finishing || failure) throw new Error(gone);
				const refused = await take(event);
				const broke = failure as Failure | undefined;
				if (broke) throw new Error(broke.message);
				// Whoever said it has given up waiting for the answer.
				if (refused !== undefined && ports.clock.now() - at > patienceMs)
					await take({
						kind: "noted",
						text: `What a person said (${event.kind.replaceAll("_", " ")}) was refused: ${refused}`,
					});
				return refused;
			},
			async unread(path, why) {
				await take({ kind: "noted", text: `A message to the run could not be read (${why}). It is kept as ${path}.` });
			},
		})
		.then(() => {
			heard = true;
			return rest();
		});
	if (origin === "reopened") void take({ kind: "opened", ...ports.self });
	else void rest();

	return {
		get run() {
			return run;
		},
		watch(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		async submit(event) {
			if (finishing) return { refused: gone };
			const refused = await take(event);
			return refused !== undefined && failure ? { refused, failure } : { refused };
		},
		async stop() {
			released = true;
			// With words in line the loop comes to rest by itself, and ends there.
			await rest();
			return over;
		},
		ended: over,
	};
}

/** Waits for what is being done to end, a few seconds at most: what it finds out is recorded by nobody any more. */
async function settled(done: readonly Promise<void>[]): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, lingerMs);
	});
	await Promise.race([Promise.all(done), late]);
	clearTimeout(timer);
}
