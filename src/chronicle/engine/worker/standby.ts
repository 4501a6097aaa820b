// The standby of one supervisor: a process that is started for a launch before that launch is intended, and waits for its adoption.
// N1 at most one; N2 until its adoption it has made no request, no entry and no file of the project; N3 what is given up is killed at once; N4 it is
// adopted only for the very launch that it was started for, with nothing changed that a start reads.
import { existsSync } from "node:fs";
import { launchKey, type StandbyOrder } from "../../core/index.ts";
import type { FrozenRules } from "./brief.ts";
import { unlessAborted } from "./greeting.ts";
import { takeSlot } from "./standby-slots.ts";
import { type InputPlace, startInputs } from "./start-inputs.ts";
import { filesOf, removeFiles, type StartedProcess, type StartOptions, type StartOrder, startProcess } from "./start-process.ts";
import { resolveWorkerSpec, type WorkerResources, type WorkerSpec } from "./worker-spec.ts";

export interface StandbyLimits {
	/** Standbys of all runs on this machine together; 0: none. */
	readonly most: number;
	/** Milliseconds that a run may wait for the user until its standby is given up. */
	readonly waitMs: number;
}

export interface StandbyOptions extends StartOptions {
	readonly resources: WorkerResources;
	readonly rules: FrozenRules;
	readonly limits: StandbyLimits;
}

export interface Standby {
	/** See `WorkerLauncher.keepReady`. */
	keep(order: StandbyOrder | undefined): Promise<void>;
	/** Gives out the process if it is what a start by `order` and `spec` would give; else gives it up. */
	take(order: StartOrder, spec: WorkerSpec): StartedProcess | undefined;
	/** Starts nothing until `work` has ended. */
	after(work: Promise<unknown>): void;
	/** Process id of the standby. */
	pid(): number | undefined;
}

/** A process that is kept, or about to be started. */
interface Kept {
	readonly identity: string;
	readonly control: AbortController;
	process: StartedProcess | undefined;
	/** Its specification and everything else that it has read. */
	read: string;
	release: () => void;
}

/** Milliseconds between two tries for a place on the machine. */
const retryMs = 2000;

/** Opens the standby of one supervisor; it has none yet. */
export function openStandby(options: StandbyOptions): Standby {
	const { resources, limits } = options;
	const place: InputPlace = {
		cwd: resources.cwd,
		home: resources.extensions.home,
		agentFolder: resources.extensions.agentFolder,
		workerEntry: options.workerEntry,
	};
	const readBy = (spec: WorkerSpec): string => `${JSON.stringify(spec)}\n${startInputs(place, spec)}`;
	const leaving = new Set<Promise<void>>();
	let kept: Kept | undefined;
	/** The last one that failed or was killed: it is not started again. */
	let failed: string | undefined;
	/** The run has waited too long. */
	let expired = false;
	let busy: Promise<void> = Promise.resolve();
	let patience: NodeJS.Timeout | undefined;
	let count = 0;

	const giveUp = (): void => {
		const gone = kept;
		kept = undefined;
		if (!gone) return;
		gone.control.abort();
		const left = end(gone).finally(() => leaving.delete(left));
		leaving.add(left);
	};
	const setPatience = (waits: boolean): void => {
		if (!waits) {
			clearTimeout(patience);
			patience = undefined;
		} else if (kept && !patience) {
			patience = setTimeout(() => {
				patience = undefined;
				expired = true;
				giveUp();
			}, limits.waitMs);
			patience.unref();
		}
	};
	const begin = async (mine: Kept, order: StartOrder): Promise<void> => {
		const { signal } = mine.control;
		while (!signal.aborted) {
			await unlessAborted(busy, signal);
			const resolved = await unlessAborted(resolveWorkerSpec(order.state, order.model, resources, signal), signal);
			const spec = resolved?.spec;
			if (signal.aborted || !spec || !isQuiet(spec, options)) return;
			const slot = takeSlot(slotsIn(place.agentFolder), limits.most, String(++count));
			if (slot) {
				mine.release = slot;
				return start(mine, order, spec);
			}
			await unlessAborted(new Promise((resolve) => setTimeout(resolve, retryMs).unref()), signal);
		}
	};
	const start = (mine: Kept, order: StartOrder, spec: WorkerSpec): void => {
		const files = filesOf(order.folder, conversationKey(order), `.standby-${count}`);
		mine.read = readBy(spec);
		if (existsSync(files.session)) return mine.release();
		try {
			mine.process = startProcess(order, { spec, files, rules: options.rules }, options, mine.control.signal);
		} catch {
			// A launch that cannot be written says so.
			return mine.release();
		}
		void mine.process.child.exited.then(() => {
			if (kept !== mine) return;
			failed = mine.identity;
			giveUp();
		});
	};
	return {
		async keep(order) {
			const identity = order && identityOf(order);
			if (kept && kept.identity !== identity) giveUp();
			if (!order?.waits) expired = false;
			if (order && identity !== undefined && !kept && identity !== failed && !expired && limits.most > 0) {
				const control = new AbortController();
				const mine: Kept = { identity, control, process: undefined, read: "", release: () => {} };
				kept = mine;
				// What fails here fails again, and is reported, when the worker is launched.
				void begin(mine, order).catch(() => mine.release());
			}
			setPatience(order?.waits === true);
			await Promise.all(leaving);
		},
		take(order, spec) {
			const mine = kept;
			if (!mine?.process || mine.identity !== identityOf(order) || mine.read !== readBy(spec)) {
				giveUp();
				return undefined;
			}
			kept = undefined;
			setPatience(false);
			mine.release();
			return mine.process;
		},
		after(work) {
			busy = Promise.allSettled([busy, work]).then(() => {});
		},
		pid: () => kept?.process?.child.pid,
	};
}

/** Kills it: it has done nothing that it would have to end in order. */
async function end({ process, release }: Kept): Promise<void> {
	await process?.child.kill();
	if (process) removeFiles(process.files);
	release();
}

/** Other extensions may act when they are started: their workers are started when they are needed. */
function isQuiet(spec: WorkerSpec, { extensions = [] }: StartOptions): boolean {
	return spec.extensions.length === 0 && extensions.length === 0;
}

function identityOf({ run, launch, state, model, cwd, targets, folder }: StartOrder): string {
	return JSON.stringify([run, launchKey(launch), state, model, cwd, targets, folder]);
}

/** A standby always begins a conversation. */
function conversationKey({ launch: { visit, attempt } }: StartOrder): string {
	return `${visit}.${attempt}`;
}

/** Where the places of all standbys of this user's runs are. */
function slotsIn(agentFolder: string): string {
	return `${agentFolder}/chronicle/standby`;
}
