// Schedules of an engine, with real logins: a submitter adds one, pg-boss sends its job on time, a host creates the run. And the same for the
// schedulers of one machine.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Checkout } from "../../pi-chronicle/src/local/remote/checkout.ts";
import { timerLines } from "../../pi-chronicle/src/ui/cli/timer-lines.ts";
import { deepDescribe } from "../../pi-chronicle/test/harness/deep-it.ts";
import { openProject } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { addSchedule, type Database, listSchedules, openHost, removeSchedule, setUpEngine } from "../src/index.ts";
import { ScheduledRuns } from "../src/scheduled-run.ts";
import { scheduleQueue } from "../src/schedules.ts";
import { wakeRun } from "../src/settle.ts";
import { connect } from "./connect.ts";
import { eventually, openEngineStage, openStageModel } from "./engine-stage.ts";
import { queue, storeOf } from "./open-engine.ts";

describe("a schedule for one machine", () => {
	it.each([
		["0 3 * * *", ["*-*-* 3:0:00 UTC"]],
		["*/15 8-17 * * 1-5", ["Mon,Tue,Wed,Thu,Fri *-*-* 8..17:0/15:00 UTC"]],
		["5,35 0 1 */3 *", ["*-1/3-1 0:5,35:00 UTC"]],
		["0 0 13 * 5", ["*-*-13 0:0:00 UTC", "Fri *-*-* 0:0:00 UTC"]],
		["0 0 * * 0,7", ["Sun *-*-* 0:0:00 UTC"]],
		["0 0 * * */2", ["Sun,Tue,Thu,Sat *-*-* 0:0:00 UTC"]],
	])("%s", (cron, calendars) => {
		const lines = timerLines({ cron, zone: "UTC", template: "play", task: "It's 5% done", cwd: "/home/ann/my app" });
		if ("error" in lines) throw new Error(lines.error);
		expect(lines.crontab).toEqual([
			"CRON_TZ=UTC",
			`${cron} pi-chronicle run --cwd '/home/ann/my app' play -- 'It'\\''s 5\\% done'`,
		]);
		const named = lines.systemd.filter((line) => line.startsWith("OnCalendar=")).map((line) => line.slice(11));
		expect(named).toEqual(calendars);
	});

	it.each([
		"",
		"* * * *",
		"60 * * * *",
		"* 24 * * *",
		"* * 0 * *",
		"* * * 13 *",
		"* * * * 8",
		"a * * * *",
		"5-1 * * * *",
		"*/0 * * * *",
	])("is refused: %j", (cron) => {
		expect(timerLines({ cron, zone: "UTC", template: "t", task: "x", cwd: "/" })).toHaveProperty("error");
	});
});

deepDescribe("a schedule that is added on the command line", needsPostgres, () => {
	it("creates a run, which a host executes", { timeout: patient(240_000) }, async () => {
		const stage = await openEngineStage(await openStageModel());
		stage.host("a");
		const branch = stage.project.git("branch", "--show-current").trim();
		const options = ["--zone", "UTC", "--branch", branch, "--approve-cleanup", "--model", "scripted/one"];
		const added = await stage.cli(["engine", "schedule", "add", "* * * * *", "play", "Do", "it all.", ...options]);
		expect([added.code, added.stdout], added.stderr).toEqual([0, expect.stringContaining("Scheduled play")]);
		const list = async () => {
			const { stdout } = await stage.cli(["engine", "schedule", "list", "--json"]);
			const [one] = (JSON.parse(stdout) as { schedules: { id: string; run: string | null }[] }).schedules;
			return one;
		};
		const one = await eventually(list, (now) => now?.run !== null);
		const run = one?.run ?? "";
		await stage.approve(run);
		const removed = await stage.cli(["engine", "schedule", "remove", one?.id.slice(0, 8) ?? ""]);
		expect([removed.code, removed.stderr]).toEqual([0, ""]);
		await stage.inspect(run);
	});
});

describe("a schedule of an engine", needsPostgres, () => {
	let owner: Database;
	let ann: Database;
	let worker: Database;
	let runs: ScheduledRuns;
	let remote: string;
	const reported: string[] = [];
	const { id: _id, ...start } = created({ task: "Sweep" });
	const usual = { project: "app", queue, priority: 0, zone: "UTC", folder: "", overlap: false, start };
	const add = async (more: Partial<Parameters<typeof addSchedule>[1]> = {}) =>
		value(await addSchedule(ann, { ...usual, cron: "0 3 * * *", ...more }));
	/** Its time has come. */
	const due = async (schedule: string): Promise<string> => {
		const id = randomUUID();
		await (await owner.boss()).send(scheduleQueue("app"), { schedule }, { id });
		return id;
	};
	const handle = async (): Promise<void> => {
		runs.look();
		await runs.settle();
	};
	const made = async (): Promise<string[]> =>
		(await owner.query<{ id: string }>("SELECT id::text FROM chronicle.run ORDER BY updated_at")).rows.map(
			({ id }) => id,
		);
	const jobs = async (): Promise<number> =>
		(await owner.query("SELECT FROM chronicle_jobs.job WHERE name = 'app/.schedule' AND state < 'completed'")).count;

	beforeAll(async () => {
		const { url } = await startPostgres();
		const open = (login: string) => connect(url.replace("postgres@", `${login}@`));
		owner = await open("postgres");
		await setUpEngine(owner, { queues: [], labels: [], members: [] });
		await owner.query("CREATE ROLE ann LOGIN IN ROLE chronicle_submitter");
		await owner.query("CREATE ROLE worker LOGIN IN ROLE chronicle_worker");
		await setUpEngine(owner, { project: "app", queues: [], labels: [], members: ["ann", "worker"] });
		[ann, worker] = [await open("ann"), await open("worker")];
		const project = openProject({ git: true, files: { "kept.txt": "kept\n" } });
		remote = join(project.home, "shared.git");
		project.git("clone", "-q", "--bare", project.folder, remote);
		const place = {
			home: project.home,
			agentFolder: project.agentFolder,
			pi: { command: "none", args: [], version: undefined },
		};
		runs = new ScheduledRuns({
			...{ database: worker, host: openHost(worker) },
			project: { name: "app", remote, cleanup: "never", place },
			checkout: new Checkout({ data: join(project.home, "host"), remote }),
			report: (text) => void reported.push(text),
		});
	});
	beforeEach(async () => {
		await owner.query("DELETE FROM chronicle.run");
		await owner.query("DELETE FROM chronicle.schedule");
		await owner.query("DELETE FROM chronicle_jobs.schedule");
		await (await owner.boss()).deleteAllJobs();
	});

	it("is added, listed and removed, and refused if its times or its queue are wrong", async () => {
		const id = await add({ branch: "main", cron: "30 2 * * 1", zone: "Europe/Berlin" });
		const [one] = await listSchedules(worker, "app");
		expect(one).toMatchObject({ id, branch: "main", template: "T", task: "Sweep", run: null, skipped: 0, note: null });
		const next = new Date(one?.next ?? "");
		expect(
			next.toLocaleString("en", { timeZone: "Europe/Berlin", weekday: "short", hour: "2-digit", minute: "2-digit" }),
		).toMatch(/Mon.*02:30/);
		const wrong = async (more: object) => {
			const added = await addSchedule(ann, { ...usual, cron: "0 3 * * *", ...more });
			return added.ok ? "" : added.failure.message;
		};
		expect(await wrong({ cron: "61 * * * *" })).toContain("is not a schedule");
		expect(await wrong({ cron: "0 0 3 * * *" })).toContain("five fields");
		expect(await wrong({ zone: "Mars/Base" })).toContain("Mars/Base");
		expect(await wrong({ queue: "app/other" })).toContain("no queue app/other");
		expect((await removeSchedule(ann, "app", "nothing")).ok).toBe(false);
		expect(value(await removeSchedule(ann, "app", id.slice(0, 8)))).toBe(id);
		expect(await listSchedules(worker, "app")).toEqual([]);
		expect((await owner.query("SELECT FROM chronicle_jobs.schedule")).count).toBe(0);
		expect(await due(id)).toBeTruthy();
		await handle();
		expect([await made(), await jobs()]).toEqual([[], 0]);
	});

	it("creates one run per job, with the files of the branch, even if the host died before noting it", async () => {
		const schedule = await add();
		const id = await due(schedule);
		await handle();
		expect(await made()).toEqual([id]);
		const { rows } = await owner.query<{ head: string; queue: string; task: string }>(
			"SELECT head, queue, task FROM chronicle.run",
		);
		expect(rows[0]).toMatchObject({ queue, task: "Sweep" });
		expect(await wakeRun(owner, id)).toBe(true);
		const shown = spawnSync("git", [
			"--git-dir",
			remote,
			"show",
			`refs/chronicle/${id}/trees/${rows[0]?.head}:kept.txt`,
		]);
		expect(shown.stdout.toString()).toBe("kept\n");
		const onRemote = (...args: string[]) =>
			spawnSync("git", ["--git-dir", remote, ...args], { encoding: "utf8" }).stdout.trim();
		const [first] = (await owner.query<{ body: string }>("SELECT body FROM chronicle.event WHERE seq = 1")).rows;
		expect(JSON.parse(first?.body ?? "")).toMatchObject({
			checkedOut: { branch: onRemote("symbolic-ref", "--short", "HEAD"), commit: onRemote("rev-parse", "HEAD") },
		});
		// It died before it noted what it had done.
		await owner.query("UPDATE chronicle.schedule SET last_run = NULL, handling = $1", [id]);
		await owner.query("UPDATE chronicle_jobs.job SET state = 'retry' WHERE id = $1", [id]);
		await handle();
		expect([await made(), await jobs()]).toEqual([[id], 0]);
		expect(await listSchedules(ann, "app")).toMatchObject([{ run: id, status: "running", note: null }]);
	});

	it("creates no run while the previous one is not over, unless overlap is allowed, and notes that", async () => {
		const schedule = await add();
		const first = await due(schedule);
		await handle();
		await due(schedule);
		await handle();
		expect(await made()).toEqual([first]);
		expect(await listSchedules(ann, "app")).toMatchObject([
			{ run: first, skipped: 1, note: expect.stringContaining(`${first.slice(0, 8)} was not over`) },
		]);
		await owner.query("UPDATE chronicle.run SET status = 'done'");
		const second = await due(schedule);
		await handle();
		expect(await made()).toEqual([first, second]);
		await owner.query("UPDATE chronicle.schedule SET overlap = true");
		const third = await due(schedule);
		await handle();
		expect(await made()).toEqual([first, second, third]);
		expect(await listSchedules(ann, "app")).toMatchObject([{ run: third, skipped: 0, note: null }]);
	});

	it("notes a failure, and tries again", async () => {
		const schedule = await add({ branch: "gone" });
		await due(schedule);
		await handle();
		expect(await listSchedules(ann, "app")).toMatchObject([
			{ run: null, note: expect.stringContaining("branch gone") },
		]);
		expect(await jobs()).toBe(1);
	});

	it("creates its runs whatever else is in the queue and in the rows of others", async () => {
		const boss = await owner.boss();
		for (const data of [null, {}, [], { schedule: 7 }, { schedule: "../x" }, { schedule: null }])
			await boss.send(scheduleQueue("app"), data as never);
		const spoiled: string[] = [];
		for (const change of [
			...["folder = '../../..'", "folder = '.git'", "branch = '--upload-pack=touch x'", "branch = 'a:refs/heads/main'"],
			...["start = '{'", "start = 'null'", 'start = \'{"kind":"created"}\'', "queue = 'none'"],
		]) {
			const schedule = await add();
			await owner.query(`UPDATE chronicle.schedule SET ${change} WHERE id = $1`, [schedule]);
			await due(schedule);
			spoiled.push(schedule);
		}
		const id = await due(await add());
		await handle();
		expect(await made()).toEqual([id]);
		const noted = (await listSchedules(ann, "app")).filter(({ note }) => note !== null);
		expect(noted.map(({ id: one }) => one).sort()).toEqual(spoiled.sort());
	});

	it("lets a host create no other run than the schedule's own", async () => {
		const schedule = await add();
		const as = (more: { queue?: string; schedule?: string }) =>
			storeOf(worker, "submitted", more).create(created({ id: randomUUID() }));
		expect((await as({})).ok).toBe(false);
		expect((await as({ schedule: randomUUID() })).ok).toBe(false);
		expect((await as({ schedule, queue: scheduleQueue("app") })).ok).toBe(false);
		expect((await as({ schedule })).ok).toBe(true);
	});

	/** Every day, but not about now. */
	const elsewhen = new Date(Date.now() - 12 * 3_600_000);
	it.each([
		["at its time", "* * * * *", ""],
		// Nothing looked for three days.
		[
			"once for all the times at which no host was up",
			`${elsewhen.getUTCMinutes()} ${elsewhen.getUTCHours()} * * *`,
			"3 days",
		],
	])("is due %s", { timeout: patient(60_000) }, async (_what, cron, gap) => {
		await add({ cron });
		if (gap !== "") {
			await owner.query(`UPDATE chronicle_jobs.schedule SET created_on = now() - interval '${gap}'`);
			await owner.query(`UPDATE chronicle_jobs.version SET cron_on = now() - interval '${gap}'`);
		} else await owner.query("UPDATE chronicle_jobs.version SET cron_on = NULL");
		const stop = await worker.startCron();
		await expect.poll(jobs, { timeout: patient(30_000) }).toBeGreaterThan(0);
		await stop();
		// Where hosts look late, the next minute may have come.
		if (gap !== "") expect(await jobs()).toBe(1);
	});
});
