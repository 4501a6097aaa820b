// What is printed about a run that no process supervises, and about an answer that comes too late, is true, and the commands named with it help.

import type { Run } from "@pi-chronicle/core/machine";
import { type ApprovalQuestion, decide, isRefusal } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { plan, spent, total } from "../../../../core/test/machine/child-steps.ts";
import { definition, go, here, open, rest, start, type TestRun } from "../../../../core/test/machine/test-run.ts";
import { explainOther } from "../../../src/ui/commands/dispatch.ts";
import { runData, statusLines, waitingLines } from "../../../src/ui/phrases/index.ts";

const template = (more: object = {}) =>
	definition({ a: { persona: "A", next: ["b", "done"], ...more }, b: { persona: "B", next: ["a"] } });
const working = () => start(open(template()));
const fail = (testRun: TestRun) =>
	rest(testRun.say({ kind: "turn_settled", ...here(testRun), stop: "transient", detail: "429 slow down", waits: {} }));
const providerWait = () => fail(working());
const childWait = () =>
	[1, 2, 3].reduce(
		(run, child) =>
			spent(run, child, total(0), {
				activity: { stage: "awaiting_provider", next: "2030-01-01T00:10:00.000Z" } as never,
			}),
		plan(),
	);
const asking = () => go(start(open(template({ requires_approval: true }))), "b");
const paused = () => rest(working().say({ kind: "pause_requested", cause: "person", detail: "Paused." }));
const over = () => rest(working().say({ kind: "abort_requested" }));

const root = "12345678-0000-4000-8000-000000000000";
const asChild = ({ run }: TestRun): Run => ({
	...run,
	parent: { run: root, root, visit: 1, index: 1, name: "b0", level: 1, files: "own" },
});

const dead = { host: "h", pid: 999_999, started: "x", fence: 1, alive: "no" } as const;
type Holder = NonNullable<ReadLedger["holder"]> | undefined;

/** Everything that is said of a run: by status, at its end, for scripts. */
function said(run: Run, holder: Holder, queued?: string): { text: string; commands: string[] } {
	const read = {
		run,
		holder,
		...(queued ? { queued } : {}),
		repairs: [],
		place: "/r.events.jsonl",
		folder: "/r",
	} as unknown as ReadLedger;
	const { waitsFor, status } = runData(read) as {
		waitsFor: { what: string; commands: string[] } | null;
		status: string;
	};
	const lines = [...statusLines(read, { now: run.updatedAt, prefix: "" }), ...waitingLines(read, "")];
	return { text: [status, waitsFor?.what ?? "", ...lines].join("\n"), commands: [...(waitsFor?.commands ?? [])] };
}

const kinds: readonly (readonly [what: string, run: () => TestRun])[] = [
	["works", working],
	["waits for its provider", providerWait],
	["has children that wait for their provider", childWait],
];

describe("a run that", () => {
	it.each(kinds)("%s", (what, of) => {
		const { run } = of();
		for (const alive of ["yes", "unknown"] as const) {
			const { text } = said(run, { ...dead, alive });
			expect(text).not.toMatch(/interrupted|No process/);
			if (what !== "works") expect(text).toMatch(/Next try at \d\d:\d\d/);
		}
		expect(said(run, undefined, "It waits for a host.").text).not.toMatch(/interrupted|No process/);
		for (const holder of [undefined, dead]) {
			const { text, commands } = said(run, holder);
			expect(text).toMatch(/^interrupted\n.*No process supervises it now\. No recorded event is lost\./);
			expect(text).toContain(`\nresume ${run.id.slice(0, 8)}`);
			expect(commands).toEqual(["resume"]);
			expect(/next session of pi in this project/.test(text)).toBe(what !== "works");
			const child = said(asChild({ run } as TestRun), holder);
			expect(child.text).toContain("No process works on it now. It continues with the run 12345678.");
			expect(child.text).not.toMatch(/supervises it now|next session of pi|^resume [^1]/m);
			expect(child.text).toContain("\nstatus 12345678 · resume 12345678");
			expect(child.commands).toEqual(["status 12345678", "resume 12345678"]);
		}
	});
});

describe("an answer that comes late", () => {
	const waits = "The run is waiting for something else now: look at it again.";
	const answered = 'This was already answered; the run continues in "a".';
	it.each<[what: string, of: () => TestRun, sentence: string]>([
		["the run works again", working, answered],
		["it waits for another answer", asking, waits],
		["it is paused", paused, waits],
		["it waits for its provider", providerWait, waits],
		["its children work", plan, 'This was already answered; the run continues in "'],
		["it is over", over, "The run is over (aborted) and waits for no answer."],
	])("when %s", (_what, of, sentence) => {
		const { run } = of();
		const events = [
			{ kind: "approved", answers: 1, diff: "0" },
			{ kind: "rejected", answers: 1, words: "no" },
			{ kind: "resumed", answers: 1 },
			{ kind: "released", answers: 1 },
		] as const;
		for (const event of events) {
			const batch = decide(run, event, run.updatedAt);
			expect(isRefusal(batch) && batch.message, event.kind).toContain(sentence);
		}
	});

	const question = {
		seq: 5,
		visit: 1,
		state: "a",
		target: "b",
		side: "exit",
		summary: "s",
		diff: "1",
	} as unknown as ApprovalQuestion;
	it.each<[what: string, now: object, isChanged: boolean]>([
		["the same question about other files", { seq: 9, diff: "2" }, true],
		["the same question, asked again", { seq: 9 }, false],
		["a question of a later visit about other files", { seq: 9, visit: 2, diff: "2" }, false],
		["another move about other files", { seq: 9, target: "c", diff: "2" }, false],
		["the approval of the next state", { seq: 9, side: "entry", diff: "2" }, false],
	])("and meets %s", (_what, now, isChanged) => {
		const sentence = explainOther(asking().run, { ...question, ...now }, question);
		expect(/files have changed/.test(sentence)).toBe(isChanged);
		expect(sentence).toContain("answer again");
	});
});
