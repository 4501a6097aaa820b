// The folded state as the text of `<uuid>.json`, and back. Not the truth: that is the event log, from which it can be made again.
// C1 at most 64 KB, whatever the history; C2 what does not fit is cut in this order: the definition's long texts, the task, old summaries;
// what was cut is named in `cut`, and the log has it; C3 reading gives the run that was written, or says that the log has to be read.

import { type Created, type Run, SCHEMA_VERSION } from "../machine/index.ts";
import { compileDefinition, hashCleanup } from "../template/index.ts";

export const CHECKPOINT_BYTES = 64 * 1024;

/** Where in the log the checkpoint stands: the first `offset` bytes are in it. */
export interface LogPosition {
	readonly seq: number;
	readonly offset: number;
	readonly fence: number;
}

type Cut = "definition" | "task" | "history";

/** Fields in the order in which a person wants to read them. */
export function checkpointText(run: Run, log: LogPosition): string {
	const full = shape(run, run.template.definition, run.task, log, []);
	const indented = JSON.stringify(full, null, "\t");
	if (fits(indented)) return `${indented}\n`;
	const compact = JSON.stringify(full);
	if (fits(compact)) return `${compact}\n`;
	const thin = JSON.stringify(shape(run, outline(run.template.definition), run.task, log, ["definition"]));
	if (fits(thin)) return `${thin}\n`;
	const task = run.task.slice(0, 2000);
	const short = JSON.stringify(shape(run, null, task, log, ["definition", "task"]));
	if (fits(short)) return `${short}\n`;
	const last = {
		...run,
		history: run.history.slice(-20),
		notices: [],
		outbox: [],
		snapshot: { ...run.snapshot, files: [] },
	};
	return `${JSON.stringify(shape(last, null, task, log, ["definition", "task", "history"]))}\n`;
}

function fits(text: string): boolean {
	return Buffer.byteLength(text) < CHECKPOINT_BYTES;
}

function shape(run: Run, definition: unknown, task: string, log: LogPosition, cut: readonly Cut[]): object {
	const {
		plan: _,
		cleanupHash: __,
		schemaVersion,
		id,
		template,
		status,
		state,
		visit,
		attempt,
		snapshot,
		history,
		totals,
		pairMoves,
		updatedAt,
		task: ___,
		...rest
	} = run;
	return {
		schemaVersion,
		id,
		template: { ...template, definition },
		task,
		status,
		state,
		visit,
		attempt,
		snapshot,
		history,
		totals,
		pairMoves,
		updatedAt,
		...rest,
		log,
		...(cut.length > 0 ? { cut } : {}),
	};
}

/** A definition without its long texts: enough to see the graph. */
function outline(definition: unknown): unknown {
	return JSON.parse(JSON.stringify(definition), (_, value) =>
		typeof value === "string" && value.length > 200 ? `${value.slice(0, 160)}…` : value,
	);
}

export type CheckpointRead =
	| { readonly kind: "read"; readonly run: Run; readonly log: LogPosition }
	/** Something is missing that only the log has; `id` is whose. */
	| { readonly kind: "incomplete"; readonly log: LogPosition }
	| { readonly kind: "newer"; readonly schemaVersion: number }
	| { readonly kind: "foreign"; readonly data: Readonly<Record<string, unknown>> }
	| { readonly kind: "damaged" };

/** Reads a checkpoint. `first` gives the first event of the log, which has in full what a checkpoint may have cut. */
export function readCheckpoint(text: string, first: () => Created | undefined): CheckpointRead {
	let data: unknown;
	try {
		data = JSON.parse(text);
	} catch {
		return { kind: "damaged" };
	}
	if (!isRecord(data)) return { kind: "damaged" };
	const { schemaVersion } = data;
	if (typeof schemaVersion !== "number" || typeof data.id !== "string" || !isRecord(data.template))
		return { kind: "foreign", data };
	if (schemaVersion > SCHEMA_VERSION) return { kind: "newer", schemaVersion };
	const { log, cut = [], ...rest } = data as unknown as Omit<Run, "plan"> & { log?: LogPosition; cut?: readonly Cut[] };
	if (!isPosition(log) || !looksWhole(rest)) return { kind: "damaged" };
	if (cut.includes("history")) return { kind: "incomplete", log };
	const whole = cut.length > 0 ? first() : undefined;
	if (cut.length > 0 && !whole) return { kind: "incomplete", log };
	const template = whole?.template ?? rest.template;
	const plan = compileDefinition(template.definition, template.name);
	if (!plan) return { kind: "damaged" };
	const run: Run = { ...rest, template, task: whole?.task ?? rest.task, plan, cleanupHash: hashCleanup(plan) ?? null };
	return { kind: "read", run, log };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPosition(log: unknown): log is LogPosition {
	return isRecord(log) && [log.seq, log.offset, log.fence].every((value) => typeof value === "number");
}

/** Whether everything that the machine reads is there; values were written by us and are believed. */
function looksWhole(run: object): boolean {
	const wanted: readonly (keyof Run)[] = [
		"status",
		"state",
		"visit",
		"attempt",
		"launch",
		"snapshot",
		"history",
		"totals",
		"pairMoves",
		"updatedAt",
		"createdAt",
		"seq",
		"stage",
		"states",
		"visitRecord",
		"calls",
		"outbox",
		"moves",
		"limits",
		"warned",
		"questions",
		"notices",
	];
	return wanted.every((key) => key in run);
}
