// What a ledger's fields and events mean: the one table from which the JSON Schemas and the reference in the documentation are made.
// A test holds it against ledgers that the machine writes.

import type { EventKind } from "../src/chronicle/core/index.ts";
import type { JsonSchema } from "../src/definition/index.ts";
import { count, fields, list, type Meaning, object, text, time } from "./meaning.ts";

const statuses = [
	"running",
	"awaiting_approval",
	"paused",
	"budget_exceeded",
	"human_intervention",
	"done",
	"failed",
	"aborted",
];

const metricFields: Readonly<Record<string, Meaning>> = {
	attempts: count("Workers of the visit."),
	tokens: count("Tokens used, as pi totals them."),
	costUsd: count("Cost in US dollars; models without a price count as 0."),
	activeMs: count("Milliseconds of worker time."),
	toolCalls: count("Number of tool calls."),
};

const moveFields: Readonly<Record<string, Meaning>> = {
	from: text("State that the run left."),
	to: text("State that the run entered."),
	at: time("When the move was recorded."),
	cause: text(
		"`worker`, a limit (`pair_limit`, `move_limit`, `attempt_limit`, `rejection_limit`, `no_progress`), or a decision of the user: `person` (sent to a state), `released`, `reopened`, `rewind`.",
	),
	summary: text("The worker's summary; truncated except in the last ten moves."),
	visit: count("The visit that ended."),
	metrics: object("Figures of that visit.", fields(metricFields)),
	refused: text("The requested target, if it was refused."),
};

const finding = fields(
	{
		id: text("`f12` for a finding, `t12` for a task."),
		key: text("A key; a later value with the same key replaces an earlier one."),
		text: text("The finding or the task."),
		visit: count("The visit that recorded it."),
		state: text("The state that recorded it."),
		cut: { type: "flag", about: "The text is truncated; the events have all of it.", schema: { const: true } },
		earlier: list("Earlier texts of the same key, newest first.", { type: "string" }),
	},
	["key", "cut", "earlier"],
);

const change = fields(
	{
		path: text("Path relative to the run's folder, separated by `/`."),
		change: text("`A` added, `M` changed, `D` deleted, `R` renamed.", { enum: ["A", "M", "D", "R"] }),
		from: text("For `R`: the earlier path."),
		added: count("Lines added; absent for files without lines."),
		removed: count("Lines removed."),
		visit: count("The last visit that changed it."),
	},
	["from", "added", "removed", "visit"],
);

const snapshotFields: Readonly<Record<string, Meaning>> = {
	findings: list("Findings of workers, oldest first.", finding),
	pendingTasks: list("Pending tasks, oldest first.", finding),
	files: list("Files that the run has changed, as measured.", change),
	summaries: list(
		"Outcomes of visits, newest last.",
		fields({ state: text("The state."), visit: count("The visit."), text: text("The worker's summary.") }),
	),
	nextId: count("Number of the next id."),
	dropped: object("Number of omitted entries; the events have them."),
};

const totalFields: Readonly<Record<string, Meaning>> = {
	tokens: count("All tokens, as pi totals them."),
	costUsd: count("US dollars."),
	activeMs: count(
		"Milliseconds of worker time; waiting does not count. The time of a running worker is added when it ends.",
	),
	input: count("Input tokens."),
	output: count("Output tokens."),
	cacheRead: count("Tokens read from the provider's cache."),
	cacheWrite: count("Tokens written to it."),
	unmeteredTokens: count("The part of `tokens` used by models without a price."),
	toolCalls: count("Tool calls."),
	attempts: count("Workers."),
};

/** `<uuid>.json`, in the order in which it is written. The first thirteen fields are what other programs may rely on. */
export const ledgerFields: Readonly<Record<string, Meaning>> = {
	schemaVersion: count("Version of this format. A program that does not support it must not change the file."),
	id: text("The run's id, a UUID of version 4."),
	template: object(
		"The template that the run uses: `name`, `hash` (SHA-256 of the definition's content) and `definition`, verbatim.",
	),
	task: text("The user's task."),
	status: text("Status of the run, as the user sees it.", { enum: statuses }),
	state: text("The current state."),
	visit: count("The current visit, counted from 1 over the whole run."),
	attempt: count("Number of the current or last worker of this visit, from 1; 0 before the first."),
	snapshot: object("Findings and data for later workers.", fields(snapshotFields)),
	history: list("The last 100 moves, oldest first.", fields(moveFields, ["refused"])),
	totals: object("Figures of the whole run.", fields(totalFields)),
	pairMoves: object("Moves between two states since the user last released them, keyed `one <-> other`.", {
		additionalProperties: { type: "number" },
	}),
	updatedAt: time("When the last event was recorded."),
	createdAt: time("When the run started."),
	seq: count("Number of the last event that this state includes."),
	launch: count("Number of the attempt's current process, from 1."),
	stage: object("Internal stage of the state machine, named by `kind`."),
	hold: {
		type: "object or null",
		about: "Why the run waits: `status`, `cause` and `detail`, a sentence.",
		schema: { type: ["object", "null"] },
	},
	states: object("Per state, over all its visits: `visits`, `attempts`, `tokens`, `costUsd`, `activeMs`, `cacheRead`."),
	visitRecord: object("Figures and counters of the current visit."),
	baseline: {
		type: "object or null",
		about: "Id of the file snapshot at the visit's start.",
		schema: { type: ["object", "null"] },
	},
	conversation: {
		type: "object or null",
		about: "The conversation that the visit's attempts share.",
		schema: { type: ["object", "null"] },
	},
	calls: object("Running tool calls, interrupted ones, and the last that ended."),
	outbox: list("Messages that the worker has not received yet.", { type: "object" }),
	refused: {
		type: "object or null",
		about: "The refused move that led to `human_intervention`.",
		schema: { type: ["object", "null"] },
	},
	moves: object("Moves in total, and since the user last released their limit."),
	limits: object("Limits that the user set instead of the template's."),
	warned: list("Limits for which a warning was shown.", { type: "string" }),
	model: { type: "text or null", about: "Model of states without one.", schema: { type: ["string", "null"] } },
	cleanupApproval: {
		type: "text or null",
		about: "Hash of the cleanup commands that the user approved.",
		schema: { type: ["string", "null"] },
	},
	questions: list("Unanswered questions of the worker.", { type: "object" }),
	notices: list("Notices to the user that no other field shows, newest last.", { type: "string" }),
	kept: list(
		"The last 8 states that rewinds replaced: `seq` (`rewind kept-<seq>` restores it), `at`, `visit`, `state`, `tree`, `rewound` (what the rewind did).",
		{ type: "object" },
	),
	unmeasured: list("Visits whose changes are not known, or not completely: `visit`, `state`, `why`.", {
		type: "object",
	}),
	parent: object(
		"Of a child run: its parent `run`, the `root` of the tree, the parent's `visit`, its `index` and `name`, its `level`, and `files` (`own`, `shared`).",
	),
	children: object(
		"The child runs of the current visit: `base` (files at the start), `files`, `children` (with `status`, `detail`, what is `counted` of them, `tree`), `stopping`, `phase`, `join`.",
	),
	candidates: object(
		"Finished children, one of which is to be chosen (`take: one`): their `group`, the state that chooses (`judge`), and the `winner`.",
	),
	choices: list(
		"The last 8 decisions which child is taken (`take: one`): `state` and `visit` of the children, `madeIn` (the visit with the decision), `winner` (a name, or null), `by` (`worker`, `person`), `insteadOf` (the child that the worker named, if the user took another one), `why`.",
		{ type: "object" },
	),
	childCount: count("Children planned so far."),
	log: object("Position in the event log: `seq`, `offset` in bytes, `fence`."),
	cut: list(
		"Fields that did not fit: read `definition` and `task` from the first event, `history` and `data` (what states and children have handed over) from all events.",
		{
			type: "string",
		},
	),
	crc: text(
		"CRC-32, in eight hexadecimal digits, of all other fields as JSON without whitespace. If it is wrong, the file is rebuilt from the events.",
		{ pattern: "^[0-9a-f]{8}$" },
	),
};

/** `cut` where something was, the others in ledgers of earlier versions. */
const optionalLedgerFields = [
	"cut",
	"crc",
	"kept",
	"unmeasured",
	"parent",
	"children",
	"candidates",
	"choices",
	"childCount",
];

interface EventMeaning {
	readonly about: string;
	/** Its own fields, beside `seq`, `at`, `kind`, `fence` and `crc`. */
	readonly fields: readonly string[];
}

/** Every kind of event, in the order of a run's life. */
export const eventKinds: Readonly<Record<EventKind, EventMeaning>> = {
	created: {
		about: "The run starts.",
		fields: ["schemaVersion", "id", "template", "parent", "task", "cleanupApproval", "model"],
	},
	opened: {
		about: "A supervisor took over the run; unfinished work of an earlier one is in doubt.",
		fields: ["host", "pid", "started"],
	},
	recovered: {
		about: "Earlier events are damaged; the run continues from its checkpoint.",
		fields: ["run"],
	},
	clock_jumped: {
		about:
			"The clock shows `ms` milliseconds that did not pass (a suspend, a stopped supervisor, a clock that was set); they do not count as worker time.",
		fields: ["ms"],
	},
	noted: { about: "A notice to the user.", fields: ["text"] },
	attempt_reserved: {
		about: "Intent to launch a worker, recorded before the launch.",
		fields: ["visit", "attempt", "launch", "because"],
	},
	children_planned: {
		about: "The child runs that do the visit: recorded before anything of them exists. Empty: there is nothing to do.",
		fields: ["visit", "base", "files", "children"],
	},
	child_parked: {
		about: "A child's run waits for you, or it could not be started.",
		fields: ["visit", "child", "status", "detail"],
	},
	child_spent: {
		about: "Totals of a child so far.",
		fields: ["visit", "child", "spend", "activeMs", "attempts", "toolCalls"],
	},
	child_ended: {
		about: "A child's run is over: its files, its totals, and what this run keeps of it.",
		fields: ["visit", "child", "status", "detail", "tree", "base", "changes", "more", "total", "handover"],
	},
	child_signaled: { about: "A command of yours waits in the child's inbox.", fields: ["child"] },
	child_dropped: { about: "The run continues without the child.", fields: ["child"] },
	joined: {
		about:
			"The files of the run's folder (`before`) and of the children are merged to `tree`; nothing in the folder has changed yet. With conflicts, it has conflict markers.",
		fields: ["visit", "before", "tree", "conflicts"],
	},
	join_applied: {
		about: "The run's folder has the merged files.",
		fields: ["visit", "tree", "changes", "more", "left"],
	},
	join_failed: { about: "The files could not be merged or written.", fields: ["visit", "detail"] },
	worker_started: {
		about: "The worker passed its handshake; `standby` if its process was started beforehand.",
		fields: ["visit", "attempt", "launch", "pid", "model", "rules", "conversation", "notice", "standby"],
	},
	launch_failed: {
		about: "The worker could not be started.",
		fields: ["visit", "attempt", "launch", "reason", "detail"],
	},
	tool_started: {
		about: "A tool call started; `args` are redacted and at most 2 KB.",
		fields: ["visit", "attempt", "call", "tool", "args", "print"],
	},
	tool_ended: {
		about:
			"The tool call ended. Of the result, only size and hash are recorded, and the hash without times and durations (`timeless`) if it contains any.",
		fields: ["visit", "attempt", "call", "tool", "ms", "bytes", "hash", "timeless", "error", "blocked"],
	},
	used: {
		about: "Total usage of the conversation so far.",
		fields: ["visit", "attempt", "spend", "requests"],
	},
	model_switched: {
		about: "The provider of one model failed; the next continues in the same conversation.",
		fields: ["visit", "attempt", "from", "to", "detail"],
	},
	turn_settled: { about: "The model stopped, with the reason.", fields: ["visit", "attempt", "stop", "detail"] },
	delivered: { about: "A message reached the worker.", fields: ["message"] },
	snapshot_updated: { about: "Data for the snapshot.", fields: ["visit", "attempt", "by", "data"] },
	move_requested: {
		about: "A legal transition was requested; it will happen.",
		fields: ["visit", "attempt", "target", "summary", "data"],
	},
	output_refused: {
		about: "A transition was refused, because its data does not fit the state's `output`.",
		fields: ["visit", "attempt", "problems"],
	},
	moved: { about: "The run moved to another state.", fields: ["visit", "from", "to", "cause", "refused"] },
	worker_ended: { about: "The worker ended, with the outcome.", fields: ["visit", "attempt", "launch", "outcome"] },
	strays_stopped: { about: "Orphaned processes of a worker were stopped.", fields: ["visit", "count", "left"] },
	cleanup_ended: {
		about: "A cleanup command ran, or was refused.",
		fields: ["visit", "index", "result", "output"],
	},
	files_measured: {
		about: "The files were saved, with the changes of the visit and the files that could not be read (`unkept`).",
		fields: ["visit", "purpose", "tree", "changes", "more", "unkept", "notes"],
	},
	files_unmeasured: { about: "The files could not be saved.", fields: ["visit", "purpose", "detail"] },
	files_restored: {
		about:
			"Files were restored to an earlier state; `before` undoes it, `changes` are the changes of the rewind, `left` the files not restored.",
		fields: ["tree", "before", "now", "changes", "more", "left", "leftMore"],
	},
	files_unrestored: { about: "The files could not be restored.", fields: ["tree", "detail"] },
	parked: { about: "The run waits for the user.", fields: ["status", "cause", "detail"] },
	finished: { about: "The run is over.", fields: ["status", "detail"] },
	approved: {
		about:
			"The user approved; `answers` is the event that asked, `diff` the files that were shown, `choice` who resolves conflicts, `winner` the child to take.",
		fields: ["answers", "diff", "choice", "winner", "words", "seen"],
	},
	rejected: { about: "The user rejected, with a message.", fields: ["answers", "words", "seen"] },
	resumed: {
		about: "The user resumed a paused run; `reload` is the edited template that it continues with.",
		fields: ["answers", "words", "reload", "seen"],
	},
	released: {
		about: "The user released the run from `human_intervention`.",
		fields: ["answers", "to", "done", "words", "seen"],
	},
	limits_changed: { about: "The user set limits.", fields: ["limits", "state"] },
	model_changed: { about: "The user set the model of states without one.", fields: ["model"] },
	told: {
		about: "The user's message to the worker; `seen` is the visit and attempt that the user saw.",
		fields: ["text", "seen"],
	},
	pause_requested: { about: "A pause was requested.", fields: ["cause", "detail"] },
	abort_requested: { about: "An abort was requested.", fields: ["words"] },
	reopened: { about: "A finished run continues.", fields: ["answers", "to", "words", "seen"] },
	rewind_requested: {
		about:
			"A rewind to the start of an earlier visit, or to a state that a rewind replaced; `reload` is the edited template that is used from then on.",
		fields: ["to", "state", "tree", "snapshot", "pairMoves", "kept", "reload", "seen"],
	},
	ask_opened: {
		about: "A worker, or a rule of the guard, asked the user.",
		fields: ["visit", "attempt", "title", "text"],
	},
	ask_answered: { about: "The question was answered or dropped.", fields: ["answers", "verdict"] },
};

/** JSON Schema of `<uuid>.json`. */
export function ledgerSchema(): JsonSchema {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle ledger",
		description: "The state of one run, folded from its events.",
		...fields(ledgerFields, optionalLedgerFields),
	};
}

/** JSON Schema of one line of `<uuid>.events.jsonl`. */
export function eventSchema(): JsonSchema {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle event",
		description: "One line of a run's event log.",
		...fields(
			{
				seq: count("Number of the event, from 1, without gaps."),
				at: time("When it was recorded."),
				kind: text("What happened.", { enum: Object.keys(eventKinds) }),
				fence: count("Number of the lease under which it was written."),
				crc: text('CRC-32 of the line\'s bytes before `,"crc":`, in eight hexadecimal digits.', {
					pattern: "^[0-9a-f]{8}$",
				}),
			},
			["fence"],
		),
	};
}

/** Markdown lines of the tables in the documentation. */
export function ledgerTables(): Record<"ledger" | "move" | "metrics" | "snapshot" | "totals" | "events", string[]> {
	const table = (of: Readonly<Record<string, Meaning>>): string[] => [
		"| field | type | meaning |",
		"|---|---|---|",
		...Object.entries(of).map(
			([name, { type, about }]) => `| \`${name}\` | ${type} | ${about.replaceAll("|", "\\|")} |`,
		),
	];
	return {
		ledger: table(ledgerFields),
		move: table(moveFields),
		metrics: table(metricFields),
		snapshot: table(snapshotFields),
		totals: table(totalFields),
		events: [
			"| kind | what happened | fields |",
			"|---|---|---|",
			...Object.entries(eventKinds).map(
				([kind, { about, fields: own }]) =>
					`| \`${kind}\` | ${about} | ${own.map((name) => `\`${name}\``).join(" ")} |`,
			),
		],
	};
}
