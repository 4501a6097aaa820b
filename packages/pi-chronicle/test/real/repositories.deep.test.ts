// Runs with children in repositories of the usual kinds: their own tools work as without a run, in the project and in the folders of children.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { playIn } from "./play.ts";
import { repositories } from "./repositories.ts";

it.each(repositories)(
	"$name: children change many files, test their own copy and are joined, while the project's check runs",
	{ timeout: patient(120_000) },
	async (repository) => {
		const { project, ...played } = await playIn(repository);
		// The project's people see nothing of the children until the join, and a child tests its own change.
		expect(played.before).toContain("word=one");
		expect(played.during).toBe(played.before);
		expect(played.inChild).toContain("word=two");
		expect(played.after).toContain("word=two");
		expect(played.status.replaceAll(/^\?\? \.pi\/$/gm, "").trim()).toBe("");
		expect(project.read(repository.changed)).toContain('"two"');
		expect([project.read("README.md"), project.read("docs/a.md")]).toEqual(["w\nnoted\n", "a\nnoted\n"]);
		expect(existsSync(join(project.home, "hook-ran"))).toBe(false);
	},
);
