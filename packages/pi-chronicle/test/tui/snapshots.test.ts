// Every screen, rendered at four sizes and compared with the snapshots next to this file; `vitest -u` rewrites them. In pi's dark and
// light theme the text is the same, and every color is one of the theme's.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { initTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { KeybindingsManager, TUI_KEYBINDINGS, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { definition, go, open, start, type TestRun } from "../../../core/test/machine/test-run.ts";
import { wrapHanging } from "../../src/pi/index.ts";
import { layRecording } from "../../src/sequence/recorder-widget.ts";
import { select, startRecording } from "../../src/sequence/recording.ts";
import { openSheet, type Paint, paintLine, questionSheet, textBody, themed, unpainted } from "../../src/tui/index.ts";
import { liveText } from "../../src/ui/cli/output.ts";
import { endLines, statusLines } from "../../src/ui/phrases/index.ts";
import { drawTimeline } from "../../src/ui/screen/index.ts";
import { patchSheet } from "../../src/ui/screen/patch.ts";
import { approvalSheet } from "../../src/ui/screen/question.ts";
import { RunView } from "../../src/ui/screen/view.ts";
import { openFolder } from "../harness/index.ts";
import { ledgerOf } from "../ui/report/ledgers.ts";
import { childrenRun, escalatedRun, failedRun, rewoundRun } from "../ui/runs.ts";

const sizes = [
	[40, 20],
	[80, 24],
	[120, 40],
	[200, 50],
] as const;
const now = "2030-01-01T01:00:00.000Z";
const keys = new KeybindingsManager(TUI_KEYBINDINGS);
const long = "Übertragung der 統計 🧪 with a_name_that_is_longer_than_forty_columns_of_a_terminal";
const patch = `diff --git a/src/${"deep/".repeat(9)}統計.ts b/src/${"deep/".repeat(9)}統計.ts
--- a/src/${"deep/".repeat(9)}統計.ts
+++ b/src/${"deep/".repeat(9)}統計.ts
@@ -1,3 +1,3 @@
 export const name = "統計";
-export const old = 1;
+export const fresh: number = ${"1 + ".repeat(40)}1;
`;

/** A run that waits for an approval, with long names. */
function askingRun(): TestRun {
	const asking = definition({
		"研究-and-planning": { persona: long, next: ["implementation"], requires_approval: true },
		implementation: { persona: "Senior Engineer", next: ["done"] },
		done: {},
	});
	return go(start(open(asking, { task: long })), "implementation", `${long}.\nNo new dependency.`);
}

function workingRun(): TestRun {
	const work = {
		plan: { persona: "Architect", next: ["build"] },
		build: { persona: long, next: ["plan", "done"] },
		done: {},
	};
	const play = go(start(open(definition(work, { limits: { cost_usd: 5 } }), { task: long })), "build", "A plan.");
	return start(play.wait(60_000));
}

type Draw = (paint: Paint, width: number, rows: number) => readonly string[] | Promise<readonly string[]>;

const timelineOf =
	({ run }: TestRun): Draw =>
	(paint, width) =>
		drawTimeline(run, { width, now, prefix: "/chronicle " }).map((line) => paintLine(line, paint));

const session = [
	{ type: "session", cwd: "/home/me/project" },
	{ type: "message", message: { role: "user", content: [{ type: "text", text: `Begin with ${long}.` }] } },
	{
		type: "message",
		message: {
			role: "assistant",
			content: [
				{ type: "text", text: "I write it." },
				{
					type: "toolCall",
					id: "1",
					name: "write",
					arguments: { path: "/home/me/project/統計.ts", content: "1\n2\n" },
				},
			],
		},
	},
	{
		type: "message",
		message: { role: "toolResult", toolCallId: "1", toolName: "write", content: [{ type: "text", text: "Wrote it." }] },
	},
];

const pageOf =
	(page: string, play = rewoundRun()): Draw =>
	async (paint, width, rows) => {
		const folder = openFolder({});
		const transcript = join(folder, "s.jsonl");
		writeFileSync(transcript, session.map((record) => JSON.stringify(record)).join("\n"));
		let isRead = false;
		const view = new RunView(
			{
				run: () => play.run,
				watch: () => () => {},
				async *events(after) {
					for (const event of play.events) if (event.seq > after) yield event;
					isRead = true;
				},
				diff: async () => ({ kind: "diff", summary: ["1 file changed, +1 −1:"], text: patch, cut: false }),
				child: async () => undefined,
				outputs: () => [],
				transcript: () => transcript,
			},
			{ paint, requestRender: () => {} },
		);
		await expect.poll(() => isRead, { interval: 2 }).toBe(true);
		await new Promise((resolve) => setImmediate(resolve));
		view.handleKey(page, keys);
		const line = () => stripVTControlCharacters(view.render(width, rows)[2] ?? "");
		await expect.poll(line, { interval: 2 }).not.toMatch(/^…?$/);
		view.handleKey("g", keys);
		const drawn = view.render(width, rows);
		view.dispose();
		return drawn;
	};

const sheetOf =
	(spec: () => Parameters<typeof openSheet>[0]): Draw =>
	(paint, width, rows) =>
		openSheet(spec(), paint).render(width, rows);

const words = {
	diff: "Review the changes",
	approve: "Approve: move to implementation",
	reject: "Reject with a reason",
	elsewhere: "Send to another state",
	tell: "Tell the worker something",
	later: "Later",
};
const steps = Array.from({ length: 12 }, (_, index) => `step ${index + 1}: ${index % 3 === 0 ? long : "read $@"}`);

const recorderOf =
	(recording: Parameters<typeof layRecording>[0]): Draw =>
	(paint, width, rows) =>
		layRecording(recording, { rows: rows - 9, wholeStatus: width >= 100 }, ({ tone, text }) =>
			wrapTextWithAnsi(tone === "text" ? text : paint(tone, text), width).slice(0, tone === "text" ? 1 : undefined),
		);

const cases: Readonly<Record<string, Draw>> = {
	"timeline-working": timelineOf(workingRun()),
	"timeline-asking": timelineOf(askingRun()),
	"timeline-rewound": timelineOf(rewoundRun()),
	"timeline-failed": timelineOf(failedRun()),
	"timeline-escalated": timelineOf(escalatedRun()),
	"view-history": pageOf("1"),
	"view-transcript": pageOf("2"),
	"view-diff": pageOf("3"),
	"view-knowledge": pageOf("4"),
	"view-events": pageOf("5"),
	"view-children": pageOf("6", childrenRun()),
	"view-children-history": pageOf("1", childrenRun()),
	"timeline-children": timelineOf(childrenRun()),
	approval: (paint, width, rows) => {
		const { run } = askingRun();
		const lines = [`${long}.`, "", "1 file changed, +1 −0:", "  A 統計.ts +1 −0", "", "So far: $0.12"];
		return openSheet(
			approvalSheet({ title: `Move from ${long} to implementation?`, lines, words, uncalled: false }, run),
			paint,
		).render(width, rows);
	},
	"approval-diff": sheetOf(() =>
		patchSheet({ title: "Changes in planning", head: ["1 file changed, +1 −1:"], text: patch, cut: false }, [
			{ value: 1, words: "approve", key: "a" },
			{ value: 2, words: "reject", key: "r" },
		]),
	),
	"guard-question": sheetOf(() =>
		questionSheet({
			title: "Allow bash?",
			message: `command=sh deploy.sh --target ${long}\nrule=Deploying needs a yes`,
			options: ["No", "Yes"],
			keys: { No: "n", Yes: "y" },
			leave: "Esc: No",
		}),
	),
	chooser: sheetOf(() =>
		questionSheet({
			title: "Which workflow?",
			message: "",
			options: Array.from({ length: 30 }, (_, index) => `${index % 4 === 0 ? long : "docs-pass"} ${index}`),
			leave: "Esc closes",
		}),
	),
	page: sheetOf(() => ({
		title: "Notebook 統計",
		body: textBody(Array(60).fill(long).join("\n")),
		leave: "Esc closes",
	})),
	recorder: recorderOf(startRecording(steps)),
	"recorder-selected": recorderOf(select(startRecording(steps), -1)),
	"status-text": (_paint, width) =>
		statusLines(ledgerOf(askingRun().events), { now, prefix: "pi-chronicle " }).flatMap((text) =>
			text.split("\n").flatMap((line) => wrapHanging(line, width)),
		),
	"end-text": (_paint, width) =>
		[...endLines(failedRun().run, "pi-chronicle "), liveText(workingRun().run, now)].flatMap((text) =>
			text.split("\n").flatMap((line) => wrapHanging(line, width)),
		),
};

/** Times are local; a row may end between day and time. */
const masked = (rows: readonly string[]) =>
	rows
		.map((row) => row.trimEnd())
		.join("\n")
		.replace(/\d{4}-\d\d-\d\d(\s+)\d\d:\d\d/g, "2030-01-01$112:00")
		.replace(/\b\d\d:\d\d:\d\d\b/g, "12:00:00");

/** A theme of pi, with the colors that it has. */
function themeOf(name: "dark" | "light"): { readonly paint: Paint; readonly colors: ReadonlySet<string> } {
	initTheme(name);
	const theme = (globalThis as Record<symbol, unknown>)[Symbol.for("@earendil-works/pi-coding-agent:theme")] as Theme;
	const known = ["dim", "accent", "success", "warning", "error", "text", "mdCodeBlock"] as const;
	const syntax = [
		"Comment",
		"Keyword",
		"Function",
		"Variable",
		"String",
		"Number",
		"Type",
		"Operator",
		"Punctuation",
	] as const;
	const all = [...known, ...syntax.map((part) => `syntax${part}` as const)];
	return { paint: themed({ theme }), colors: new Set(all.flatMap((color) => codesOf(theme.fg(color, "x")))) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const codesOf = (text: string): string[] => text.match(/\u001b\[[\d;:]*m/g) ?? [];

const resets = new Set(["\u001b[0m", "\u001b[39m", "\u001b[49m", "\u001b[m"]);

beforeAll(() => {
	vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(now) });
});
afterAll(() => {
	vi.useRealTimers();
});

describe("the screen", () => {
	it.each(Object.keys(cases))("%s matches its snapshot at 40×20, 80×24, 120×40 and 200×50", async (name) => {
		const draw = cases[name] as Draw;
		const drawn: string[] = [];
		for (const [width, rows] of sizes) {
			initTheme("dark");
			const plain = await draw(unpainted, width, rows);
			drawn.push(`── ${width}×${rows} ${"═".repeat(20)}`, masked(plain.map((row) => stripVTControlCharacters(row))));
			for (const theme of ["dark", "light"] as const) {
				const { paint, colors } = themeOf(theme);
				const painted = await draw(paint, width, rows);
				expect(masked(painted.map((row) => stripVTControlCharacters(row))), `${theme} ${width}`).toBe(
					masked(plain.map((row) => stripVTControlCharacters(row))),
				);
				const foreign = painted.flatMap(codesOf).filter((code) => !colors.has(code) && !resets.has(code));
				expect(foreign, `${theme} ${width}`).toEqual([]);
			}
		}
		await expect(`${drawn.join("\n")}\n`).toMatchFileSnapshot(`snapshots/${name}.txt`);
	});
});
