// The question about which child is taken, in a session with real pi: the user takes another child than the worker named.
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { branch, childWorker, chronicle, move, withTemplates, worker } from "./bench.ts";

const branches = { one: branch("one"), two: branch("two") };
const editing = (name: string) => [
	call("bash", { command: `sed -i 's/line 3$/${name}/' a.txt` }),
	move("done", `${name} is there.`),
];
const lines = `${Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n")}\n`;
const taking = {
	states: {
		build: { branches, take: "one", next: ["choice"] },
		choice: { persona: "Judge", requires_approval: true, next: ["finished"] },
	},
};

function open(template: object) {
	const chosen = () =>
		call("workflow_transition", { target_state: "finished", summary: "Two is better.", data: { winner: "two" } });
	return openBench({
		files: { ...withTemplates({ t: template }), "a.txt": lines },
		script: { [childWorker("one")]: editing("one"), [childWorker("two")]: editing("two"), [worker("choice")]: chosen },
	});
}

describe("the question about which child is taken", { timeout: patient(120_000) }, () => {
	it("the dialog takes another child than the worker has named", async () => {
		const { project, rpc } = await open(taking);
		const pi = await rpc();
		await pi.prompt("/chronicle t Build it");
		const dialog = await pi.screen.dialog("Move from choice", 60_000);
		expect(dialog.title).toMatch(
			/Children:\n {2}one [0-9a-f]{8} · 1 file \+1 −1: one is there\.\n {2}two .*named by the worker/,
		);
		pi.screen.answer(dialog, "Review the changes");
		await pi.screen.notified('If you approve: the files of "two" are taken: 1 file changed, +1 −1');
		const diff = await chronicle(project, ["diff"]);
		expect(diff.stdout, diff.stderr).toMatch(
			/^if you approve, "two" is taken: 1 file changed, \+1 −1:\n {2}M a\.txt[\s\S]*\+two$/m,
		);
		expect((await chronicle(project, ["diff", "last", "2"])).stdout).toContain("No files changed.");
		pi.screen.answer(await pi.screen.dialog("Move from choice"), "Approve, and take another child");
		pi.screen.answer(await pi.screen.dialog("Which child is taken?"), null);
		pi.screen.answer(await pi.screen.dialog("Move from choice"), "Approve, and take another child");
		const which = await pi.screen.dialog("Which child is taken?");
		expect(which.options).toEqual(["one · one is there."]);
		pi.screen.answer(which, "one");
		await pi.screen.notified(/done/);
		expect(project.read("a.txt")).toBe(lines.replace("line 3\n", "one\n"));
	});

	it("a question is answered by /chronicle approve --choice, also on a screen", async () => {
		const { project, tui } = await open(taking);
		const pi = await tui({ cols: 110, rows: 40 });
		await pi.submit("/chronicle t Build it");
		await pi.waitForScreen("Approve, and take another child");
		await pi.still();
		pi.press("escape");
		await pi.waitForScreen("approve --choice <name>");
		await pi.submit("/chronicle approve --choice tow");
		await pi.waitForScreen("Did you mean `two`?");
		await pi.submit("/chronicle approve --choice one");
		await expect
			.poll(() => project.read("a.txt"), { timeout: patient(20_000) })
			.toBe(lines.replace("line 3\n", "one\n"));
	});
});
