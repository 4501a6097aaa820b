// Cleanup commands on this machine: approval, limits, and leftover processes.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type CleanupStatus, openCleanupApprovals } from "../../../src/local/project/cleanup-approvals.ts";
import { openCleanupRunner } from "../../../src/local/project/cleanup-runner.ts";
import { freezeRunRules } from "../../../src/local/worker/index.ts";
import { findOrphans, stopOrphans } from "../../../src/process/index.ts";
import { openFolder } from "../../harness/index.ts";
import { patient, within } from "../../harness/patience.ts";

const hash = "a".repeat(64);
const run = "0b6f3c52-8f6e-4a38-9a54-0d7f6a1c2e11";
const never = new AbortController().signal;

afterEach(async () => void (await stopOrphans(run, 100)));

function runnerIn(folder: string, standing: CleanupStatus = "approved") {
	const runner = openCleanupRunner({
		run,
		standing: () => standing,
		rules: () => freezeRunRules(folder, folder, join(folder, "agent")),
		agentFolder: join(folder, "agent"),
		env: { ...process.env, MY_API_KEY: "sk-live-0123456789abcdef0123" },
	});
	return {
		run: (command: string, cwd: string, timeoutMs: number, signal: AbortSignal) =>
			runner.run(command, cwd, timeoutMs, signal, hash),
	};
}

describe("approval of cleanup commands", () => {
	it("covers one exact text, is stored in the agent folder, and cannot be weakened by a project", async () => {
		const folder = openFolder();
		const approvals = openCleanupApprovals(folder, () => 0);
		expect(approvals.statusOf(hash)).toBe("unknown");
		await approvals.remember(hash, "approved", ["build: docker compose down"]);
		await approvals.remember(hash, "own", []);
		const again = openCleanupApprovals(folder, () => 0);
		expect(again.statusOf(hash)).toBe("approved");
		expect(again.statusOf("b".repeat(64))).toBe("unknown");
		const file = join(folder, "chronicle", "approved-cleanup.json");
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(readFileSync(file, "utf8")).toContain("docker compose down");
		for (const torn of ["{", "[]", '"x"', `{"${hash}": 1}`, `{"${hash}": {"standing": "yes"}}`, "null"]) {
			writeFileSync(file, torn);
			expect(again.statusOf(hash), torn).toBe("unknown");
		}
		await again.remember(hash, "own", []);
		expect(again.statusOf(hash)).toBe("own");
	});

	it("is kept for the newest 300 texts; an approval that is given again is the newest", async () => {
		const folder = openFolder();
		const approvals = openCleanupApprovals(folder, () => 0);
		const name = (n: number) => n.toString(16).padStart(64, "0");
		await approvals.remember(name(0), "own", []);
		const file = join(folder, "chronicle", "approved-cleanup.json");
		const all = Array.from({ length: 299 }, (_, n) => [name(n + 1), { standing: "own" }]);
		writeFileSync(file, JSON.stringify({ [name(0)]: { standing: "own" }, ...Object.fromEntries(all) }));
		await approvals.remember(name(0), "approved", []);
		await approvals.remember(name(300), "own", []);
		const standings = [0, 1, 2, 299, 300].map((n) => approvals.statusOf(name(n)));
		expect(standings).toEqual(["approved", "unknown", "own", "own", "own"]);
	});

	it("an unapproved command does not run, and the user's own commands are judged by the guard's rules", async () => {
		const folder = openFolder({ "keep.txt": "x", ".pi/damage-control-rules.yaml": "noDeletePaths:\n  - keep.txt\n" });
		expect(await runnerIn(folder, "unknown").run("touch ran", folder, 5000, never)).toMatchObject({
			result: { kind: "refused" },
		});
		const own = runnerIn(folder, "own");
		expect(await own.run("rm keep.txt", folder, 5000, never)).toMatchObject({
			result: { kind: "refused", detail: expect.stringContaining("keep.txt") },
		});
		expect(await own.run("touch ran", folder, 5000, never)).toMatchObject({ result: { kind: "exited", code: 0 } });
		// The user has read and approved this command.
		expect(await runnerIn(folder).run("rm keep.txt", folder, 5000, never)).toMatchObject({
			result: { kind: "exited", code: 0 },
		});
	});

	it("unreadable rules stop the commands that they would judge", async () => {
		const folder = openFolder({ ".pi/damage-control-rules.yaml": "noDeletePaths: [" });
		expect(await runnerIn(folder, "own").run("true", folder, 5000, never)).toMatchObject({
			result: { kind: "refused" },
		});
	});
});

describe("limits of cleanup commands", () => {
	it("a command has its exit code, the end of its output without secrets, and the run's tag", async () => {
		const folder = openFolder();
		const runner = runnerIn(folder);
		expect(await runner.run("echo out; echo err >&2; exit 3", folder, 5000, never)).toEqual({
			result: { kind: "exited", code: 3 },
			output: "out err",
		});
		expect((await runner.run('echo "key $MY_API_KEY"', folder, 5000, never)).output).not.toContain("0123456789abcdef");
		expect((await runner.run('echo "$PI_CHRONICLE_RUN"', folder, 5000, never)).output).toBe(run);
		expect(await runner.run("kill -TERM $$", folder, 5000, never)).toMatchObject({
			result: { kind: "killed", signal: "SIGTERM" },
		});
		expect(await runner.run("true", join(folder, "gone"), 5000, never)).toMatchObject({
			result: { kind: "unstarted" },
		});
	});

	it("a flood of output is not held in memory, and its end is kept", async () => {
		const folder = openFolder();
		const before = process.memoryUsage().rss;
		const { output, result } = await runnerIn(folder).run(
			"yes flood | head -c 60000000; echo the end",
			folder,
			patient(20_000),
			never,
		);
		expect(result).toEqual({ kind: "exited", code: 0 });
		expect(output.length).toBeLessThanOrEqual(2000);
		expect(output).toMatch(/the end$/);
		expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000);
	});

	it("a command that hangs is killed with its whole process group at its time limit or when canceled", async () => {
		const folder = openFolder();
		const runner = runnerIn(folder);
		const began = Date.now();
		const late = await runner.run("sleep 61 & sleep 62", folder, 300, never);
		expect(late.result).toEqual({ kind: "timed_out" });
		expect(Date.now() - began).toBeLessThan(within(4000));
		const control = new AbortController();
		const called = runner.run("sleep 63", folder, 60_000, control.signal);
		await sleep(200);
		control.abort();
		expect((await called).result).toMatchObject({ kind: "killed" });
		expect(findOrphans(run)).toEqual([]);
	});

	it("processes that a command leaves running can be found by the run's tag", async () => {
		const folder = openFolder();
		expect((await runnerIn(folder).run("sleep 64 >/dev/null 2>&1 & echo ok", folder, 5000, never)).output).toBe("ok");
		expect(findOrphans(run).map(({ command }) => command)).toEqual(["sleep 64"]);
	});
});
