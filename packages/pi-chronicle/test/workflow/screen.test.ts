// Workflows in a terminal.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, expectPicture, keepForFile, type Tui } from "../harness/index.ts";
import { ask, openStage, type Stage, step } from "./stage.ts";

const workflows = {
	release: {
		name: "Release Pipeline",
		// No text may steer the terminal, from any source.
		completionMessage: "Released {taskDescription}\u001b[2J in {phaseCount} steps\u001b]0;title\u0007",
		phases: [
			{ id: "plan", name: "Planning", emoji: "📋", tools: { allow: ["read"] } },
			"@review",
			{ id: "ship", name: "Ship it", emoji: "🚀" },
		],
	},
	review: { name: "Code Review", show: "workflows", phases: [{ id: "static", name: "Static Analysis", emoji: "🔍" }] },
	tale: ["one", "two"],
};

const count = (screen: string, text: string) => screen.split(text).length - 1;

describe("a run in a terminal", () => {
	it("shows status, rows, notices and completions, and the same after a resume", async () => {
		const stage = await openStage(workflows);
		const options = { cols: 100, rows: 80, session: stage.project.path("s.jsonl") };
		const first = await stage.tui(options);

		first.type("/workflow re");
		await first.waitForScreen(/release\s+Release Pipeline/);
		// Nothing is on that could be reloaded.
		expect(first.screen()).not.toContain("reload");
		for (const _ of "re") first.press("backspace");
		await first.press("escape");
		stage.play(
			call("write", { path: "a", content: "b" }),
			step("next", "a plan\u001b[2J"),
			step("cancel"),
			step("next"),
			step("status"),
			step("next"),
			"All is done.",
		);
		for (const _ of "/workflow ") first.press("backspace");
		await first.submit("/workflow release version 1.2");
		await first.waitForScreen("All is done.");
		const seen = await settledScreen(first);

		const order = [
			"▶ Release Pipeline > 📋 Planning [1/3]",
			"This phase may not write, and `write` would change a.",
			"✓ Entered Code Review: Planning → 🔍 Static Analysis",
			"Really cancel",
			"again in your next message",
			"✓ Left Code Review, back in Release Pipeline: Static Analysis → 🚀 Ship it",
			"Workflow: Release Pipeline (release)",
			"✓ Released version 1.2 in 3 steps",
			"All is done.",
		];
		for (let at = 1; at < order.length; at++)
			expect([order[at], seen.indexOf(order[at] ?? "") > seen.indexOf(order[at - 1] ?? "")]).toEqual([order[at], true]);
		// Of an answer that went well only the first line is shown.
		for (const hidden of ["Instructions for this phase", "Task id:", "Do ship for"]) expect(seen).not.toContain(hidden);
		expect(count(seen, "Released version 1.2")).toBe(1);
		// A step is shown by the row of its call, and a refusal by its reason and one remedy.
		expect(count(seen, "Static Analysis [1/1]")).toBe(0);
		expect(seen).toContain("workflow_step next · a plan");
		expect([count(seen, "Do only what"), count(seen, "may not do this in the phase")]).toEqual([1, 1]);
		expect(seen).not.toMatch(/Release Pipeline > 🚀 Ship it \[3\/3\]\s*$/);
		await first.close();

		const again = await stage.tui(options);
		await again.waitForScreen((text) => order.every((line) => text.includes(line)));
		const shown = await settledScreen(again);
		for (const line of order) expect(shown).toContain(line);
		for (const hidden of ["Instructions for this phase", "Task id:"]) expect(shown).not.toContain(hidden);
		expect(count(shown, "Released version 1.2")).toBe(1);

		// pi draws the reloaded session before it reports the reload.
		await again.submit("/reload");
		await again.waitForScreen("Reloaded");
		await again.waitForScreen((text) => order.every((line) => text.includes(line)));
		expect(await settledScreen(again)).not.toContain("Instructions for this phase");
	});
});

describe("the countdown", () => {
	let shared: Promise<{ stage: Stage; ui: Tui }> | undefined;
	const open = () => {
		shared ??= keepForFile(async () => {
			const stage = await openStage(workflows, { countdown: 4 });
			return { stage, ui: await stage.tui({ cols: 60, rows: 24 }) };
		});
		return shared;
	};

	deepIt("matches the images in the documents", async () => {
		const stage = await openStage(
			{
				fix: {
					name: "Careful Fix",
					initialMessage: "Start the workflow {workflowName}: {description}",
					phases: [{ id: "find", name: "Find the cause", emoji: "🔍", tools: { allow: ["read"] } }, "repair"],
				},
			},
			{ countdown: 3 },
		);
		const ui = await stage.tui({ cols: 90, rows: 32 });
		stage.play(
			call("bash", { command: "sed -i s/1/0/ sum.js" }),
			"The sum starts at the first item, which an empty list does not have.",
		);
		await ui.submit("/workflow fix the total is wrong when the list is empty");
		await ui.waitForScreen("continues in 3s");
		await ui.still(200);
		expectPicture(ui.snapshot(), "workflow-run", {
			title: "A workflow in pi: the phase that is on, a call that it refuses, and the seconds before the agent goes on",
			mask: [
				[/Took \d+\.\ds/, "Took 0.1s"],
				[/in \ds/, "in 3s"],
			],
		});
		ui.press("escape");
		await ui.waitForScreen("is paused");
	});

	it("stops while the user types; the message is sent and the workflow continues afterwards", async () => {
		const { stage, ui } = await open();
		stage.play("I go on.", "I heard it.");
		await ui.submit("/workflow tale it");
		await ui.waitForScreen("continues in 4s");
		ui.type("a");
		await ui.waitForScreen("waits for you");
		expect(await settledScreen(ui)).not.toContain("⏳");
		const asked = stage.server.requests.length;
		await ui.submit(" word");
		await ui.waitForScreen("I heard it.");
		expect(stage.server.requests.slice(asked).map(({ lastUser }) => lastUser)).toEqual(["a word"]);
		await ui.waitForScreen("continues in 4s");
		await ui.submit("/cancel-workflow");
		await ui.waitForScreen('✗ Workflow "Workflow tale" cancelled');
		expect(await settledScreen(ui)).not.toMatch(/⏳|> 🔹 ONE \[1\/2\]\s*$/);
	});

	deepIt("pauses permanently on Esc; the status line is visible before the model's first answer", async () => {
		const { stage, ui } = await open();
		stage.play("I stop.");
		await ui.submit("/workflow tale it");
		await ui.waitForScreen("Workflow tale > 🔹 ONE [1/2]");
		await ui.waitForScreen(/⏳ 🔹 ONE continues in 4s · Esc pauses, typing holds/);
		await ui.waitForScreen(/continues in 3s/);
		ui.press("escape");
		await ui.waitForScreen(/⏸ The workflow is paused\. Your next message resumes it/);
		const screen = await settledScreen(ui);
		expect(screen).toContain("Workflow tale > 🔹 ONE [1/2] (paused)");
		expect(screen).not.toContain("⏳");
		const asked = stage.server.requests.length;
		await new Promise((done) => setTimeout(done, 4_200));
		expect(stage.server.requests.length).toBe(asked);
	});

	it("/workflow show draws the workflow", async () => {
		const { ui } = await open();
		await ui.submit("/workflow show release");
		await ui.waitForScreen("Esc closes");
		const screen = await settledScreen(ui);
		expect(screen).toMatch(/┌ Code Review ─+┐/);
		expect(screen).toContain("│ 📋 Planning · may read │");
		expect(screen).not.toContain("```");
		ui.press("escape");
		await ui.waitForScreen((text) => !text.includes("Esc closes"));
	});
});

async function settledScreen(ui: Tui): Promise<string> {
	await ui.still();
	return ui.screen();
}

deepIt(
	"at 80×24, a question, a wait and a pause are visible in the status line, also of a nested workflow with long names",
	async () => {
		const stage = await openStage({
			long: { name: "A release pipeline with a rather long name", phases: ["@inner"] },
			inner: {
				name: "A code review by several people",
				show: "workflows",
				phases: [{ id: "look", name: "Look at all of it", autoContinue: false }, "end"],
			},
		});
		const ui = await stage.tui({ cols: 80, rows: 24 });
		const bottom = () => ui.lines().slice(-4).join("\n");
		stage.play("I stop.", ask("Postgres or SQLite?\n\nBoth work."));
		await ui.submit("/workflow long it");
		await ui.waitForScreen("(waits for you)");
		expect(bottom()).toContain("… > 🔹 Look at all of it [1/2] (waits for you)");
		await ui.submit("then ask me");
		await ui.waitForScreen("Both work.");
		await ui.waitForScreen("Your next message is the answer");
		expect(bottom()).toContain("(waits for you)");
		await ui.submit("/workflow pause");
		await ui.waitForScreen("(paused)");
		expect(bottom()).toContain("(paused)");
		stage.play("Now I know.");
		await ui.submit("SQLite");
		await ui.waitForScreen("Now I know.");
		await ui.waitForScreen("(waits for you)");
	},
);
