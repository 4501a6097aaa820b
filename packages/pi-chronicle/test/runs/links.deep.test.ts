// Commands in a project that is reached through symbolic links: the given path and the real one mean the same, from the start to a rewind.
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openBench, type Project } from "../harness/index.ts";
import { needsPosix } from "../harness/needs.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { branch, childWorker, chronicle, move, withTemplates, worker } from "./bench.ts";

const template = {
	states: {
		build: {
			branches: {
				one: {
					...branch("one"),
					run: { states: { one: { persona: "Builder", requires_approval: true, next: ["done"] } } },
				},
			},
			next: ["check"],
		},
		check: { persona: "Checker", requires_approval: true, next: ["finished"] },
	},
};

/** Makes a link; returns the folder to name, and variables. */
type Way = (project: Project) => { readonly cwd: string; readonly env?: Record<string, string> };

const ways: readonly (readonly [string, Way])[] = [
	[
		"a link to the project, with a blank and an umlaut",
		(project) => {
			const link = join(dirname(project.folder), "link with ü");
			symlinkSync(project.folder, link);
			return { cwd: link };
		},
	],
	[
		"a link further up",
		(project) => {
			const above = join(project.home, "above");
			symlinkSync(dirname(project.folder), above);
			return { cwd: join(above, project.folder.slice(dirname(project.folder).length + 1)) };
		},
	],
	[
		"a link to a folder in the project",
		(project) => {
			mkdirSync(project.path("inside"), { recursive: true });
			const link = join(project.home, "inside");
			symlinkSync("..", project.path("inside/back"));
			symlinkSync(project.path("inside/back"), link);
			return { cwd: link };
		},
	],
	[
		"a link as pi's agent folder",
		(project) => {
			const real = `${project.agentFolder}-elsewhere`;
			renameSync(project.agentFolder, real);
			symlinkSync(real, project.agentFolder);
			return { cwd: project.folder };
		},
	],
];

it.each(ways)("every command works through %s", { ...needsPosix, timeout: patient(120_000) }, async (_, way) => {
	const { project } = await openBench({
		files: { ...withTemplates({ t: template }), "a.txt": "old\n" },
		script: {
			[childWorker("one")]: [call("bash", { command: "echo new > a.txt; echo b > b.txt" }), move("done", "Done.")],
			[worker("check")]: [move("finished", "Checked.")],
		},
	});
	const { cwd, env = {} } = way(project);
	const command = async (...args: string[]) => {
		const ran = await chronicle(project, [...args, "--cwd", cwd], { env });
		return { ...ran, said: ran.stdout + ran.stderr };
	};
	const started = await command("run", "t", "Build it");
	expect([started.code, started.said]).toEqual([3, expect.stringContaining("awaiting approval")]);
	expect((await command("list")).stdout).toContain("Build it");
	expect((await command("status")).stdout).toContain("approve");
	const [, child = ""] = /approve (\w{8})/.exec(started.stdout) ?? [];
	const joined = await command("approve", child);
	expect([joined.code, project.read("a.txt"), project.read("b.txt")], joined.said).toEqual([3, "new\n", "b\n"]);
	expect((await command("diff", "last", "all")).stdout).toContain("+new");
	const rewound = await command("rewind", "last", "1");
	expect([rewound.code, project.read("a.txt"), project.exists("b.txt")], rewound.said).toEqual([0, "old\n", false]);
	expect(rewound.said).toContain("2 files changed: a.txt, b.txt");
	expect((await command("remove", "last")).code).toBe(0);
	expect((await command("list")).stdout).not.toContain("Build it");
});
