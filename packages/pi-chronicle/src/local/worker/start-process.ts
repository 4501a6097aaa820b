// One pi process for a worker, from its files to its first report. It does no work before its adoption.
// Only values known before the launch is recorded are written to files; the others are sent at adoption; a failed start leaves no
// process.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchFault, StandbyOrder } from "@pi-chronicle/core/ports";
import { attempt, folderNames } from "../../disk/index.ts";
import type { PiCommand } from "../../pi/index.ts";
import { type Child, startChild } from "../../process/index.ts";
import { settleBox } from "../../safety/index.ts";
import { type FrozenRules, type WorkerBox, writeBrief } from "./brief.ts";
import { type WorkerFiles, workerArguments, workerEnvironment } from "./command-line.ts";
import { awaitHello, faultOf, type Greeting } from "./greeting.ts";
import type { BoxOptions } from "./worker-box.ts";
import type { WorkerSpec } from "./worker-spec.ts";

/** The inputs of a start. */
export type ProcessOrder = Omit<StandbyOrder, "waits">;

export interface StartOptions extends BoxOptions {
	readonly pi: PiCommand;
	/** Absolute path of the extension that each worker loads. */
	readonly workerEntry: string;
	readonly trust: "trusted" | "untrusted";
	readonly extensions?: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
	/** Milliseconds until the ready report. */
	readonly helloMs?: number;
}

export type Hailed = Extract<Greeting, { kind: "hello" }>;

export interface StartedProcess {
	readonly spec: WorkerSpec;
	readonly files: WorkerFiles;
	readonly child: Child;
	/** Resolves once it has reported ready, or has failed and exited. */
	readonly greeting: Promise<Hailed | StartFault>;
}

export interface StartFault {
	readonly ok: false;
	readonly failure: LaunchFault;
}

/** In the run's folder. */
export const workersFolder = "workers";

/** Milliseconds for a process that never became a worker to exit. */
export const stopMs = 500;

/**
 * Milliseconds for a worker to report ready. A pi that was killed while it read its credentials leaves their lock behind, and the next one waits up to
 * 30 s for it (measured with pi 1.6).
 */
export const defaultHelloMs = 60_000;

/** The files of the conversation `key`; `mark` distinguishes the files of processes started for the same conversation. */
export function filesOf(folder: string, key: string, mark = ""): WorkerFiles {
	// The key is from the ledger, which other machines can write.
	if (!/^\d+\.\d+$/.test(key)) throw new Error(`${JSON.stringify(key)} does not name a conversation.`);
	const path = (name: string): string => join(folder, workersFolder, `${key}${name}`);
	return { session: path(".jsonl"), brief: path(`${mark}.brief.json`), persona: path(`${mark}.persona.md`) };
}

interface StartParts {
	readonly spec: WorkerSpec;
	readonly files: WorkerFiles;
	readonly rules: FrozenRules;
	readonly box: WorkerBox | "off";
}

/** Starts pi with its complete command line. Throws disk errors. */
export function startProcess(
	order: ProcessOrder,
	{ spec, files, rules, box }: StartParts,
	options: StartOptions,
	signal: AbortSignal,
): StartedProcess {
	mkdirSync(join(order.folder, workersFolder), { recursive: true, mode: 0o700 });
	writeBrief(files.brief, {
		version: 2,
		run: order.run,
		state: order.state.name,
		launch: order.launch,
		targets: order.targets,
		...(order.meanings ? { meanings: order.meanings } : {}),
		...(order.lists ? { lists: order.lists } : {}),
		...(order.output ? { output: order.output } : {}),
		...(order.withoutOutput ? { withoutOutput: order.withoutOutput } : {}),
		...(spec.order ? { tools: spec.order } : {}),
		questions: order.state.questions,
		...(spec.unchanged ? { unchanged: spec.unchanged } : {}),
		rules,
		...(order.copy ? { copy: order.copy } : {}),
		sandbox: box,
	});
	writeFileSync(files.persona, `${spec.persona.prompt}\n`, { mode: 0o600 });
	const child = startChild({
		command: options.pi.command,
		args: workerArguments(options.pi, spec, files, [options.workerEntry, ...(options.extensions ?? [])], options.trust),
		cwd: order.cwd,
		env: workerEnvironment(options.env ?? process.env, order.run, files.brief),
	});
	if (box !== "off") void child.exited.then(() => settleBox(order.folder));
	return { spec, files, child, greeting: greetingOf(child, options.helloMs ?? defaultHelloMs, signal) };
}

async function greetingOf(child: Child, ms: number, signal: AbortSignal): Promise<Hailed | StartFault> {
	const greeting = await awaitHello(child, ms, signal);
	if (!signal.aborted && greeting.kind === "hello") return greeting;
	await child.stop(stopMs);
	// Only now, all of its stderr has been read.
	return signal.aborted || greeting.kind === "hello"
		? canceled
		: { ok: false, failure: faultOf(greeting, child.stderr()) };
}

/** Renames the files of an adopted process to those of its conversation; it has already read them. */
export function adoptFiles(from: WorkerFiles, to: WorkerFiles): void {
	if (from.brief === to.brief) return;
	try {
		renameSync(from.brief, to.brief);
		renameSync(from.persona, to.persona);
	} catch {
		// They only serve a user who inspects the folder.
	}
}

/** Removes the files of a process that was not adopted. */
export function removeFiles({ brief, persona }: WorkerFiles): void {
	removeFile(brief);
	removeFile(persona);
}

/** One that stays, on a disk that became read-only, harms nothing: a slot counts only as long as its process lives. */
export function removeFile(file: string): void {
	attempt(() => rmSync(file, { force: true }));
}

/** Removes the files of all standbys in a run's folder except those of `kept`. */
export function removeStandbyFiles(folder: string, kept: WorkerFiles | undefined): void {
	const workers = join(folder, workersFolder);
	const files = folderNames(workers).filter((name) => /\.standby-\d+\./.test(name));
	for (const file of files.map((name) => join(workers, name)))
		if (file !== kept?.brief && file !== kept?.persona) removeFile(file);
}

export const canceled: StartFault = startFault("spawn", "The start was canceled.");

export function startFault(reason: LaunchFault["reason"], detail: string): StartFault {
	return { ok: false, failure: { reason, detail } };
}
