// Saved sequences: files of the project that are listed, run, changed and removed; runs from a given step, with a cost limit, or dry.
import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseRunWords } from "../../src/sequence/replay-words.ts";
import { nameMistake } from "../../src/sequence/saved.ts";
import { replaceSteps, sequenceText } from "../../src/sequence/sequence-file.ts";
import { deepIt } from "../harness/deep-it.ts";
import { call, openBench, say } from "../harness/index.ts";
import { echo, openRecorder, recorded } from "./stage.ts";

const review = "steps:\n  - Plan $1\n  - Build it\n";

describe("saved sequences", () => {
	deepIt("are readable private files, which every session of the project can run, show, list and delete", async () => {
		const { project, server, rpc, print } = await openBench({ script: echo });
		const pi = await rpc({ session: recorded(project, "Plan $@", "a\n b: #c", "- 'x'") });
		await pi.prompt("/sequence save plan");
		expect(pi.screen.text).toContain("/sequence run plan");
		expect(project.read(".pi/sequences/plan.yaml")).toContain("- Plan $@");
		expect(statSync(project.path(".pi/sequences/plan.yaml")).mode & 0o777).toBe(0o600);
		const other = await print("/sequence run plan 2 the parser");
		expect(other.code).toBe(0);
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(
			[1, 2].flatMap(() => ["Plan the parser", "a\n b: #c", "- 'x'"]),
		);
		const another = await rpc({ answers: [true] });
		await another.prompt("/sequence list");
		expect(another.screen.text).toContain("plan · 3 steps");
		await another.prompt("/sequence show plan");
		expect(another.screen.text).toContain("1. Plan $@");
		await another.prompt("/sequence delete plan");
		expect(project.exists(".pi/sequences/plan.yaml")).toBe(false);
		await another.prompt("/sequence show plan");
		expect(another.screen.notifications.at(-1)?.type).toBe("error");
	});

	it("are replaced or deleted only after a yes; if nobody can be asked, a replacement is refused", async () => {
		const { project, rpc, print } = await openBench({ script: [], files: { ".pi/sequences/plan.yaml": review } });
		const session = recorded(project, "new");
		const pi = await rpc({ session, answers: [false, false] });
		await pi.prompt("/sequence save plan");
		await pi.prompt("/sequence delete plan");
		expect(pi.screen.dialogs).toHaveLength(2);
		expect(project.read(".pi/sequences/plan.yaml")).toBe(review);
		expect((await print("/sequence save plan", { session })).code).toBe(2);
		expect(project.read(".pi/sequences/plan.yaml")).toBe(review);
	});

	deepIt(
		"may be written by hand, with a number of runs; a file with errors is reported with places and never run",
		async () => {
			const { server, print } = await openBench({
				files: {
					".pi/sequences/twice.yaml": "# by hand\ndescription: Two rounds\nruns: 2\nsteps: [go]\n",
					".pi/sequences/bad.yaml": "setps:\n  - x\n",
					".pi/sequences/twice.yml": "steps: [other]\n",
				},
				script: echo,
			});
			expect((await print("/sequence run twice")).code).toBe(0);
			expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["go", "go"]);
			const bad = await print("/sequence run bad");
			expect(bad.code).toBe(2);
			expect(bad.stderr).toMatch(/bad\.yaml:1:1/);
			const { stdout } = await print("/sequence list");
			expect(stdout).toContain("twice · 1 step · Two rounds");
			expect(stdout).toContain("bad · invalid");
			expect(stdout).toContain("twice.yml");
			expect(server.requests).toHaveLength(2);
		},
	);

	it("of an untrusted project are neither read nor written, which is reported", async () => {
		const { project, server, print } = await openBench({
			trusted: false,
			files: { ".pi/sequences/plan.yaml": review, ".pi/settings.json": {} },
			script: [],
		});
		const session = recorded(project, "x");
		const shown = await print("/sequence show plan");
		expect([shown.code, shown.stderr]).toEqual([2, expect.stringContaining("not trusted")]);
		expect((await print("/sequence save other", { session })).code).toBe(2);
		expect(project.exists(".pi/sequences/other.yaml")).toBe(false);
		expect(server.requests).toEqual([]);
	});

	deepIt("are edited in the recorder, which keeps comments and other fields", async () => {
		const { project, tui } = await openBench({
			script: [],
			files: { ".pi/sequences/plan.yaml": `# mine\nmaxCost: 2\n${review}` },
		});
		const pi = await tui({ cols: 100, rows: 40 });
		await pi.submit("/sequence edit plan");
		await pi.waitForScreen("2 steps");
		await pi.submit("Check it");
		await pi.waitForScreen("3 steps");
		await pi.press("ctrl+enter");
		await pi.waitForScreen('Saved "plan"');
		const text = project.read(".pi/sequences/plan.yaml");
		for (const kept of ["# mine", "maxCost: 2", "- Plan $1", "- Check it"]) expect(text).toContain(kept);
	});

	it("keep any steps as typed", () => {
		for (const steps of [["a: b", "- x", "#c", "| y", "a\n\n  b\n", "true", "12", '"q"', "$@", "é\t", " lead"]])
			expect(replaceSteps(sequenceText(["old"]), steps)).toBe(sequenceText(steps));
	});

	it.each(["", "../x", "a/b", "run", "list", "12", "a b", "-x", "x".repeat(65)])("can't be named %j", (name) => {
		expect(nameMistake(name)).toBeDefined();
	});
});

describe("arguments of a run", () => {
	it.each([
		["", {}],
		["plan", { name: "plan" }],
		["plan 3 a b", { name: "plan", count: 3, args: "a b" }],
		["3 plan", { count: 3, args: "plan" }],
		[
			"plan --from 2.3 --max-cost=1.5 -- --x",
			{ name: "plan", from: { runIndex: 1, stepIndex: 2 }, maxCostUsd: 1.5, args: "--x" },
		],
		["--dry-run x", { dryRun: true, args: "x" }],
	])("reads %j", (text, expected) => {
		expect(parseRunWords(text, new Set(["plan"]))).toMatchObject({ kind: "words", ...expected });
	});
	it.each(["--form 1.1", "--from 1", "--from 0.1", "--max-cost", "--max-cost -1", "0"])("refuses %j", (text) => {
		expect(parseRunWords(text, new Set())).toMatchObject({ kind: "refused" });
	});

	it("--from continues at a step of a run; the message of a stop has that command", async () => {
		const { project, server, print } = await openBench({ script: echo });
		const session = recorded(project, "one", "two");
		expect((await print("/sequence run 3 --from 2.2", { session })).code).toBe(0);
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["two", "one", "two"]);
	});

	deepIt.each(["4.1", "1.3"])("--from %s is refused if there is no such run or step", async (from) => {
		const { project, server, print } = await openBench({ script: [] });
		const session = recorded(project, "one", "two");
		expect((await print(`/sequence run 3 --from ${from}`, { session })).code).toBe(2);
		expect(server.requests).toEqual([]);
	});

	deepIt("a dry run sends nothing, shows what would be sent, and reports what could not be", async () => {
		const { project, server, print } = await openBench({
			script: [],
			files: { ".pi/prompts/review.md": "Look at $1 well.", ".pi/prompts/empty.md": "$1" },
		});
		const session = recorded(project, "Plan $@", "/review src", "/handoff go");
		const { code, stdout } = await print("/sequence run 2 --dry-run the parser", { session });
		expect(code).toBe(0);
		for (const line of ["2 runs of 3 steps", "Plan the parser", "Look at src well.", "runs /handoff go"])
			expect(stdout).toContain(line);
		const bad = await print("/sequence run --dry-run", { session: recorded(project, "/empty") });
		expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("expands to nothing")]);
		expect(server.requests).toEqual([]);
	});

	it("a cost ceiling stops before the next step, and in the middle of a step that needs more requests", async () => {
		const usage = { input: 1_000_000, output: 0 };
		const { project, server, print } = await openBench({ script: () => say("done", { usage }) });
		const session = recorded(project, "one", "two", "three");
		const { code, stdout } = await print("/sequence run 5 --max-cost 1.5", { session });
		expect(code).toBe(1);
		expect(server.requests).toHaveLength(2);
		expect(stdout).toMatch(/has spent \$2\.00 of at most \$1\.50/);
		expect(stdout).toContain("/sequence run 5 --from 1.3");
	});

	deepIt("a cost ceiling that a model without usage figures voids is named at its first answer", async () => {
		const { project, print } = await openBench({ script: () => say("done", { usage: "none" }) });
		const { code, stdout, stderr } = await print("/sequence run --max-cost 1.5", {
			session: recorded(project, "one", "two"),
		});
		expect(code, stderr).toBe(0);
		expect(
			(stdout + stderr).split("scripted/one has no price or reports no usage, so the limit of $1.50"),
		).toHaveLength(2);
	});

	deepIt("a cost ceiling applies within a step: a model that would continue is stopped", async () => {
		const usage = { input: 1_000_000, output: 0 };
		const { project, server, print } = await openBench({
			files: { "a.txt": "x" },
			script: () => call("read", { path: "a.txt" }, { usage }),
		});
		const { code } = await print("/sequence run --max-cost 2.5", { session: recorded(project, "loop") });
		expect(code).toBe(1);
		expect(server.requests).toHaveLength(3);
	});

	deepIt("stop ends the sequence after the step, or after the run", async () => {
		const { project, server, rpc } = await openBench({
			script: (request) => say(`echo ${request.lastUser}`, { chunk: 2, delay: 60 }),
		});
		const pi = await rpc({ session: recorded(project, "one", "two") });
		let run = pi.prompt("/sequence run 3");
		await server.waitForRequest(1);
		await pi.prompt("/sequence stop");
		await run;
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one"]);
		expect(pi.screen.text).toContain("/sequence run 3 --from 1.2");
		run = pi.prompt("/sequence run 3");
		await server.waitForRequest(2);
		await pi.prompt("/sequence stop run");
		await run;
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one", "one", "two"]);
		expect(pi.screen.text).toContain("/sequence run 3 --from 2.1");
	});

	deepIt("a misspelled verb is not taken for an argument of a run", async () => {
		const { project, print } = await openBench({ script: [] });
		const { code, stderr } = await print("/sequence delte plan", { session: recorded(project, "one") });
		expect([code, stderr]).toEqual([2, expect.stringContaining("`delete`")]);
	});

	deepIt("/sequence alone opens the recorder", async () => {
		const { project, tui } = await openBench({ script: echo });
		const pi = await tui({ cols: 100, session: recorded(project, "one") });
		await openRecorder(pi, "last");
		await pi.waitForScreen("1 step");
	});
});
