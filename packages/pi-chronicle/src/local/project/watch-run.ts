// Watches a run that another process supervises, or that waits: reads it when its ledger grows, at most a few times per second. Also the exit codes of
// commands for the status of a run.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunStatus } from "@pi-chronicle/core/machine";
import type { Failure, ReadLedger } from "@pi-chronicle/core/ports";
import { watchFolder } from "../../disk/index.ts";
import { exitCodes } from "../../pi/index.ts";
import type { SupervisionEnd } from "../supervisor/index.ts";
import type { Project } from "./project.ts";

/** Minimum milliseconds between two reads. */
const restMs = 200;

/** Calls `listener` after every change of run `id`, until the returned function is called. Keeps no process alive. */
export function watchRun(
	{ store, sessions, engine }: Pick<Project, "store" | "sessions" | "engine">,
	id: string,
	listener: (read: ReadLedger) => void,
): () => void {
	let reading = false;
	let again = false;
	let ended = false;
	const look = async (): Promise<void> => {
		if (reading) {
			again = true;
			return;
		}
		reading = true;
		do {
			again = false;
			const read = await store.read(id).catch(() => undefined);
			if (read?.ok && !ended) listener(read.value);
			await sleep(restMs, undefined, { ref: false });
		} while (again && !ended);
		reading = false;
	};
	const stop = engine ? engine.watch(id, () => void look()) : watchFiles(sessions, id, () => void look());
	return () => {
		ended = true;
		stop();
	};
}

/** Calls `changed` when a file of run `id` changes. */
function watchFiles(sessions: string, id: string, changed: () => void): () => void {
	return watchFolder(sessions, (name) => {
		if (name === null || name === `${id}.json` || name === `${id}.events.jsonl`) changed();
	});
}

/** The exit code for a run that has ended or waits. */
function exitCodeOf(status: RunStatus): number {
	switch (status) {
		case "done":
			return exitCodes.done;
		case "failed":
		case "aborted":
			return exitCodes.failed;
		case "asks":
		case "awaiting_provider":
		case "awaiting_approval":
		case "paused":
			return exitCodes.waits;
		case "budget_exceeded":
			return exitCodes.budget;
		case "human_intervention":
			return exitCodes.intervention;
		case "running":
			return exitCodes.interrupted;
	}
}

/** The code for a command that failed: 2 if the request does not apply to the run, 1 for any other failure. */
export function exitCodeOfFailure({ reason }: Failure): number {
	const refusals = ["exists", "unknown", "ambiguous", "held", "newer", "foreign", "too_long"];
	return refusals.includes(reason) ? exitCodes.usage : exitCodes.failed;
}

/** The code for the end of a supervision. */
export function exitCodeOfEnd(end: SupervisionEnd): number {
	switch (end.kind) {
		case "parked":
			return exitCodeOf(end.run.status);
		case "released":
			return exitCodes.interrupted;
		case "failed":
			return exitCodes.failed;
	}
}
