// A template's cleanup commands are shown completely before they may run, and none runs without the user's approval.
import { expect, it } from "vitest";
import { cleanupLines } from "../../../src/ui/phrases/index.ts";
import { openBench } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { ledgerOf, move, runIds, withTemplates, worker } from "../../runs/bench.ts";

const template = (cleanup: string) => ({
	states: { build: { persona: "Builder", next: ["done"], cleanup: [cleanup] } },
});

it("characters that a screen would hide or reorder are escaped, and further lines follow below", () => {
	const commands = [
		{ state: "build", command: "echo ok\u001b[2K\rrm -rf x" },
		{ state: "b", command: "one\n\ttwo \u202efdp.exe\u200b\u00a0three" },
	];
	expect(cleanupLines(commands)).toEqual([
		"  build: echo ok\\u{1b}[2K\\u{d}rm -rf x",
		"  b: one",
		"   │ \\u{9}two \\u{202e}fdp.exe\\u{200b}\\u{a0}three",
	]);
});

it("in a session the question shows the commands: when dismissed nothing starts, when refused none runs, when approved they run", async () => {
	const { project, rpc } = await openBench({
		files: withTemplates({ t: template("touch cleaned.txt #\u001b[8m hidden") }),
		script: { [worker("build")]: [move("done"), move("done")] },
	});
	const pi = await rpc();
	const ask = async (answer: string | null) => {
		const begun = pi.prompt("/chronicle t Do it");
		const dialog = await pi.screen.dialog("has commands of its own");
		expect(JSON.stringify(dialog)).toContain("build: touch cleaned.txt #\\\\u{1b}[8m hidden");
		pi.screen.answer(dialog, answer);
		await begun;
	};
	for (const answer of [null, "Don't start"]) await ask(answer);
	await expect
		.poll(() => pi.screen.notifications.filter((said) => JSON.stringify(said).includes("Nothing was started")), {
			timeout: patient(20_000),
		})
		.toHaveLength(2);
	expect(runIds(project)).toEqual([]);

	await ask("Start without");
	await pi.screen.notified(": done");
	expect(project.exists("cleaned.txt")).toBe(false);
	await ask("Allow them, exactly");
	await expect.poll(() => project.exists("cleaned.txt"), { timeout: patient(20_000) }).toBe(true);
	await expect
		.poll(() => runIds(project).map((id) => ledgerOf(project, id).status), { timeout: patient(20_000) })
		.toEqual(["done", "done"]);
});

it("in the terminal a text that is longer than the screen is scrolled above its answers", async () => {
	const script = Array.from({ length: 60 }, (_, at) => `echo step ${at + 1}`).join("\n");
	const { project, tui } = await openBench({ files: withTemplates({ t: template(script) }), script: [] });
	const pi = await tui({ cols: 80, rows: 24 });
	await pi.submit("/chronicle t Do it");
	await pi.waitForScreen("Don't start");
	expect(pi.screen()).toContain("echo step 1");
	expect(pi.screen()).not.toContain("echo step 60");
	for (let page = 0; page < 8; page++) await pi.press("pageDown");
	await pi.waitForScreen("echo step 60");
	expect(pi.screen()).toContain("Allow them, exactly");
	await pi.press("escape");
	await pi.waitForScreen("Nothing was started.");
	expect(runIds(project)).toEqual([]);
});
