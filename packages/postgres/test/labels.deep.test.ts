// States that require labels, on real hosts: each runs on a host that has them, whatever is killed while the run is handed over.
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { beforeAll, describe, expect, it } from "vitest";
import { CRASH_VARIABLE } from "../../pi-chronicle/src/local/supervisor/index.ts";
import { call, openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { move, withTemplates } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineHost, type EngineStage, openEngineStage } from "./engine-stage.ts";

const train = { persona: "Trainer", host: ["gpu"], next: ["report"], cleanup: ["echo cleaned >> trained.txt"] };
const templates = {
	long: {
		states: {
			plan: { persona: "Planner", next: ["train"] },
			train,
			report: { persona: "Reporter", next: ["finished"] },
		},
	},
	tree: {
		requires: ">=0.2",
		states: {
			plan: { persona: "Planner", next: ["build"] },
			build: {
				branches: { one: { persona: "Builder" }, two: { persona: "Builder" } },
				host: ["gpu"],
				next: ["report"],
			},
			report: { persona: "Reporter", next: ["finished"] },
		},
	},
};

/** Writes a line with the name of the state once, then moves on. */
const writes = (name: string, target: string) => [
	call("bash", { command: `grep -qx ${name} ${name}ed.txt 2>/dev/null || echo ${name} >> ${name}ed.txt` }),
	move(target),
];

async function openStage(): Promise<EngineStage> {
	const server = await openModelServer((request) => {
		const state = /the (?:state|child) "(\w+)"/.exec(request.users[0] ?? "")?.[1] ?? "";
		const target = { plan: "train", train: "report", report: "finished", one: "done", two: "done" }[state] ?? "done";
		const isTree = request.users[0]?.includes("The tree") === true;
		const steps = writes(state, state === "plan" && isTree ? "build" : target);
		return steps[Math.min(request.results.length, 1)] ?? steps[1] ?? move(target);
	});
	return openEngineStage(server, { files: withTemplates(templates) });
}

async function submit({ cli }: EngineStage, template: string): Promise<string> {
	const task = template === "tree" ? "The tree" : "The run";
	const done = await cli(["run", "--json", "--model", "scripted/one", "--approve-cleanup", template, task]);
	expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
	return (JSON.parse(done.stdout) as { id: string }).id;
}

/** The process that reserved each attempt of a visit. */
function pidsOf(events: readonly LedgerEvent[], visit: number): Set<number> {
	const pids = new Set<number>();
	let pid = 0;
	for (const event of events) {
		if (event.kind === "opened") pid = event.pid;
		if ((event.kind === "attempt_reserved" || event.kind === "children_planned") && event.visit === visit)
			pids.add(pid);
	}
	return pids;
}

/** What must hold of a finished run of three states: its events, where its work was done, its files, its jobs. */
async function inspect(stage: EngineStage, run: string, offering: readonly EngineHost[]): Promise<void> {
	await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
	const events = await stage.events(run);
	expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
	const moves = events.flatMap((event) => (event.kind === "moved" ? [event.to] : []));
	expect(moves).toEqual([moves[0], "report", "finished"]);
	const pids = offering.map(({ child }) => child.pid);
	for (const pid of pidsOf(events, 2)) expect(pids).toContain(pid);
	expect(events.filter(({ kind }) => kind === "host_awaited").length).toBeGreaterThanOrEqual(1);
	const live = "SELECT FROM chronicle_jobs.job WHERE data->>'run' = $1 AND state IN ('created', 'retry', 'active')";
	await expect.poll(async () => (await stage.database.query(live, [run])).count, { timeout: patient(20_000) }).toBe(0);
}

const show = ({ remote }: EngineStage, run: string, name: string) =>
	spawnSync("git", ["--git-dir", remote, "show", `refs/heads/chronicle/${run}:${name}`], { encoding: "utf8" }).stdout;

describe("states that require labels", needsPostgres, () => {
	let stage: EngineStage;
	beforeAll(async () => {
		stage = await openStage();
	}, patient(120_000));

	it("wait visibly for a host that offers them, take commands meanwhile, and continue once it is there", {
		timeout: patient(240_000),
	}, async () => {
		const a = stage.host("a");
		const run = await submit(stage, "long");
		await stage.untilEvents(run, (events) => events.at(-1)?.kind === "host_awaited");
		await stage.until(run, ({ holder, job }) => holder === null && job !== null);
		const text = "Waits for a host with the label gpu: no host that is up offers gpu.";
		for (const args of [["engine", "status"], ["status", run], ["list"]])
			expect((await stage.cli(args)).stdout).toContain(text);
		const before = (await stage.events(run)).length;

		const told = await stage.cli(["tell", run, "Use few epochs"]);
		expect(told.code, told.stderr).toBe(0);
		await stage.untilEvents(run, (events) => events.at(-1)?.kind === "host_awaited" && events.length > before);
		await stage.until(run, ({ holder }) => holder === null);
		const other = await submit(stage, "long");
		await stage.untilEvents(other, (events) => events.at(-1)?.kind === "host_awaited");
		const aborted = await stage.cli(["abort", other]);
		expect(aborted.code, aborted.stderr).toBe(0);
		await stage.until(other, ({ status, holder }) => status === "aborted" && holder === null);
		// Nobody tries in vain meanwhile.
		const waiting = (await stage.events(run)).length;

		const b = stage.host("b", {}, ["--labels", "gpu,big"]);
		await inspect(stage, run, [b]);
		expect((await stage.events(run)).length).toBeGreaterThan(waiting);
		expect(await (await stage.cli(["engine", "status"])).stdout).toMatch(/host b .*offers gpu, big/);
		await expect.poll(() => show(stage, run, "trained.txt"), { timeout: patient(20_000) }).toBe("train\ncleaned\n");
		expect(show(stage, run, "planed.txt")).toBe("plan\n");
		const first = (await stage.events(run)).find((event) => event.kind === "attempt_reserved" && event.visit === 2);
		expect(first).toMatchObject({ attempt: 1, launch: 1, because: "entered" });
		await Promise.all([a, b].map(({ child }) => child.kill()));
	});

	it.each([
		["plain", "segment is over"],
		["gpu", "run is claimed"],
		["gpu", "before attempt_reserved"],
	])('run there although a %s host dies at "%s"', { timeout: patient(240_000) }, async (which, point) => {
		const dying = { [CRASH_VARIABLE]: point };
		const gpu = ["--labels", "gpu"];
		const plain = stage.host("plain", which === "plain" ? dying : {});
		const run = await submit(stage, "long");
		const offering: EngineHost[] = [];
		if (which === "gpu") {
			await stage.untilEvents(run, (events) => events.some(({ kind }) => kind === "host_awaited"));
			offering.push(stage.host("dying", dying, gpu));
		}
		const [mortal = plain] = offering;
		const end = await Promise.race([mortal.child.exited, sleep(patient(60_000))]);
		expect(end?.kind, mortal.log()).toBe("killed");
		const heirs = [stage.host("heir"), stage.host("offering", {}, gpu)];
		offering.push(...heirs.slice(1));
		await inspect(stage, run, offering);
		await expect
			.poll(() => show(stage, run, "trained.txt"), { timeout: patient(20_000) })
			.toMatch(/^train\n(cleaned\n)+$/);
		await Promise.all([plain, mortal, ...heirs].map(({ child }) => child.kill()));
	});

	it("are required of the children that do it, too", { timeout: patient(240_000) }, async () => {
		const plain = stage.host("plain");
		const run = await submit(stage, "tree");
		await stage.untilEvents(run, (events) => events.at(-1)?.kind === "host_awaited");
		const offering = stage.host("offering", {}, ["--labels", "gpu"]);
		await inspect(stage, run, [offering]);
		const { rows } = await stage.database.query<{ id: string; queue: string }>(
			"SELECT id, queue FROM chronicle.run WHERE parent = $1",
			[run],
		);
		expect(rows.map(({ queue }) => queue)).toEqual(Array(2).fill("app/runs/gpu"));
		for (const { id } of rows) expect((await stage.events(id)).every(({ seq }, index) => seq === index + 1)).toBe(true);
		await expect
			.poll(() => show(stage, run, "oneed.txt") + show(stage, run, "twoed.txt"), { timeout: patient(20_000) })
			.toBe("one\ntwo\n");
		await Promise.all([plain, offering].map(({ child }) => child.kill()));
	});
});
