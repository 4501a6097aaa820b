// Decisions of the user from the command line: reject, raise a ceiling, leave a cycle, rewind, reopen; one process after another.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call, hang, say } from "../harness/reply.ts";
import { chronicle, eventsOf, goOn, ledgerOf, move, onlyRun, runIds, withTemplates, worker } from "./bench.ts";

const two = {
	states: {
		plan: { persona: "Planner", next: ["build"] },
		build: { persona: "Builder", next: ["finished", "plan"] },
	},
};

describe("the user's decisions on the command line", { timeout: patient(90_000) }, () => {
	it("a rejection continues the same conversation with its message; a question may be answered by sending the run elsewhere", async () => {
		const template = { ...two, states: { ...two.states, plan: { ...two.states.plan, requires_approval: true } } };
		const { project, server } = await openBench({
			files: withTemplates({ t: template }),
			script: { [worker("plan")]: [move("build", "A plan."), move("build", "A better plan.")] },
		});
		expect((await chronicle(project, ["run", "t", "Do it"])).code).toBe(3);
		const late = await chronicle(project, ["approve", "--visit", "7"]);
		expect([late.code, late.stderr]).toEqual([2, expect.stringContaining("This was decided in an earlier visit")]);
		const seen = await chronicle(project, ["status", "--json"]);
		const { answers } = seen.data;
		const short = onlyRun(project).slice(0, 8);
		expect((await chronicle(project, ["status"])).stdout).toContain(`approve ${short} · `);
		const said = await chronicle(project, ["reject", "--answers", String(answers), "Name", "the", "--risks", "too"]);
		expect(said.code, said.stderr).toBe(3);
		expect(said.stdout).toContain("Move from plan to build?");
		expect(said.stdout).toContain("A better plan.");
		const [first, second] = server.requests;
		expect(second?.users.slice(0, -1)).toEqual(first?.users);
		expect(second?.users.at(-1)).toContain("Name the --risks too");
		expect(ledgerOf(project)).toMatchObject({ status: "awaiting_approval", visit: 1, history: [] });
		// Another question of the same visit is not the one that was shown.
		for (const words of [["approve"], ["reject"], ["release", "finished"], ["resume"], ["reopen", "plan"]]) {
			const other = await chronicle(project, [
				...words.slice(0, 1),
				"--answers",
				String(answers),
				...words.slice(1),
				"x",
			]);
			expect([other.code, other.stderr]).toEqual([
				2,
				expect.stringContaining(`no longer waits for an answer to event ${answers}`),
			]);
		}
		// A message does not change what the run waits for.
		const told = await chronicle(project, ["tell", "--json", "mind", "the", "gap"]);
		expect(told.data, told.stderr).toMatchObject({ status: "awaiting_approval", question: { target: "build" } });
		// Nothing was asked twice, and the user's decision starts no worker.
		const elsewhere = await chronicle(project, ["release", "--json", "finished", "no", "longer", "needed"]);
		expect(elsewhere.code, elsewhere.stderr).toBe(0);
		expect(ledgerOf(project).history).toMatchObject([{ from: "plan", to: "finished", cause: "person" }]);
		expect(server.requests).toHaveLength(2);
		expect((await chronicle(project, ["approve"])).code).toBe(2);
	});

	it("a ceiling stops the run and keeps its work; only a higher ceiling continues it, in the same conversation", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: { ...two, limits: { tokens: 1500 } } }),
			script: {
				[worker("plan")]: [
					call("write", { path: "a.txt", content: "kept\n" }, { usage: { input: 900, output: 100 } }),
					call("bash", { command: "echo no > b.txt" }, { usage: { input: 900, output: 100 } }),
					move("build", "ok", { usage: { input: 100, output: 10 } }),
				],
				[worker("build")]: [move("finished", "built", { usage: { input: 100, output: 10 } })],
			},
		});
		const stopped = await chronicle(project, ["run", "--json", "t", "Do it"]);
		expect(stopped.code, stopped.stderr).toBe(4);
		expect(stopped.data).toMatchObject({ status: "budget_exceeded", totals: { tokens: 2000 } });
		expect(project.exists("a.txt")).toBe(true);
		expect(project.exists("b.txt")).toBe(false);
		expect((await chronicle(project, ["resume"])).code).toBe(2);
		const low = await chronicle(project, ["resume", "--tokens", "2000"]);
		expect(low.code).toBe(2);
		expect(low.stderr).toContain("above the amount already spent");
		expect((await chronicle(project, ["resume", "--tokens", "many"])).code).toBe(2);
		expect(server.requests).toHaveLength(2);
		expect((await chronicle(project, ["resume", "--model", "tow", "--tokens", "9000"])).stderr).toContain("`two`");
		const done = await chronicle(project, ["resume", "--tokens", "9,000", "--model", "two", "last"]);
		expect(done.code, done.stderr).toBe(0);
		const third = server.requests[2];
		expect(third?.users[0]).toBe(server.requests[0]?.users[0]);
		expect([server.requests[0]?.model, third?.model, server.requests[3]?.model]).toEqual(["one", "two", "two"]);
		expect(ledgerOf(project).totals.tokens).toBe(2220);
	});

	it("a cycle ends in human_intervention: no worker starts, a resume is refused, a release continues; then done, then reopened", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: { ...two, limits: { pair_moves: 1 } } }),
			script: {
				[worker("plan")]: [move("build"), move("build")],
				[worker("build")]: [move("plan"), move("finished"), move("finished")],
			},
		});
		const stopped = await chronicle(project, ["run", "--json", "t", "Do it"]);
		expect(stopped.code, stopped.stderr).toBe(5);
		expect(stopped.data).toMatchObject({
			status: "human_intervention",
			waitsFor: { commands: expect.arrayContaining(["release"]) },
		});
		expect(server.requests).toHaveLength(2);
		const refused = await chronicle(project, ["resume"]);
		expect(refused.code).toBe(2);
		expect(refused.stderr).toContain("release");
		expect((await chronicle(project, ["release", "nowhere"])).code).toBe(2);
		const on = await chronicle(project, ["release", "--json"]);
		expect(on.code, on.stderr).toBe(0);
		expect(on.data).toMatchObject({ status: "done" });
		expect(ledgerOf(project).history.map(({ cause }) => cause)).toEqual([
			"worker",
			"pair_limit",
			"released",
			"worker",
			"worker",
		]);
		const again = await chronicle(project, ["reopen", "build", "one", "more", "thing"]);
		expect(again.code, again.stderr).toBe(0);
		expect(server.last().users[0]).toContain("one more thing");
		expect(ledgerOf(project)).toMatchObject({ status: "done", visit: 8 });
	});

	it("diff shows a state's changes, and rewind takes files and run back to the start of a visit", async () => {
		const { project } = await openBench({
			files: { ...withTemplates({ t: two }), "a.txt": "one\n", "mine.txt": "before\n" },
			git: true,
			script: {
				[worker("plan")]: [call("bash", { command: "echo two >> a.txt; echo new > plan.md" }), move("build")],
				[worker("build")]: [
					call("write", { path: "b.txt", content: "built\n" }),
					say("I stop."),
					say("I stop."),
					say("I stop."),
					move("finished"),
				],
			},
		});
		project.write("mine.txt", "changed by me\n");
		const paused = await chronicle(project, ["run", "t", "Do it"]);
		expect(paused.code, paused.stderr).toBe(3);
		const here = await chronicle(project, ["diff", "--json"]);
		expect(here.data).toMatchObject({ visit: 2, changes: [{ path: "b.txt", change: "A", added: 1 }] });
		const plan = await chronicle(project, ["diff", "last", "1"]);
		expect(plan.stdout).toContain("2 files changed, +2 −0");
		expect(plan.stdout).toContain("+two");
		expect(plan.stdout).not.toContain("mine.txt");
		const back = await chronicle(project, ["rewind", "--json", "1"]);
		expect(back.code, back.stderr).toBe(0);
		expect(back.data).toMatchObject({ status: "paused", state: "plan", visit: 3 });
		const [kept] = back.data.kept as { name: string; visit: number; rewound: object }[];
		expect(kept).toMatchObject({ visit: 2, state: "build", rewound: { files: 3, left: 0 } });
		expect(back.stderr).toContain("3 files changed");
		expect((await chronicle(project, ["status"])).stdout).toContain(
			`rewind ${onlyRun(project).slice(0, 8)} ${kept?.name}`,
		);
		// What it took away comes back, files and run.
		const undone = await chronicle(project, ["rewind", "undo"]);
		expect(undone.code, undone.stderr).toBe(0);
		expect(ledgerOf(project)).toMatchObject({ state: "build", visit: 4 });
		expect([project.read("a.txt"), project.read("b.txt"), project.read("plan.md")]).toEqual([
			"one\ntwo\n",
			"built\n",
			"new\n",
		]);
		expect((await chronicle(project, ["rewind", "kept-1"])).code).toBe(2);
		project.write(".env", "TOKEN=changed-by-the-person\n");
		const again = await chronicle(project, ["rewind", "1"]);
		expect(again.code, again.stderr).toBe(1);
		expect(again.stderr).toMatch(/not restored:\n {2}\.env \(secret by its name/);
		expect(project.read(".env")).toBe("TOKEN=changed-by-the-person\n");
		expect(project.read("a.txt")).toBe("one\n");
		expect([project.exists("b.txt"), project.exists("plan.md")]).toEqual([false, false]);
		expect(project.read("mine.txt")).toBe("changed by me\n");
		expect(project.git("status", "--short", "--", "a.txt", "b.txt", "plan.md")).toBe("");
		rmSync(project.path(".env"));
		// Going back can be taken back: the visit that it ended is a visit like any other.
		const forth = await chronicle(project, ["rewind", "2"]);
		expect(forth.code, forth.stderr).toBe(0);
		expect(project.read("plan.md")).toBe("new\n");
		expect((await chronicle(project, ["rewind", "99"])).code).toBe(2);
		const report = await chronicle(project, ["report"]);
		expect(report.code, report.stderr).toBe(0);
		expect(project.exists(`.pi/chronicle/sessions/${onlyRun(project)}/report.html`)).toBe(true);
	});

	it("a second process posts commands to the holder: a message, pause, resume, abort in the middle of a command", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: two, nothing: { states: { end: {} } } }),
			script: {
				[worker("plan")]: [
					call("bash", { command: "echo began > began.txt; sleep 71" }),
					call("bash", { command: "sleep 72" }),
					hang(),
				],
			},
		});
		const first = goOn(project, ["run", "t", "Do it"]);
		await expect.poll(() => project.exists("began.txt"), { timeout: patient(20_000) }).toBe(true);
		const second = await chronicle(project, ["resume"]);
		expect(second.code).toBe(2);
		expect(second.stderr).toContain(`pid ${first.pid}`);
		const looked = await chronicle(project, ["status", "--json"]);
		expect(looked.data).toMatchObject({ status: "running", holder: { pid: first.pid, alive: "yes" } });
		const beside = await chronicle(project, ["run", "nothing", "to", "do"]);
		expect(beside.code, beside.stderr).toBe(0);
		expect(beside.stderr).toContain("uses the same folder at the same time");
		const told = await chronicle(project, ["tell", "--json", "mind", "the", "gap"]);
		expect(told.data, told.stderr).toMatchObject({ heard: "taken" });
		const paused = await chronicle(project, ["pause"]);
		expect(paused.code, paused.stderr).toBe(0);
		expect((await first.ended).code).toBe(3);
		const [id = ""] = runIds(project).filter((run) => ledgerOf(project, run).status !== "done");
		expect(ledgerOf(project, id)).toMatchObject({ status: "paused", state: "plan" });
		expect(project.processes().map(({ command }) => command)).toEqual([]);

		const third = goOn(project, ["resume"]);
		await server.waitForRequest((request) => request.users.at(-1)?.includes("mind the gap") ?? false);
		await expect
			.poll(() => project.processes().some(({ command }) => command.includes("sleep 72")), { timeout: patient(20_000) })
			.toBe(true);
		const aborted = await chronicle(project, ["abort", "--json", "enough"]);
		expect(aborted.code, aborted.stderr).toBe(0);
		expect((await third.ended).code).toBe(1);
		expect(project.processes()).toEqual([]);
		expect(ledgerOf(project, id).status).toBe("aborted");
		expect(eventsOf(project, id).at(-1)).toMatchObject({ kind: "finished", status: "aborted", detail: "enough" });
		const nothing = await chronicle(project, ["abort"]);
		expect(nothing.code).toBe(2);
	});
});
