// The window over long texts, and a diff as a page: nothing wider than the screen, no text lost, no control sequences.
import { stripVTControlCharacters } from "node:util";
import { initTheme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Line, plain, unpainted } from "../../src/tui/line.ts";
import { openWindow } from "../../src/tui/window.ts";
import { patchPage } from "../../src/ui/screen/patch.ts";

beforeAll(() => initTheme("dark"));

const texts = fc.string({ unit: fc.constantFrom(..."ab c1+-»統🧪\t\u001b[\u202e.".split("")), maxLength: 120 });
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const obeyed = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("a window", () => {
	it("has exactly the available rows, none too wide, at any position and size", () => {
		const moves = fc.array(fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: 2, max: 60 })), {
			maxLength: 6,
		});
		fc.assert(
			fc.property(
				fc.array(texts, { maxLength: 30 }),
				moves,
				fc.integer({ min: 1, max: 12 }),
				(lines, steps, height) => {
					const window = openWindow(unpainted, false);
					window.set(lines.map((text): Line => [plain(text)]));
					for (const [by, width] of [[0, 20], ...steps] as const) {
						window.scroll(by);
						const rows = window.rows(width, height);
						expect(rows).toHaveLength(height);
						for (const row of rows) {
							expect(visibleWidth(row)).toBeLessThanOrEqual(width);
							expect(row).not.toMatch(obeyed);
						}
					}
				},
			),
		);
	});

	it("shows every word of a long line, indented after its prefix", () => {
		const window = openWindow(unpainted, false);
		window.set([[plain("  12 + one two three four five")], [plain("» said at length, and then some")]]);
		expect(window.rows(24, 4)).toEqual([
			"  12 + one two three",
			"       four five",
			"» said at length, and",
			"  then some",
		]);
	});

	it("follows its end until the user scrolls up, and again once at the end", () => {
		const window = openWindow(unpainted, true);
		const lines = (count: number) => Array.from({ length: count }, (_, index): Line => [plain(`line ${index}`)]);
		window.set(lines(10));
		expect(window.rows(20, 2)).toEqual(["line 8", "line 9"]);
		window.set(lines(12));
		expect(window.rows(20, 2)).toEqual(["line 10", "line 11"]);
		window.scroll(-1);
		window.set(lines(14));
		expect(window.rows(20, 2)).toEqual(["line 9", "line 10"]);
		expect(window.position()).toBe("10–11 of 14");
		window.toEnd();
		window.set(lines(16));
		expect(window.rows(20, 2)).toEqual(["line 14", "line 15"]);
	});

	it("keeps its top line when the width changes", () => {
		const window = openWindow(unpainted, false);
		window.set(Array.from({ length: 20 }, (_, index): Line => [plain(`${index} ${"word ".repeat(10)}`)]));
		window.rows(80, 4);
		window.toLine(10);
		expect(window.rows(80, 4)[0]).toMatch(/^10 word/);
		expect(window.rows(20, 4)[0]).toMatch(/^10 word/);
	});
});

describe("a diff as a page", () => {
	const patch = [
		"diff --git a/src/a.ts b/src/a.ts",
		"--- a/src/a.ts",
		"+++ b/src/a.ts",
		"@@ -9,3 +9,3 @@ function f() {",
		" \tconst a = 1;",
		"-\tconst b = 2; \u001b[2J",
		'+\tconst b = "two";',
		"diff --git a/logo.png b/logo.png",
		"Binary files a/logo.png and b/logo.png differ",
		"",
	].join("\n");
	const textOf = (line: Line | undefined) => (line ?? []).map(({ text }) => text).join("");

	it("names its files with their counts, numbers its lines, and marks binary files", () => {
		const { lines, files } = patchPage(patch);
		expect(files.map((at) => textOf(lines[at]))).toEqual(["M src/a.ts  +1 −1", "M logo.png  no lines"]);
		expect(lines.map(textOf).slice(0, 5)).toEqual([
			"M src/a.ts  +1 −1",
			"   ┄ function f() {",
			" 9       const a = 1;",
			"10 -     const b = 2; ",
			'10 +     const b = "two";',
		]);
	});

	it("has syntax colors, unchanged text, and no other control sequence", () => {
		const { lines, dress } = patchPage(patch);
		const bare = (line: Line) => stripVTControlCharacters(textOf(line));
		for (const index of lines.keys()) {
			expect(bare(dress(index))).toBe(textOf(lines[index]));
			expect(bare(dress(index))).not.toMatch(obeyed);
		}
		expect(dress(4)[1]?.tone).toBe("colored");
	});

	it("says when it is empty, and when there is more", () => {
		expect(textOf(patchPage("").lines[0])).toBe("No files have changed.");
		expect(textOf(patchPage(patch, { cut: true }).lines.at(-1))).toContain("the rest of the diff");
	});
});
