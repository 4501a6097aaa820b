// Writes the folded state as the text of `<uuid>.json`, and reads it. The event log is the source of truth; the checkpoint can be rebuilt
// from it.
// At most 64 KB, however long the history; excess data is truncated in this order: long outputs of states, decisions of the user and
// what a child inherits, the definition's long texts, the task, old summaries and files, findings; `cut` lists them, and the log has them in
// full; reading returns the run that was written, or reports that
// the log must be read; a file changed by hand or truncated by a crash has a wrong checksum and is rejected.

import { crc32 } from "node:zlib";
import { isRecord, parseUntrusted } from "@pi-chronicle/core/definition";
import {
	type ChildGroup,
	type Created,
	decodeRun,
	encodeRun,
	NOTHING_STORED,
	type Run,
	SCHEMA_VERSION,
	type StoredRun,
} from "@pi-chronicle/core/machine";

export const CHECKPOINT_BYTES = 64 * 1024;

/** The position of a checkpoint in the log: it covers the first `offset` bytes. */
export interface LogPosition {
	readonly seq: number;
	readonly offset: number;
	readonly fence: number;
}

type Cut = "definition" | "task" | "history" | "data";

/** The fields of the file, in the order in which a user reads them, without those derived from the definition. */
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
	providerWait: true,
	states: true,
	visitRecord: true,
	launch: true,
	baseline: true,
	list: true,
	startTree: true,
	uncommitted: true,
	checkedOut: true,
	apart: true,
	conversation: true,
	calls: true,
	outbox: true,
	answered: true,
	refused: true,
	moves: true,
	limits: true,
	warned: true,
	model: true,
	cleanupApproval: true,
	question: true,
	questions: true,
	keptFolders: true,
	conditions: true,
	notices: true,
	kept: true,
	unmeasured: true,
	parent: true,
	children: true,
	candidates: true,
	choices: true,
	childCount: true,
	decisions: true,
	failures: true,
	inherited: true,
};
const fields = Object.keys(kept) as (keyof typeof kept)[];
/** Absent where there is nothing to store, and in checkpoints of earlier versions. */
const optionalFields: readonly string[] = [
	"startTree",
	"uncommitted",
	"checkedOut",
	"apart",
	"list",
	...Object.keys(NOTHING_STORED),
];

/** The text of a checkpoint, with the whole run if it fits. */
export function checkpointText(whole: Run, log: LogPosition): string {
	const run = withoutData(whole);
	const cutData: readonly Cut[] = run === whole ? [] : ["data"];
	const { definition } = run.template;
	const full = shape(run, definition, log, cutData);
	const indented = JSON.stringify(full, null, "\t");
	if (fitsCheckpoint(indented)) return `${indented}\n`;
	const short = { ...run, task: run.task.slice(0, 2000) };
	const recent: Run = {
		...short,
		history: run.history.slice(-20),
		notices: [],
		outbox: [],
		question: null,
		snapshot: { ...run.snapshot, files: [], summaries: run.snapshot.summaries.slice(-1) },
	};
	// Needed only for a run with very many states: everything else is bounded.
	const least: Run = {
		...recent,
		history: run.history.slice(-5),
		pairMoves: {},
		states: {},
		warned: [],
		limits: { ...run.limits, states: {} },
	};
	// With long findings too.
	const { snapshot } = least;
	const bare: Run = {
		...least,
		snapshot: { ...snapshot, findings: [], pendingTasks: [], summaries: [], resolved: [] },
	};
	const thinner: readonly (() => object)[] = [
		() => full,
		() => shape(run, outline(definition), log, ["definition", ...cutData]),
		() => shape(short, null, log, ["definition", "task", ...cutData]),
		() => shape(recent, null, log, ["definition", "task", "history", ...cutData]),
		() => shape(least, null, log, ["definition", "task", "history", ...cutData]),
	];
	for (const make of thinner) {
		const text = JSON.stringify(make());
		if (fitsCheckpoint(text)) return `${text}\n`;
	}
	return `${JSON.stringify(shape(bare, null, log, ["definition", "task", "history", ...cutData]))}\n`;
}

/** Maximum bytes of the data that states and children have handed over, with the user's decisions and what a child inherits. */
const maxData = 16 * 1024;

/** The run; without its data if that is long. */
function withoutData(run: Run): Run {
	const { snapshot, children, candidates, decisions, inherited } = run;
	const groups = [children, candidates?.group].flatMap((group) => group?.children ?? []);
	const data = [...(snapshot.outputs ?? []), ...groups.map(({ output }) => output), ...decisions, inherited];
	if (Buffer.byteLength(JSON.stringify(data)) <= maxData) return run;
	const { outputs: _, ...rest } = snapshot;
	const lighter = (group: ChildGroup): ChildGroup => ({
		...group,
		children: group.children.map(({ output: _output, ...child }) => child),
	});
	return {
		...run,
		snapshot: rest,
		decisions: [],
		inherited: null,
		children: children && lighter(children),
		candidates: candidates && { ...candidates, group: lighter(candidates.group) },
	};
}

function fitsCheckpoint(text: string): boolean {
	return Buffer.byteLength(text) < CHECKPOINT_BYTES;
}

function shape(run: Run, definition: unknown, log: LogPosition, cut: readonly Cut[]): object {
	const stored = encodeRun(run);
	const all = Object.fromEntries(fields.filter((field) => field in stored).map((field) => [field, stored[field]]));
	const { children, ...template } = run.template;
	const pinned = children && !cut.includes("definition") ? { children } : {};
	const data = { ...all, template: { ...template, ...pinned, definition }, log, ...(cut.length > 0 ? { cut } : {}) };
	return { ...data, crc: checksum(data) };
}

/** CRC-32, in eight hex digits, of the fields as JSON without spaces: the file's formatting does not count. */
function checksum(data: object): string {
	return crc32(JSON.stringify(data)).toString(16).padStart(8, "0");
}

/** A definition without its long texts: enough to draw the graph. */
function outline(definition: unknown): unknown {
	return JSON.parse(JSON.stringify(definition), (_, value) =>
		typeof value === "string" && value.length > 200 ? `${value.slice(0, 160)}…` : value,
	);
}

export type CheckpointRead =
	/**
	 * `proved`: its checksum is correct; checkpoints of earlier versions have none. `dated`: an earlier version wrote it, without everything that
	 * this one reads from the log.
	 */
	| {
			readonly kind: "read";
			readonly run: Run;
			readonly log: LogPosition;
			readonly proved: boolean;
			readonly dated: boolean;
	  }
	/** Some data is only in the log. */
	| { readonly kind: "incomplete"; readonly log: LogPosition }
	| { readonly kind: "newer"; readonly schemaVersion: number }
	| { readonly kind: "foreign"; readonly data: Readonly<Record<string, unknown>> }
	| { readonly kind: "damaged" };

/** The fields of the file. With a correct checksum, the machine's fields were written by this program and are not validated. */
type Stored = StoredRun & { readonly log: LogPosition; readonly cut?: readonly Cut[] };

/** Reads a checkpoint. `first` returns the first event of the log, which has the full text of fields that a checkpoint may truncate. */
export function readCheckpoint(text: string, first: () => Created | undefined): CheckpointRead {
	const data = parseUntrusted(text, isRecord);
	if (!data) return { kind: "damaged" };
	const { crc, ...fields } = data;
	const { schemaVersion } = fields;
	if (typeof schemaVersion !== "number" || typeof fields.id !== "string" || !isRecord(fields.template))
		return { kind: "foreign", data };
	if (schemaVersion > SCHEMA_VERSION) return { kind: "newer", schemaVersion };
	if (crc !== undefined && crc !== checksum(fields)) return { kind: "damaged" };
	// Earlier versions did not write these two.
	const stored = { kept: [], unmeasured: [], ...fields };
	return isStored(stored) ? restore(stored, first, crc !== undefined) : { kind: "damaged" };
}

function restore(
	{ log, cut = [], ...rest }: Stored,
	first: () => Created | undefined,
	proved: boolean,
): CheckpointRead {
	const isInFirst = !cut.includes("history") && !cut.includes("data");
	const whole = cut.length > 0 && isInFirst ? first() : undefined;
	if (cut.length > 0 && !whole) return { kind: "incomplete", log };
	const { template, task } = whole ?? rest;
	const run = decodeRun({ ...rest, template, task });
	return run ? { kind: "read", run, log, proved, dated: rest.decisions === undefined } : { kind: "damaged" };
}

function isStored(data: object): data is Stored {
	const { log } = data as { log?: unknown };
	const isPosition = isRecord(log) && [log.seq, log.offset, log.fence].every((value) => typeof value === "number");
	return isPosition && fields.every((field) => field in data || optionalFields.includes(field));
}
