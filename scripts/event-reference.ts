// What the events of a ledger mean: the table from which the JSON Schema and the reference in the documentation are made. A test holds it
// against ledgers that the machine writes.

import type { JsonSchema } from "@pi-chronicle/core/definition";
import type { EventKind } from "@pi-chronicle/core/machine";
import { count, fields, text, time } from "./meaning.ts";

interface EventMeaning {
	readonly about: string;
	/** Its own fields, beside `seq`, `at`, `kind`, `fence` and `crc`. */
	readonly fields: readonly string[];
}

/** Every kind of event, in the order of a run's life. */
export const eventKinds: Readonly<Record<EventKind, EventMeaning>> = {
	created: {
		about:
			"The run starts. `apart`: it works in a copy of the project. Then, and on an engine, `checkedOut` is what the user had checked out, and `uncommitted` what git reported as uncommitted.",
		fields: [
			"schemaVersion",
			"id",
			"template",
			"parent",
			"inherited",
			"task",
			"cleanupApproval",
			"model",
			"checkedOut",
			"uncommitted",
			"apart",
		],
	},
	opened: {
		about: "A supervisor took over the run; unfinished work of an earlier one is in doubt.",
		fields: ["host", "pid", "started", "setBack"],
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
	condition_changed: {
		about:
			"Something outside the run hinders it: others have changed its `branch`, or a `host` of an engine gave it back. Without `detail`, it no longer does.",
		fields: ["condition", "detail", "remedy"],
	},
	attempt_reserved: {
		about: "Intent to launch a worker, recorded before the launch.",
		fields: ["visit", "attempt", "launch", "because"],
	},
	command_started: {
		about:
			"The command of the state is about to start; its output is written to `file`. Until `command_ended`, its outcome is unknown.",
		fields: ["visit", "attempt", "launch", "command", "file"],
	},
	command_ended: {
		about:
			"The command ended: how, after how long, how much it printed, the end of that, its fingerprint without times, and with `parse` the data or why there is none. `lost`: its supervisor died while it ran.",
		fields: ["visit", "attempt", "launch", "result", "ms", "bytes", "output", "print", "data", "problems"],
	},
	children_planned: {
		about: "The child runs of the visit, recorded before any of them exists. If empty, there is nothing to do.",
		fields: ["visit", "base", "files", "children"],
	},
	host_awaited: {
		about:
			"The next work needs a host of an engine with these labels. This host releases the run; the next one decides anew.",
		fields: ["visit", "labels"],
	},
	given_up: {
		about:
			"The hosts of an engine gave the run up after several attempts without progress: it waits for the user, and continues where it was.",
		fields: ["detail"],
	},
	child_parked: {
		about: "A child's run waits for the user, or it could not be started.",
		fields: ["visit", "child", "status", "detail", "below"],
	},
	child_spent: {
		about: "Totals of a child so far, its state, and its current activity.",
		fields: ["visit", "child", "spend", "activeMs", "attempts", "toolCalls", "refused", "state", "activity"],
	},
	child_ended: {
		about: "A child's run ended: its files, its totals, and what this run keeps of it.",
		fields: ["visit", "child", "status", "detail", "tree", "base", "changes", "more", "changed", "total", "handover"],
	},
	child_signaled: { about: "A command of the user waits in the child's inbox.", fields: ["child"] },
	child_dropped: {
		about:
			"The run continues without the child; with `ends`, a child that waits is ended first, and what it knows is kept.",
		fields: ["child", "ends"],
	},
	join_requested: {
		about:
			"The user takes the files of a run apart that has ended: its copy is joined like a child. `otherBranch`: although another branch is checked out.",
		fields: ["answers", "otherBranch"],
	},
	copy_taken: {
		about:
			"A `branch` or a `patch` (`as`) was made of the files of a run apart: `name` is that of the branch, or a path.",
		fields: ["answers", "as", "name"],
	},
	copy_discarded: {
		about: "The copy of a run apart is given up; the run cannot continue.",
		fields: ["answers"],
	},
	decision_inherited: {
		about: "The user decided this in a parent run after this run began.",
		fields: ["decision"],
	},
	joined: {
		about:
			"The files of the run's folder (`before`) and of the children were merged into `tree`, which contains conflict markers if there are conflicts; nothing in the folder has changed yet.",
		fields: ["visit", "before", "tree", "conflicts"],
	},
	join_applied: {
		about: "The merged files were written to the run's folder.",
		fields: ["visit", "tree", "changes", "more", "total", "left", "leftMore"],
	},
	join_failed: { about: "The files could not be merged or written.", fields: ["visit", "detail"] },
	worker_started: {
		about: "The worker passed its handshake; `standby` if its process had been started in advance.",
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
		about: "Total usage of the conversation so far; `lost`: read after the worker was gone.",
		fields: ["visit", "attempt", "spend", "requests", "lost"],
	},
	model_switched: {
		about: "The provider of one model failed; the next continues in the same conversation.",
		fields: ["visit", "attempt", "from", "to", "detail"],
	},
	turn_settled: {
		about:
			"The model stopped, with the reason; of a provider that fails, when it says that it can be tried again, and the settings for waiting.",
		fields: ["visit", "attempt", "stop", "detail", "retryAt", "waits"],
	},
	delivered: { about: "A message reached the worker.", fields: ["message"] },
	snapshot_updated: { about: "Data for the snapshot.", fields: ["visit", "attempt", "by", "data"] },
	move_requested: {
		about: "The worker requested a legal transition; it will happen.",
		fields: ["visit", "attempt", "target", "summary", "data"],
	},
	output_refused: {
		about: "A transition was refused because its data does not match the state's `output`.",
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
		about:
			"The files were saved, with the changes of the visit (the first 200, how many more there are, and the totals), all changes since the run started (`ofRun`; `same`: those of the visit), and the files that could not be read (`unkept`). `start` marks the files before the first worker; `uncommitted` lists what git reported as uncommitted then. `checkedOut` is the `branch` (or null) and `commit` of the repository.",
		fields: [
			"visit",
			"purpose",
			"tree",
			"start",
			"uncommitted",
			"checkedOut",
			"changes",
			"more",
			"total",
			"ofRun",
			"unkept",
			"notes",
		],
	},
	files_unmeasured: { about: "The files could not be saved.", fields: ["visit", "purpose", "detail"] },
	files_restored: {
		about:
			"Files were restored to an earlier state; `before` undoes it, `changes` are the changes of the rewind, `left` the files not restored.",
		fields: ["tree", "before", "now", "checkedOut", "changes", "more", "total", "left", "leftMore"],
	},
	files_unrestored: { about: "The files could not be restored.", fields: ["tree", "detail"] },
	provider_awaited: {
		about:
			"The provider fails, and the run waits: since the first failure (`since`) until the next try (`next`); it gives up at `until`.",
		fields: ["visit", "since", "next", "until", "tries", "detail"],
	},
	provider_due: { about: "The wait for the provider is over: it is tried again.", fields: ["visit"] },
	parked: { about: "The run waits for the user.", fields: ["status", "cause", "detail"] },
	finished: { about: "The run ended.", fields: ["status", "detail"] },
	approved: {
		about:
			"The user approved; `answers` is the event that asked, `diff` the files that were shown, `choice` who resolves conflicts, `resolved` the files that were resolved by hand on another machine, `winner` the child whose files are taken.",
		fields: ["answers", "diff", "choice", "resolved", "winner", "words", "seen"],
	},
	rejected: { about: "The user rejected, with a message.", fields: ["answers", "words", "seen"] },
	resumed: {
		about:
			"The user resumed a paused run; `reload` is the edited template that it continues with; with `otherBranch`, children are joined into a branch other than that of the visit's start.",
		fields: ["answers", "words", "reload", "otherBranch", "seen"],
	},
	released: {
		about: "The user released the run from `human_intervention`.",
		fields: ["answers", "to", "done", "words", "seen"],
	},
	limits_changed: { about: "The user changed limits.", fields: ["limits", "state"] },
	model_changed: { about: "The user changed the model of states that name none.", fields: ["model"] },
	told: {
		about: "The user's message to the worker; `seen` is the visit and attempt that the user saw.",
		fields: ["text", "seen"],
	},
	pause_requested: { about: "A pause was requested.", fields: ["cause", "detail"] },
	abort_requested: {
		about: "The user aborts the run, or the parent run stops it for the reason `byParent`.",
		fields: ["words", "byParent"],
	},
	reopened: { about: "A finished run continues.", fields: ["answers", "to", "words", "seen"] },
	rewind_requested: {
		about:
			"A rewind to the start of an earlier visit, or to a state that a rewind replaced; `reload` is the edited template that is used from then on.",
		fields: ["to", "state", "tree", "snapshot", "pairMoves", "kept", "reload", "seen"],
	},
	approval_asked: {
		about:
			"The run asks for the approval of a move (`exit`), of the start of a state (`entry`), or how to resolve the conflicts of children. Answers name this event; ledgers of earlier versions do not have it, and their answers name the event before.",
		fields: ["state", "visit", "side", "target", "tree"],
	},
	ask_opened: {
		about:
			"A worker, or a rule of the guard, asked the user. With `call`, the answer becomes the result of that call of `ask_user`, and the run waits for it.",
		fields: ["visit", "attempt", "title", "text", "call", "choices"],
	},
	ask_answered: {
		about: "The question of the event `answers` was answered or dropped; `words` answer a question of `ask_user`.",
		fields: ["answers", "verdict", "words"],
	},
};

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
