// Children that need each other, with real workers: what they begin with, conflicts, kills, and tasks that a model makes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { childWorker, chronicle, eventsOf, ledgerOf, move, runIds, withTemplates, worker } from "./bench.ts";

const builder = (needs: readonly string[] = []) => ({ persona: "Builder", next: ["done"], needs });
const template = (branches: object, fields: object = {}) => ({
	t: {
		states: { build: { branches, next: ["check"], ...fields }, check: { persona: "Checker", next: ["finished"] } },
	},
});
const written = (name: string, found: string) => [
	call("write", { path: `${name}.txt`, content: `${name}\n` }),
	call("workflow_update_snapshot", { findings: [found] }),
	move("done", `${name} is there.`),
];

describe("children that need each other", { timeout: patient(120_000) }, () => {
	it("begin with the files, summaries and findings of those that they need", async () => {
		const { project, server } = await openBench({
			files: withTemplates(
				template({ ui: builder(["api"]), api: builder(["model"]), model: builder(), docs: builder() }),
			),
			script: {
				[childWorker("model")]: written("model", "Ids are UUIDs."),
				[childWorker("api")]: [call("read", { path: "model.txt" }), ...written("api", "Port 8080.")],
				[childWorker("ui")]: [
					call("read", { path: "model.txt" }),
					call("read", { path: "api.txt" }),
					...written("ui", "Blue."),
				],
				[childWorker("docs")]: written("docs", "Short."),
				[worker("check")]: [move("finished", "All there.")],
			},
		});
		const ran = await chronicle(project, ["run", "t", "Build it"]);
		expect(ran.code, ran.stderr + ran.stdout).toBe(0);
		for (const name of ["model", "api", "ui", "docs"])
			expect(readFileSync(join(project.folder, `${name}.txt`), "utf8")).toBe(`${name}\n`);
		const first = (name: string) =>
			server.requests.find(({ users }) => users[0]?.includes(childWorker(name)))?.users[0] ?? "";
		expect(first("ui")).toContain('You build on "api"');
		for (const known of ["model is there.", "api is there.", "Ids are UUIDs.", "Port 8080."])
			expect(first("ui")).toContain(known);
		expect(first("ui")).not.toContain("Short.");
		expect(first("docs")).not.toContain("UUIDs");
	});

	it("are those of a list that the worker before them saves as its request says", async () => {
		const states = {
			plan: { persona: "Planner", next: ["build"] },
			build: {
				run: { states: { part: { persona: "Builder", next: ["end"] }, end: {} } },
				for_each: "parts",
				task: "Do {item.what}",
				next: ["finished"],
			},
			finished: {},
		};
		const parts = [
			{ id: "a", what: "the model" },
			{ id: "b", what: "the api", needs: ["a"] },
		];
		const { project, server } = await openBench({
			files: withTemplates({ t: { states } }),
			script: {
				[worker("plan")]: [
					call("workflow_update_snapshot", { parts: [parts[1]] }),
					call("workflow_update_snapshot", { parts }),
					move("build", "Two parts."),
				],
				[worker("part")]: [move("end", "Done."), move("end", "Done.")],
			},
		});
		const ran = await chronicle(project, ["run", "t", "Build it"]);
		expect(ran.code, ran.stderr + ran.stdout).toBe(0);
		const [first, refused, saved] = server.about(worker("plan"));
		expect(first?.users.join()).toContain(
			'in one call of `workflow_update_snapshot`: `{"parts":[…]}`. An entry has `what`',
		);
		const declared = JSON.stringify(
			(first as { body: { tools: object[] } }).body.tools.find((tool) =>
				JSON.stringify(tool).includes("Saves findings"),
			),
		);
		expect(declared).toContain('"parts":{"type":"array"');
		expect(refused?.lastResult?.text).toContain("cannot start with that");
		expect(saved?.lastResult?.text).toContain("will start 2 agents");
		expect(server.about(worker("part")).map(({ users }) => /Do the \w+/.exec(users.join())?.[0])).toEqual([
			"Do the model",
			"Do the api",
		]);
	});

	it.each([
		["after child_ended", "before joined"],
		["files of a child are merged", "after joined"],
		["child is up#2", "before children_planned"],
	])("are continued after kills at '%s' and '%s', each once", async (...killedAt) => {
		const many = (name: string) => [
			call("write", { path: `${name}.txt`, content: `${name}\n` }),
			...Array.from({ length: 5 }, () => move("done", `${name} is there.`)),
		];
		const { project } = await openBench({
			files: withTemplates(template({ b: builder(["a"]), a: builder(), c: builder(["a", "b"]) })),
			script: {
				...Object.fromEntries(["a", "b", "c"].map((name) => [childWorker(name), many(name)])),
				[worker("check")]: Array.from({ length: 5 }, () => move("finished", "All there.")),
			},
		});
		const first = () => runIds(project).find((id) => ledgerOf(project, id).template.name === "t") ?? "";
		for (const point of killedAt)
			await chronicle(project, first() === "" ? ["run", "t", "x"] : ["resume", first()], {
				env: { PI_CHRONICLE_CRASH_AT: point },
			});
		const ended = await chronicle(project, ["resume", first()]);
		expect(ledgerOf(project, first()).status, ended.stderr).toBe("done");
		for (const name of ["a", "b", "c"]) expect(existsSync(join(project.folder, `${name}.txt`))).toBe(true);
		const events = eventsOf(project, first());
		expect(events.filter(({ kind }) => kind === "child_ended")).toHaveLength(3);
		expect(events.filter(({ kind, child }) => kind === "joined" && child !== undefined)).toHaveLength(3);
	});

	it("that conflict hold back only those that need them, and a worker resolves it", async () => {
		const edit = (text: string) => [
			call("write", { path: "one.txt", content: `${text}\n` }),
			move("done", `${text} it is.`),
		];
		const { project } = await openBench({
			files: {
				...withTemplates(
					template({ left: builder(), right: builder(), after: builder(["left", "right"]) }, { merge_by: "Merger" }),
				),
				"one.txt": "start\n",
			},
			script: {
				[childWorker("left")]: edit("left"),
				[childWorker("right")]: edit("right"),
				[worker("merge")]: edit("both"),
				[childWorker("after")]: [call("read", { path: "one.txt" }), move("done", "Seen.")],
				[worker("check")]: [move("finished", "All there.")],
			},
		});
		const ran = await chronicle(project, ["run", "t", "Build it"]);
		expect(ran.code, ran.stderr + ran.stdout).toBe(0);
		expect(readFileSync(join(project.folder, "one.txt"), "utf8")).toBe("both\n");
	});
});
