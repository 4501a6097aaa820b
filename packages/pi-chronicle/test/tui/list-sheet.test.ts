// The list from which a command typed alone is continued: whatever is typed filters it, arrows choose, Enter takes what is marked.
import { KeybindingsManager, TUI_KEYBINDINGS, visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openListSheet, textBody, unpainted } from "../../src/tui/index.ts";
import { runs } from "../harness/runs.ts";

const keys = new KeybindingsManager(TUI_KEYBINDINGS);
const down = "\u001b[B";
const entry = fc.record({
	name: fc.stringMatching(/^[a-e]{1,4}( [a-e]{1,3})?$/),
	about: fc.stringMatching(/^[a-e ]{0,12}$/),
});

/** Opens a list; its values are the indexes of the entries. */
function open(entries: readonly { name: string; about: string }[]) {
	const values = entries.map((one, value) => ({ ...one, value }));
	return openListSheet({ title: "List", body: textBody("above"), entries: values }, unpainted);
}

it("takes what is marked among the entries that contain all typed words, with the names that start so first", () => {
	const typed = fc.array(fc.constantFrom("a", "b", "c", " ", "\u007f"), { maxLength: 5 });
	fc.assert(
		fc.property(fc.array(entry, { maxLength: 40 }), typed, fc.nat(50), (entries, data, moves) => {
			const sheet = open(entries);
			for (const key of data) sheet.key(key, keys);
			const filter = data.reduce((text, key) => (key === "\u007f" ? text.slice(0, -1) : text + key), "").trim();
			const words = filter.split(/\s+/).filter((word) => word !== "");
			const fitting = entries.flatMap(({ name, about }, index) =>
				words.every((word) => `${name} ${about}`.includes(word)) ? [index] : [],
			);
			const starting = fitting.filter((index) => entries[index]?.name.startsWith(filter));
			const expected = [...starting, ...fitting.filter((index) => !starting.includes(index))];
			for (let n = 0; n < moves; n += 1) sheet.key(down, keys);
			const taken = sheet.key("\r", keys);
			if (expected.length === 0) expect(taken).toEqual({ kind: "ignored" });
			else expect(taken).toEqual({ kind: "chosen", value: expected[moves % expected.length] });
		}),
		{ numRuns: runs(1) },
	);
});

it("shows the marked entry at every size, and fits the screen", () => {
	fc.assert(
		fc.property(
			fc.array(entry, { minLength: 1, maxLength: 60 }),
			fc.integer({ min: 40, max: 120 }),
			fc.integer({ min: 12, max: 40 }),
			fc.nat(60),
			(entries, width, rows, moves) => {
				const sheet = open(entries);
				for (let n = 0; n < moves; n += 1) sheet.key(down, keys);
				const drawn = sheet.render(width, rows);
				expect(drawn).toHaveLength(rows);
				for (const row of drawn) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
				expect(drawn.join("\n")).toContain(`→ ${entries[moves % entries.length]?.name}`);
			},
		),
		{ numRuns: runs(0.5) },
	);
});

it("leaves with Escape, which first clears the filter", () => {
	const sheet = open([{ name: "one", about: "" }]);
	sheet.key("x", keys);
	expect(sheet.render(60, 12).join("\n")).toContain('Nothing contains "x".');
	expect(sheet.key("\u001b", keys)).toEqual({ kind: "drawn" });
	expect(sheet.render(60, 12).join("\n")).toContain("→ one");
	expect(sheet.key("\u001b", keys)).toEqual({ kind: "left" });
});
