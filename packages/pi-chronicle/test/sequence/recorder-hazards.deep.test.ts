// The recorder and runs in a real terminal, at awkward moments: pi's own keys, other editors, a session that ends.
import { describe, expect, it } from "vitest";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { openBench, type Project, readSession, SessionDraft, say } from "../harness/index.ts";
import { echo, openRecorder } from "./stage.ts";

const recording = "● recording sequence · ";

function seeded(project: Project, steps: string[]): string {
	const draft = new SessionDraft(project);
	draft.user("an earlier question");
	draft.assistant("yes");
	draft.custom(snapshotType, { version: 1, sequenceId: "s", steps, updatedAt: 1 });
	return draft.write();
}

describe("recording", () => {
	it("handles ↑ without steps as history, a paste of 200 lines and undo, Ctrl+Enter on a selected step, and a narrower screen", async () => {
		const { project, tui } = await openBench({ script: echo });
		const file = seeded(project, ["x"]);
		const pi = await tui({ cols: 120, rows: 40, session: file });
		await openRecorder(pi, "nothing");
		await pi.waitForScreen(`${recording}0 steps`);
		await pi.press("up");
		await pi.waitForScreen((screen) => screen.split("an earlier question").length === 3);
		await pi.press("enter");
		await pi.waitForScreen("1. an earlier question");
		const block = Array.from({ length: 200 }, (_, index) => `row ${index + 1}`).join("\n");
		pi.paste(block);
		await pi.still();
		await pi.press("enter");
		await pi.waitForScreen("… 196 more lines");
		await pi.resize(40, 30);
		await pi.still();
		expect(pi.screen()).toContain("2. row 1");
		await pi.resize(120, 40);
		pi.type("typed by mistake");
		await pi.press("ctrl+-");
		await pi.still();
		await pi.press("ctrl+u", "up");
		await pi.waitForScreen("›2. row 1");
		await pi.press("ctrl+enter");
		await pi.waitForScreen("how many times?");
		await pi.press("escape");
		await pi.still();
		expect(readSession(file).custom(snapshotType).at(-1)).toMatchObject({ steps: ["an earlier question", block] });
	});

	it("while the model works, Alt+Enter adds a step and sends nothing; Ctrl+C clears the line and keeps the steps", async () => {
		const { server, tui } = await openBench({
			script: () => say("slow answer indeed ".repeat(6), { chunk: 2, delay: 120 }),
		});
		const pi = await tui({ cols: 120, rows: 40 });
		await pi.submit("work");
		await server.waitForRequest(1);
		await pi.submit("/sequence");
		await pi.waitForScreen(`${recording}0 steps`);
		pi.type("a step for later");
		await pi.press("alt+enter");
		await pi.waitForScreen("1. a step for later");
		pi.type("gone");
		await pi.press("ctrl+c");
		await pi.still();
		expect(pi.screen()).toContain(`${recording}1 step ·`);
		expect(pi.screen()).not.toContain("gone");
		expect(server.requests).toHaveLength(1);
	});

	it.each(["/new", "/reload"])(
		"a session left by %s while recording leaves no editor, status or widget, and pi stays usable",
		async (command) => {
			const { project, tui } = await openBench({
				files: {
					// Another extension's key leaves the session: the recorder itself accepts no such command.
					"leave.mjs": `export default (pi) => { let run; pi.registerCommand("arm", { description: "x", handler: async (_a, ctx) => { run = ctx; } }); pi.registerShortcut("ctrl+q", { description: "x", handler: async () => { ${command === "/new" ? "await run.newSession()" : "await run.reload()"} } }); };`,
				},
				script: echo,
			});
			const pi = await tui({ cols: 120, rows: 40, extensions: [project.path("leave.mjs")] });
			await pi.submit("/arm");
			await pi.still();
			await pi.submit("/sequence");
			await pi.waitForScreen(`${recording}0 steps`);
			await pi.submit("one");
			await pi.waitForScreen("1. one");
			await pi.press("ctrl+q");
			await pi.waitForScreen((screen) => !screen.includes("recording sequence"));
			await pi.still();
			expect(pi.screen()).not.toContain("1. one");
			await pi.submit("hello");
			await pi.waitForScreen("echo hello");
		},
	);

	it("the editor of another extension is restored afterwards", async () => {
		const { project, tui } = await openBench({
			files: {
				"own-editor.mjs": `import { CustomEditor } from "@earendil-works/pi-coding-agent";
export default (pi) => pi.on("session_start", (_e, ctx) => ctx.ui.setEditorComponent((tui, theme, keys) => new (class extends CustomEditor {
	render(width) { return ["MY OWN EDITOR", ...super.render(width)]; }
})(tui, theme, keys)));`,
			},
			script: echo,
		});
		const pi = await tui({ cols: 120, rows: 40, extensions: [project.path("own-editor.mjs")] });
		await pi.waitForScreen("MY OWN EDITOR");
		await pi.submit("/sequence");
		await pi.waitForScreen(`${recording}0 steps`);
		expect(pi.screen()).not.toContain("MY OWN EDITOR");
		await pi.press("escape");
		await pi.waitForScreen("MY OWN EDITOR");
		await pi.submit("hello");
		await pi.waitForScreen("echo hello");
	});
});

describe("running", () => {
	it("after /reload the recording is offered again; /tree does not show it", async () => {
		const { project, tui } = await openBench({ script: echo });
		const pi = await tui({ cols: 120, rows: 40, session: seeded(project, ["step of mine"]) });
		await pi.submit("/reload");
		await pi.still();
		await pi.submit("/tree");
		await pi.waitForScreen("an earlier question");
		await pi.still();
		expect(pi.screen()).not.toMatch(/step of mine|sequence:/);
		await pi.press("escape");
		await pi.still();
		await pi.submit("/sequence");
		await pi.waitForScreen("Restore last sequence?");
	});

	it("Escape between two steps stops the run, and pi stays usable", async () => {
		const { project, server, tui } = await openBench({
			files: {
				// Holds the gap open: the step's text is not taken before this handler has ended.
				"slow.mjs":
					"import { existsSync } from 'node:fs'; export default (pi) => pi.on('input', async (e) => { while (e.text === 'two' && !existsSync('go')) await new Promise((done) => setTimeout(done, 20)); });",
			},
			script: (request) =>
				request.lastUser === "long"
					? say("slow answer indeed ".repeat(9), { chunk: 2, delay: 120 })
					: say(`echo ${request.lastUser}`),
		});
		const pi = await tui({
			cols: 120,
			rows: 40,
			session: seeded(project, ["one", "two", "three"]),
			extensions: [project.path("slow.mjs")],
		});
		pi.type("/sequence run 3");
		await pi.press("enter");
		await pi.waitForScreen("step 2/3 · two");
		await pi.press("escape");
		await pi.still();
		project.write("go", "");
		await pi.waitForScreen("stopped with Escape");
		await pi.still();
		expect(pi.screen()).not.toContain("⟳ sequence");
		expect(server.requests.map(({ lastUser }) => lastUser)).not.toContain("three");
		await pi.submit("alive");
		await pi.waitForScreen("echo alive");
	});

	it.each(["/new", "/quit"])("%s during a run ends it without an error of pi", async (command) => {
		const { project, server, tui } = await openBench({
			script: (request) =>
				request.lastUser === "one"
					? say("slow answer indeed ".repeat(9), { chunk: 2, delay: 120 })
					: say(`echo ${request.lastUser}`),
		});
		const pi = await tui({ cols: 120, rows: 40, session: seeded(project, ["one", "two"]) });
		pi.type("/sequence run 3");
		await pi.press("enter");
		await server.waitForRequest(1);
		await pi.waitForScreen("slow");
		await pi.submit(command);
		if (command === "/quit") {
			expect(await pi.exit).toEqual({ code: 0 });
			return;
		}
		await pi.still();
		await pi.waitForScreen((screen) => !screen.includes("⟳ sequence"));
		await pi.still();
		expect(pi.screen()).not.toMatch(/stale|crash/i);
		await pi.submit("alive");
		await pi.waitForScreen("echo alive");
		expect(server.requests.map(({ lastUser }) => lastUser)).not.toContain("two");
	});
});
