// Edge cases of the recorder in a real terminal: ends of the list, narrow screens, drafts, other editors, unusual texts.
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { openBench, readSession } from "../harness/index.ts";
import { echo, openRecorder, recorded } from "./stage.ts";

const recording = "● recording sequence · ";
const stepsOf = (file: string) =>
	(readSession(file).custom(snapshotType) as { steps: string[] }[]).map(({ steps }) => steps);

describe("the recorder's list of steps", () => {
	it("can be moved and deleted at both ends, emptied, and left at its end", async () => {
		const { project, tui } = await openBench({ script: echo });
		const file = recorded(project, "one", "two");
		const pi = await tui({ cols: 100, rows: 40, session: file });
		await openRecorder(pi, "last");
		await pi.waitForScreen(`${recording}2 steps`);
		await pi.press("up", "alt+down");
		await pi.waitForScreen("›2. two");
		await pi.press("up", "alt+up");
		await pi.waitForScreen("›1. one");
		await pi.press("down", "down");
		await pi.waitForScreen((screen) => !screen.includes("›"));
		await pi.press("up", "delete");
		await pi.waitForScreen("›1. one");
		await pi.press("ctrl+d");
		await pi.waitForScreen(`${recording}0 steps`);
		await pi.press("delete", "alt+up", "alt+down", "enter");
		await pi.waitForScreen("No steps yet");
		await pi.press("escape");
		await pi.waitForScreen("Discard the changes?");
		await pi.press("down", "enter");
		await pi.waitForScreen((screen) => !screen.includes("recording sequence"));
		expect(stepsOf(file)).toEqual([["one", "two"]]);
	});

	it("keeps a step unchanged after an emptied or escaped edit, with the recorder open and the text in the history", async () => {
		const { project, tui } = await openBench({ script: echo });
		const file = recorded(project, "one", "two");
		const pi = await tui({ cols: 100, rows: 40, session: file });
		await openRecorder(pi, "last");
		await pi.waitForScreen(`${recording}2 steps`);
		await pi.press("up", "enter");
		await pi.waitForScreen("Enter replaces step 2");
		await pi.press("ctrl+u", "enter");
		await pi.waitForScreen("The step is unchanged.");
		expect(pi.screen()).toContain(`${recording}2 steps · Enter adds step`);
		expect(pi.screen()).toContain("2. two");
		await pi.press("up", "enter");
		await pi.waitForScreen("Enter replaces step 2");
		pi.type(" changed");
		await pi.press("escape");
		await pi.waitForScreen(`${recording}2 steps · Enter adds step`);
		await pi.press("up", "up", "up");
		await pi.waitForScreen("two changed");
		await pi.press("ctrl+a", "ctrl+k", "up", "enter");
		await pi.waitForScreen("Enter replaces step 2");
		pi.type("/quit");
		await pi.press("ctrl+u");
		pi.type("/quit");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("/quit is an interactive command of pi.");
		expect(pi.screen()).toContain("2. two");
		await pi.press("ctrl+u");
		pi.type("last");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("how many times?");
		await pi.press("escape");
		await pi.still();
		expect(stepsOf(file).at(-1)).toEqual(["one", "last"]);
	});
});

describe("texts of steps", () => {
	it("keep unusual spacing, backslashes, placeholders and wide characters as typed", async () => {
		const { project, tui } = await openBench({ script: echo });
		const file = recorded(project, "x");
		const pi = await tui({ cols: 100, rows: 40, session: file });
		await openRecorder(pi, "nothing");
		await pi.waitForScreen(`${recording}0 steps`);
		const texts = ["  two  spaces \\d+ and ${@:2} ", "日本語の👩‍👩‍👧 é ก้", "tail\\\\x"];
		for (const [index, text] of texts.entries()) {
			pi.type(text);
			await pi.press("enter");
			await pi.waitForScreen(`${recording}${index + 1} step`);
		}
		pi.type("a\\");
		pi.type("b");
		await pi.press("left", "enter");
		await pi.waitForScreen((screen) => /^\s*a\s*$/m.test(screen) || screen.includes("a\n"));
		expect(pi.screen()).toContain(`${recording}3 steps`);
		await pi.press("enter");
		await pi.waitForScreen(`${recording}4 steps`);
		pi.type("x");
		await pi.press("ctrl+j");
		pi.type("y");
		await pi.press("shift+enter", "ctrl+j");
		pi.type("z");
		await pi.press("enter");
		await pi.waitForScreen(`${recording}5 steps`);
		await pi.press("up", "ctrl+j", "backspace");
		await pi.waitForScreen((screen) => !screen.includes("›") && screen.includes(`${recording}5 steps`));
		const lines = Array.from({ length: 3_000 }, (_, index) => `統合 ${index}`).join("\n");
		pi.paste(lines);
		await pi.press("ctrl+enter");
		await pi.waitForScreen("how many times?");
		await pi.press("escape");
		await pi.still();
		expect(stepsOf(file).at(-1)).toEqual([...texts, "a\nb", "x\ny\n\nz", lines]);
	});

	it("with open completions, Enter completes and adds, Ctrl+Enter takes the text as it is", async () => {
		const { project, tui } = await openBench({
			files: { ".pi/prompts/greet.md": "Hi", ".pi/prompts/greeting.md": "Hello" },
			script: echo,
		});
		const file = recorded(project, "x");
		const pi = await tui({ cols: 100, rows: 40, session: file });
		await openRecorder(pi, "nothing");
		await pi.waitForScreen(`${recording}0 steps`);
		pi.type("/greeti");
		await pi.waitForScreen(/→ .*greeting/);
		await pi.press("enter");
		await pi.waitForScreen("1. /greeting");
		pi.type("/greet");
		await pi.waitForScreen(/→ .*greet/);
		await pi.press("ctrl+enter");
		await pi.waitForScreen("how many times?");
		await pi.press("escape");
		await pi.still();
		expect(
			stepsOf(file)
				.at(-1)
				?.map((step) => step.trim()),
		).toEqual(["/greeting", "/greet"]);
	});

	it.each([30, 80])("at %d columns show the full reason of a refusal, also after a resize", async (cols) => {
		const { project, tui } = await openBench({
			files: {
				"foreign.mjs":
					"export default (pi) => pi.registerCommand('publish', { description: 'x', handler: async () => {} });",
			},
			script: echo,
		});
		const file = recorded(project, "x");
		const pi = await tui({ cols: 120, rows: 40, session: file, extensions: [project.path("foreign.mjs")] });
		await openRecorder(pi, "last");
		await pi.waitForScreen(`${recording}1 step`);
		pi.type("/publish ");
		await pi.press("enter");
		await pi.waitForScreen("is an external extension command.");
		pi.resize(cols, 40);
		const words = (screen: string) => screen.replace(/\s+/g, " ");
		await pi.waitForScreen((screen) =>
			words(screen).includes(
				"Unsupported step: /publish is an external extension command. pi-chronicle cannot execute third-party extension command handlers.",
			),
		);
		await pi.press("ctrl+u", "up");
		await pi.waitForScreen((screen) =>
			words(screen).includes("Enter edits · Delete removes · Alt+↑↓ moves · ↓ past the end adds"),
		);
		expect(pi.screen()).toContain("›1. x");
	});
});

/** Another package's footer of nine rows, and a widget of two. */
const crowd = `export default (pi) => pi.on("session_start", (_event, ctx) => {
	const rows = (count, text) => ({ invalidate() {}, render: () => Array.from({ length: count }, (_, n) => text + n) });
	ctx.ui.setWidget("crowd", () => rows(2, "widget "));
	ctx.ui.setFooter((_tui, _theme, data) => ({
		invalidate() {},
		render: () => [...data.getExtensionStatuses().values(), ...rows(8, "footer ").render()],
	}));
});`;

describe("the recorder on small screens", () => {
	it.each([
		[80, 24, ""],
		[30, 20, ""],
		[60, 16, ""],
		[40, 24, crowd],
		[80, 24, crowd],
	])("shows at %d × %d the current step, the keys, the reason and the status %#", async (cols, rows, extension) => {
		const { project, tui } = await openBench({
			files: { "crowd.mjs": extension || "export default () => {};" },
			script: echo,
		});
		const steps = Array.from({ length: 23 }, (_, index) => `step ${index + 1} of many, with some more words`);
		const pi = await tui({
			cols,
			rows,
			session: recorded(project, ...steps),
			extensions: [project.path("crowd.mjs")],
		});
		const words = (screen: string) => screen.replace(/\s+/g, " ");
		await openRecorder(pi, "last");
		const keys = "Enter adds step · Ctrl+Enter finishes · Esc cancels";
		await pi.waitForScreen((screen) => words(screen).includes(keys) && screen.includes("● recording"));
		expect(pi.screen()).toContain("23. step 23");
		await pi.press("up", "up", "up", "up");
		await pi.waitForScreen(
			(screen) => screen.includes("›20. step 20") && words(screen).includes("↓ past the end adds"),
		);
		expect(pi.screen()).toContain("● recording");
		await pi.press("enter");
		await pi.waitForScreen((screen) => words(screen).includes("Enter replaces step 20"));
		await pi.press("ctrl+u");
		pi.type("/new");
		await pi.press("ctrl+enter");
		await pi.waitForScreen((screen) => words(screen).includes("/new is not needed."));
		expect(pi.screen()).toContain("›20. step 20");
		expect(pi.screen()).toContain("● recording");
	});
});

describe("the editor before the recorder", () => {
	it("keeps its draft, which returns whether the recording is canceled or finished", async () => {
		const { project, tui } = await openBench({
			files: {
				// The draft cannot be typed while the menu is open: an extension puts it there when it finds the file.
				"draft.mjs": `import { existsSync, rmSync } from "node:fs";
export default (pi) => pi.on("session_start", (_event, ctx) => {
	const timer = setInterval(() => {
		if (!existsSync("draft.flag")) return;
		ctx.ui.setEditorText("my half-written question");
		rmSync("draft.flag");
	}, "20");
	pi.on("session_shutdown", () => clearInterval(timer));
});`,
			},
			script: echo,
		});
		const file = recorded(project, "one");
		const pi = await tui({ cols: 100, rows: 40, session: file, extensions: [project.path("draft.mjs")] });
		for (const way of ["escape", "ctrl+enter"]) {
			await pi.submit("/sequence");
			await pi.waitForScreen("Restore last");
			writeFileSync(project.path("draft.flag"), "");
			while (existsSync(project.path("draft.flag"))) await sleep(20);
			await pi.press("down", "enter");
			await pi.waitForScreen(`${recording}1 step`);
			expect(pi.screen()).not.toContain("half-written");
			await pi.press(way);
			if (way === "ctrl+enter") {
				await pi.waitForScreen("how many times?");
				await pi.press("escape");
			}
			await pi.waitForScreen("my half-written question");
			expect(pi.screen()).not.toContain("recording sequence");
			await pi.press("ctrl+u");
			await pi.waitForScreen((screen) => !screen.includes("half-written"));
		}
	});

	it("an editor that another extension opens over the recorder waits; nothing typed is lost", async () => {
		const { project, tui } = await openBench({
			files: {
				"over.mjs": `import { CustomEditor } from "@earendil-works/pi-coding-agent";
export default (pi) => pi.registerShortcut("ctrl+q", { description: "x", handler: (ctx) => ctx.ui.setEditorComponent((tui, theme, keys) => new (class extends CustomEditor {
	render(width) { return ["MY OWN EDITOR", ...super.render(width)]; }
})(tui, theme, keys)) });`,
			},
			script: echo,
		});
		const file = recorded(project, "one");
		const pi = await tui({ cols: 100, rows: 40, session: file, extensions: [project.path("over.mjs")] });
		await openRecorder(pi, "last");
		await pi.waitForScreen(`${recording}1 step`);
		pi.type("half a ");
		await pi.press("ctrl+q");
		await pi.waitForScreen("MY OWN EDITOR");
		pi.type("step");
		await pi.waitForScreen((screen) => screen.includes("half a step") && !screen.includes("MY OWN EDITOR"));
		await pi.press("enter");
		await pi.waitForScreen("2. half a step");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("how many times?");
		await pi.press("escape");
		await pi.waitForScreen("MY OWN EDITOR");
		expect(stepsOf(file).at(-1)).toEqual(["one", "half a step"]);
	});
});
