// A line of text looks the same in pi's pages and on the command line: the same rows, and the same colored mark.
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { wrapHanging } from "../../src/pi/index.ts";
import { unpainted } from "../../src/tui/index.ts";
import { markedLine, paintRows } from "../../src/tui/line.ts";
import { colorMark } from "../../src/ui/cli/output.ts";
import { runs } from "../harness/runs.ts";

const lines = [
	["deny bash: `rm -rf src` would delete src", "deny"],
	["ask bash: the command deploys the project", "ask"],
	["✓ planning → implementation · 12s, 4k tokens, $0.12 of what the run may cost", "✓"],
	["  ✗ build · failed · the tests need a database, which is not here", "✗"],
	["‖ paused since yesterday, because the provider refuses the key of the user", "‖"],
	["  planning        1 visit, 2 minutes, 40k tokens, and what else there is to say", undefined],
	["  統計と検証      一 二 三 四 五 六 七 八 九 十 一 二 三 四 五 六 七 八 九 十", undefined],
	["1. A step with more words than fit on a narrow screen, such as this one", undefined],
	["asking is not a mark, and neither is a denial, however long the line may be", undefined],
	["Note: the template has changed since the run started; the run keeps its copy", "Note:"],
] as const;

it.each(lines)("%j is wrapped at the same words with the same indent, and colors %j", (line, mark) => {
	for (const columns of [30, 40, 60, 80, 120]) {
		const rows = paintRows(markedLine(line), columns, unpainted).map((row) => row.trimEnd());
		expect(rows, String(columns)).toEqual(wrapHanging(line, columns));
	}
	vi.stubEnv("FORCE_COLOR", "1");
	vi.stubEnv("NO_COLOR", undefined);
	const terminal = { isTTY: true, hasColors: () => true, getColorDepth: () => 24 };
	const stream = Object.assign(new PassThrough(), terminal) as unknown as NodeJS.WriteStream;
	const colored = colorMark(line, stream);
	expect(stripVTControlCharacters(colored)).toBe(line);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: a color is one
	expect(/\u001b\[\d+m(.*?)\u001b\[\d+m/.exec(colored)?.[1]).toBe(mark);
	expect(
		markedLine(line)
			.filter(({ tone }) => tone !== "plain")
			.map(({ text }) => text),
	).toEqual(mark === undefined ? [] : [mark]);
});

it("any line is wrapped between words, and continuation rows start at one column", () => {
	const word = fc.string({ unit: fc.constantFrom("a", "b", "é", "✓"), minLength: 1, maxLength: 6 });
	const part = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));
	const line = fc
		.tuple(fc.constantFrom("", "  ", "✓ ", "  ✗ ", "3. "), part, fc.option(part))
		.map(([start, first, second]) => `${start}${first}${second === null ? "" : `   ${second}`}`);
	fc.assert(
		fc.property(line, fc.integer({ min: 30, max: 120 }), (text, columns) => {
			const rows = paintRows(markedLine(text), columns, unpainted);
			expect(rows.flatMap((row) => row.trim().split(/ +/))).toEqual(text.trim().split(/ +/));
			const starts = rows.slice(1).map((row) => /^ */.exec(row)?.[0].length);
			expect(new Set(starts).size).toBeLessThanOrEqual(1);
		}),
		{ numRuns: runs() },
	);
});
