// Overlays in real pi in a terminal, opened at 40×12 and resized up to 200×50: the necessary parts are visible at each size, and the letters
// answer. One key reopens a postponed question.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, openBench, say, type Tui } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { ledgerOf, move, withTemplates, worker } from "../runs/bench.ts";
import { workflowFiles } from "../workflow/stage.ts";

const sizes = [
	[40, 20],
	[80, 24],
	[120, 40],
	[200, 50],
	[40, 12],
] as const;

/** Waits until the screen is an overlay of this size that shows all of these. */
async function fits(pi: Tui, [cols, rows]: readonly [number, number], words: readonly string[]): Promise<void> {
	await pi.waitForScreen(() => {
		const lines = pi.lines();
		const keys = lines.findLastIndex((line) => line.trim() !== "");
		return (
			(lines[0]?.startsWith("── ") ?? false) &&
			// The keys are on the last row, and the rule above them reaches the edge.
			keys === rows - 1 &&
			(lines[rows - 2]?.endsWith("─") ?? false) &&
			lines.every((line) => line.length <= cols) &&
			words.every((word) => lines.some((line) => line.includes(word.slice(0, cols - 6))))
		);
	});
}

async function fitsEverySize(pi: Tui, words: readonly string[]): Promise<void> {
	// A text that does not fit shows its position.
	await fits(pi, [40, 12], [...words, " of "]);
	for (const size of sizes) {
		pi.resize(size[0], size[1]);
		await fits(pi, size, words);
	}
}

const template = {
	name: "Feature",
	states: {
		planning: { persona: "Architect", next: ["done"], requires_approval: true },
		done: {},
	},
};

describe("an overlay in pi", () => {
	deepIt(
		"for an approval shows all answers at every size, is postponed and reopened by one key, and is answered from the diff",
		async () => {
			const text = Array.from({ length: 30 }, (_, index) => `${index}. 統計 🧪 step`).join("\n");
			const { project, tui } = await openBench({
				files: withTemplates({ feature: template }),
				git: true,
				script: {
					[worker("planning")]: [call("write", { path: "plan.md", content: "# Plan 統計 🧪\n" }), move("done", text)],
				},
			});
			const pi = await tui({ cols: 40, rows: 12 });
			await pi.submit("/chronicle feature Do it");
			const answers = ["d → Review the changes", "a   Approve", "r   Reject", "s   Send", "t   Tell", "l   Later"];
			await pi.waitForScreen("Esc later", 30_000);
			await fitsEverySize(pi, ["── Move from planning", ...answers, "Esc later"]);

			pi.resize(80, 24);
			await pi.press("escape");
			await pi.waitForScreen("Alt+A answers", 20_000);
			expect(ledgerOf(project).status).toBe("awaiting_approval");
			pi.type("\u001ba");
			await fits(pi, [80, 24], answers);
			pi.type("d");
			await fits(pi, [80, 24], ["── Changes in planning", "A plan.md", "a approve · r reject · Esc back"]);
			pi.resize(40, 12);
			await fits(pi, [40, 12], ["── Changes in planning", "a approve · r reject · Esc back"]);
			pi.type("a");
			await pi.waitForScreen(() => ledgerOf(project).status === "done", 20_000);
		},
		patient(90_000),
	);

	it(
		"for a guard question shows its answers at every size, however long the command",
		async () => {
			const command = `sh deploy.sh ${Array.from({ length: 60 }, (_, index) => `--option-${index}=統計`).join(" ")}`;
			const { project, tui } = await openBench({
				files: {
					"deploy.sh": "echo deployed > deployed.txt\n",
					".pi/damage-control-rules.yaml":
						"bashToolPatterns:\n  - pattern: deploy\n    reason: Deploying needs a yes\n    ask: true\n",
				},
				script: [call("bash", { command }), say("Done.")],
			});
			const pi = await tui({ cols: 40, rows: 12 });
			await pi.submit("Deploy it");
			await pi.waitForScreen("Esc: No", 20_000);
			await fitsEverySize(pi, ["── Allow bash?", "n → No", "y   Yes", "Esc: No"]);
			pi.type("y");
			await pi.waitForScreen("Done.", 20_000);
			expect(project.read("deployed.txt")).toBe("deployed\n");
		},
		patient(60_000),
	);

	deepIt(
		"for pages of /workflow shows title, position and keys at every size",
		async () => {
			const phases = Array.from({ length: 8 }, (_, index) => ({
				id: `p${index}`,
				name: `Phase ${index} 統計`,
				emoji: "🧪",
			}));
			const files = workflowFiles({ long: { name: "Long Pipeline", phases } });
			const { tui } = await openBench({ files, script: [] });
			const pi = await tui({ cols: 40, rows: 12 });
			await pi.submit("/workflow show long");
			await fitsEverySize(pi, ["── Long Pipeline", "Esc closes"]);
			await pi.press("pagedown");
			await fits(pi, [40, 12], ["── Long Pipeline", "Esc closes", " of "]);
			await pi.press("escape");
			await pi.waitForScreen((screen) => !screen.includes("Esc closes"));
			for (const verb of ["list", "check", "status"]) {
				await pi.submit(`/workflow ${verb}`);
				await fits(pi, [40, 12], ["── ", "Esc closes"]);
				await pi.press("escape");
				await pi.waitForScreen((screen) => !screen.includes("Esc closes"));
			}
		},
		patient(60_000),
	);
});
