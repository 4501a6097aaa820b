// The recorder in a real terminal: every key, narrow and wide screens, wide characters, pastes. No typed text is lost.
import { describe, expect, it } from "vitest";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { deepIt, sampled } from "../harness/deep-it.ts";
import { openBench, readSession, say } from "../harness/index.ts";
import { echo, openRecorder, recorded } from "./stage.ts";

const status = (steps: string) =>
	`● recording sequence · ${steps} · Enter adds step · Ctrl+Enter finishes · Esc cancels`;

/** Types a command with an argument and sends it: Escape closes the completion, which would take Enter for itself. */
async function command(
	pi: { type(text: string): void; still(): Promise<unknown>; press(...keys: string[]): Promise<void> },
	text: string,
) {
	pi.type(text);
	await pi.still();
	await pi.press("escape", "enter");
}

describe("recording", () => {
	it("records steps, refuses with a reason, finishes, asks for the number of runs, and runs", async () => {
		const { project, server, tui } = await openBench({
			files: {
				"foreign.mjs":
					"export default (pi) => pi.registerCommand('publish', { description: 'x', handler: async () => {} });",
			},
			script: echo,
		});
		const pi = await tui({ cols: 120, extensions: [project.path("foreign.mjs")] });
		await pi.submit("/sequence");
		await pi.waitForScreen(status("0 steps"));
		await pi.submit("Plan the work for $@");
		await pi.waitForScreen(status("1 step"));
		expect(pi.screen()).toContain("1. Plan the work for $@");
		expect(server.requests).toHaveLength(0);

		pi.type("/publish now");
		await pi.press("enter");
		await pi.waitForScreen("Unsupported step: /publish is an external extension command.");
		expect(pi.screen()).toContain("pi-chronicle cannot execute third-party extension command handlers.");
		expect(pi.screen()).toContain("/publish now");
		expect(pi.screen()).toContain(status("1 step"));
		await pi.press("ctrl+a");
		pi.type("ask for ");
		await pi.press("enter");
		await pi.waitForScreen("2. ask for /publish now");
		expect(pi.screen()).not.toContain("Unsupported");

		await pi.press("ctrl+enter");
		await pi.waitForScreen("Run this sequence how many times? [1]");
		await pi.press("enter");
		await pi.waitForScreen("Arguments for $@?");
		pi.type("the parser");
		await pi.press("enter");
		await pi.waitForScreen("echo ask for /publish now");
		await pi.still();
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual([
			"Plan the work for the parser",
			"ask for /publish now",
		]);
		expect(pi.screen()).not.toContain("recording sequence");
		expect(pi.screen()).not.toContain("⟳ sequence");
		expect(pi.screen()).toMatch(/✓ sequence · 1 of 1 run · \d+s · 220 tokens/);
		const [file = ""] = project.sessionFiles();
		const [entry, ...others] = readSession(file).custom(snapshotType);
		expect(entry).toMatchObject({ version: 1, steps: ["Plan the work for $@", "ask for /publish now"] });
		expect(others).toEqual([]);
	});

	deepIt(
		"without steps reports that and stays open; Enter on an empty line finishes like Ctrl+Enter; canceling the count keeps the snapshot",
		async () => {
			const { tui } = await openBench({ script: echo });
			const pi = await tui({ cols: 120 });
			await pi.submit("/sequence");
			await pi.waitForScreen(status("0 steps"));
			await pi.press("ctrl+enter");
			await pi.waitForScreen("No steps yet");
			await pi.submit("one");
			await pi.waitForScreen("1. one");
			await pi.press("enter");
			await pi.waitForScreen("Run this sequence how many times? [1]");
			await pi.press("escape");
			await pi.still();
			await command(pi, "/sequence show");
			await pi.waitForScreen("1. one");
		},
	);

	deepIt("text in the editor at Ctrl+Enter becomes the last step, or stays with the reason", async () => {
		const { tui } = await openBench({ script: echo });
		const pi = await tui({ cols: 120 });
		await pi.submit("/sequence");
		await pi.waitForScreen(status("0 steps"));
		pi.type("/new");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("/new is not needed");
		expect(pi.screen()).toContain(status("0 steps"));
		await pi.press("ctrl+u");
		pi.type("left over");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("Run this sequence how many times?");
		await pi.press("escape");
		await pi.still();
		await command(pi, "/sequence show");
		await pi.waitForScreen("1. left over");
	});

	deepIt("Esc closes completions first, asks before steps are lost, and restores the editor", async () => {
		const { project, tui } = await openBench({ script: echo });
		const pi = await tui({ cols: 120 });
		await pi.submit("/sequence");
		await pi.waitForScreen(status("0 steps"));
		await pi.submit("keep me");
		await pi.waitForScreen(status("1 step"));
		pi.type("/re");
		await pi.waitForScreen(/readonly|reload/);
		await pi.press("escape");
		await pi.still();
		expect(pi.screen()).toContain(status("1 step"));
		await pi.press("escape");
		await pi.waitForScreen("Discard 1 step?");
		await pi.press("escape");
		await pi.waitForScreen(status("1 step"));
		expect(pi.screen()).toContain("1. keep me");
		await pi.press("escape");
		await pi.waitForScreen("Discard 1 step?");
		// The answer that a stray Enter takes keeps the steps.
		await pi.press("enter");
		await pi.waitForScreen((screen) => !screen.includes("Discard 1 step?"));
		expect(pi.screen()).toContain("1. keep me");
		expect(pi.screen()).toContain(status("1 step"));
		await pi.press("escape");
		await pi.waitForScreen("Discard 1 step?");
		await pi.press("down", "enter");
		await pi.waitForScreen((screen) => !screen.includes("recording sequence"));
		expect(pi.screen()).not.toContain("1. keep me");
		await pi.submit("hello");
		await pi.waitForScreen("echo hello");
		const [file = ""] = project.sessionFiles();
		expect(readSession(file).custom(snapshotType)).toEqual([]);
	});

	deepIt(
		"Edit selects, changes, deletes and moves steps, keeps the id with a newer time, and writes nothing without a change",
		async () => {
			const { project, tui } = await openBench({ script: echo });
			const file = recorded(project, "one", "two", "three");
			const pi = await tui({ cols: 120, session: file });
			const openEditor = async () => {
				await pi.submit("/sequence");
				await pi.waitForScreen("Restore last sequence?");
				await pi.press("down", "enter");
				await pi.waitForScreen(status("3 steps"));
			};
			await openEditor();
			await pi.press("escape");
			await pi.waitForScreen((screen) => !screen.includes("recording sequence"));

			await openEditor();
			await pi.press("up");
			await pi.waitForScreen("›3. three");
			await pi.press("up", "enter");
			await pi.waitForScreen("Enter replaces step 2");
			pi.type(" changed");
			await pi.press("enter");
			await pi.waitForScreen("2. two changed");
			await pi.press("up", "alt+up");
			await pi.waitForScreen("›2. three");
			await pi.press("up", "delete");
			await pi.waitForScreen("›1. three");
			await pi.press("ctrl+enter");
			await pi.waitForScreen("how many times?");
			await pi.press("escape");
			await pi.still();
			const entries = readSession(file).custom(snapshotType);
			expect(entries).toHaveLength(2);
			expect(entries[1]).toMatchObject({ sequenceId: "s", steps: ["three", "two changed"] });
		},
	);

	deepIt("pastes, several lines, history, undo and completion work as in pi's editor", async () => {
		const { project, tui } = await openBench({
			files: { "notes.txt": "x", ".pi/prompts/greet.md": "Hi" },
			script: echo,
		});
		const pi = await tui({ cols: 100, rows: 45 });
		await pi.submit("/sequence");
		await pi.waitForScreen(status("0 steps").slice(0, 40));
		const block = Array.from({ length: 30 }, (_, index) => `row ${index + 1}`).join("\n");
		pi.paste(block);
		await pi.still();
		await pi.press("enter");
		await pi.waitForScreen("… 26 more lines");
		pi.type("first line\\");
		await pi.press("enter");
		pi.type("second  line ");
		await pi.press("enter");
		await pi.waitForScreen("2. first line");
		pi.type("/gre");
		await pi.waitForScreen("greet");
		await pi.press("tab", "enter");
		await pi.waitForScreen("3. /greet");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("how many times?");
		await pi.press("enter");
		await pi.waitForScreen(/echo Hi/);
		await pi.still();
		const [file = ""] = project.sessionFiles();
		const [entry] = readSession(file).custom(snapshotType) as { steps: string[] }[];
		expect(entry?.steps).toEqual([block, "first line\nsecond  line ", "/greet "]);
	});

	it.each(sampled([30, 60, 200]))(
		"at %d columns no line is wider than the screen, with wide characters too",
		async (cols) => {
			const { project, tui } = await openBench({ script: echo });
			const long = `${"統合テストを全部実行してから結果をまとめる ".repeat(4)}🧪 done`;
			const pi = await tui({ cols, rows: 40, session: recorded(project, long, "x".repeat(300), "a\nb") });
			await openRecorder(pi, "last");
			await pi.waitForScreen("Sequence");
			await pi.still();
			const rows = pi.lines().filter((line) => /^\s?\d\. /.test(line));
			expect(rows).toHaveLength(3);
			expect(pi.screen()).toContain("1. 統合");
			await pi.press("escape");
			await pi.waitForScreen((screen) => !/^1\. 統合/m.test(screen));
		},
	);

	deepIt("a second /sequence cannot start while recording, and ending pi's session ends the recording", async () => {
		const { tui } = await openBench({ script: echo });
		const pi = await tui({ cols: 120 });
		await pi.submit("/sequence");
		await pi.waitForScreen(status("0 steps"));
		await pi.submit("/sequence");
		await pi.waitForScreen("/sequence cannot be a step");
		await pi.press("ctrl+u", "ctrl+d");
		await pi.still();
		expect(pi.screen()).toContain(status("0 steps"));
	});
});

it("Escape in a run stops the sequence, and pi stays usable", async () => {
	const { project, server, tui } = await openBench({
		script: () => say("a slow answer to stop", { chunk: 1, delay: 150 }),
	});
	const pi = await tui({ cols: 120, session: recorded(project, "one", "two") });
	pi.type("/sequence run 5");
	await pi.press("enter");
	await pi.waitForScreen("⟳ sequence · run 1/5 · step 1/2 · one");
	await server.waitForRequest(1);
	await pi.waitForScreen("a s");
	await pi.press("escape");
	await pi.waitForScreen("The sequence was stopped");
	await pi.still();
	expect(server.requests).toHaveLength(1);
	expect(pi.screen()).not.toContain("⟳ sequence");
});
