// `pi-chronicle view --follow`: the pages of the run view in a plain terminal, while another process supervises the run.
import { expect, it } from "vitest";
import { call, gate, openBench, startTerminal, type Tui } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { packageUnderTest } from "../harness/under-test.ts";
import { chronicle, ledgerOf, move, withTemplates, worker } from "./bench.ts";

const template = {
	name: "Feature 統計",
	states: {
		build: { persona: "Senior Engineer", next: ["check"] },
		check: { persona: "Tester", next: ["done"] },
		done: {},
	},
};

/** Waits until the view covers a terminal of this size and shows all of these. */
async function covers(terminal: Tui, cols: number, rows: number, words: readonly string[]): Promise<void> {
	terminal.resize(cols, rows);
	await terminal.waitForScreen((screen) => {
		const lines = terminal.lines();
		return (
			(lines[0]?.startsWith("── ") ?? false) &&
			lines.findLastIndex((line) => line.trim() !== "") === rows - 1 &&
			(lines[rows - 2]?.endsWith("─") ?? false) &&
			lines.every((line) => line.length <= cols) &&
			words.every((word) => screen.includes(word))
		);
	});
}

it(
	"shows the five pages at every size, follows the run, and gives the terminal back",
	async () => {
		const held = gate();
		const { project } = await openBench({
			files: { ...withTemplates({ feature: template }), "src/a.ts": "export const a = 1;\n" },
			git: true,
			script: {
				[worker("build")]: [
					call("write", { path: "src/a.ts", content: "export const a: number = 2;\n" }),
					call("workflow_update_snapshot", { data: { findings: ["The answer is 二."] } }),
					move("check", "Built it.", { after: held.opened }),
				],
				[worker("check")]: [move("done", "Fine.")],
			},
		});
		const run = chronicle(project, ["run", "--approve", "feature", "Do it"]);
		await expect.poll(() => ledgerOf(project).snapshot !== undefined, { timeout: patient(20_000) }).toBe(true);
		const follow = [process.execPath, packageUnderTest().cli, "view", "--approve", "--follow"];
		const terminal = await startTerminal(project, follow, { cols: 80, rows: 24, ready: "[1 History]" });
		for (const [key, page, words] of [
			["2", "2 Transcript", "▸ write src/a.ts"],
			["4", "4 Knowledge", "The answer is 二."],
			["5", "5 Events", "▸ write src/a.ts"],
			["3", "3 Diff", "a: number = 2"],
		] as const) {
			terminal.type(key);
			await terminal.waitForScreen(() => terminal.screen().includes(page) && terminal.screen().includes(words));
			for (const [cols, rows] of [
				[40, 12],
				[200, 50],
				[80, 24],
			] as const)
				await covers(terminal, cols, rows, [page, "Esc closes"]);
		}
		const code = terminal.snapshot().runs.flat();
		expect(new Set(code.map(({ style }) => JSON.stringify(style.color))).size).toBeGreaterThan(4);
		terminal.type("1");
		await terminal.waitForScreen("running");
		held.open();
		await terminal.waitForScreen(
			() => ["build → check", "Built it.", "check → done"].every((words) => terminal.screen().includes(words)),
			30_000,
		);
		expect((await run).code).toBe(0);
		terminal.type("q");
		expect(await terminal.exit).toEqual({ code: 0 });
		expect(terminal.screen()).toBe("");

		const killed = await startTerminal(project, follow, {
			cols: 80,
			rows: 24,
			ready: "[1 History]",
			env: { NO_COLOR: "1" },
		});
		expect(
			killed
				.snapshot()
				.runs.flat()
				.every(({ style }) => style.color === undefined),
		).toBe(true);
		process.kill(killed.pid, "SIGTERM");
		expect(await killed.exit).toEqual({ code: 130 });
		expect(killed.screen()).toBe("");

		const piped = await chronicle(project, ["view", "--approve", "--follow"]);
		expect(piped).toMatchObject({ code: 2, stdout: "" });
		expect(piped.stderr).toContain("--follow needs a terminal.");
		expect((await chronicle(project, ["view", "--follow", "--json"])).code).toBe(2);
	},
	patient(120_000),
);
