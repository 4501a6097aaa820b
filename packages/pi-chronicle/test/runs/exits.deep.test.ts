// How the command line ends, and the run that it leaves: interrupted, killed, refused, not approved, not trusted.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call, calls } from "../harness/reply.ts";
import { chronicle, eventsOf, goOn, ledgerOf, move, onlyRun, runIds, withTemplates, worker } from "./bench.ts";

const one = { states: { build: { persona: "Builder", next: ["finished"] } } };

describe("an interrupted run", { timeout: patient(90_000) }, () => {
	it("releases the run with 130 on SIGINT, can be resumed completely after SIGKILL, and continues the same conversation after both", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: one }),
			script: {
				[worker("build")]: [
					calls([["bash", { command: "echo one >> steps.txt; sleep 81" }]]),
					calls([["bash", { command: "echo two >> steps.txt; sleep 82; echo three >> steps.txt" }]]),
					move("finished"),
				],
			},
		});
		const first = goOn(project, ["run", "t", "Do it"]);
		await expect.poll(() => project.exists("steps.txt"), { timeout: patient(20_000) }).toBe(true);
		first.signal("SIGINT");
		expect((await first.ended).code).toBe(130);
		expect(project.processes()).toEqual([]);
		const looked = await chronicle(project, ["status", "--json"]);
		expect(looked.data).toMatchObject({ status: "interrupted", attempt: 1, waitsFor: { commands: ["resume"] } });

		const second = goOn(project, ["resume", "last"]);
		await expect.poll(() => project.read("steps.txt"), { timeout: patient(20_000) }).toBe("one\ntwo\n");
		second.signal("SIGKILL");
		expect((await second.ended).signal).toBe("SIGKILL");
		const third = await chronicle(project, ["resume", "--json"]);
		expect(third.code, third.stderr).toBe(0);
		expect(project.read("steps.txt")).toBe("one\ntwo\n");
		const last = server.last();
		expect(last.users[0]).toBe(server.requests[0]?.users[0]);
		expect(last.users.at(-1)).toContain("sleep 82");
		expect(ledgerOf(project)).toMatchObject({ status: "done", history: [{ from: "build", to: "finished" }] });
		expect(eventsOf(project).filter(({ kind }) => kind === "opened")).toHaveLength(2);
		expect(project.processes()).toEqual([]);
	});
});

describe("cleanup commands", { timeout: patient(90_000) }, () => {
	it("of a template run only once their exact text is approved; a change asks again; a copied ledger approves nothing", {
		timeout: patient(90_000),
	}, async () => {
		const template = (command: string) => ({
			states: {
				build: { persona: "Builder", next: ["check"], cleanup: [command] },
				check: { persona: "Checker", next: ["finished"] },
			},
		});
		const { project, server } = await openBench({
			files: withTemplates({ t: template("date +%s%N > cleaned.txt") }),
			script: {
				[worker("build")]: [move("check"), move("check"), move("check")],
				[worker("check")]: [move("finished"), move("finished"), call("bash", { command: "echo hm" }), move("finished")],
			},
		});
		const refused = await chronicle(project, ["run", "--json", "t", "Do it"]);
		expect(refused.code).toBe(3);
		expect(refused.data).toMatchObject({ error: { code: "cleanup-not-approved" } });
		expect(refused.stderr).toContain("build: date +%s%N > cleaned.txt");
		expect([runIds(project), server.requests.length]).toEqual([[], 0]);

		const without = await chronicle(project, ["run", "--without-cleanup", "t", "Do it"]);
		expect(without.code, without.stderr).toBe(0);
		expect(project.exists("cleaned.txt")).toBe(false);
		const approved = await chronicle(project, ["run", "--approve-cleanup", "t", "Do it"]);
		expect(approved.code, approved.stderr).toBe(0);
		const cleaned = Number(project.read("cleaned.txt").trim()) / 1e6;
		expect(cleaned).toBeLessThan(server.requests[3]?.at ?? 0);
		// Once approved, the same text is not asked about again; another one is.
		project.write(".pi/chronicle/workflows/t.json", template("touch other.txt"));
		expect((await chronicle(project, ["run", "t", "Do it"])).code).toBe(3);
		project.write(".pi/chronicle/workflows/t.json", template("date +%s%N > cleaned.txt"));
		rmSync(project.path("cleaned.txt"));
		const third = goOn(project, ["run", "t", "Do it"]);
		await expect.poll(() => project.exists("cleaned.txt"), { timeout: patient(20_000) }).toBe(true);
		third.signal("SIGKILL");
		await third.ended;

		// Whoever gets the ledger with a repository has approved none of its commands.
		rmSync(join(project.agentFolder, "chronicle"), { recursive: true });
		rmSync(project.path("cleaned.txt"));
		const resumed = await chronicle(project, ["resume"]);
		expect(resumed.code, resumed.stderr).toBe(0);
		expect(project.exists("cleaned.txt")).toBe(false);
	});
});

describe("a start", { timeout: patient(90_000) }, () => {
	it("with unknown or broken templates, missing agents or wrong arguments is refused with all problems at once, exit 2, one JSON object", {
		timeout: patient(90_000),
	}, async () => {
		const { project, server } = await openBench({
			files: {
				...withTemplates({
					good: one,
					"torn.json": '{"states": {',
					"bom.json": `\ufeff${JSON.stringify(one)}`,
					wrong: { states: { a: { persona: 5, next: "b", requires_approval: "perhaps" } } },
					agents: {
						states: { a: { agent: "nobody", next: ["b"] }, b: { agent: "no one", model: "gpt-none", tools: ["raed"] } },
					},
				}),
			},
		});
		const unknown = await chronicle(project, ["run", "--json", "godo", "x"]);
		expect(unknown.code).toBe(2);
		expect(unknown.data).toMatchObject({ verb: "run", error: { message: expect.stringContaining("`good`") } });
		const wrong = await chronicle(project, ["run", "wrong", "x"]);
		expect(wrong.code).toBe(2);
		for (const words of ["wrong.json:4:15", "persona", "requires_approval"]) expect(wrong.stderr).toContain(words);
		const agents = await chronicle(project, ["run", "agents", "x"]);
		expect(agents.code).toBe(2);
		for (const words of ["nobody", "no one", "raed"]) expect(agents.stderr).toContain(words);
		for (const words of [
			["run"],
			["run", "good"],
			["run", "good", "--"],
			["status", "nope"],
			["reopen"],
			["rewind", "x"],
			["diff", "a", "b", "c"],
		]) {
			const said = await chronicle(project, [words[0] ?? "", "--json", ...words.slice(1)]);
			expect(said.code, words.join(" ")).toBe(2);
			expect(said.data).toMatchObject({ error: { message: expect.any(String) } });
		}
		const check = await chronicle(project, ["check", "--json"]);
		expect(check.code).toBe(2);
		const files = check.data.files as { file: string; loads: boolean }[];
		expect(files.filter(({ loads }) => loads).map(({ file }) => file.split("/").at(-1))).toEqual([
			"bom.json",
			"good.json",
		]);
		expect((await chronicle(project, ["check", "good", ".pi/chronicle/workflows/bom.json"])).code).toBe(0);
		const list = await chronicle(project, ["list"]);
		expect(list.code).toBe(0);
		for (const words of ["good", "torn.json:1:", "No runs yet."]) expect(list.stdout).toContain(words);
		expect((await chronicle(project, ["run", "--model", "scripted/onne", "good", "x"])).stderr).toContain(
			"`scripted/one`",
		);
		expect([server.requests.length, runIds(project)]).toEqual([0, []]);
	});

	it("in an untrusted project offers no templates, except with --approve; a run of such a template continues only with it", async () => {
		const template = { states: { build: { ...one.states.build, requires_approval: true } } };
		const { project } = await openBench({
			trusted: false,
			files: withTemplates({ t: template }),
			agentFiles: { "chronicle/workflows/mine.json": { name: "Mine", ...template } },
			script: { [worker("build")]: [move("finished"), move("finished")] },
		});
		const refused = await chronicle(project, ["run", "t", "x"]);
		expect(refused.code).toBe(2);
		expect(refused.stderr).toContain("--approve");
		expect((await chronicle(project, ["run", "--approve", "t", "x"])).code).toBe(3);
		const distrusted = await chronicle(project, ["approve"]);
		expect(distrusted.code).toBe(2);
		expect(distrusted.stderr).toContain("trust");
		expect((await chronicle(project, ["approve", "--approve"])).code).toBe(0);
		// The user's own templates are available in any project.
		expect((await chronicle(project, ["run", "mine", "x"])).code).toBe(3);
		expect((await chronicle(project, ["approve", "last"])).code).toBe(0);
	});
});

describe("old and foreign ledgers", { timeout: patient(90_000) }, () => {
	it("a changed template does not change a run, and is reported; foreign and newer ledgers are shown and never written", async () => {
		const { project } = await openBench({
			files: withTemplates({
				t: { states: { plan: { persona: "P", next: ["build"], requires_approval: true }, ...one.states } },
			}),
			script: { [worker("plan")]: [move("build")], [worker("build")]: [move("finished")] },
		});
		expect((await chronicle(project, ["run", "t", "x"])).code).toBe(3);
		const id = onlyRun(project);
		project.write(".pi/chronicle/workflows/t.json", {
			states: { first: { persona: "F", next: ["plan"] }, plan: { persona: "P" } },
		});
		const sessions = project.path(".pi/chronicle/sessions");
		const foreign = {
			id: "0123456789abcdef",
			workflowName: "feature",
			workflowDef: { name: "feature", initial: "planning", states: {} },
			currentState: "planning",
			initialTask: "",
			history: [],
			totalTokens: 5,
			status: "running",
			lastUpdated: 1,
		};
		writeFileSync(join(sessions, `${foreign.id}.json`), JSON.stringify(foreign));
		const newer = "3f2a91c0-1111-4222-8333-944455556666";
		const text = JSON.stringify({ schemaVersion: 99, id: newer, template: {}, status: "running" });
		writeFileSync(join(sessions, `${newer}.json`), text);
		const approved = await chronicle(project, ["approve", id]);
		expect(approved.code, approved.stderr).toBe(0);
		expect(approved.stderr).toContain("has changed since");
		const list = await chronicle(project, ["list"]);
		expect(list.stdout).toContain("01234567  running");
		expect(list.stdout).toContain("AE");
		expect(list.stdout).toContain("3f2a91c0  cannot be read");
		for (const run of [foreign.id, newer]) expect((await chronicle(project, ["resume", run])).code, run).toBe(2);
		expect(JSON.parse(project.read(`.pi/chronicle/sessions/${foreign.id}.json`))).toEqual(foreign);
		expect(project.read(`.pi/chronicle/sessions/${newer}.json`)).toBe(text);
	});
});
