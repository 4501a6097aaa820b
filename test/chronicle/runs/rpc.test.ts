// Whole runs from a pi session over RPC: the session stays free, questions are dialogs, the timeline tells where the run stands.
import { describe, expect, it } from "vitest";
import { gate, openBench, say } from "../../harness/index.ts";
import { ledgerOf, move, sample, withTemplates, worker } from "./bench.ts";

describe("a run in a session", () => {
	it("R3 R14 R28 R29 the session answers while a worker works; the approval is a dialog; the timeline follows", async () => {
		const held = gate();
		const { project, server, rpc } = await openBench({
			files: withTemplates({ feature: sample }),
			git: true,
			script: {
				[worker("planning")]: [
					move("implementation", "Two steps.", { after: held.opened, usage: { input: 1000, output: 100 } }),
				],
				[worker("implementation")]: [move("verification", "Built it.")],
				"*": [say("I am here.")],
			},
		});
		const pi = await rpc();
		expect(await pi.prompt("/chronicle feature Add a --month option")).toBe("handled");
		await server.waitForRequest((request) => request.users[0]?.includes(worker("planning")) ?? false);
		await pi.run("Are you there?");
		expect(server.about("Are you there?")).toHaveLength(1);
		held.open();
		const dialog = await pi.screen.dialog("May planning be left for implementation?");
		for (const words of ["Two steps.", "No files changed.", "1.1k tokens"]) expect(dialog.title).toContain(words);
		expect(server.about(worker("implementation"))).toEqual([]);
		await expect
			.poll(() => pi.screen.widgets.get("chronicle")?.join("\n"), { timeout: 5000 })
			.toContain("Planning [?]");
		pi.screen.answer(dialog, "Approve");
		await pi.screen.notified("done");
		expect(ledgerOf(project)).toMatchObject({ status: "done", state: "verification" });
		const drawn = pi.screen.widgetHistory
			.filter(({ key }) => key === "chronicle")
			.map(({ lines }) => lines?.join("\n") ?? "");
		expect(drawn.some((text) => text.includes("Planning [●] -> Implementation [ ] -> Verification [ ]"))).toBe(true);
		expect(drawn.at(-1)).toBe("");
	});
});
