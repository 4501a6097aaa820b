// What hinders a run on an engine from outside is in its events, and in its status for as long as it lasts, with the command that helps.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../pi-chronicle/src/local/project/index.ts";
import { statusLines } from "../../pi-chronicle/src/ui/phrases/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo, type Play } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { type HostStage, openHostStage } from "./host-stage.ts";

const idOf = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
const state = (...next: string[]) => ({ persona: "A", next });
const definition = { name: "T", states: { a: state("b"), b: state("c"), c: state("done") } };

const timeout = patient(60_000);

describe("a run", needsPostgres, () => {
	let stage: HostStage;
	beforeAll(async () => {
		stage = await openHostStage();
		stage.git("remote", "add", "origin", stage.remote);
	});
	const read = async (n: number) => value(await stage.store().read(idOf(n)));
	const lines = async (n: number): Promise<string> =>
		statusLines(await read(n), { now: new Date().toISOString(), prefix: "pi-chronicle " } as never).join("\n");
	const events = async (n: number) => {
		const found = [];
		for await (const event of (await read(n)).events()) if (event.kind === "condition_changed") found.push(event);
		return found;
	};
	/** A worker that writes a file and moves on, after `before`. */
	const work =
		({ place }: Project, target: string, before = async () => {}): Play =>
		async (...given) => {
			await before();
			writeFileSync(join(place.cwd, `${target}.txt`), `${target}\n`);
			await moveTo(target)(...given);
		};
	const onRemote = (...args: string[]) =>
		spawnSync("git", ["--git-dir", stage.remote, ...args], { encoding: "utf8" }).stdout.trim();
	/** Somebody else commits to the branch of the n-th run. */
	const intrude = async (n: number): Promise<void> => {
		const branch = `chronicle/${idOf(n)}`;
		const tip = () => onRemote("rev-parse", "-q", "--verify", branch);
		await expect.poll(tip, { timeout }).not.toBe("");
		const who = ["-c", "user.name=eve", "-c", "user.email=eve@localhost"];
		const commit = onRemote(...who, "commit-tree", `${tip()}^{tree}`, "-p", tip(), "-m", "mine");
		onRemote("update-ref", `refs/heads/${branch}`, commit);
	};
	const over = async (n: number) => {
		const { run, holder } = await read(n);
		return run.status === "done" && holder === undefined;
	};

	it("whose branch has foreign commits says so until the printed command has moved them away", {
		timeout,
	}, async () => {
		const help = async (): Promise<void> => {
			await expect.poll(() => lines(1), { timeout }).toContain("has foreign commits, so it was not changed.");
			const [, command = ""] = /To move them away: (.*?);/.exec(await lines(1)) ?? [];
			const done = spawnSync("sh", ["-c", command], { cwd: join(stage.root, "project"), encoding: "utf8" });
			expect(done.status, done.stderr).toBe(0);
		};
		await stage.submit(1, { definition });
		const host = await stage.host("a", {
			play: (n, project) => [
				work(project, "b"),
				work(project, "c", () => intrude(n)),
				work(project, "done", n === 1 ? help : undefined),
			],
		});
		await expect.poll(() => over(1), { timeout }).toBe(true);
		expect((await events(1)).map(({ condition, detail }) => [condition, detail === undefined])).toEqual([
			["branch", false],
			["branch", true],
		]);
		expect(await lines(1)).not.toContain("foreign");
		expect(onRemote("show", `chronicle/${idOf(1)}:done.txt`)).toBe("done");
		expect(onRemote("log", "-1", "--format=%an", "others-aaaaaaaa")).toBe("eve");

		// One that ends so says how to get its files.
		await stage.submit(2, { definition });
		await expect.poll(() => over(2), { timeout }).toBe(true);
		expect(await lines(2)).toContain("has foreign commits, so it was not changed.");
		const [command = ""] = /git fetch origin refs\/chronicle\S+/.exec(await lines(2)) ?? [];
		stage.git(...command.split(" ").slice(1));
		expect(stage.git("show", "FETCH_HEAD:done.txt")).toBe("done");
		await host.stop();
	});

	it("that a host cannot begin names the reason until a host has it", { timeout }, async () => {
		await stage.submit(3);
		const spoiled = { setup: "echo 'No space left on device' >&2; exit 1" };
		const bad = await stage.host("bad", { served: spoiled, play: () => moveTo("done") });
		await expect
			.poll(() => lines(3), { timeout })
			.toMatch(/· queued ·[\s\S]*The host bad gave it back: .*No space left on device/);
		await bad.stop();
		const good = await stage.host("good", { play: () => moveTo("done") });
		await expect.poll(() => over(3), { timeout }).toBe(true);
		expect(await lines(3)).not.toContain("gave it back");
		expect((await events(3)).length).toBeGreaterThan(0);
		await good.stop();
	});
});
