// Ledgers whose events were appended one by one, decisions too: every event kind, other events between an event and its decision, and a
// checkpoint of every stage. `<id>.states` holds, per event, the start of the SHA-256 of the checkpoint that was written after it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import {
	type Created,
	decide,
	foldEvent,
	isRefusal,
	type LedgerEvent,
	type Run,
	startRun,
} from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import { eventKinds } from "../../../../../scripts/event-reference.ts";
import { checkpointText, readCheckpoint } from "../../../src/local/ledger/checkpoint.ts";
import { decodeLine } from "../../../src/local/ledger/line.ts";

const folder = join(import.meta.dirname, "fixtures", "single-appends");
const ids = readdirSync(folder).flatMap((name) => (name.endsWith(".events.jsonl") ? [name.slice(0, 36)] : []));

/** The kinds of events that there were when the ledgers were written. */
const kindsThen = `
	abort_requested approved ask_answered ask_opened attempt_reserved cleanup_ended clock_jumped created delivered
	files_measured files_restored files_unmeasured files_unrestored finished launch_failed limits_changed
	model_changed model_switched move_requested moved noted opened parked pause_requested recovered rejected
	released reopened resumed rewind_requested snapshot_updated strays_stopped told tool_ended tool_started
	turn_settled used worker_ended worker_started
`
	.trim()
	.split(/\s+/);

function eventsOf(id: string): LedgerEvent[] {
	const lines = readFileSync(join(folder, `${id}.events.jsonl`), "utf8")
		.trimEnd()
		.split("\n");
	return lines.map((line) => decodeLine(Buffer.from(line)) ?? fail(`damaged: ${line}`));
}

function fail(message: string): never {
	throw new Error(message);
}

/** The run after each event. */
function runsOf(events: readonly LedgerEvent[]): Run[] {
	const runs: Run[] = [];
	for (const event of events) {
		const last = runs.at(-1);
		runs.push((last ? foldEvent(last, event) : startRun(event)) ?? fail("no run"));
	}
	return runs;
}

/** For `JSON.parse`: leaves out the marks of calls and of rewinds that did not exist then. */
function withoutNewFields(this: unknown, key: string, value: unknown): unknown {
	const isMark =
		(key === "saved" && Object.hasOwn(this as object, "failed")) ||
		((key === "to" || key === "kept") && Object.hasOwn(this as object, "leftFirst")) ||
		(key === "calls" && Object.hasOwn(this as object, "rewound"));
	return isMark ? undefined : value;
}

/** Sentences that have been worded anew since. */
const wordsThen = [
	["asks for the user.", "asks for a person."],
	["The user does not want", "A person does not want"],
	["set back by 2m00s while", "set back by 2 min while"],
	["was set, for 1h00m while", "was set, for 60 min while"],
	["took longer than 1h;", "took longer than 60 min;"],
] as const;

function inWordsThen(text: string): string {
	return wordsThen.reduce((written, [now, then]) => written.replaceAll(now, then), text);
}

/** As data, in the words of then. */
function plainThen(value: unknown): unknown {
	return JSON.parse(inWordsThen(JSON.stringify(value)));
}

/** The checkpoint in the format of then: without the fields that did not exist. */
function asWrittenThen(text: string): string {
	const {
		decisions: _decisions,
		answered: _answered,
		crc: _crc,
		...fields
	} = JSON.parse(inWordsThen(text), withoutNewFields);
	const then = { ...fields, schemaVersion: 1 };
	const crc = crc32(JSON.stringify(then)).toString(16).padStart(8, "0");
	return `${JSON.stringify({ ...then, crc }, null, "\t")}\n`;
}

describe("a ledger of single appends", () => {
	it("has every kind of event that was written then", () => {
		const kinds = new Set(ids.flatMap((id) => eventsOf(id).map(({ kind }) => kind)));
		expect([...kinds].sort()).toEqual(kindsThen);
		expect([...eventKinds.keys()]).toEqual(expect.arrayContaining(kindsThen));
	});

	it.each(ids)("%s folds to the recorded states and checkpoints", (id) => {
		const text = readFileSync(join(folder, `${id}.events.jsonl`), "utf8");
		const events = eventsOf(id);
		const states = readFileSync(join(folder, `${id}.states`), "utf8")
			.trimEnd()
			.split("\n");
		let offset = 0;
		for (const [index, run] of runsOf(events).entries()) {
			offset = text.indexOf("\n", offset) + 1;
			const written = asWrittenThen(checkpointText(run, { seq: run.seq, offset, fence: events[index]?.fence ?? 0 }));
			// Of a decision that is due the file held one more number, which nothing reads.
			if (run.stage.kind === "deciding") continue;
			const state = createHash("sha256").update(written).digest("hex").slice(0, 16);
			expect(state, `after event ${run.seq}, ${events[index]?.kind}`).toBe(states[index]);
		}
	});

	const checkpoints = readFileSync(join(folder, "checkpoints.jsonl"), "utf8").trimEnd().split("\n");
	it.each(checkpoints.map((line) => JSON.parse(line) as { id: string; name: string; lines: number; text: string }))(
		"is restored from its checkpoint in the stage $name",
		({ id, lines, text }) => {
			const events = eventsOf(id);
			const [first] = events;
			const read = readCheckpoint(text, () => first as LedgerEvent & Created);
			if (read.kind !== "read") throw new Error(read.kind);
			const runs = runsOf(events);
			const folded = runs[lines - 1];
			if (!folded) throw new Error("no run");
			expect(read.dated).toBe(true);
			const run = { ...read.run, decisions: folded.decisions, answered: folded.answered, kept: folded.kept };
			// A checkpoint may leave out what is absent.
			expect(plainThen(run)).toEqual(plainThen(folded));
			expect(plainThen(events.slice(lines).reduce(foldEvent, run))).toEqual(plainThen(runs.at(-1)));
		},
	);

	it("continues from every event: first the pending decision, then the machine's own", () => {
		let due = 0;
		for (const id of ids) {
			const events = eventsOf(id);
			for (const [index, run] of runsOf(events).entries()) {
				if (run.stage.kind !== "deciding") continue;
				due += 1;
				const { decision } = run.stage;
				const batch = decide(run, { kind: "opened", host: "h", pid: 1, started: "s" }, run.updatedAt);
				if (isRefusal(batch)) throw new Error(batch.message);
				expect(batch.events[0]).toEqual(decision);
				const made = events.slice(index + 1).find(({ kind }) => kind === decision.kind);
				// The sentence about a rewind named no files then.
				const isRewound = decision.kind === "parked" && decision.cause === "rewound";
				expect(made).toMatchObject(
					isRewound ? { ...decision, detail: expect.any(String) } : (plainThen(decision) as object),
				);
				expect(batch.run.stage.kind).not.toBe("deciding");
			}
		}
		expect(due).toBeGreaterThan(40);
	});
});
