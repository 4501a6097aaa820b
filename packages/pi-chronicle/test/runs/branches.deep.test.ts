// A rewind after a branch switch mixes no files without a word, and a dry run shows what a rewind would change.
import { expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { call } from "../harness/reply.ts";
import { chronicle, eventsOf, move, withTemplates, worker } from "./bench.ts";

it("rewind names both branches and is refused without the option; --dry-run changes nothing", async () => {
	const states = { plan: { persona: "P", next: ["build"] }, build: { persona: "B", next: ["done"] } };
	const { project } = await openBench({
		files: { ...withTemplates({ t: { states } }), "a.txt": "1\n" },
		git: true,
		script: {
			[worker("plan")]: [call("write", { path: "a.txt", content: "2\n" }), move("build")],
			[worker("build")]: [move("done")],
		},
	});
	const main = project.git("branch", "--show-current").trim();
	const commit = project.git("rev-parse", "HEAD").trim();
	const ran = await chronicle(project, ["run", "--json", "t", "Do", "it"]);
	expect(ran.code, ran.stderr).toBe(0);
	expect(eventsOf(project).filter(({ kind }) => kind === "files_measured")).toEqual(
		expect.arrayContaining([expect.objectContaining({ checkedOut: { branch: main, commit } })]),
	);
	project.git("checkout", "-qb", "feature-x");

	const dry = await chronicle(project, ["rewind", "last", "1", "--dry-run"]);
	expect([dry.code, dry.stdout]).toEqual([
		0,
		expect.stringMatching(new RegExp(`branch ${main}[^]*feature-x[^]*M a.txt`)),
	]);
	expect(project.read("a.txt")).toBe("2\n");
	const refused = await chronicle(project, ["rewind", "last", "1"]);
	expect(refused.code).toBe(2);
	expect(refused.stderr + refused.stdout).toMatch(new RegExp(`branch ${main}[^]*feature-x[^]*--other-branch`));
	expect(project.read("a.txt")).toBe("2\n");
	const done = await chronicle(project, ["rewind", "last", "1", "--other-branch"]);
	expect(done.code, done.stderr).toBe(0);
	expect(project.read("a.txt")).toBe("1\n");
	project.git("checkout", "-q", main);
	// What the rewind replaced was recorded on the other branch.
	const undone = await chronicle(project, ["rewind", "last", "undo"]);
	expect(undone.stderr + undone.stdout).toMatch(/feature-x/);
	project.git("checkout", "-q", "feature-x");
	expect((await chronicle(project, ["rewind", "last", "undo"])).code).toBe(0);
	expect(project.read("a.txt")).toBe("2\n");
});
