// What a ledger's fields mean: the table from which the JSON Schema and the reference in the documentation are made. A test holds it against
// ledgers that the machine writes.

import type { JsonSchema } from "@pi-chronicle/core/definition";
import { eventKinds } from "./event-reference.ts";
import { count, fields, list, type Meaning, object, text, time } from "./meaning.ts";

const statuses = [
	"running",
	"asks",
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
	metrics: object("Totals of that visit.", fields(metricFields)),
	refused: text("The requested target, if it was refused."),
};

const findingFields: Readonly<Record<string, Meaning>> = {
	id: text("`f12` for a finding, `t12` for a task."),
	key: text("A key; a later value with the same key replaces an earlier one."),
	text: text("The finding or the task; empty if it has only fields."),
	fields: object("Further fields that the worker saved with it."),
	visit: count("The visit that recorded it."),
	state: text("The state that recorded it."),
	cut: { type: "flag", about: "Text and fields are truncated; the events have all of it.", schema: { const: true } },
	earlier: list("Earlier texts of the same key, newest first.", { type: "string" }),
};
const optionalFindingFields = ["key", "fields", "cut", "earlier"];
const finding = fields(findingFields, optionalFindingFields);
const resolvedEntry = fields(
	{ ...findingFields, resolvedIn: count("The visit that resolved it.") },
	optionalFindingFields,
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
	resolved: list("Findings and tasks that are done or wrong, shortened; the last is the newest.", resolvedEntry),
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
	cacheWrite: count("Tokens written to the provider's cache."),
	unmeteredTokens: count("The part of `tokens` used by models without a price."),
	unreportedAnswers: count("Answers without usage figures, which no other figure includes; absent: none."),
	toolCalls: count("Tool calls."),
	refused: count("Tool calls that did not run because a rule, a limit or the user refused them; absent: none."),
	attempts: count("Workers."),
};

/** `<uuid>.json`, in the order in which it is written. The first thirteen fields are what other programs may rely on. */
export const ledgerFields: Readonly<Record<string, Meaning>> = {
	schemaVersion: count("Version of this format. A program that does not support it must not change the file."),
	id: text("The run's id, a UUID of version 4."),
	template: object(
		"The template that the run uses: `name`, `hash` (SHA-256 of the definition's content) and `definition`, verbatim.",
	),
	task: text("The task of the run."),
	status: text("Status of the run, as the user sees it.", { enum: statuses }),
	state: text("The current state."),
	visit: count("The current visit, counted from 1 over the whole run."),
	attempt: count("Number of the current or last worker of this visit, from 1; 0 before the first."),
	snapshot: object("Findings and data for later workers.", fields(snapshotFields, ["resolved"])),
	history: list("The last 100 moves, oldest first.", fields(moveFields, ["refused"])),
	totals: object("Totals of the whole run.", fields(totalFields, ["unreportedAnswers", "refused"])),
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
	states: object(
		"Per state, over all its visits: `visits`, `attempts`, `tokens`, `costUsd`, `activeMs`, `cacheRead`, and `unmeteredTokens` and `unreportedAnswers` unless they are 0.",
	),
	visitRecord: object("Totals and counters of the current visit."),
	baseline: {
		type: "object or null",
		about: "Id of the file snapshot at the visit's start (`tree`), and what was checked out then (`checkedOut`).",
		schema: { type: ["object", "null"] },
	},
	startTree: {
		type: "string",
		about: "Id of the file snapshot before the first worker.",
		schema: { type: "string" },
	},
	apart: {
		type: "object",
		about:
			"In a run apart, which works in a copy of the project: the files that were joined into it last (`joined`: `tree`, `at`), the last branch or patch of them (`taken`: `as`, `name`, `at`), and whether they were `discarded`.",
		schema: { type: "object" },
	},
	checkedOut: {
		type: "object",
		about: "The `branch` (or null) and `commit` that were checked out when the files were last recorded.",
		schema: { type: "object" },
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
	limits: object("Limits that the user set; they replace the template's."),
	warned: list("Limits for which a warning was shown.", { type: "string" }),
	model: { type: "text or null", about: "Model of states that name none.", schema: { type: ["string", "null"] } },
	cleanupApproval: {
		type: "text or null",
		about: "Hash of the cleanup commands that the user approved.",
		schema: { type: ["string", "null"] },
	},
	question: object(
		"The worker's question to the user: `seq` of its event, `visit`, `call`, `text`, `choices` and the `answer`, until the model has used it; absent: none.",
	),
	questions: list("Unanswered questions of rules.", { type: "object" }),
	notices: list("Notices to the user that no other field shows, newest last.", { type: "string" }),
	kept: list(
		"The last 8 states that rewinds replaced: `seq` (`rewind kept-<seq>` restores it), `at`, `visit`, `state`, `tree`, `rewound` (what the rewind did).",
		{ type: "object" },
	),
	unmeasured: list("Visits whose changes are unknown or incomplete: `visit`, `state`, `why`.", {
		type: "object",
	}),
	parent: object(
		"In a child run: its parent `run`, the `root` of the tree, the parent's `visit`, its `index` and `name`, its `level`, and `files` (`own`, `shared`).",
	),
	children: object(
		"The child runs of the current visit: `base` (files at the start), `files`, `children` (with `status`, `detail`, `tree`, and the totals already `counted`), `stopping`, `phase`, `join`.",
	),
	candidates: object(
		"Finished children, one of which will be chosen (`take: one`): their `group`, the state that chooses (`judge`), and the `winner`.",
	),
	choices: list(
		"The last 8 choices of a child (`take: one`): `state` and `visit` of the children, `madeIn` (the visit that decided), `winner` (a name, or null), `by` (`worker`, `person`), `insteadOf` (the child that the worker named, if the user took another one), `why`.",
		{ type: "object" },
	),
	childCount: count("Children planned so far."),
	inherited: object(
		"In a child run: what it begins with. `run` and `state` of the parent, `siblings`, `reader` (the state that reads its results), `conflicts` (paths that it merges), the `task` of the first run, the `decisions` and the `snapshot` of the parents, and `resolved` (ids of inherited entries that it resolved).",
	),
	decisions: list(
		"What the user decided, oldest first: `number` (from 1, never reused), `seq`, `at`, `visit`, `state`, `child` (the child run in which it was decided, if not here), `did` (`approved`, `rejected`, `told`, `answered`, `resumed`, `released`, `reopened`, `aborted`), `about` (what it answers), `words` (verbatim), `undone` (the visit that ended with the rewind that undid it).",
		{ type: "object" },
	),
	answered: list(
		"The user's last 8 answers, newest last: `answers` (the `seq` of what was asked), `did`, `by`, `via` (see the events of the user).",
		{ type: "object" },
	),
	failures: list(
		"The last failure of the command of each state: `state`, `fingerprint` (of the exit code, the output and the files), and the `count` of such failures in a row.",
		{ type: "object" },
	),
	log: object("Position in the event log: `seq`, `offset` in bytes, `fence`."),
	cut: list(
		"Fields that did not fit: read `definition` and `task` from the first event, `history` and `data` (what states and children have handed over, and the decisions) from all events.",
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
	"startTree",
	"apart",
	"checkedOut",
	"parent",
	"children",
	"candidates",
	"choices",
	"childCount",
	"decisions",
	"answered",
	"failures",
	"question",
	"inherited",
];

/** JSON Schema of `<uuid>.json`. */
export function ledgerSchema(): JsonSchema {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle ledger",
		description: "The state of one run, folded from its events.",
		...fields(ledgerFields, optionalLedgerFields),
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
			...[...eventKinds].map(
				([kind, { about, properties }]) =>
					`| \`${kind}\` | ${about.replaceAll("|", "\\|")} | ${properties.map(({ name }) => `\`${name}\``).join(" ")} |`,
			),
		],
	};
}
