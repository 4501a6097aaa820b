// A run in the terminal: the timeline, the approval by keys, the view, and no dialog while the user types.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { gate, openBench, say } from "../harness/index.ts";
import { sampleTemplate } from "../sample-template.ts";
import { ledgerOf, move, withTemplates, worker } from "./bench.ts";

describe("a run in the terminal", () => {
	deepIt("shows its progress; a stray Enter approves nothing; the view opens while a worker runs", async () => {
		const held = gate();
		const { project, server, tui } = await openBench({
			files: withTemplates({ feature: sampleTemplate }),
			git: true,
			script: {
				[worker("planning")]: [move("implementation", "Two steps.")],
				[worker("implementation")]: [move("verification", "Built it.", { after: held.opened })],
				"*": [say("Here I am.")],
			},
		});
		const pi = await tui({ cols: 100, rows: 40 });
		await pi.submit("/chronicle feature Add a --month option");
		const asked = ["Move from planning to implementation?", "Planning [?]", "Review the changes"];
		await pi.waitForScreen((screen) => asked.every((words) => screen.includes(words)), 30_000);
		// The first option only looks.
		await pi.press("enter");
		await pi.waitForScreen("No files changed.");
		await pi.press("escape");
		await pi.waitForScreen("Approve: move to implementation");
		expect(ledgerOf(project).status).toBe("awaiting_approval");
		await pi.press("down", "enter");
		await pi.waitForScreen("Planning [✓] -> Implementation [●]", 20_000);
		await server.waitForRequest((request) => request.users[0]?.includes(worker("implementation")) ?? false, 20_000);
		await pi.submit("Are you there?");
		await pi.waitForScreen("Here I am.");
		await pi.submit("/chronicle view");
		await pi.waitForScreen("Two steps.");
		await pi.press("escape");
		held.open();
		await pi.waitForScreen("Verification [✓]", 20_000);
		expect(ledgerOf(project).status).toBe("done");
		await pi.waitForScreen((screen) => !screen.includes("Planning [✓] -> Implementation [●]"));
	});

	it("opens no question while the user types; it waits, and a command answers it", async () => {
		const held = gate();
		const { project, tui } = await openBench({
			files: withTemplates({ feature: sampleTemplate }),
			script: {
				[worker("planning")]: [move("implementation", "Two steps.", { after: held.opened })],
				[worker("implementation")]: [move("verification")],
			},
		});
		const pi = await tui({ cols: 100, rows: 40 });
		await pi.submit("/chronicle feature Do it");
		await pi.waitForScreen("Planning [●]", 30_000);
		pi.type("half a thought");
		await pi.waitForScreen("half a thought");
		held.open();
		const screen = await pi.waitForScreen("awaiting approval", 20_000);
		expect(screen).toContain("half a thought");
		// The timeline says that it waits; no notice says it again.
		expect(screen).not.toContain("waits in");
		expect(screen).not.toContain("Approve: move");
		expect(ledgerOf(project).status).toBe("awaiting_approval");
		await pi.press("ctrl+u");
		await pi.waitForScreen("Alt+A answers");
		await pi.submit("/chronicle approve");
		await pi.waitForScreen("a   Approve: move to implementation");
		expect(ledgerOf(project).status).toBe("awaiting_approval");
		pi.type("a");
		await pi.waitForScreen("Verification [✓]", 20_000);
	});
});
