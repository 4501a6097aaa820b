// Child runs with real workers: from the command line to the joined files.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { childWorker, chronicle, move, runIds, withTemplates, worker } from "./bench.ts";

const leaf = { states: { work: { persona: "Builder", next: ["done"] } } };

describe("child runs on the command line", { timeout: patient(120_000) }, () => {
	it("run branches in separate folders, ask for a child's approval by name, and join the files", async () => {
		const template = {
			requires: ">=0.2",
			states: {
				build: {
					branches: {
						api: { run: "part", task: "Write the API" },
						docs: { run: { states: { write: { persona: "Writer", next: ["done"] } } }, task: "Write the docs" },
					},
					next: ["check"],
				},
				check: { persona: "Checker", next: ["finished"] },
			},
		};
		const part = {
			states: { work: { ...leaf.states.work, requires_approval: true } },
		};
		const { project, server } = await openBench({
			files: withTemplates({ t: template, part }),
			script: {
				[worker("work")]: [call("write", { path: "api.txt", content: "api\n" }), move("done", "The API is there.")],
				[worker("write")]: [call("write", { path: "docs.txt", content: "docs\n" }), move("done", "Documented.")],
				[worker("check")]: [move("finished", "All there.")],
			},
		});
		const first = await chronicle(project, ["run", "t", "Build it"]);
		expect([first.code, first.stderr]).toEqual([3, expect.any(String)]);
		const work = join(realpathSync(project.agentFolder), "chronicle", "work");
		const folderOf = (user: string) =>
			server.requests.find(({ users }) => users[0]?.includes(user))?.system.match(/\S+\/files(?=\s)/)?.[0];
		for (const task of ["Write the API", "Write the docs"])
			expect(folderOf(task)).toMatch(new RegExp(`^${work}/[\\w-]+-[0-9a-f]{8}/[0-9a-f-]{13}/[0-9a-f-]{13}/files$`));
		expect(first.stdout).toMatch(/✓ docs .*done/);
		expect(first.stdout).toMatch(/\? api .*asks to move from work to done/);
		expect(existsSync(join(project.folder, "docs.txt"))).toBe(false);
		const approved = await chronicle(project, ["approve"]);
		expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
		expect(["api.txt", "docs.txt"].map((name) => readFileSync(join(project.folder, name), "utf8"))).toEqual([
			"api\n",
			"docs\n",
		]);
		const asked = server.requests.find(({ users }) => users[0]?.includes('the state "check"'));
		expect(asked?.users[0]).toContain("The API is there.");
		expect(runIds(project)).toHaveLength(3);
		expect(readdirSync(work)).toEqual([]);
	});

	deepIt(
		"nest three levels deep: one approval at the lowest level, and the files of all levels are joined upwards",
		async () => {
			const worked = { persona: "Builder", next: ["done"] };
			const templates = {
				t: { states: { build: { run: "mid", next: ["finished"] } } },
				mid: { states: { split: { branches: { left: { run: "low" }, right: worked }, next: ["done"] } } },
				low: {
					states: { deep: { run: { states: { work: { ...worked, requires_approval: true } } }, next: ["done"] } },
				},
			};
			const { project } = await openBench({
				files: { ...withTemplates(templates), "a.txt": "a\n" },
				script: {
					[worker("work")]: [call("bash", { command: "echo deep >> a.txt" }), move("done", "Deep.")],
					[childWorker("right")]: [call("write", { path: "right.txt", content: "right\n" }), move("done", "Right.")],
				},
			});
			const first = await chronicle(project, ["run", "t", "Build it"]);
			expect([first.code, runIds(project).length], first.stderr).toEqual([3, 5]);
			expect([project.read("a.txt"), project.exists("right.txt")]).toEqual(["a\n", false]);
			const approved = await chronicle(project, ["approve"]);
			expect(approved.code, approved.stderr).toBe(0);
			expect([project.read("a.txt"), project.read("right.txt")]).toEqual(["a\ndeep\n", "right\n"]);
			expect(project.processes()).toEqual([]);
		},
	);
});
