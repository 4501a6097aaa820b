// Failures of child runs, with real workers: each case ends in a merge or in a clear error, never in a partially written folder.
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openFolder } from "../harness/folder.ts";
import { call, gate, hang, openBench, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { runProgram } from "../harness/print.ts";
import type { Project } from "../harness/project.ts";
import { needsSmallDisk, onSmallDisk } from "../harness/small-disk.ts";
import { packageUnderTest, piScript } from "../harness/under-test.ts";
import { childFolders, childWorker, chronicle, goOn, ledgerOf, move, runIds, withTemplates, worker } from "./bench.ts";

const leaf = (name: string, more: object = {}) => ({
	...more,
	states: { [name]: { persona: "Builder", next: ["done"] } },
});
const bash = (command: string) => call("bash", { command });

/** The run whose template has this name. */
function idOf(project: Project, template: string): string {
	const [id = ""] = runIds(project).filter((one) => ledgerOf(project, one).template.name === template);
	return id;
}

describe("children that stop", { timeout: patient(180_000) }, () => {
	it("are waited for: one hangs, one reaches a ceiling, another works; the rest is joined once both are dropped", async () => {
		const { project, server } = await openBench({
			files: {
				...withTemplates({
					t: {
						states: {
							build: {
								branches: {
									quick: { run: leaf("quick") },
									hung: {
										run: {
											limits: { retries: 0 },
											states: { hung: { persona: "Builder", next: ["done"], idle_minutes: 0.05 } },
										},
									},
									costly: { run: leaf("costly", { limits: { tokens: 100 } }) },
								},
								next: ["finished"],
							},
						},
					},
				}),
				"a.txt": "old\n",
			},
			script: {
				[childWorker("quick")]: [bash("echo new > a.txt"), move("done", "Changed.")],
				[childWorker("hung")]: () => hang("Let me think"),
				[childWorker("costly")]: () =>
					call("bash", { command: "echo half > costly.txt" }, { usage: { input: 90, output: 20 } }),
			},
		});
		server.lenient();
		const timeout = 120_000;
		const first = await chronicle(project, ["run", "t", "Build it"], { timeout });
		expect(first.code, first.stderr).toBe(3);
		expect(first.stdout).toMatch(/quick .*done/);
		expect(first.stdout).toMatch(/hung .*silent/);
		expect(first.stdout).toMatch(/costly .*(ceiling|tokens)/);
		expect([project.read("a.txt"), project.exists("costly.txt")]).toEqual(["old\n", false]);

		const one = await chronicle(project, ["drop", idOf(project, "hung").slice(0, 8)]);
		expect([one.code, project.read("a.txt")], one.stderr).toEqual([3, "old\n"]);
		const two = await chronicle(project, ["drop", idOf(project, "costly").slice(0, 8)]);
		expect([two.code, project.read("a.txt"), project.exists("costly.txt")], two.stderr).toEqual([0, "new\n", false]);
		expect(project.processes()).toEqual([]);
	});

	it("may all be dropped: there is nothing to join, and the run says so", async () => {
		const { project, server } = await openBench({
			files: withTemplates({
				t: { states: { build: { branches: { one: { run: leaf("one", { limits: { nudges: 0 } }) } }, next: ["end"] } } },
			}),
			script: { [childWorker("one")]: () => say("I stop here.") },
		});
		server.lenient();
		expect((await chronicle(project, ["run", "t", "Build it"])).code).toBe(3);
		const dropped = await chronicle(project, ["drop", idOf(project, "one")]);
		expect([dropped.code, dropped.stdout], dropped.stderr).toEqual([3, expect.stringContaining("nothing to join")]);
	});

	it("do not resume a run that the user has paused when one is dropped", async () => {
		const held = gate();
		const { project, server } = await openBench({
			files: withTemplates({
				t: { states: { build: { branches: { one: { run: leaf("one") }, two: { run: leaf("two") } }, next: ["end"] } } },
			}),
			script: {
				[childWorker("one")]: [move("done", "One.", { after: held.opened }), move("done", "One.")],
				[childWorker("two")]: [move("done", "Two.", { after: held.opened }), move("done", "Two.")],
			},
		});
		server.lenient();
		const run = goOn(project, ["run", "t", "Build it"]);
		await server.waitForRequest(2);
		const paused = await chronicle(project, ["pause", idOf(project, "t").slice(0, 8)]);
		expect(paused.code, paused.stderr).toBe(0);
		held.open();
		expect((await run.ended).code).toBe(3);
		const asked = server.requests.length;
		const dropped = await chronicle(project, ["drop", idOf(project, "two")]);
		expect([dropped.code, server.requests.length], dropped.stderr).toEqual([3, asked]);
		expect(ledgerOf(project, idOf(project, "t")).status).toBe("paused");
		const resumed = await chronicle(project, ["resume", idOf(project, "t")]);
		expect(resumed.code, resumed.stderr).toBe(0);
	});
});

describe("a list without valid children", { timeout: patient(120_000) }, () => {
	it.each<[string, unknown, RegExp]>([
		["101 entries", Array.from({ length: 101 }, (_, n) => `p${n}`), /101 entries.*at most 100 children/],
		["an entry that is not a string", ["a", ["b"]], /Entry 2 of "parts" has no text for `\{item\}`/],
		["a list that is cut off", '["a", "b', /not valid JSON/],
	])(
		"is refused to the worker that made it, and pauses the run before any child exists: %s",
		async (_, parts, reason) => {
			const { project, server } = await openBench({
				files: withTemplates({
					t: {
						limits: { nudges: 1 },
						states: {
							plan: { persona: "Planner", next: ["build"] },
							build: { run: leaf("work"), for_each: "parts", next: ["finished"] },
						},
					},
				}),
				script: {
					[worker("plan")]: [call("workflow_update_snapshot", { data: { parts } }), move("build"), move("build")],
				},
			});
			const run = await chronicle(project, ["run", "t", "Build it"]);
			expect([run.code, run.stdout], run.stderr).toEqual([3, expect.stringMatching(reason)]);
			expect(server.about(worker("plan")).at(-1)?.lastResult?.text).toMatch(reason);
			expect(runIds(project)).toHaveLength(1);
		},
	);

	it("may have the same entry twice, for two children with separate folders and names", async () => {
		const { project, server } = await openBench({
			files: withTemplates({
				t: {
					states: {
						plan: { persona: "Planner", next: ["build"] },
						build: { run: leaf("work"), for_each: "parts", next: ["finished"] },
					},
				},
			}),
			script: {
				[worker("plan")]: [call("workflow_update_snapshot", { data: { parts: ["same", "same"] } }), move("build")],
				[worker("work")]: ({ results }) =>
					results.length === 0
						? bash('pwd | sha256sum > "$(pwd | sha256sum | cut -c1-8).txt"')
						: move("done", "There."),
			},
		});
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect(run.code, run.stderr).toBe(0);
		expect(project.list().filter((name) => /^[0-9a-f]{8}\.txt$/.test(name))).toHaveLength(2);
		expect(runIds(project)).toHaveLength(3);
		expect(server.requests).toHaveLength(6);
	});
});

describe("templates that cannot start", { timeout: patient(60_000) }, () => {
	const build = (run: string) => ({ states: { build: { run, next: ["finished"] } } });

	it.each<[string, Record<string, unknown>, RegExp]>([
		["a cycle", { t: build("b"), b: build("c"), c: build("b") }, /t\.json:\d+:\d+ build: .*loop.*b → c → b/],
		[
			"two children of one name",
			{
				"t.json":
					'{ "states": { "build": { "next": ["finished"], "branches": {\n"a": { "run": "b" },\n"a": { "run": "b" } } } } }',
				b: leaf("x"),
			},
			/t\.json:3:\d+ .*`a`/,
		],
		["a template that is missing", { t: build("leef"), leaf: leaf("x") }, /t\.json:\d+:\d+ build: .*`leef`.*`leaf`/],
		[
			"a template that is wrong",
			{ t: build("b"), b: { states: { a: { persona: 5 } } } },
			/t\.json:\d+:\d+ build: .*b\.json:\d+/,
		],
	])("are refused with file and line, before a run exists: %s", async (_, templates, reason) => {
		const { project, server } = await openBench({ files: withTemplates(templates), script: [] });
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(reason)]);
		expect([runIds(project), server.requests.length]).toEqual([[], 0]);
	});
});

describe("commands of children that are not approved", { timeout: patient(120_000) }, () => {
	const part = { states: { work: { persona: "Builder", next: ["done"], cleanup: ["touch cleaned.txt"] } } };

	it("of a child's template: nothing starts without an answer, and none runs without approval", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: { states: { build: { run: "part", next: ["finished"] } } }, part }),
			script: { [worker("work")]: () => move("done", "There.") },
		});
		const refused = await chronicle(project, ["run", "--json", "t", "Build it"]);
		expect([refused.code, refused.data]).toMatchObject([3, { error: { code: "cleanup-not-approved" } }]);
		expect(refused.stderr).toContain("build/work: touch cleaned.txt");
		expect([runIds(project), server.requests.length]).toEqual([[], 0]);
		const without = await chronicle(project, ["run", "--without-cleanup", "t", "Build it"]);
		expect([without.code, project.exists("cleaned.txt")], without.stderr).toEqual([0, false]);
		const approved = await chronicle(project, ["run", "--approve-cleanup", "t", "Build it"]);
		expect([approved.code, project.exists("cleaned.txt")], approved.stderr).toEqual([0, true]);
	});

	it("of `setup`: no child works in a folder that is not set up, and the run says how to continue", async () => {
		const { project } = await openBench({
			files: withTemplates({
				t: { states: { build: { run: leaf("work"), setup: ["touch ready.txt"], next: ["finished"] } } },
			}),
			script: { [worker("work")]: () => move("done", "There.") },
		});
		const without = await chronicle(project, ["run", "--without-cleanup", "t", "Build it"]);
		expect([without.code, without.stdout], without.stderr).toEqual([3, expect.stringContaining("not approved")]);
		expect(runIds(project)).toHaveLength(1);
		const [, way = ""] = /(rewind [0-9a-f]{8} \d+ --reload --approve-cleanup)/.exec(without.stdout) ?? [];
		expect(way).not.toBe("");
		const rewound = await chronicle(project, way.split(" "));
		expect(rewound.code, rewound.stderr).toBe(0);
		const resumed = await chronicle(project, ["resume"]);
		expect([resumed.code, project.exists("ready.txt")], resumed.stderr).toEqual([0, true]);
	});
});

describe("a repository with submodules", { timeout: patient(120_000) }, () => {
	const open = async (script: Record<string, string>) => {
		const { project } = await openBench({
			files: {
				...withTemplates({
					t: {
						states: {
							build: {
								branches: { one: { run: leaf("one") }, two: { run: leaf("two") } },
								next: ["finished"],
							},
						},
					},
				}),
				"a.txt": "a\n",
			},
			git: true,
			script: Object.fromEntries(
				Object.entries(script).map(([name, command]) => [
					childWorker(name),
					[bash(command), move("done", `${name} is done.`)],
				]),
			),
		});
		const library = openFolder({ "lib.txt": "lib\n" });
		project.git("-C", library, "init", "--quiet");
		project.git("-C", library, "add", ".");
		project.git("-C", library, "commit", "--quiet", "-m", "library");
		project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
		project.git("commit", "--quiet", "-m", "with a library");
		project.write("lib/mine.txt", "mine\n");
		return project;
	};

	it("keeps them as they are, and merges the rest", async () => {
		const project = await open({ one: "ls -A lib > lib-seen.txt 2>&1; echo one >> a.txt", two: "echo two > b.txt" });
		const head = project.git("-C", "lib", "rev-parse", "HEAD");
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect(run.code, run.stderr).toBe(0);
		expect([project.read("a.txt"), project.read("b.txt"), project.read("lib/mine.txt")]).toEqual([
			"a\none\n",
			"two\n",
			"mine\n",
		]);
		expect(project.git("-C", "lib", "rev-parse", "HEAD")).toBe(head);
		expect(project.git("submodule", "status")).toContain("lib");
	});

	it("keeps what a child has changed in one, names it and waits, and joins the rest", async () => {
		const project = await open({ one: "echo theirs > lib/new.txt", two: "echo two > b.txt" });
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect(run.code, run.stderr).toBe(3);
		expect(run.stdout).toContain("lib (a submodule that it has changed;");
		expect([project.read("b.txt"), project.read("lib/mine.txt"), project.exists("lib/new.txt")]).toEqual([
			"two\n",
			"mine\n",
			false,
		]);
		expect(project.git("submodule", "status")).toContain("lib");
		const kept = childFolders(project).flatMap((folder) => readdirSync(folder, { recursive: true }).map(String));
		expect(kept).toContainEqual(expect.stringMatching(/lib\/new\.txt$/));
		const resumed = await chronicle(project, ["resume"]);
		expect(resumed.code, resumed.stderr).toBe(0);
	});
});

it("a disk that is full at the join: the reason is shown, no file changes, and the join is finished when there is room", {
	...needsSmallDisk(),
	timeout: patient(240_000),
}, async () => {
	const change = (parity: number, letter: string) =>
		`for n in 0 1 2 3 4 5 6 7 8 9; do [ $((n % 2)) = ${parity} ] && { printf ${letter}; head -c 500000 /dev/urandom; } > f$n; done; true`;
	const { project } = await openBench({
		files: {
			...withTemplates({
				t: {
					states: {
						build: { branches: { one: { run: leaf("one") }, two: { run: leaf("two") } }, next: ["finished"] },
					},
				},
			}),
			...Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f${n}`, `old ${n}\n`])),
		},
		script: {
			[childWorker("one")]: [bash(change(0, "1")), move("done", "One.")],
			[childWorker("two")]: [bash(change(1, "2")), move("done", "Two.")],
		},
	});
	const disk = join(openFolder(), "disk");
	mkdirSync(disk);
	const script = join(dirname(fileURLToPath(import.meta.url)), "children-full-disk.sh");
	const command = ["sh", script, project.folder, disk, process.execPath, packageUnderTest().cli];
	const { stdout, stderr, code } = await runProgram(project, onSmallDisk(disk, 80_000_000, command), {
		timeout: 200_000,
		env: { PI_CHRONICLE_PI: piScript(), BROKEN_AT: "before merged files are written" },
	});
	expect(code, stderr).toBe(0);
	const [broken = "", ...attempts] = stdout.trim().split("\n");
	const [killed, letters, before] = broken.split(" ");
	expect([killed, letters]).toEqual(["137", "oooooooooo"]);
	const done = attempts.findIndex((line) => line.startsWith("0 "));
	expect(done, stdout).toBeGreaterThan(0);
	for (const [index, line] of attempts.entries()) {
		const [exit, shown, sum] = line.split(" ");
		if (index < done) {
			expect([Number(exit) > 0, sum], line).toEqual([true, before]);
			expect(line).toMatch(/no space left/i);
		} else expect(shown, line).toBe("1212121212");
	}
});
