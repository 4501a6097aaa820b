// Runs that work in a copy of the project, from the command line: their files are taken when they have ended.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { chronicle, move, runIds, withTemplates, worker } from "./bench.ts";

const build = { persona: "Builder", next: ["review"] };
const review = { persona: "Reviewer", next: ["done"] };
const one = { states: { work: { persona: "Builder", next: ["done"] } } };
const files = { ...withTemplates({ t: { states: { build, review } }, one }), "src/a.txt": "one\ntwo\nthree\n" };

type Bench = Awaited<ReturnType<typeof openBench>>;
const copies = ({ project }: Bench): string[] => {
	const work = join(project.agentFolder, "chronicle", "work");
	return existsSync(work) ? readdirSync(work) : [];
};

describe("a run apart", { timeout: patient(120_000) }, () => {
	it("works in a copy with what is not committed or ignored, and its files are taken when the user asks for it", async () => {
		const bench = await openBench({
			files: { ...files, ".gitignore": "node_modules\n", "node_modules/x/index.js": "x\n" },
			git: true,
			script: {
				[worker("build")]: [
					call("bash", {
						command: "sed -i s/two/2/ src/a.txt; cat untracked.txt node_modules/x/index.js > new.txt",
					}),
					move("review", "Wrote new.txt.\nFrom a copy."),
				],
				[worker("review")]: [move("done", "It is right.")],
			},
		});
		const { project } = bench;
		project.write("untracked.txt", "mine\n");
		project.write("src/a.txt", "one\ntwo\nthree\nfour\n");
		const ran = await chronicle(project, ["run", "--json", "t", "Do", "it", "--apart"]);
		expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
		expect(ran.data).toMatchObject({
			status: "done",
			apart: { state: "waiting" },
			waitsFor: { commands: ["join", expect.any(String), "diff", "discard"] },
		});
		expect([project.read("src/a.txt"), project.exists("new.txt")]).toEqual(["one\ntwo\nthree\nfour\n", false]);
		const [id = ""] = runIds(project);
		const run = id.slice(0, 8);
		const list = await chronicle(project, ["list"]);
		expect(list.stdout).toContain(`${run}  done · apart, to be taken`);
		expect(list.stdout).toContain(`pi-chronicle join ${run} · pi-chronicle join ${run} --branch <name>`);
		// After this, the user goes on.
		project.write("src/b.txt", "b\n");
		const diff = await chronicle(project, ["diff", "--json", run]);
		expect(diff.data).toMatchObject({ taking: { conflicts: [] }, total: { files: 2 } });
		const early = await chronicle(project, ["remove", run]);
		expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("join or discard them")]);

		const head = project.git("rev-parse", "HEAD");
		const branch = await chronicle(project, ["join", run, "--branch", "feature/x"]);
		expect([branch.code, branch.stdout]).toEqual([0, expect.stringContaining("feature/x with 2 commits")]);
		const subjects = project.git("log", "--format=%s", "feature/x").trim().split("\n");
		expect(subjects).toEqual(["build: Wrote new.txt.", `Not committed when the run ${run} began`, "Start"]);
		expect(project.git("log", "-1", "--format=%b", "feature/x")).toContain("From a copy.");
		expect(project.git("show", "feature/x:new.txt")).toBe("mine\nx\n");
		expect([project.git("rev-parse", "HEAD"), project.git("diff", "--cached", "--stat").trim()]).toEqual([head, ""]);
		const again = await chronicle(project, ["join", run, "--branch", "feature/x"]);
		expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("has it all")]);
		project.git("branch", "-D", "feature/x");
		expect((await chronicle(project, ["join", run, "--branch", "feature/x"])).code).toBe(0);
		project.git("branch", "other", "HEAD");
		project.git("update-ref", "refs/heads/other", project.git("commit-tree", "-m", "theirs", "HEAD^{tree}").trim());
		const taken = await chronicle(project, ["join", run, "--branch", "other"]);
		expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining("has other commits")]);

		const patch = await chronicle(project, ["join", run, "--patch", "out.patch"]);
		expect(patch.code, patch.stderr).toBe(0);
		project.git("apply", "--check", "out.patch");
		expect((await chronicle(project, ["join", run, "--patch", "out.patch"])).code).toBe(1);

		const joined = await chronicle(project, ["join", "--json", run]);
		expect([joined.code, joined.stderr]).toEqual([0, expect.any(String)]);
		expect(joined.data).toMatchObject({ joined: true, total: { files: 2 }, apart: { state: "joined" } });
		expect([project.read("src/a.txt"), project.read("new.txt")]).toEqual(["one\n2\nthree\nfour\n", "mine\nx\n"]);
		project.write("new.txt", "mine now\n");
		expect((await chronicle(project, ["join", run])).stdout).toContain("No files changed.");
		expect(project.read("new.txt")).toBe("mine now\n");
		expect((await chronicle(project, ["discard", run])).code).toBe(0);
		const gone = await chronicle(project, ["join", run]);
		expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("were discarded")]);
		expect(copies(bench)).toEqual([]);
	});

	it("three at once that change one line: the first is joined, the others ask, and nothing is lost", async () => {
		const bench = await openBench({
			files,
			git: true,
			script: Object.fromEntries(
				["A", "B", "C"].map((name) => [
					`Write ${name}`,
					[
						call("bash", { command: `sed -i s/two/${name}/ src/a.txt; echo ${name} > ${name}.txt` }),
						move("done", name),
					],
				]),
			),
		});
		const { project } = bench;
		const runs = await Promise.all(
			["A", "B", "C"].map((name) => chronicle(project, ["run", "--json", "--apart", "one", `Write ${name}`])),
		);
		expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
		const [a = "", b = "", c = ""] = runs.map(({ data }) => (data as { id: string }).id);
		expect((await chronicle(project, ["join", a])).code).toBe(0);
		expect(project.read("src/a.txt")).toBe("one\nA\nthree\n");
		const asked = await chronicle(project, ["join", b]);
		expect([asked.code, asked.stdout]).toEqual([3, expect.stringContaining("src/a.txt")]);
		expect(project.read("src/a.txt")).toBe("one\nA\nthree\n");
		const taken = await chronicle(project, ["approve", b, "--choice", "theirs"]);
		expect([taken.code, taken.stderr]).toEqual([0, expect.any(String)]);
		expect(project.read("src/a.txt")).toBe("one\nB\nthree\n");
		const third = await chronicle(project, ["join", "--json", c]);
		expect(third.code).toBe(3);
		const given = await chronicle(project, ["abort", c]);
		expect(given.code, given.stderr).toBe(0);
		expect([project.read("src/a.txt"), project.exists("C.txt")]).toEqual(["one\nB\nthree\n", false]);
		expect((await chronicle(project, ["join", c, "--branch", "c"])).code).toBe(0);
		expect(project.git("show", "c:src/a.txt")).toBe("one\nC\nthree\n");
		expect([project.read("A.txt"), project.read("B.txt")]).toEqual(["A\n", "B\n"]);
	});

	it("killed at any point of its start and of its join, it continues, and nothing is lost", async () => {
		// The call that was running is lost with its worker, and made again.
		const work = call("bash", { command: "sed -i s/two/2/ src/a.txt; echo new > new.txt; echo made" });
		const { project } = await openBench({
			files,
			git: true,
			script: {
				[worker("work")]: ({ results }: { results: readonly { text: string }[] }) =>
					results.some(({ text }) => text.includes("made")) ? move("done", "Done.") : work,
			},
		} as never);
		const die = async (at: string, ...args: readonly string[]) => {
			const killed = await chronicle(project, [...args], { env: { PI_CHRONICLE_CRASH_AT: at } });
			expect(killed.signal, `dies at "${at}"`).toBe("SIGKILL");
		};
		await die("before files_measured", "run", "--apart", "one", "Do", "it");
		const [run = ""] = runIds(project);
		for (const at of ["after files_measured", "after worker_started"]) await die(at, "resume", run);
		expect((await chronicle(project, ["resume", run])).code).toBe(0);
		expect(project.read("src/a.txt")).toBe("one\ntwo\nthree\n");
		await die("after join_requested", "join", run);
		for (const at of [
			...["child files are kept", "before child_ended", "after child_ended", "files are merged", "after joined"],
			...["before merged files are written", "merged files are written", "after join_applied"],
		])
			await die(at, "resume", run);
		const status = await chronicle(project, ["status", "--json", run]);
		if ((status.data as { status: string }).status !== "done") await chronicle(project, ["resume", run]);
		expect((await chronicle(project, ["status", "--json", run])).data).toMatchObject({
			status: "done",
			apart: { state: "joined" },
		});
		expect([project.read("src/a.txt"), project.read("new.txt")]).toEqual(["one\n2\nthree\n", "new\n"]);
		const rewound = await chronicle(project, ["rewind", run, "1"]);
		expect(rewound.code, rewound.stderr).toBe(0);
		expect((await chronicle(project, ["abort", run])).code).toBe(0);
		expect((await chronicle(project, ["join", run])).code).toBe(0);
		expect([project.read("src/a.txt"), project.exists("new.txt")]).toEqual(["one\ntwo\nthree\n", false]);
	});

	it("keeps out what a sparse checkout leaves out, on a branch and at the join, except for what the run has written", async () => {
		const command = "echo new > src/new.txt; mkdir -p far; echo mine > far/c.txt";
		const bench = await openBench({
			files: { ...files, "far/b.txt": "far\n", "far/c.txt": "far\n" },
			git: true,
			script: { [worker("work")]: [call("bash", { command }), move("done", "Done.")] },
		});
		const { project } = bench;
		project.git("sparse-checkout", "set", "src", ".pi");
		expect(project.exists("far/b.txt")).toBe(false);
		const ran = await chronicle(project, ["run", "--json", "--apart", "one", "Do", "it"]);
		expect(ran.code, ran.stderr).toBe(0);
		const [run = ""] = runIds(project);
		const made = await chronicle(project, ["join", run, "--branch", "x"]);
		expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
		expect(project.git("diff", "--name-status", "HEAD", "x").trim()).toBe("M\tfar/c.txt\nA\tsrc/new.txt");
		expect((await chronicle(project, ["join", run])).code).toBe(0);
		expect([project.read("src/new.txt"), project.git("status", "--short", "--", "far")]).toEqual([
			"new\n",
			" M far/c.txt\n",
		]);
	});
});

it("the patch of a run apart that has changed nothing is called empty, not to be applied", async () => {
	const quiet = { states: { s: { command: "true" } } };
	const { project } = await openBench({ files: withTemplates({ quiet }), git: true });
	await chronicle(project, ["run", "quiet", "Look", "--apart", "--approve-cleanup"]);
	const { stdout, stderr } = await chronicle(project, ["join", "last", "--patch", "out.patch"]);
	expect(stdout, stderr).toContain("out.patch, which is empty: the run has changed no file.");
	expect(stdout).not.toContain("git apply");
});
