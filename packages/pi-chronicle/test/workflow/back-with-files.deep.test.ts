// `/workflow back --files` in real pi: files that the agent and the user change are set back, and come back.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, type Rpc } from "../harness/index.ts";
import { openRpcStage, openStage, type Stage, type State, step } from "./stage.ts";

let stage: Stage & { pi: Rpc };
let pi: Rpc;

beforeAll(async () => {
	stage = await openRpcStage(
		{ kept: { phases: ["a", "b", "c"], autoContinue: false } },
		{
			git: true,
			snapshots: true,
			files: { "kept.txt": "first\n", ".gitignore": "*.log\n" },
		},
	);
	({ pi } = stage);
});
beforeEach(async () => {
	await pi.prompt("/cancel-workflow");
	await pi.idle();
	stage.project.git("checkout", "-qf", "main", "--", ".");
	stage.project.git("clean", "-fdq", "--exclude=.pi");
	pi.screen.notifications.length = 0;
	stage.play(
		write("kept.txt", "by a\n"),
		step("next"),
		write("kept.txt", "by b\n"),
		write("new.txt", "b\n"),
		step("next"),
	);
	await pi.prompt("/workflow kept it");
	await pi.settled();
	stage.project.write("mine.txt", "not committed\n");
	stage.project.write("build.log", "ignored\n");
});

const write = (path: string, content: string) => call("write", { path, content });
const phase = async () => (await pi.customEntries<State>("workflow:state")).at(-1)?.currentPath.at(-1)?.phaseId;
const files = () =>
	Object.fromEntries(
		["kept.txt", "new.txt", "mine.txt", "build.log"].map((path) => [
			path,
			stage.project.exists(path) ? stage.project.read(path) : undefined,
		]),
	);
const now = { "kept.txt": "by b\n", "new.txt": "b\n", "mine.txt": "not committed\n", "build.log": "ignored\n" };
const lastNotice = () => pi.screen.notifications.at(-1)?.message ?? "";

/** Enters a command and answers its question. Returns the question. */
async function enter(command: string, answer: boolean) {
	const done = pi.prompt(command);
	const dialog = await pi.screen.dialog(/^Restore the files/, 10_000);
	pi.screen.answer(dialog, answer);
	await done;
	await pi.idle();
	return `${dialog.title}\n${dialog.message}`;
}

describe("back --files", () => {
	it("says what changes, restores the files of the phase's beginning, and --undo gives back what it took", async () => {
		expect(files()).toEqual(now);
		const asked = await enter("/workflow back --files", true);
		expect(asked).toMatch(/^Restore the files as they were at the beginning of "B"\?\n/);
		expect(asked.split("\n")).toEqual(
			expect.arrayContaining([
				"3 files changed, +1 −3:",
				"  M kept.txt +1 −1",
				"  D new.txt +0 −1",
				"  D mine.txt +0 −1",
			]),
		);
		expect(asked).toContain("/workflow back --undo restores them.");
		expect(files()).toEqual({ "kept.txt": "by a\n", "build.log": "ignored\n" });
		expect(await phase()).toBe("b");
		const told = stage.server.last().users.join("\n");
		expect(told).toContain('The user has set the project\'s files back to how they were at the beginning of "B"');

		expect(await enter("/workflow back --undo", true)).toContain("before the last restore");
		expect(files()).toEqual(now);
		// An undo can be undone.
		await enter("/workflow back --undo", true);
		expect(files()).toEqual({ "kept.txt": "by a\n", "build.log": "ignored\n" });
	});

	it("leads to a named phase, and after a no nothing changes", async () => {
		await enter("/workflow back a --files", false);
		expect([await phase(), files()]).toEqual(["c", now]);
		await enter("/workflow back --files a", true);
		expect([await phase(), files()]).toEqual(["a", { "kept.txt": "first\n", "build.log": "ignored\n" }]);
	});

	it("keeps an ignored file that a restored one replaces", async () => {
		await enter("/workflow back a --files", true);
		stage.project.write(".gitignore", "*.log\nkept.txt\n");
		stage.project.git("rm", "-q", "--cached", "kept.txt");
		stage.project.write("kept.txt", "ignored now\n");
		stage.play(step("next"), write("kept.txt", "ignored, by b\n"), step("next"));
		await pi.run("go on");
		stage.project.write("kept.txt", "mine, ignored\n");
		await enter("/workflow back a --files", true);
		expect(stage.project.read("kept.txt")).toBe("first\n");
		await enter("/workflow back --undo", true);
		expect(stage.project.read("kept.txt")).toBe("mine, ignored\n");
	});

	it("names another branch before it mixes files", async () => {
		stage.project.git("checkout", "-qb", "other");
		expect(await enter("/workflow back --files", false)).toContain(
			"They are of the branch main, and the branch other is checked out now: files of both would be mixed.",
		);
		stage.project.git("checkout", "-q", "main");
	});

	it("is refused with the reason where there is nothing to restore", async () => {
		await pi.prompt("/workflow back nowhere --files");
		expect(lastNotice()).toContain('No earlier phase is called "nowhere"');
		await pi.prompt("/workflow back --undo");
		expect(lastNotice()).toBe("There is nothing to undo: this workflow has not restored files.");
		const stores = join(stage.project.agentFolder, "chronicle", "snapshots");
		for (const store of readdirSync(stores))
			for (const name of readdirSync(join(stores, store, "files", "objects")))
				rmSync(join(stores, store, "files", "objects", name), { recursive: true });
		await pi.prompt("/workflow back --files");
		expect(lastNotice()).toMatch(/^The snapshot of these files no longer exists\./);
		await pi.prompt("/cancel-workflow");
		await pi.prompt("/workflow back --files");
		expect(lastNotice()).toBe("No workflow is active.");
		expect(files()).toEqual(now);
	});
});

it("without a terminal says what changes and does it, and leaves the session file in the project alone", async () => {
	const { project, play, print } = await openStage(
		{ kept: { phases: ["a", "b"], autoContinue: false } },
		{ snapshots: true, files: { "kept.txt": "first\n" } },
	);
	play(write("kept.txt", "by a\n"), step("next"));
	const session = ["--session", project.path("session.jsonl")];
	await print([...session, "/workflow kept it"]);
	const back = await print([...session, "/workflow back --files"]);
	expect([back.code, back.stderr]).toEqual([3, ""]);
	expect(back.stdout).toContain("1 file changed, +1 −1:\n  M kept.txt +1 −1\n");
	expect(project.read("kept.txt")).toBe("first\n");
	expect((await print([...session, "/workflow back --undo"])).code).toBe(0);
	expect(project.read("kept.txt")).toBe("by a\n");
});

it("in a home folder says once that the files are not saved", async () => {
	const { home } = stage.project;
	const { stdout } = await stage.print("/workflow docs it", { cwd: home });
	expect(stdout).toMatch(/No snapshots of your home folder .* are taken: it holds more than a project\./);
});
