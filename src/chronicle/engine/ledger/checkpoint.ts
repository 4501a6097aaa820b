// The folded state as the text of `<uuid>.json`, and back. Not the truth: that is the event log, from which it can be made again.
// C1 at most 64 KB, whatever the history; C2 what does not fit is cut in this order: the definition's long texts, the task, old summaries;
// what was cut is named in `cut`, and the log has it; C3 reading gives the run that was written, or says that the log has to be read;
// C4 a checksum tells a file that was changed by hand or by a crash: such a one is not believed.
import { crc32 } from "node:zlib";
import { type Created, type Run, restoreRun, SCHEMA_VERSION, type StoredRun, storeRun } from "../../core/index.ts";

export const CHECKPOINT_BYTES = 64 * 1024;

/** Where in the log the checkpoint stands: the first `offset` bytes are in it. */
export interface LogPosition {
	readonly seq: number;
	readonly offset: number;
	readonly fence: number;
}

type Cut = "definition" | "task" | "history";

/** What stands in the file of a run, in the order in which a person wants to read it; what is derived from the definition is not in it. */
const kept: Readonly<Record<keyof StoredRun, true>> = {
	schemaVersion: true,
	id: true,
	template: true,
	task: true,
	status: true,
	state: true,
	visit: true,
	attempt: true,
	snapshot: true,
	history: true,
	totals: true,
	pairMoves: true,
	updatedAt: true,
	createdAt: true,
	seq: true,
	stage: true,
	hold: true,
	states: true,
	visitRecord: true,
	launch: true,
	baseline: true,
	conversation: true,
	calls: true,
	outbox: true,
	refused: true,
	moves: true,
	limits: true,
	warned: true,
	model: true,
	cleanupApproval: true,
	questions: true,
	notices: true,
	kept: true,
	unmeasured: true,
};
const fields = Object.keys(kept) as (keyof typeof kept)[];

/** The text, the whole run if it fits. */
export function checkpointText(run: Run, log: LogPosition): string {
	const { definition } = run.template;
	const full = shape(run, definition, log, []);
	const indented = JSON.stringify(full, null, "\t");
	if (fits(indented)) return `${indented}\n`;
	const short = { ...run, task: run.task.slice(0, 2000) };
	const recent: Run = {
		...short,
		history: run.history.slice(-20),
		notices: [],
		outbox: [],
		snapshot: { ...run.snapshot, files: [] },
	};
	// Only a run of very many states gets here: what is left has a bound of its own.
	const least: Run = {
		...recent,
		history: run.history.slice(-5),
		pairMoves: {},
		states: {},
		warned: [],
		limits: { ...run.limits, states: {} },
	};
	const thinner: readonly (() => object)[] = [
		() => full,
		() => shape(run, outline(definition), log, ["definition"]),
		() => shape(short, null, log, ["definition", "task"]),
		() => shape(recent, null, log, ["definition", "task", "history"]),
	];
	for (const make of thinner) {
		const text = JSON.stringify(make());
		if (fits(text)) return `${text}\n`;
	}
	return `${JSON.stringify(shape(least, null, log, ["definition", "task", "history"]))}\n`;
}

function fits(text: string): boolean {
	return Buffer.byteLength(text) < CHECKPOINT_BYTES;
}

function shape(run: Run, definition: unknown, log: LogPosition, cut: readonly Cut[]): object {
	const stored = storeRun(run);
	const all = Object.fromEntries(fields.map((field) => [field, stored[field]]));
	const data = { ...all, template: { ...run.template, definition }, log, ...(cut.length > 0 ? { cut } : {}) };
	return { ...data, crc: checksum(data) };
}

/** CRC-32, in eight hex digits, of the fields as JSON without blanks: how the file is set does not count. */
function checksum(data: object): string {
	return crc32(JSON.stringify(data)).toString(16).padStart(8, "0");
}

/** A definition without its long texts: enough to see the graph. */
function outline(definition: unknown): unknown {
	return JSON.parse(JSON.stringify(definition), (_, value) =>
		typeof value === "string" && value.length > 200 ? `${value.slice(0, 160)}…` : value,
	);
}

export type CheckpointRead =
	/** `proved`: its checksum is right; checkpoints of earlier versions have none. */
	| { readonly kind: "read"; readonly run: Run; readonly log: LogPosition; readonly proved: boolean }
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
	const { crc, ...summed } = data;
	if (crc !== undefined && crc !== checksum(summed)) return { kind: "damaged" };
	// Fields that earlier versions did not write.
	const {
		log,
		cut = [],
		...rest
	} = { kept: [], unmeasured: [], ...summed } as unknown as StoredRun & {
		log?: LogPosition;
		cut?: readonly Cut[];
	};
	if (!isPosition(log) || !looksWhole(rest)) return { kind: "damaged" };
	if (cut.includes("history")) return { kind: "incomplete", log };
	const whole = cut.length > 0 ? first() : undefined;
	if (cut.length > 0 && !whole) return { kind: "incomplete", log };
	const template = whole?.template ?? rest.template;
	const run = restoreRun({ ...rest, template, task: whole?.task ?? rest.task });
	if (!run) return { kind: "damaged" };
	return { kind: "read", run, log, proved: crc !== undefined };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPosition(log: unknown): log is LogPosition {
	return isRecord(log) && [log.seq, log.offset, log.fence].every((value) => typeof value === "number");
}

/** Whether everything that the machine reads is there; values were written by us and are believed. */
function looksWhole(run: object): boolean {
	return fields.every((field) => field in run);
}
