// Child runs on an engine: the host of their parent runs them, another host continues them all, and any user can answer them.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { call } from "../../pi-chronicle/test/harness/reply.ts";
import { move, withTemplates, worker } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineStage, eventually, openEngineStage } from "./engine-stage.ts";

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
const part = { states: { work: { persona: "Builder", next: ["done"], requires_approval: true } } };

interface ChildRow {
	readonly id: string;
	readonly name: string;
	readonly status: string;
	readonly fence: number;
	readonly holder: string | null;
}

async function childrenOf({ database }: EngineStage, run: string): Promise<ChildRow[]> {
	const { rows } = await database.query<ChildRow & { readonly child: string }>(
		"SELECT id::text, child, status, fence, holder FROM chronicle.run WHERE parent = $1 ORDER BY child",
		[run],
	);
	return rows.map(({ child, ...row }) => ({ ...row, name: (JSON.parse(child) as { name: string }).name }));
}

describe("child runs on an engine", needsPostgres, () => {
	it("continue on another host when theirs is killed, are answered from elsewhere, and are joined", {
		timeout: patient(240_000),
	}, async () => {
		let gate = "";
		const server = await openModelServer({
			[worker("work")]: [call("write", { path: "api.txt", content: "api\n" }), move("done", "The API is there.")],
			[worker("write")]: ({ results }) => {
				const last = results.at(-1);
				if (last?.tool === "bash" && last.text.includes("written")) return move("done", "Documented.");
				return call("bash", {
					command: `while [ -e ${gate} ]; do sleep 0.05; done; echo docs > docs.txt; echo written`,
				});
			},
			[worker("check")]: [move("finished", "All there.")],
		});
		const stage = await openEngineStage(server, { files: withTemplates({ t: template, part }) });
		const held = stage.gate();
		gate = held.path;
		const a = stage.host("a");
		const submitted = await stage.cli(["run", "--json", "--model", "scripted/one", "t", "Build it"]);
		expect([submitted.code, submitted.stderr]).toEqual([0, expect.any(String)]);
		const run = (JSON.parse(submitted.stdout) as { id: string }).id;
		await expect
			.poll(() => childrenOf(stage, run), { timeout: patient(60_000) })
			.toMatchObject([
				{ name: "api", status: "awaiting_approval", holder: null },
				{ name: "docs", status: "running" },
			]);
		const [api, docs] = await childrenOf(stage, run);
		if (!api || !docs) throw new Error("No children.");
		await stage.untilEvents(docs.id, (events) => events.some(({ kind }) => kind === "tool_started"));

		stage.host("b");
		a.child.kill();
		await stage.untilEvents(docs.id, (events) =>
			events.some((event) => event.kind === "attempt_reserved" && event.because === "interrupted"),
		);
		held.open();
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);

		const list = await stage.cli(["list"]);
		expect(list.stdout).toMatch(/\n {4}\w{8} .*docs: Write the docs/);
		const status = await stage.cli(["engine", "status"]);
		expect(status.stdout).toContain("runs: 1 awaiting_approval");
		// As the list prints it: the question is that of the child.
		const [, printed = ""] = new RegExp(`pi-chronicle .*?(approve ${api.id.slice(0, 8)}) · `).exec(list.stdout) ?? [];
		const late = await stage.cli([...printed.split(" "), "--answers", "1"]);
		expect([late.code, late.stderr]).toEqual([2, expect.stringContaining("no longer waits for an answer to event 1")]);
		const approved = await stage.cli(printed.split(" "));
		expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
		await stage.until(run, ({ status: now, holder }) => now === "done" && holder === null);

		for (const id of [run, api.id, docs.id])
			expect((await stage.events(id)).every(({ seq }, index) => seq === index + 1)).toBe(true);
		const events = await stage.events(run);
		expect(events.filter(({ kind }) => kind === "child_ended")).toHaveLength(2);
		expect(events.filter(({ kind }) => kind === "join_applied")).toHaveLength(1);
		const show = (name: string) =>
			spawnSync("git", ["--git-dir", stage.remote, "show", `refs/heads/chronicle/${run}:${name}`], {
				encoding: "utf8",
			});
		await expect.poll(() => show("docs.txt").stdout, { timeout: patient(20_000) }).toBe("docs\n");
		expect(show("api.txt").stdout).toBe("api\n");

		const removed = await stage.cli(["remove", run]);
		expect([removed.code, removed.stderr]).toEqual([0, expect.any(String)]);
		expect((await stage.database.query("SELECT FROM chronicle.run")).count).toBe(0);
		const refs = spawnSync("git", ["--git-dir", stage.remote, "for-each-ref", "refs/chronicle"], { encoding: "utf8" });
		expect(refs.stdout).toBe("");
	});

	it("hear what the user writes to their parent, and leave what they know when they are dropped", {
		timeout: patient(120_000),
	}, async () => {
		const server = await openModelServer({
			[worker("work")]: [
				call("workflow_update_snapshot", { findings: ["port 80 is taken"] }),
				move("human_intervention", "Which port?"),
			],
			[worker("write")]: [move("done", "Documented.")],
			[worker("check")]: [move("finished", "All there.")],
		});
		const asking = { states: { work: { persona: "Builder", next: ["done"] } } };
		const stage = await openEngineStage(server, { files: withTemplates({ t: template, part: asking }) });
		stage.host("a");
		const submitted = await stage.cli(["run", "--json", "--model", "scripted/one", "t", "Build it"]);
		const run = (JSON.parse(submitted.stdout) as { id: string }).id;
		await stage.until(run, ({ status, holder }) => status === "paused" && holder === null);
		const [api] = await childrenOf(stage, run);
		expect(api).toMatchObject({ name: "api", status: "human_intervention" });
		await stage.cli(["resume", run, "use PORT9999"]);
		await stage.untilEvents(api?.id ?? "", (events) =>
			events.some((event) => event.kind === "decision_inherited" && event.decision.words === "use PORT9999"),
		);
		await stage.until(run, ({ status, holder }) => status === "paused" && holder === null);
		const dropped = await stage.cli(["drop", api?.id ?? ""]);
		expect([dropped.code, dropped.stderr]).toEqual([0, expect.any(String)]);
		await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
		const events = await stage.events(run);
		expect(events.find((event) => event.kind === "child_ended" && event.child === api?.id)).toMatchObject({
			status: "aborted",
			handover: { summary: "Which port?", data: { findings: [{ text: "port 80 is taken" }] } },
		});
	});

	it("continue at every depth on another host, with setup commands run again, and with shared files", {
		timeout: patient(240_000),
	}, async () => {
		let gate = "";
		const leaf = { states: { leaf: { persona: "Builder", next: ["done"] } } };
		const inner = {
			branches: { one: { run: leaf, task: "Write one.txt" }, two: { run: leaf, task: "Write two.txt" } },
			setup: ["touch in-ready"],
			next: ["done"],
		};
		const look = { persona: "Reviewer", tools: ["read"], next: ["done"] };
		const deep = {
			requires: ">=0.2",
			states: {
				build: { branches: { sub: { run: { states: { inner } }, task: "Write both" } }, next: ["review"] },
				review: { branches: { first: look, second: look }, next: ["finished"] },
			},
		};
		const server = await openModelServer({
			[worker("leaf")]: ({ results, users }) => {
				const name = users[0]?.includes("Write one.txt") ? "one.txt" : "two.txt";
				if (results.at(-1)?.text.includes("written")) return move("done", `${name} is there.`);
				const wait = name === "one.txt" ? `while [ -e ${gate} ]; do sleep 0.05; done; ` : "";
				return call("bash", { command: `${wait}test -e in-ready && echo ${name} > ${name} && echo written` });
			},
			"*": ({ results }) => (results.length > 0 ? move("done", "Looked.") : call("read", { path: "one.txt" })),
		});
		const stage = await openEngineStage(server, { files: withTemplates({ deep }) });
		const held = stage.gate();
		gate = held.path;
		const a = stage.host("a");
		const args = ["run", "--json", "--model", "scripted/one", "--approve-cleanup", "deep", "Build it"];
		const submitted = await stage.cli(args);
		expect([submitted.code, submitted.stderr]).toEqual([0, expect.any(String)]);
		const run = (JSON.parse(submitted.stdout) as { id: string }).id;
		const child = async (of: string, name: string): Promise<string> => {
			const find = async () => (await childrenOf(stage, of)).find((row) => row.name === name)?.id;
			return (await eventually(find, (id) => id !== undefined)) ?? "";
		};
		const sub = await child(run, "sub");
		const one = await child(sub, "one");
		await stage.untilEvents(one, (events) => events.some(({ kind }) => kind === "tool_started"));
		await expect
			.poll(() => childrenOf(stage, sub), { timeout: patient(60_000) })
			.toMatchObject([
				{ name: "one", status: "running" },
				{ name: "two", status: "done" },
			]);
		a.child.kill();
		stage.host("b");
		await stage.untilEvents(one, (events) =>
			events.some((event) => event.kind === "attempt_reserved" && event.because === "interrupted"),
		);
		held.open();
		await stage.until(run, ({ status, holder }) => status === "done" && holder === null);

		const show = (name: string) =>
			spawnSync("git", ["--git-dir", stage.remote, "show", `refs/heads/chronicle/${run}:${name}`], { encoding: "utf8" })
				.stdout;
		await expect.poll(() => show("one.txt") + show("two.txt"), { timeout: patient(20_000) }).toBe("one.txt\ntwo.txt\n");
		const diff = await stage.cli(["diff", one, "all"]);
		expect(diff.stdout).toContain("+one.txt");
		const reviews = (await childrenOf(stage, run)).filter(({ name }) => name !== "sub");
		expect(reviews.map(({ status, fence }) => [status, fence])).toEqual([
			["done", 1],
			["done", 1],
		]);
	});

	it("have conflicts that a user resolves by hand on another machine", { timeout: patient(180_000) }, async () => {
		const write = (content: string) => [call("write", { path: "same.txt", content }), move("done", "Written.")];
		const side = (persona: string, task: string) => ({ run: { states: { write: { persona, next: ["done"] } } }, task });
		const branches = { one: side("First", "TASK-FIRST"), two: side("Second", "TASK-SECOND") };
		const server = await openModelServer({
			"TASK-FIRST": write("one\n"),
			"TASK-SECOND": write("two\n"),
			[worker("check")]: [move("finished", "All there.")],
		});
		const stage = await openEngineStage(server, {
			files: withTemplates({
				t: { ...template, states: { ...template.states, build: { branches, next: ["check"] } } },
			}),
		});
		stage.host("a");
		const submitted = await stage.cli(["run", "--json", "--model", "scripted/one", "t", "Build it"]);
		expect([submitted.code, submitted.stderr]).toEqual([0, expect.any(String)]);
		const run = (JSON.parse(submitted.stdout) as { id: string }).id;
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		expect((await stage.cli(["status", run])).stdout).toContain("you get a folder with them on this machine");
		const choose = () => stage.cli(["approve", run, "--choice", "hand"]);
		const first = await choose();
		const [, path = ""] = /The conflicts are in (\S+) on this machine/.exec(first.stderr) ?? [];
		expect([first.code, readFileSync(join(path, "same.txt"), "utf8")]).toEqual([
			2,
			expect.stringMatching(/<<<<<<<[\s\S]*one\n[\s\S]*two\n/),
		]);
		expect((await choose()).stderr).toContain("same.txt. Resolve them there");
		writeFileSync(join(path, "same.txt"), "both\n");
		expect((await choose()).code).toBe(0);
		await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
		const show = () =>
			spawnSync("git", ["--git-dir", stage.remote, "show", `refs/heads/chronicle/${run}:same.txt`], {
				encoding: "utf8",
			}).stdout;
		expect(await eventually(show, (text) => text === "both\n")).toBe("both\n");
	});
});
