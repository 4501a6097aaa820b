// A state that is a command, with real workers: what decides, what the next worker reads, what a user sees and answers.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { chronicle, ledgerOf, move, withTemplates, worker } from "./bench.ts";

const template = {
	states: {
		build: { persona: "Builder", next: ["test"] },
		test: { command: "node check.mjs", next: { 0: "review", else: "build" } },
		review: { persona: "Reviewer", next: ["done"] },
		done: {},
	},
};
// Node queues what it writes to a full pipe, each stream for itself: only synchronous writes have an order.
const check =
	"import { existsSync, writeSync } from 'node:fs';\nfor (let n = 1; n <= 3000; n++) writeSync(1, `line ${n}\\n`);\nconst ok = existsSync('fixed.txt');\nwriteSync(2, ok ? 'all pass\\n' : '1 failed: fixed.txt is missing\\n');\nprocess.exitCode = ok ? 0 : 1;\n";
const files = { ...withTemplates({ t: template }), "check.mjs": check };

describe("a command that decides", { timeout: patient(120_000) }, () => {
	it("sends a failure back with its end, a success on, and costs no request", async () => {
		const { project, server } = await openBench({
			files,
			script: {
				[worker("build")]: [
					move("test", "I built it all."),
					call("write", { path: "fixed.txt", content: "x\n" }),
					move("test", "Repaired as the test said."),
				],
				[worker("review")]: [move("done")],
			},
		});
		const unapproved = await chronicle(project, ["run", "t", "Build it"]);
		expect(unapproved.code).toBe(3);
		expect(unapproved.stderr).toContain("test: node check.mjs");
		const run = await chronicle(project, ["run", "t", "Build it", "--approve-cleanup"]);
		expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
		expect(run.stdout + run.stderr).toContain("failed with exit code 1");
		expect(server.requests).toHaveLength(4);
		const again = server.about(worker("build"))[1]?.users.join("\n") ?? "";
		expect(again).toContain("`node check.mjs` failed with exit code 1");
		expect(again).toContain("1 failed: fixed.txt is missing");
		expect(again).toContain("line 2999");
		expect(again).not.toContain("line 1000\n");
		const reviewer = server.about(worker("review"))[0]?.users.join("\n") ?? "";
		expect(reviewer).toContain("Repaired as the test said.");
		expect(reviewer).toContain("`node check.mjs` succeeded (exit code 0)");
		const { id, history } = ledgerOf(project);
		expect(history.map(({ from, to, cause }) => `${from} ${to} ${cause}`)).toEqual([
			"build test worker",
			"test build command",
			"build test worker",
			"test review command",
			"review done worker",
		]);
		const logs = join(project.folder, ".pi", "chronicle", "sessions", id, "commands");
		expect(readdirSync(logs)).toEqual(["2.1.1.log", "4.1.1.log"]);
		expect(readFileSync(join(logs, "2.1.1.log"), "utf8")).toContain("line 1\nline 2\n");
		// Approved once for this text.
		const status = JSON.parse((await chronicle(project, ["status", "--json"])).stdout);
		expect(status.status).toBe("done");
		const report = await chronicle(project, ["report", "--json"]);
		expect(report.stdout + report.stderr).not.toContain("undefined");
		const view = await chronicle(project, ["show", "t"]);
		expect(view.stdout).toContain("node check.mjs");
	});

	it("{tests} is the command of the project's tests, which needs no approval, and the next worker reads which it was", async () => {
		const states = { ...template.states, test: { command: "{tests}", next: ["review", "build"] } };
		const manifest = { private: true, scripts: { test: "node check.mjs" } };
		const { project, server } = await openBench({
			files: { ...withTemplates({ t: { states } }), "check.mjs": check, "package.json": manifest },
			script: {
				[worker("build")]: [
					move("test", "I built it all."),
					call("write", { path: "fixed.txt", content: "x\n" }),
					move("test", "Repaired."),
				],
				[worker("review")]: [move("done")],
			},
		});
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
		const [, again] = server.about(worker("build")).map(({ users }) => users.join("\n"));
		expect(again).toContain("`npm test` failed with exit code 1");
		expect(server.about(worker("review"))[0]?.users.join("\n")).toContain("`npm test` succeeded (exit code 0)");
	});

	it("at the end of a child hands on what its worker said, to the next child and to the worker after them", async () => {
		const run = {
			states: {
				work: { persona: "Builder", next: ["test"] },
				test: { command: "{tests}", next: ["end", "work"] },
				end: {},
			},
		};
		const parts = { branches: { one: { run }, two: { run, needs: ["one"] } }, next: ["check"] };
		const { project, server } = await openBench({
			files: {
				...withTemplates({ t: { states: { parts, check: { persona: "Checker", next: ["done"] } } } }),
				"package.json": { private: true, scripts: { test: "echo all pass" } },
			},
			script: {
				'visit 1 of the run "one"': [move("test", "The first part is a parser.")],
				'visit 1 of the run "two"': [move("test", "The second part prints.")],
				[worker("check")]: [move("done")],
			},
		});
		const ran = await chronicle(project, ["run", "t", "Build it"]);
		expect(ran.code, ran.stderr).toBe(0);
		const [one = "", two = "", checker = ""] = server.requests.map(({ users }) => users.join("\n"));
		expect(one).toContain("- `test`: next (the project's tests)");
		expect(two).toContain("The first part is a parser.\n`npm test` succeeded (exit code 0)");
		for (const said of ["The first part is a parser.", "The second part prints.", "`npm test` succeeded"])
			expect(checker).toContain(said);
	});

	it("a command without approval, or that is not found, waits for the user", async () => {
		const one = { states: { test: { command: "no-such-program --all", next: ["done", "done"] }, done: {} } };
		const { project } = await openBench({ files: withTemplates({ t: one }), script: [] });
		const without = await chronicle(project, ["run", "t", "x", "--without-cleanup", "--json"]);
		expect(without.code).toBe(3);
		expect(JSON.parse(without.stdout).waitsFor.what).toContain("it is not approved");
		const missing = await chronicle(project, ["run", "t", "x", "--approve-cleanup", "--json"]);
		expect(missing.code).toBe(3);
		expect(JSON.parse(missing.stdout).waitsFor.what).toContain("was not found (exit code 127)");
		const checked = await chronicle(project, ["check"]);
		expect(checked.stdout + checked.stderr).toContain("no-such-program");
	});

	it("a command whose supervisor dies is asked about, and the answer decides", async () => {
		const one = {
			states: { test: { command: "echo once >> ran; sleep 600", next: ["done", "failed"] }, done: {}, failed: {} },
		};
		const { project } = await openBench({ files: withTemplates({ t: one }), script: [] });
		const killed = chronicle(project, ["run", "t", "x", "--approve-cleanup"], {
			env: { PI_CHRONICLE_CRASH_AT: "after command_started" },
		});
		await killed.catch(() => undefined);
		const asked = await chronicle(project, ["resume", "--json"]);
		expect(asked.code).toBe(3);
		const { status, question } = JSON.parse(asked.stdout);
		expect([status, question.choices]).toEqual(["asks", ["run again", "success", "failure"]]);
		const answered = await chronicle(project, ["answer", "success", "--json"]);
		expect(JSON.parse(answered.stdout).status).toBe("done");
		expect(existsSync(join(project.folder, "ran"))).toBe(false);
	});
});

it("a rewind and the way back change no figure: `diff all` and `status` name the same files", async () => {
	const states = { s: { command: "echo w >> a.txt" } };
	const { project } = await openBench({ files: withTemplates({ t: { states } }), git: true });
	await chronicle(project, ["run", "t", "Do it", "--approve-cleanup"]);
	const changed = async () => [
		((await chronicle(project, ["status", "--json"])).data as { changed: { run: { files: number } } }).changed.run
			.files,
		((await chronicle(project, ["diff", "last", "all", "--json"])).data as { total: { files: number } }).total.files,
	];
	expect(await changed()).toEqual([1, 1]);
	const { data } = await chronicle(project, ["rewind", "last", "1", "--json"]);
	expect(project.exists("a.txt"), JSON.stringify(data)).toBe(false);
	const [kept = ""] = /kept-\d+/.exec((await chronicle(project, ["status"])).stdout) ?? [];
	expect((await chronicle(project, ["rewind", "last", kept])).code).toBe(0);
	expect(await changed()).toEqual([1, 1]);
});
