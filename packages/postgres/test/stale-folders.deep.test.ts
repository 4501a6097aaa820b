// What a host keeps of runs: nothing of those that were removed, are over, or have long been elsewhere.
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openHostStage } from "./host-stage.ts";

describe("a host", needsPostgres, () => {
	it("removes the folders of runs that it has nothing to do with any more", { timeout: patient(60_000) }, async () => {
		const stage = await openHostStage();
		const { database } = stage;
		for (const n of [1, 2, 3, 4, 5]) await stage.submit(n);
		const id = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
		const set = (n: number, change: string) =>
			database.query(`UPDATE chronicle.run SET ${change} WHERE id = $1`, [id(n)]);
		await (await database.boss()).deleteAllJobs();
		await set(1, "status = 'done'");
		await set(2, "status = 'awaiting_approval', parked = true");
		const other = "gen_random_uuid()";
		await set(3, `holder = ${other}`);
		await set(4, `holder = ${other}`);
		await database.query(
			`INSERT INTO chronicle.host (id, name, pid, started, version, lease_ms)
			SELECT holder, 'other', 1, '', '', 3600000 FROM chronicle.run WHERE holder IS NOT NULL`,
		);
		await set(5, "status = 'failed'");
		const removed = randomUUID();
		const data = join(stage.root, "hosts", "a", "app");
		for (const run of [...[1, 2, 3, 4, 5].map(id), removed, "not-a-run"])
			for (const kind of ["runs", "work"]) mkdirSync(join(data, kind, run), { recursive: true });
		const longAgo = new Date(Date.now() - 2 * 86_400_000);
		utimesSync(join(data, "runs", id(3)), longAgo, longAgo);
		utimesSync(join(data, "runs", id(2)), longAgo, longAgo);
		// What a host pushed after a run was removed elsewhere, and of another engine that shares the remote.
		const head = stage.git("rev-parse", "HEAD");
		const foreign = randomUUID();
		const refs = [removed, foreign].map((run) => `refs/chronicle/${run}/conversations/1`);
		stage.git("push", "-q", stage.remote, ...refs.map((ref) => `${head}:${ref}`));
		// A run that is over left refs in the mirror, and no folder.
		const over = `refs/chronicle/${id(5)}/trees/${head}`;
		rmSync(join(data, "runs", id(5)), { recursive: true });
		rmSync(join(data, "work", id(5)), { recursive: true });
		stage.git("init", "-q", "--bare", join(data, "mirror.git"));
		stage.git("push", "-q", join(data, "mirror.git"), `${head}:${over}`);
		const host = await stage.host("a", { play: () => moveTo("done") });
		const left = [id(2), id(4), "not-a-run"].sort();
		for (const kind of ["runs", "work"])
			await expect.poll(() => readdirSync(join(data, kind)).sort(), { timeout: patient(20_000) }).toEqual(left);
		const refsIn = (folder: string) =>
			stage.git("--git-dir", folder, "for-each-ref", "--format=%(refname)", "refs/chronicle");
		await expect.poll(() => refsIn(join(data, "mirror.git")), { timeout: patient(10_000) }).toBe("");
		await expect.poll(() => refsIn(stage.remote), { timeout: patient(10_000) }).not.toContain(removed);
		expect(refsIn(stage.remote)).toContain(foreign);
		await host.stop();
	});

	it("works on where it was killed at any step of git, and where somebody has deleted all that it keeps", {
		timeout: patient(120_000),
	}, async () => {
		const stage = await openHostStage();
		const open = () => stage.host("a", { play: () => moveTo("done") });
		let host = await open();
		const mirror = join(host.data, "app", "mirror.git");
		let runs = 0;
		const work = async (what: string): Promise<void> => {
			// The mirror has to follow a branch.
			const who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
			stage.git(...who, "commit", "-q", "--allow-empty", "-m", what);
			stage.git("push", "-q", stage.remote, "HEAD:refs/heads/main");
			runs += 1;
			await stage.submit(runs);
			const done = async () =>
				(await stage.database.query("SELECT FROM chronicle.run WHERE status = 'done' AND holder IS NULL")).count;
			await expect.poll(done, { timeout: patient(20_000), message: what }).toBe(runs);
		};
		await work("fresh");
		for (const lock of [
			"config.lock",
			"packed-refs.lock",
			"refs/remotes/origin/main.lock",
			"objects/pack/tmp_pack_x",
		]) {
			await host.stop();
			mkdirSync(dirname(join(mirror, lock)), { recursive: true });
			writeFileSync(join(mirror, lock), "");
			host = await open();
			await work(lock);
		}
		rmSync(join(host.data, "app"), { recursive: true });
		await work("deleted");
		await host.stop();
	});
});
