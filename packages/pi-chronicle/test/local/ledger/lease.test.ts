// Leases as files: one holder at a time, also in a race, and none without proof that the previous one is dead.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { leaseHolder, takeLease, thisHost } from "../../../src/local/ledger/lease.ts";
import { processStart } from "../../../src/process/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsLinux, needsPosix } from "../../harness/needs.ts";

let folder: string;
const pathOf = (fence: number) => join(folder, `lease.${fence}`);
const files = () => readdirSync(folder).sort();
const alive = { host: thisHost(), pid: process.pid, started: processStart(process.pid) ?? "unknown" };
const dead = { host: thisHost(), pid: spawnSync(process.execPath, ["-e", ""]).pid, started: "gone" };
const write = (fence: number, owner: object) => writeFileSync(pathOf(fence), JSON.stringify(owner));

beforeEach(() => {
	folder = openFolder();
});

describe("taking a lease", () => {
	it("writes a private file that names this process, and nothing else", needsPosix, async () => {
		const taken = await takeLease(folder, 6);
		expect(taken).toMatchObject({ ok: true, value: { fence: 7, owner: { ...alive, alive: "yes" } } });
		expect(files()).toEqual(["lease.7"]);
		expect(JSON.parse(readFileSync(pathOf(7), "utf8"))).toEqual(alive);
		expect(statSync(pathOf(7)).mode & 0o777).toBe(0o600);
	});

	it("uses a number above those of dead processes and of the log, and removes their files", async () => {
		write(3, dead);
		write(9, dead);
		expect(await takeLease(folder, 5)).toMatchObject({ ok: true, value: { fence: 10 } });
		expect(files()).toEqual(["lease.10"]);
		rmSync(pathOf(10));
		expect(await takeLease(folder, 20)).toMatchObject({ ok: true, value: { fence: 21 } });
	});

	it("succeeds for at most one of several that try at once, whose file alone remains", async () => {
		const all = await Promise.all(Array.from({ length: 5 }, () => takeLease(folder, 0)));
		const taken = all.flatMap((result) => (result.ok ? [`lease.${result.value.fence}`] : []));
		expect(taken.length).toBeLessThanOrEqual(1);
		for (const result of all) if (!result.ok) expect(result.failure.reason).toBe("held");
		expect(files()).toEqual(taken);
		// Two that see each other's file both give way: then the next attempt succeeds.
		expect((await takeLease(folder, 0)).ok).toBe(taken.length === 0);
	});

	it("gives way to a live process that took a lower number in the meantime", async () => {
		write(5, alive);
		write(7, dead);
		expect(await takeLease(folder, 0)).toMatchObject({ ok: false, failure: { reason: "held" } });
		expect(files()).toEqual(["lease.5", "lease.7"]);
	});

	it("fails if the owner's pid is alive and its start time was not readable", needsLinux, async () => {
		write(4, { ...alive, started: "unknown" });
		const { failure } = (await takeLease(folder, 0)) as { failure: object };
		expect(failure).toMatchObject({
			message: expect.stringContaining(`process ${process.pid} on ${hostname()}, which cannot be checked`),
			remedy: expect.stringContaining(pathOf(4)),
		});
		expect(files()).toEqual(["lease.4"]);
	});

	it("fails if a lease has no readable owner, such as a directory", async () => {
		mkdirSync(pathOf(4));
		const { failure } = (await takeLease(folder, 0)) as { failure: object };
		expect(failure).toMatchObject({ reason: "held", message: expect.stringContaining("an unknown process") });
		expect(files()).toEqual(["lease.4"]);
	});

	it("fails with the disk error if a lease cannot be read", needsPosix, async () => {
		symlinkSync(pathOf(4), pathOf(4));
		await expect(takeLease(folder, 0)).rejects.toMatchObject({ code: "ELOOP" });
		await expect(leaseHolder(folder)).rejects.toMatchObject({ code: "ELOOP" });
	});
});

describe("a lease whose draft cannot be written", () => {
	const draft = () => join(folder, `.lease.1.${process.pid}`);

	it("is written directly where the file system cannot link", needsLinux, async () => {
		// A device cannot be synced.
		symlinkSync("/dev/null", draft());
		expect(await takeLease(folder, 0)).toMatchObject({ ok: true, value: { fence: 1 } });
		expect(files()).toEqual(["lease.1"]);
		expect(JSON.parse(readFileSync(pathOf(1), "utf8"))).toEqual(alive);
		expect(statSync(pathOf(1)).mode & 0o777).toBe(0o600);
	});

	it("is not written on a full disk", needsLinux, async () => {
		symlinkSync("/dev/full", draft());
		await expect(takeLease(folder, 0)).rejects.toMatchObject({ code: "ENOSPC" });
		expect(files()).toEqual([]);
	});
});

describe("holding a lease", () => {
	it.each<[string, () => void]>([
		["is removed", () => rmSync(pathOf(1))],
		["is followed by the next one", () => write(2, alive)],
		[
			"cannot be read",
			() => {
				rmSync(pathOf(1));
				symlinkSync(pathOf(1), pathOf(1));
			},
		],
	])("ends when its file %s", async (_, change) => {
		const taken = await takeLease(folder, 0);
		if (!taken.ok) throw new Error(taken.failure.message);
		expect(taken.value.holds()).toBe(true);
		change();
		expect(taken.value.holds()).toBe(false);
	});
});
