// What a ledger's fields and events mean: the one table from which the JSON Schemas and the reference in the documentation are made.
// A test holds it against ledgers that the machine writes.

import type { EventKind } from "../src/chronicle/core/index.ts";
import type { JsonSchema } from "../src/definition/index.ts";

interface Meaning {
	readonly type: string;
	readonly about: string;
	readonly schema: JsonSchema;
}

const text = (about: string, more: JsonSchema = {}): Meaning => ({
	type: "text",
	about,
	schema: { type: "string", ...more },
});
const count = (about: string): Meaning => ({ type: "number", about, schema: { type: "number", minimum: 0 } });
const time = (about: string): Meaning => ({ type: "time", about, schema: { type: "string", format: "date-time" } });
const list = (about: string, items: JsonSchema): Meaning => ({ type: "list", about, schema: { type: "array", items } });
const group = (about: string, schema: JsonSchema = {}): Meaning => ({
	type: "group",
	about,
	schema: { type: "object", ...schema },
});
const fields = (of: Readonly<Record<string, Meaning>>, optional: readonly string[] = []): JsonSchema => ({
	type: "object",
	properties: Object.fromEntries(
		Object.entries(of).map(([name, { schema, about }]) => [name, { description: about, ...schema }]),
	),
	required: Object.keys(of).filter((name) => !optional.includes(name)),
});

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
	tokens: count("Tokens that they used, as pi totals them."),
	costUsd: count("What they cost, in US dollars; models without a price count nothing here."),
	activeMs: count("Milliseconds in which they worked."),
	toolCalls: count("Tool calls that they made."),
};

const moveFields: Readonly<Record<string, Meaning>> = {
	from: text("State that was left."),
	to: text("State that was entered."),
	at: time("When the move was recorded."),
	cause: text(
		"`worker`, a limit (`pair_limit`, `move_limit`, `attempt_limit`, `rejection_limit`, `no_progress`), or a person's `person` (sent to a state), `released`, `reopened`, `rewind`.",
	),
	summary: text("The worker's words; cut in moves that are not among the last ten."),
	visit: count("The visit that was left."),
	metrics: group("Figures of that visit.", fields(metricFields)),
	refused: text("The target that was asked for and not granted."),
};

const finding = fields(
	{
		id: text("`f12` for a finding, `t12` for a task."),
		key: text("A name under which a later value replaces an earlier one."),
		text: text("What is known, or to be done."),
		visit: count("The visit it comes from."),
		state: text("The state it comes from."),
		cut: { type: "flag", about: "The whole text is in the events.", schema: { const: true } },
		earlier: list("Earlier texts of the same key, newest first.", { type: "string" }),
	},
	["key", "cut", "earlier"],
);

const change = fields(
	{
		path: text("As seen from the run's folder, `/` between parts."),
		change: text("`A` added, `M` changed, `D` deleted, `R` renamed.", { enum: ["A", "M", "D", "R"] }),
		from: text("Of `R`: where it was."),
		added: count("Lines; absent for what has none."),
		removed: count("Lines."),
		visit: count("The last visit that changed it."),
	},
	["from", "added", "removed", "visit"],
);

const snapshotFields: Readonly<Record<string, Meaning>> = {
	findings: list("What workers found out, oldest first.", finding),
	pendingTasks: list("What is still to be done, oldest first.", finding),
	files: list("Files that the run has changed, as measured.", change),
	summaries: list(
		"How visits ended, newest last.",
		fields({ state: text("The state."), visit: count("The visit."), text: text("The worker's words.") }),
	),
	nextId: count("Number of the next id."),
	dropped: group("How many entries had to be left out; they are in the events."),
};

const totalFields: Readonly<Record<string, Meaning>> = {
	tokens: count("All tokens, as pi totals them."),
	costUsd: count("US dollars."),
	activeMs: count(
		"Milliseconds in which workers worked; waiting does not count. That of a living worker is added when it ends.",
	),
	input: count("Input tokens."),
	output: count("Output tokens."),
	cacheRead: count("Tokens read from the provider's cache."),
	cacheWrite: count("Tokens written to it."),
	unmeteredTokens: count("The part of `tokens` that was used on models without a price."),
	toolCalls: count("Tool calls."),
	attempts: count("Workers."),
};

/** `<uuid>.json`, in the order in which it is written. The first thirteen fields are what other programs may rely on. */
export const ledgerFields: Readonly<Record<string, Meaning>> = {
	schemaVersion: count("Version of this format. A program that does not know it leaves the file alone."),
	id: text("The run's id, a UUID of version 4."),
	template: group(
		"The template that the run uses: `name`, `hash` (SHA-256 of the definition's content) and `definition`, word for word.",
	),
	task: text("What the person asked for."),
	status: text("What a person sees of the run.", { enum: statuses }),
	state: text("The state that the run is in."),
	visit: count("The visit going on, counted over the whole run from 1."),
	attempt: count("The worker that tries or last tried this visit, from 1; 0 before the first."),
	snapshot: group("What outlives a worker.", fields(snapshotFields)),
	history: list("The last 100 moves, oldest first.", fields(moveFields, ["refused"])),
	totals: group("Figures of the whole run.", fields(totalFields)),
	pairMoves: group("Moves between two states since a person last released them, keyed `one <-> other`.", {
		additionalProperties: { type: "number" },
	}),
	updatedAt: time("When the last event was recorded."),
	createdAt: time("When the run began."),
	seq: count("Number of the last event that is in here."),
	launch: count("The process that the attempt is at, from 1."),
	stage: group("What the run is doing; `kind` names it. For the machine."),
	hold: {
		type: "group or null",
		about: "Why nothing is launched: `status`, `cause` and `detail`, a sentence.",
		schema: { type: ["object", "null"] },
	},
	states: group("Per state, over all its visits: `visits`, `attempts`, `tokens`, `costUsd`, `activeMs`, `cacheRead`."),
	visitRecord: group("Figures and counters of the visit going on."),
	baseline: {
		type: "group or null",
		about: "Name of the files' state at the visit's start.",
		schema: { type: ["object", "null"] },
	},
	conversation: {
		type: "group or null",
		about: "What the visit's attempts talk in.",
		schema: { type: ["object", "null"] },
	},
	calls: group("Tool calls under way, interrupted, and the last that ended."),
	outbox: list("Words that the worker has not had yet.", { type: "object" }),
	refused: {
		type: "group or null",
		about: "The move that led to `human_intervention`.",
		schema: { type: ["object", "null"] },
	},
	moves: group("Moves ever, and since a person last released their limit."),
	limits: group("Ceilings that a person has set in place of the template's."),
	warned: list("Ceilings for which a warning has been given.", { type: "string" }),
	model: { type: "text or null", about: "Model of states that name none.", schema: { type: ["string", "null"] } },
	cleanupApproval: {
		type: "text or null",
		about: "Hash of the cleanup commands that the person has approved.",
		schema: { type: ["string", "null"] },
	},
	questions: list("Questions of the worker that nobody has answered yet.", { type: "object" }),
	notices: list("What a person should know and nothing else shows, newest last.", { type: "string" }),
	kept: list(
		"The last 8 states that rewinds took away: `seq` (`rewind kept-<seq>` goes back there), `at`, `visit`, `state`, `tree`, `rewound` (what the rewind did).",
		{ type: "object" },
	),
	unmeasured: list("Visits of which it is not known, or not wholly, what they changed: `visit`, `state`, `why`.", {
		type: "object",
	}),
	log: group("Where in the event log this stands: `seq`, `offset` in bytes, `fence`."),
	cut: list(
		"What did not fit and has to be taken from the first event: `definition`, `task`; or from all: `history`.",
		{ type: "string" },
	),
	crc: text(
		"CRC-32, in eight hexadecimal digits, of all other fields as JSON without blanks. Where it is wrong the file is not believed and made again from the events.",
		{ pattern: "^[0-9a-f]{8}$" },
	),
};

/** `cut` where something was, the others in ledgers of earlier versions. */
const optionalLedgerFields = ["cut", "crc", "kept", "unmeasured"];

interface EventMeaning {
	readonly about: string;
	/** Its own fields, beside `seq`, `at`, `kind`, `fence` and `crc`. */
	readonly fields: readonly string[];
}

/** Every kind of event, in the order of a run's life. */
export const eventKinds: Readonly<Record<EventKind, EventMeaning>> = {
	created: {
		about: "The run begins.",
		fields: ["schemaVersion", "id", "template", "task", "cleanupApproval", "model"],
	},
	opened: {
		about: "A supervisor has taken the run; what an earlier one left unfinished is in doubt.",
		fields: ["host", "pid", "started"],
	},
	recovered: {
		about: "Events before this are damaged; the run goes on as its checkpoint had it.",
		fields: ["run"],
	},
	clock_jumped: {
		about:
			"The clock shows `ms` milliseconds that did not pass (a suspend, a stopped supervisor, a clock that was set); they do not count as work.",
		fields: ["ms"],
	},
	noted: { about: "Something that a person should know.", fields: ["text"] },
	attempt_reserved: {
		about: "Intent to launch a worker, recorded before it happens.",
		fields: ["visit", "attempt", "launch", "because"],
	},
	worker_started: {
		about: "The worker has passed its handshake.",
		fields: ["visit", "attempt", "launch", "pid", "model", "rules", "conversation", "notice"],
	},
	launch_failed: { about: "It could not be started.", fields: ["visit", "attempt", "launch", "reason", "detail"] },
	tool_started: {
		about: "A tool call begins; `args` are redacted and at most 2 KB.",
		fields: ["visit", "attempt", "call", "tool", "args", "print"],
	},
	tool_ended: {
		about:
			"It has ended; of the result only size and hash, and the hash without times and durations (`timeless`) where it holds any.",
		fields: ["visit", "attempt", "call", "tool", "ms", "bytes", "hash", "timeless", "error", "blocked"],
	},
	used: {
		about: "What the conversation has cost so far, as a whole.",
		fields: ["visit", "attempt", "spend", "requests"],
	},
	model_switched: {
		about: "The provider of one model failed, and the next goes on in the same conversation.",
		fields: ["visit", "attempt", "from", "to", "detail"],
	},
	turn_settled: { about: "The model has stopped, and why.", fields: ["visit", "attempt", "stop", "detail"] },
	delivered: { about: "A message has reached the worker.", fields: ["message"] },
	snapshot_updated: { about: "Something to remember.", fields: ["visit", "attempt", "by", "data"] },
	move_requested: {
		about: "A legal transition: promised from here on.",
		fields: ["visit", "attempt", "target", "summary"],
	},
	moved: { about: "The run has left a state for another.", fields: ["visit", "from", "to", "cause", "refused"] },
	worker_ended: { about: "The worker is gone, and how.", fields: ["visit", "attempt", "launch", "outcome"] },
	strays_stopped: { about: "Processes that a worker had left behind are stopped.", fields: ["visit", "count", "left"] },
	cleanup_ended: {
		about: "A cleanup command has run, or was refused.",
		fields: ["visit", "index", "result", "output"],
	},
	files_measured: {
		about:
			"The state of all files has been kept; with what changed in the visit, and what could not be read (`unkept`).",
		fields: ["visit", "purpose", "tree", "changes", "more", "unkept", "notes"],
	},
	files_unmeasured: { about: "It could not be.", fields: ["visit", "purpose", "detail"] },
	files_restored: {
		about:
			"Files are back at an earlier state; `before` is the way back, `changes` what the rewind did, `left` what it did not bring back.",
		fields: ["tree", "before", "now", "changes", "more", "left", "leftMore"],
	},
	files_unrestored: { about: "They could not be brought back.", fields: ["tree", "detail"] },
	parked: { about: "The run waits for a person.", fields: ["status", "cause", "detail"] },
	finished: { about: "The run is over.", fields: ["status", "detail"] },
	approved: {
		about: "A person agrees; `answers` is the event that asked, `diff` the files that were shown.",
		fields: ["answers", "diff", "words", "seen"],
	},
	rejected: { about: "A person does not, and says what to do.", fields: ["answers", "words", "seen"] },
	resumed: { about: "A person lets a paused run go on.", fields: ["answers", "words", "seen"] },
	released: {
		about: "A person leads the run out of `human_intervention`.",
		fields: ["answers", "to", "done", "words", "seen"],
	},
	limits_changed: { about: "A person sets ceilings.", fields: ["limits", "state"] },
	model_changed: { about: "A person names another model for states that name none.", fields: ["model"] },
	told: {
		about: "A person's words for the worker; `seen` is the visit and attempt in which they were said.",
		fields: ["text", "seen"],
	},
	pause_requested: { about: "The run is to pause.", fields: ["cause", "detail"] },
	abort_requested: { about: "The run is to end.", fields: ["words"] },
	reopened: { about: "A run that was over goes on.", fields: ["answers", "to", "words", "seen"] },
	rewind_requested: {
		about: "Back to the start of an earlier visit, or to a state that a rewind took away.",
		fields: ["to", "state", "tree", "snapshot", "pairMoves", "kept", "seen"],
	},
	ask_opened: {
		about: "A worker, or a rule of the guard, asks the person.",
		fields: ["visit", "attempt", "title", "text"],
	},
	ask_answered: { about: "What came of it.", fields: ["answers", "verdict"] },
};

/** JSON Schema of `<uuid>.json`. */
export function ledgerSchema(): JsonSchema {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle ledger",
		description: "The folded state of one run, made from its events.",
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
