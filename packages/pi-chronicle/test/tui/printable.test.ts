// Untrusted text on the terminal: control sequences and invisible marks are removed, and what changes the direction of text is escaped.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, withoutControls } from "../../src/pi/index.ts";

describe("untrusted text", () => {
	it.each([
		["colors", "\u001b[31mred\u001b[0m", "red"],
		["clearing the screen", "a\u001b[2Jb", "ab"],
		["a link", "\u001b]8;;http://x\u0007here\u001b]8;;\u0007", "here"],
		["the window's title", "\u001b]0;owned\u001b\\after", "after"],
		["eight-bit sequences", "\u009b31mred", "red"],
		["bells and backspaces", "a\u0007\b\u007fb", "ab"],
		["invisible marks", "a\u200fb\u061c\ufeffc", "abc"],
		["line breaks of other systems", "a\r\nb\rc\u2028d", "a\nb\nc\nd"],
		["half a character", "a\ud800b", "a\ufffdb"],
	])("loses %s", (_, text, shown) => {
		expect(printable(text)).toBe(shown);
	});

	it("shows what changes the direction of text", () => {
		expect(printable("\u202egnp.exe\u202c\u2066x\u2069")).toBe("\\u202egnp.exe\\u202c\\u2066x\\u2069");
	});

	it.each(["plain", "two\nlines\tand a tab", "日本語 🧪 👩‍👩‍👧 é", "العربية", "می‌خواهم"])("keeps %j", (text) => {
		expect(printable(text)).toBe(text);
	});

	it.each([
		["\u001b[see the log\u0007 done", "[see the log done"],
		["\u001b[ ; rm -rf src\u0007", "[ ; rm -rf src"],
		["\u001b]no title\u0007", "]no title"],
		["\u001b]0;a title without an end\nnext", "]0;a title without an end\nnext"],
		["\u009bhello\u009c", "hello"],
	])("keeps text that only looks like a control sequence: %j", (text, shown) => {
		expect(printable(text)).toBe(shown);
	});

	it("without control characters keeps every other character, in order", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom("\u001b", "[", "]", "0", ";", "m", "é", "\u0007", "\u009b", "\\") }),
				(text) => {
					expect(withoutControls(text)).toBe([...text].filter((one) => !/\p{Cc}/u.test(one)).join(""));
				},
			),
		);
	});

	it("never contains what a terminal interprets", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
				expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
			}),
		);
	});
});
