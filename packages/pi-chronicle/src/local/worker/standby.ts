// The standby of one supervisor: a process that starts before its launch is recorded, and waits for adoption.
// At most one; until its adoption it makes no request, no entry and no file of the project; a standby that is no longer needed is
// killed at once; it is adopted only for the launch it was started for, if no input of the start has changed.
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { launchKey } from "@pi-chronicle/core/machine";
import type { StandbyOrder } from "@pi-chronicle/core/ports";
import { unlessAborted } from "../../process/index.ts";
import { locateRules } from "../../safety/index.ts";
import type { FrozenRules, WorkerBox } from "./brief.ts";
import {
	filesOf,
	type ProcessOrder,
	removeFiles,
	removeStandbyFiles,
	type StartedProcess,
	type StartOptions,
	startProcess,
} from "./start-process.ts";
import { sweepSlots, takeSlot } from "./worker-bound.ts";
import { chooseBox } from "./worker-box.ts";
import { resolveWorkerSpec, type WorkerResources, type WorkerSpec } from "./worker-spec.ts";

interface InputPlace {
	readonly cwd: string;
	readonly home: string;
	readonly agentFolder: string;
	/** The extension that each worker loads. */
	readonly workerEntry: string;
}

/** Source: pi's resource-loader. */
const contextFiles = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];
const piFiles = ["settings.json", "SYSTEM.md", "APPEND_SYSTEM.md", "mcp.json"];

/** The state of all these files as one string: it changes when a file is written, created, removed or replaced. */
export function startInputs({ cwd, home, agentFolder, workerEntry }: InputPlace, spec: WorkerSpec): string {
	const { origin } = spec.persona;
	const paths = [
		workerEntry,
		...(origin.kind === "file" ? [origin.file] : []),
		...locateRules({ cwd, home, agentDir: agentFolder }).map(({ file }) => file),
		...spec.skills.flatMap((path) => [path, join(path, "SKILL.md")]),
		...[...piFiles, "models.json", "auth.json"].map((name) => join(agentFolder, name)),
		...piFiles.map((name) => join(cwd, ".pi", name)),
		...[agentFolder, ...foldersFrom(cwd)].flatMap((folder) => contextFiles.map((name) => join(folder, name))),
	];
	return paths.map((path) => `${path}\0${fileMark(path)}`).join("\n");
}

function foldersFrom(folder: string): string[] {
	const parent = dirname(folder);
	return parent === folder ? [folder] : [folder, ...foldersFrom(parent)];
}

function fileMark(path: string): string {
	try {
		const found = statSync(path, { bigint: true, throwIfNoEntry: false });
		return found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "";
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? "";
	}
}

export interface StandbyLimits {
	/** Standbys of all runs on this machine together; 0: none. */
	readonly max: number;
	/** Milliseconds that a run may wait for the user until its standby is stopped. */
	readonly waitMs: number;
}

export interface StandbyOptions extends StartOptions {
	readonly resources: WorkerResources;
	readonly rules: FrozenRules;
	readonly limits: StandbyLimits;
}

/** A standby process, running or about to start. */
interface Kept {
	readonly identity: string;
	readonly control: AbortController;
	process: StartedProcess | undefined;
	/** Its spec and everything else that it has read at startup. */
	read: string;
	release: () => void;
}

/** Milliseconds between two attempts to get a slot. */
const retryMs = 2000;

export class Standby {
	readonly #options: StandbyOptions;
	readonly #place: InputPlace;
	readonly #leaving = new Set<Promise<void>>();
	#kept: Kept | undefined;
	/** The last one that failed or was killed: it is not started again. */
	#failed: string | undefined;
	/** The run has waited too long. */
	#expired = false;
	#busy: Promise<void> = Promise.resolve();
	#patience: NodeJS.Timeout | undefined;
	#count = 0;

	/** It starts nothing before the first order. */
	constructor(options: StandbyOptions) {
		const { resources, workerEntry } = options;
		const { home, agentFolder } = resources.extensions;
		this.#options = options;
		this.#place = { cwd: resources.cwd, home, agentFolder, workerEntry };
	}

	/** Process id of the standby. */
	get pid(): number | undefined {
		return this.#kept?.process?.child.pid;
	}

	/** See `WorkerLauncher.keepReady`. */
	async keep(order: StandbyOrder | undefined): Promise<void> {
		const identity = order && identityOf(order);
		if (this.#kept && this.#kept.identity !== identity) this.#giveUp();
		if (!order?.waits) this.#expired = false;
		const mayStart = !this.#kept && !this.#expired && this.#options.limits.max > 0;
		if (order && identity !== undefined && identity !== this.#failed && mayStart) {
			const control = new AbortController();
			const mine: Kept = { identity, control, process: undefined, read: "", release: () => {} };
			this.#kept = mine;
			// An error here occurs again, and is reported, when the worker is launched.
			void this.#begin(mine, order).catch(() => mine.release());
		}
		this.#setPatience(order?.waits === true);
		await Promise.all(this.#leaving);
	}

	/** Returns the process if it equals a new start by `order` and `spec`; otherwise discards it. */
	take(order: ProcessOrder, spec: WorkerSpec): StartedProcess | undefined {
		const mine = this.#kept;
		if (!mine?.process || mine.identity !== identityOf(order) || mine.read !== this.#readBy(spec)) {
			this.#giveUp();
			return undefined;
		}
		this.#kept = undefined;
		this.#setPatience(false);
		mine.release();
		return mine.process;
	}

	/** Removes leftovers of killed supervisors' standbys in the run's `folder` and on the machine. */
	sweep(folder: string): void {
		removeStandbyFiles(folder, this.#kept?.process?.files);
		sweepSlots(slotsIn(this.#place.agentFolder));
	}

	/** Starts nothing until `work` has ended. */
	after(work: Promise<unknown>): void {
		this.#busy = Promise.allSettled([this.#busy, work]).then(() => {});
	}

	async #begin(mine: Kept, order: ProcessOrder): Promise<void> {
		const { resources, limits } = this.#options;
		const { signal } = mine.control;
		while (!signal.aborted) {
			await unlessAborted(this.#busy, signal);
			const resolved = await unlessAborted(resolveWorkerSpec(order.state, order.model, resources, signal), signal);
			const spec = resolved?.spec;
			if (signal.aborted || !spec || !isQuiet(spec, this.#options)) return;
			this.#count += 1;
			const slot = takeSlot(slotsIn(this.#place.agentFolder), limits.max);
			if (typeof slot === "function") {
				mine.release = slot;
				const box = await chooseBox(order, spec, this.#options);
				// The launch itself will say that the sandbox is missing.
				if (signal.aborted || (box !== "off" && "missing" in box)) return slot();
				return this.#start(mine, order, spec, box);
			}
			await unlessAborted(sleep(retryMs, undefined, { ref: false }), signal);
		}
	}

	#start(mine: Kept, order: ProcessOrder, spec: WorkerSpec, box: WorkerBox | "off"): void {
		// A standby always starts a new conversation.
		const { visit, attempt } = order.launch;
		const files = filesOf(order.folder, `${visit}.${attempt}`, `.standby-${this.#count}`);
		if (existsSync(files.session)) {
			mine.release();
			return;
		}
		mine.read = this.#readBy(spec);
		const { rules } = this.#options;
		mine.process = startProcess(order, { spec, files, rules, box }, this.#options, mine.control.signal);
		void mine.process.child.exited.then(() => {
			if (this.#kept !== mine) return;
			this.#failed = mine.identity;
			this.#giveUp();
		});
	}

	#giveUp(): void {
		const gone = this.#kept;
		this.#kept = undefined;
		if (!gone) return;
		gone.control.abort();
		const left = endProcess(gone).finally(() => this.#leaving.delete(left));
		this.#leaving.add(left);
	}

	#setPatience(waits: boolean): void {
		if (!waits) {
			clearTimeout(this.#patience);
			this.#patience = undefined;
		} else if (this.#kept && !this.#patience) {
			this.#patience = setTimeout(() => {
				this.#patience = undefined;
				this.#expired = true;
				this.#giveUp();
			}, this.#options.limits.waitMs);
			this.#patience.unref();
		}
	}

	#readBy(spec: WorkerSpec): string {
		return `${JSON.stringify(spec)}\n${startInputs(this.#place, spec)}`;
	}
}

/** Kills it: it has started nothing that needs an orderly end. */
async function endProcess({ process, release }: Kept): Promise<void> {
	await process?.child.kill();
	if (process) removeFiles(process.files);
	release();
}

/** Other extensions may act at startup, so their workers are only started when needed. */
function isQuiet(spec: WorkerSpec, { extensions = [] }: StartOptions): boolean {
	return spec.extensions.length === 0 && extensions.length === 0;
}

function identityOf(order: ProcessOrder): string {
	const { run, launch, state, model, cwd, targets, meanings, lists, output, withoutOutput, folder } = order;
	return JSON.stringify([
		run,
		launchKey(launch),
		state,
		model,
		cwd,
		targets,
		meanings,
		lists,
		output,
		withoutOutput,
		folder,
	]);
}

/** The folder with the slots of all standbys of this user's runs. */
function slotsIn(agentFolder: string): string {
	return `${agentFolder}/chronicle/standby`;
}
