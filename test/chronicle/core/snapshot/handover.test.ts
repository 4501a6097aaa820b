// The handover: the text that the next worker starts with.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	addChanges,
	addSummary,
	EMPTY_SNAPSHOT,
	handoverText,
	type Snapshot,
	updateSnapshot,
} from "../../../../src/chronicle/core/snapshot/index.ts";
import { runs } from "../../../harness/runs.ts";

const where = { visit: 1, state: "planning" };
const place = "/p/.pi/chronicle/sessions/x.events.jsonl";

function full(): Snapshot {
	const known = updateSnapshot(
		EMPTY_SNAPSHOT,
		{
			findings: [{ key: "api_port", text: "8080" }, { text: "old fact" }],
			pendingTasks: [{ text: "write tests" }, { text: "write docs" }],
		},
		where,
	);
	const newer = updateSnapshot(
		known,
		{ findings: [{ key: "api_port", text: "8081" }], resolve: ["write docs"] },
		{ visit: 2, state: "coding" },
	);
	const changed = addChanges(
		newer,
		[
			{ path: "a.txt", change: "A", added: 3, removed: 0 },
			{ path: "b.png", change: "M" },
		],
		0,
		2,
	);
	return addSummary(addSummary(changed, "made a plan", where), "wrote the code", { visit: 2, state: "coding" });
}

describe("the handover", () => {
	it("has summaries, pending tasks, findings and measured files, newest first", () => {
		const text = handoverText(full(), place);
		expect(text).toBe(
			[
				"### What happened before (newest first)",
				"- Visit 2, coding: wrote the code",
				"- Visit 1, planning: made a plan",
				"",
				"### Pending tasks",
				"- [t3] write tests",
				"",
				"### Findings",
				"- [f1] api_port: 8081",
				"- [f2] old fact",
				"",
				"### Files changed so far (measured)",
				"- M b.png",
				"- A a.txt (+3 −0)",
			].join("\n"),
		);
	});
	it("shows the last value of a key only, and nothing that is resolved", () => {
		const text = handoverText(full(), place);
		expect(text).not.toContain("8080");
		expect(text).not.toContain("write docs");
	});
	it("is empty without any data", () => {
		expect(handoverText(EMPTY_SNAPSHOT, place)).toBe("");
	});
});

describe("its size", () => {
	it("500 findings of 2 KB stay below 8 KB, the newest are there, and it says what is omitted and where it is", () => {
		let snapshot = full();
		for (let n = 1; n <= 500; n += 1)
			snapshot = updateSnapshot(snapshot, { findings: [{ text: `fact ${n} ${"x".repeat(2000)}` }] }, where);
		const text = handoverText(snapshot, place);
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
		expect(text).toContain("fact 500 ");
		expect(text).toContain("write tests");
		expect(text).toContain("wrote the code");
		const shown = text.match(/fact \d+ /g)?.length ?? 0;
		expect(text).toContain(`${500 + 2 - shown} findings`);
		expect(text).toContain(place);
	});
	it("holds for any content", () => {
		const word = fc.string({ unit: "grapheme", maxLength: 900 });
		const update = fc.record({
			findings: fc.array(fc.record({ text: word }), { maxLength: 12 }),
			pendingTasks: fc.array(fc.record({ text: word }), { maxLength: 12 }),
		});
		fc.assert(
			fc.property(
				fc.array(update, { maxLength: 6 }),
				word,
				fc.array(word, { maxLength: 60 }),
				fc.integer({ min: 300, max: 9000 }),
				(updates, summary, paths, limit) => {
					let snapshot = EMPTY_SNAPSHOT;
					for (const data of updates) snapshot = updateSnapshot(snapshot, data, where);
					snapshot = addSummary(snapshot, summary, where);
					snapshot = addChanges(
						snapshot,
						paths.map((path) => ({ path, change: "M" as const })),
						0,
						1,
					);
					const text = handoverText(snapshot, place, limit);
					expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
				},
			),
			{ numRuns: runs(0.6) },
		);
	});
});
