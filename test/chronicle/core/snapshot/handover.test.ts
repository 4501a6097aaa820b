// The handover: the text that the next worker starts with.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HANDOVER_BYTES } from "../../../../src/chronicle/core/snapshot/handover.ts";
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

describe("what is left out of it", () => {
	const many = (count: number, size = 60) => {
		const texts = Array.from({ length: count }, (_, n) => ({ text: `${n} ${"x".repeat(size)}` }));
		return updateSnapshot(EMPTY_SNAPSHOT, { findings: texts, pendingTasks: texts }, where);
	};
	const lines = (text: string) => text.split("\n").filter((line) => line.startsWith("- ")).length;

	it("is counted by kind, including what the snapshot itself has dropped", () => {
		const dropped = (count: number): Snapshot => ({
			...EMPTY_SNAPSHOT,
			dropped: { findings: count, pendingTasks: 0, files: count, summaries: 0 },
		});
		const said = (count: number) => handoverText(dropped(count), place);
		expect(said(1)).toBe(
			`Omitted here for length: 1 finding, 1 changed file. The full record is in ${place}; read it if something is missing.`,
		);
		expect(said(2)).toContain("2 findings, 2 changed files.");
		const one = { ...EMPTY_SNAPSHOT, dropped: { findings: 0, pendingTasks: 1, files: 0, summaries: 1 } };
		expect(handoverText(one, place)).toContain("1 summary, 1 pending task.");
		const two = { ...EMPTY_SNAPSHOT, dropped: { findings: 0, pendingTasks: 2, files: 0, summaries: 2 } };
		expect(handoverText(two, place)).toContain("2 summaries, 2 pending tasks.");
	});

	it("is nothing if every section has one entry", () => {
		const one = addSummary(addChanges(many(1), [{ path: "a", change: "M" }], 0, 1), "done", where);
		expect(lines(handoverText(one, place))).toBe(4);
		expect(handoverText(one, place)).not.toContain("Omitted here");
	});

	it("is nothing if everything fits, otherwise everything that does not fit is counted", () => {
		for (let count = 1; count <= 60; count += 1) {
			const text = handoverText(many(count), place);
			const left = [...text.matchAll(/(\d+) (?:findings?|pending tasks?)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
			expect(lines(text) + left).toBe(2 * count);
			expect(text.includes("Omitted here")).toBe(left > 0);
		}
	});

	it("is what exceeds the free room: lines are added to any section as long as they fit", () => {
		const text = handoverText(many(60), place);
		const size = Buffer.byteLength(text.slice(0, text.indexOf("Omitted here")));
		const room = HANDOVER_BYTES - 700 - Buffer.byteLength(place);
		// Titles are outside the room.
		const used = text
			.split("\n")
			.filter((line) => line.startsWith("- "))
			.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
		expect(size).toBeGreaterThan(used);
		expect(used).toBeLessThanOrEqual(room);
		expect(used).toBeGreaterThan(room - 80);
		expect(text).toMatch(/### Pending tasks[\s\S]*### Findings/);
	});

	it("is what exceeds each section's share if all sections are full", () => {
		const text = (bytes: number) => "x".repeat(bytes);
		const entry = (letter: string, bytes: number, count: number) =>
			Array.from({ length: count }, (_, n) => ({ id: `${letter}${n}`, text: text(bytes - 8), ...where }));
		const snapshot: Snapshot = {
			...EMPTY_SNAPSHOT,
			summaries: Array.from({ length: 9 }, (_, n) => ({
				state: "s",
				visit: n,
				text: text((n === 8 ? 700 : 300) - 15),
			})),
			pendingTasks: entry("t", 425, 9),
			findings: entry("f", 580, 9),
			files: Array.from({ length: 9 }, (_, n) => ({ path: `${n}${text(400 - 6)}`, change: "M", visit: 1 })),
		};
		// 700 + 3 × 300, 4 × 425, 5 × 580 and 3 × 400 bytes.
		expect(handoverText(snapshot, place, 7400 + 700 + place.length)).toContain(
			"Omitted here for length: 5 summaries, 5 pending tasks, 4 findings, 6 changed files.",
		);
	});

	it("of one text is its end beyond 700 bytes per line, also if nothing else is left out", () => {
		const text = (length: number) =>
			handoverText(updateSnapshot(EMPTY_SNAPSHOT, { findings: [{ text: "x".repeat(length) }] }, where), place);
		expect(text(693)).toBe(`### Findings\n- [f1] ${"x".repeat(693)}`);
		expect(text(694)).toBe(
			`### Findings\n- [f1] ${"x".repeat(690)}…\n\nTexts that end in … are truncated here. The full record is in ${place}.`,
		);
	});

	it("never exceeds the limit; a limit without room leaves only the note about what is left out", () => {
		for (const limit of [40, 200, 700, 760, 1000]) {
			const text = handoverText(many(5), place, limit);
			expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
			if (limit <= 700) expect(lines(text)).toBe(0);
		}
	});

	it("is no line of a text: lines are indented", () => {
		const snapshot = updateSnapshot(EMPTY_SNAPSHOT, { findings: [{ key: "k", text: "a \n\n b" }] }, where);
		expect(handoverText(snapshot, place)).toBe("### Findings\n- [f1] k: a \n\n   b");
	});

	it("does not include the line counts of a file with unknown removals, nor the old name of a renamed one", () => {
		const files = [
			{ path: "b", change: "R", from: "a", added: 1 },
			{ path: "c", change: "M" },
		] as const;
		expect(handoverText(addChanges(EMPTY_SNAPSHOT, files, 0, 1), place)).toBe(
			"### Files changed so far (measured)\n- M c\n- R a → b (+1 −0)",
		);
	});
});
