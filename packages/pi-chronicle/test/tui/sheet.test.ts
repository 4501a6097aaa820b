// Every kind of overlay at every size from 40×12 to 200×50: title, position, answers and keys are visible, nothing is wider or higher than
// the screen, all of the text can be reached, and a resize while it is open changes none of that.

import { stripVTControlCharacters } from "node:util";
import { getMarkdownTheme, initTheme } from "@earendil-works/pi-coding-agent";
import { KeybindingsManager, Markdown, type TUI, TUI_KEYBINDINGS, visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { definition, go, open, start } from "../../../core/test/machine/test-run.ts";
import { printable } from "../../src/pi/index.ts";
import {
	openInputSheet,
	openSheet,
	plain,
	questionSheet,
	type SheetSpec,
	textBody,
	unpainted,
} from "../../src/tui/index.ts";
import { patchSheet } from "../../src/ui/screen/patch.ts";
import { approvalSheet } from "../../src/ui/screen/question.ts";
import { RunView } from "../../src/ui/screen/view.ts";
import type { ViewSource } from "../../src/ui/screen/view-source.ts";
import { runs } from "../harness/runs.ts";

beforeAll(() => initTheme("dark"));

const keys = new KeybindingsManager(TUI_KEYBINDINGS);
const widths = [40, 41, 47, 60, 79, 80, 100, 120, 161, 200];
const heights = [12, 13, 16, 20, 24, 30, 40, 50];
/** Where all of the text is read. */
const readAt = new Set(["40×12", "40×20", "80×24", "120×40", "200×50"]);
const odd =
	"統計 🧪👩‍👩‍👧 é \u001b[31mred\u001b[0m \u202eturned\tand a_word_that_is_longer_than_forty_columns_of_any_terminal";
const lines = (count: number) =>
	Array.from({ length: count }, (_, index) => `line ${index} ${index % 7 === 3 ? odd : ""}`);
const last = "This is the last line.";
const patch = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,60 +1,60 @@
${Array.from({ length: 60 }, (_, index) => `${index % 2 ? "-" : "+"}const a${index} = "統計 🧪 ${"x".repeat(index)}";`).join("\n")}
`;

interface Case {
	readonly spec: SheetSpec<unknown>;
	/** Words that end the text. */
	readonly end?: string;
}

function cases(): Record<string, Case> {
	const testRun = open(definition({ planning: { next: ["done"], requires_approval: true }, done: {} }));
	const run = testRun.run;
	const words = {
		diff: "Review the changes",
		approve: "Approve: move to implementation",
		reject: "Reject with a reason",
		elsewhere: "Send to another state",
		tell: "Tell the worker something",
		later: "Later",
	};
	const approval = (count: number, title: string) =>
		approvalSheet({ title, lines: count === 0 ? ["Nothing."] : lines(count), words, uncalled: false }, run);
	const choices = [
		{ value: false, words: "No, change nothing", key: "n" } as const,
		{ value: true, words: "Yes, rewind", key: "y" } as const,
	];
	const guard = (message: string) =>
		questionSheet({
			title: "Allow bash?",
			message,
			options: ["No", "Yes, once", "Yes, in this session", "Yes, always", "No, never"],
			keys: { No: "n", "Yes, once": "y", "Yes, in this session": "s", "Yes, always": "a", "No, never": "r" },
			leave: "Esc refuses",
		});
	const page = new Markdown(printable(`# A page\n\n${lines(40).join("\n\n")}\n\n${last}`), 1, 0, getMarkdownTheme());
	const draw = (width: number) => page.render(width).map((text) => [{ text, tone: "colored" } as const]);
	return {
		"an approval": { spec: approval(60, "Move from planning to implementation?") },
		"an approval without a text": { spec: approval(0, "Begin it?") },
		"an approval with long names": { spec: approval(3, `Move from ${odd} to ${odd}?`) },
		"a guard question": { spec: guard([...lines(30), last].join("\n")), end: last },
		"a short guard question": { spec: guard("command=rm -rf build") },
		"a rewind": {
			spec: {
				title: "Rewind 12345678 to the start of visit 2?",
				body: textBody([...lines(45), last].join("\n")),
				choices,
				leave: "Esc cancels",
			},
			end: last,
		},
		"a page of text": {
			spec: { title: "Workflow", body: textBody([...lines(80), last].join("\n")), leave: "Esc closes" },
			end: last,
		},
		"a page of Markdown": { spec: { title: "A page", body: { kind: "drawn", draw }, leave: "Esc closes" }, end: last },
		"an empty page": { spec: { title: "Workflows", body: textBody(""), leave: "Esc closes" } },
		"a drawing": {
			spec: {
				title: "Release Pipeline",
				body: { kind: "lines", long: "cut", lines: [...lines(70), last].map((text) => [plain(text)]) },
				leave: "Esc closes",
			},
			end: last,
		},
		"a diff with answers": {
			spec: patchSheet({ title: "Changes in planning", head: ["1 file changed, +30 −30:"], text: patch, cut: false }, [
				{ value: 1, words: "approve", key: "a" },
				{ value: 2, words: "reject", key: "r" },
			]),
		},
		"a list of many": {
			spec: questionSheet({
				title: "Notebook",
				message: "",
				options: lines(60).map((line, index) => `${index}: ${line}`),
				leave: "Esc closes",
			}),
		},
		"a long question with many answers": {
			spec: questionSheet({
				title: `${odd}?`,
				message: [...lines(40), last].join("\n"),
				options: lines(30),
				leave: "Esc later",
			}),
			end: last,
		},
	};
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const obeyed = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;
const clean = (text: string) =>
	stripVTControlCharacters(text)
		.replace(/[\u202a-\u202e]/g, "")
		.replaceAll("\t", "    ");

/** What has to be on the screen at every size. */
function expectWhole(
	rows: readonly string[],
	spec: SheetSpec<unknown>,
	[width, height]: readonly [number, number],
): void {
	const size = `${width}×${height}`;
	expect(rows, size).toHaveLength(height);
	const shown = rows.map((row) => stripVTControlCharacters(row));
	// Not one expectation a row: there are half a million of them.
	expect(
		rows.find((row) => visibleWidth(row) > width),
		size,
	).toBeUndefined();
	expect(
		shown.find((row) => obeyed.test(row)),
		size,
	).toBeUndefined();
	expect(shown[0], size).toContain(`── ${clean(spec.title).slice(0, 5)}`);
	expect(shown.at(-1), size).toContain(spec.leave);
	const choices = spec.choices ?? [];
	if (spec.answers === "keys") {
		for (const { key, words } of choices) expect(shown.at(-1), size).toContain(`${key} ${words}`);
		return;
	}
	if (choices.length === 0) return;
	expect(shown.filter((row) => row.includes("→ ")).length, size).toBe(1);
	expect(shown.at(-1), size).toContain("Enter");
	const count = shown.filter((row) => /^(?:→ | {2})(?:\d+: )?line \d+/.test(row)).length;
	if (choices.length > 6) {
		if (count < choices.length) expect(shown.at(-2), size).toMatch(/answer \d+ of \d+/);
		return;
	}
	for (const { key, words } of choices)
		expect(
			shown.some((row) => row.startsWith(`${key} `) && row.includes(words.slice(0, width - 6))),
			`${size} ${words}`,
		).toBe(true);
}

describe("every overlay at every size", () => {
	it.each(Object.keys(cases()))("%s shows its title, position, answers and keys", (name) => {
		const { spec, end } = cases()[name] as Case;
		for (const width of widths) {
			for (const height of heights) {
				const sheet = openSheet(spec, unpainted);
				const draw = () => sheet.render(width, height);
				expectWhole(draw(), spec, [width, height]);
				if (!readAt.has(`${width}×${height}`)) continue;
				const pages = [draw().join("\n")];
				for (let page = 0; page < 400 && sheet.key("\u001b[6~", keys).kind === "drawn"; page += 1) {
					const now = draw();
					expectWhole(now, spec, [width, height]);
					if (now.join("\n") === pages.at(-1)) break;
					expect(now.at(-2)).toMatch(/\d+–\d+ of \d+|answer \d+ of \d+/);
					pages.push(now.join("\n"));
				}
				if (end !== undefined) expect(pages.at(-1)).toContain(end);
			}
		}
	});

	it("stays complete for any keys and any resize while it is open", () => {
		const names = Object.keys(cases());
		const moves = fc.array(
			fc.tuple(
				fc.constantFrom(
					"\u001b[A",
					"\u001b[B",
					"\u001b[5~",
					"\u001b[6~",
					"\u001b[C",
					"\u001b[D",
					" ",
					"g",
					"G",
					"j",
					"k",
				),
				fc.integer({ min: 40, max: 200 }),
				fc.integer({ min: 12, max: 50 }),
			),
			{ maxLength: 12 },
		);
		fc.assert(
			fc.property(fc.constantFrom(...names), moves, (name, steps) => {
				const { spec } = cases()[name] as Case;
				const sheet = openSheet(spec, unpainted);
				for (const [key, width, height] of steps) {
					sheet.key(key, keys);
					expectWhole(sheet.render(width, height), spec, [width, height]);
				}
			}),
			{ numRuns: runs() },
		);
	});
});

describe("the run view at every size", () => {
	it.each(["1 History", "2 Transcript", "3 Diff", "4 Knowledge", "5 Events"])(
		"%s shows its title, page, position and keys",
		async (page) => {
			const view = new RunView(longRun(), { paint: unpainted, requestRender: () => {} });
			view.render(80, 24);
			view.handleKey(page.charAt(0), keys);
			await expect.poll(() => view.render(80, 24)[2]).not.toMatch(/^…?$/);
			for (const width of widths)
				for (const height of heights) {
					const rows = view.render(width, height).map((row) => stripVTControlCharacters(row));
					const size = `${width}×${height}`;
					expect(rows, size).toHaveLength(height);
					expect(
						rows.find((row) => visibleWidth(row) > width || obeyed.test(row)),
						size,
					).toBeUndefined();
					expect(rows[0], size).toMatch(/^── (?:Long|running|human|paused)/);
					expect(rows[1], size).toContain(`[${page}]`);
					expect(rows.at(-2), size).toMatch(/^── (?:\d+–\d+ of \d+ )?─|^─+$/);
					if (page === "5 Events") expect(rows.at(-2), size).toMatch(/\d+–\d+ of \d+/);
					expect(rows.at(-1), size).toContain("Esc closes");
				}
			view.dispose();
		},
	);
});

/** A run of forty moves, with odd words in all of its texts. */
function longRun(): ViewSource {
	const play = open(
		{
			...definition(
				{ plan: { persona: "P", next: ["build"] }, build: { persona: "B", next: ["plan", "done"] }, done: {} },
				{ limits: { moves: 100, pair_moves: 100 } },
			),
			name: "Long",
		},
		{ task: odd },
	);
	for (let index = 0; index < 40; index += 1) {
		start(play);
		go(play, index % 2 === 0 ? "build" : "plan", lines(4).join("\n"));
	}
	start(play);
	return {
		run: () => play.run,
		watch: () => () => {},
		async *events(after) {
			for (const event of play.events) if (event.seq > after) yield event;
		},
		diff: async () => ({ kind: "diff", summary: ["1 file changed, +30 −30:"], text: patch, cut: true }),
		child: async () => undefined,
		outputs: () => [],
		transcript: () => undefined,
	};
}

const terminal = { terminal: { rows: 24, columns: 80 }, requestRender() {} } as unknown as TUI;

describe("a text input at every size", () => {
	it.each([
		["without a text", 0],
		["with a text that scrolls", 60],
	])("%s shows its title, line and keys", (_, count) => {
		const spec = { title: "What should change?", lines: lines(count).map((text) => [plain(text)]), leave: "Esc back" };
		const sheet = openInputSheet(spec, unpainted, terminal);
		for (const key of "mind 統計") sheet.key(key, keys);
		for (const width of widths)
			for (const height of heights) {
				const rows = sheet.render(width, height).map((row) => stripVTControlCharacters(row));
				const size = `${width}×${height}`;
				expect(rows, size).toHaveLength(height);
				expect(
					rows.find((row) => visibleWidth(row) > width),
					size,
				).toBeUndefined();
				expect(rows[0], size).toContain("── What should change?");
				expect(
					rows.some((row) => /^mind 統計/.test(row)),
					size,
				).toBe(true);
				expect(rows.at(-1), size).toMatch(/^Enter confirms · /);
				if (count > height) expect(rows.at(-2), size).toMatch(/\d+–\d+ of \d+/);
			}
		expect(sheet.key("\r", keys)).toEqual({ kind: "chosen", value: "mind 統計" });
	});

	it("begins with the text that was refused before, with its line breaks", () => {
		const text = "one\ntwo";
		const sheet = openInputSheet({ title: "Which port?", lines: [], leave: "Esc later", text }, unpainted, terminal);
		expect(sheet.render(40, 12).filter((row) => /^(?:one|two)/.test(stripVTControlCharacters(row)))).toHaveLength(2);
		expect(sheet.key("\r", keys)).toEqual({ kind: "chosen", value: text });
	});

	it("keeps pasted line breaks, every sign, and what was typed before it was left", () => {
		const sheet = openInputSheet({ title: "Why?", lines: [], leave: "Esc back" }, unpainted, terminal);
		const text = ["No:", "", "  1. ↵ is no line break", ...Array.from({ length: 40 }, (_, at) => `row ${at}`)].join(
			"\n",
		);
		sheet.key(`\u001b[200~${text}\u001b[201~`, keys);
		expect(sheet.text()).toBe(text);
		expect(sheet.render(80, 24).some((row) => row.includes("[paste #1 +43 lines]"))).toBe(true);
		expect(sheet.key("\u001b", keys)).toEqual({ kind: "left" });
		expect(sheet.key("\r", keys)).toEqual({ kind: "chosen", value: text });
	});

	it("ignores an Enter that was meant for the editor", () => {
		const sheet = openInputSheet(
			{ title: "Which port?", lines: [], leave: "Esc later", uncalled: true },
			unpainted,
			terminal,
		);
		expect(sheet.key("\r", keys)).toEqual({ kind: "drawn" });
		sheet.key("8", keys);
		expect(sheet.key("\r", keys)).toEqual({ kind: "chosen", value: "8" });
		expect(sheet.key("\u001b", keys)).toEqual({ kind: "left" });
	});
});

describe("the answers of an overlay", () => {
	const spec = (uncalled: boolean) =>
		questionSheet({
			title: "Sure?",
			message: "It goes.",
			options: ["No", "Yes"],
			keys: { No: "n", Yes: "y" },
			uncalled,
		});

	it("are chosen by Enter (the first, safe one), arrows or letters; Esc chooses none", () => {
		const press = (...typed: string[]) => {
			const sheet = openSheet(spec(false), unpainted);
			sheet.render(80, 24);
			return typed.map((key) => sheet.key(key, keys)).at(-1);
		};
		expect(press("\r")).toEqual({ kind: "chosen", value: "No" });
		expect(press("\u001b[B", "\r")).toEqual({ kind: "chosen", value: "Yes" });
		expect(press("y")).toEqual({ kind: "chosen", value: "Yes" });
		// As terminals send it that report every key.
		expect(press("\u001b[121u")).toEqual({ kind: "chosen", value: "Yes" });
		expect(press("x")).toEqual({ kind: "drawn" });
		expect(press("Y")).toEqual({ kind: "drawn" });
		expect(press("\u001b")).toEqual({ kind: "left" });
	});

	it("are none of what is typed in the first second of a late one, or until the user pauses", () => {
		let now = 1000;
		const sheet = openSheet(spec(true), unpainted, () => now);
		expect(sheet.render(80, 24).join("\n")).not.toMatch(/^y |Enter/m);
		for (const key of ["y", " ", "統", "\u001b[121u", "\u001b[200~text\u001b[201~"])
			expect(sheet.early?.(key, keys), JSON.stringify(key)).toBe("typed");
		for (const key of ["\r", "\n"]) expect(sheet.early?.(key, keys), JSON.stringify(key)).toBe("held");
		for (const key of ["\u001b", "\u001b[B", "\u001b[6~"]) expect(sheet.early?.(key, keys)).toBeUndefined();
		now += 1000;
		expect(sheet.early?.("y", keys)).toBeUndefined();
		// A key that answers nothing: the user is typing.
		for (const key of "/yes my") {
			now += 120;
			expect(sheet.key(key, keys).kind).not.toBe("chosen");
		}
		now += 1000;
		expect(sheet.waits()).toBe(0);
		expect(sheet.render(80, 24).join("\n")).toMatch(/^y {3}Yes/m);
		expect(sheet.key("y", keys)).toEqual({ kind: "chosen", value: "Yes" });
	});

	it("shows text beyond the right edge when scrolled sideways, and back", () => {
		const wide = `${"─".repeat(60)}統計 the end`;
		const sheet = openSheet(
			{ title: "Drawing", body: { kind: "lines", long: "cut", lines: [[plain(wide)]] }, leave: "Esc closes" },
			unpainted,
		);
		expect(sheet.render(40, 12).join("\n")).not.toContain("the end");
		for (let step = 0; step < 12; step += 1) sheet.key("\u001b[C", keys);
		expect(sheet.render(40, 12).join("\n")).toContain("the end");
		for (let step = 0; step < 12; step += 1) sheet.key("\u001b[D", keys);
		expect(sheet.render(40, 12)[1]).toMatch(/^─{30}/);
	});
});
