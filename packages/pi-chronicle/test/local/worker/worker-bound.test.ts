// The limit on concurrent workers across all runs of one machine.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { LaunchOrder, Worker, WorkerHost, WorkerLauncher } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { boundWorkers } from "../../../src/local/worker/worker-bound.ts";
import { openFolder } from "../../harness/folder.ts";
import { openScriptedLauncher, type Play } from "../supervisor/scripted-launcher.ts";

const never = new AbortController().signal;

/** Launches that are counted; each worker works until it is stopped. */
function openRig(max: number, folder = join(openFolder(), "workers")) {
	const orders: LaunchOrder[] = [];
	const plays: Play[] = Array.from({ length: 100 }, () => async (_host, _order, ended) => void (await ended));
	const scripted = openScriptedLauncher(plays, orders);
	const notes: string[] = [];
	const host = { waits: (why: string) => void notes.push(why), report() {} } as unknown as WorkerHost;
	const open = (): WorkerLauncher => boundWorkers(scripted, { folder, max });
	const launch = async (launcher: WorkerLauncher, key: string, signal = never): Promise<Worker | undefined> => {
		const order = { conversation: { kind: "new", key } } as LaunchOrder;
		const launched = await launcher.launch(order, host, signal);
		return launched.ok ? launched.value : undefined;
	};
	const keys = () => orders.map(({ conversation }) => conversation.key);
	return { folder, notes, open, launch, keys };
}

/** Resolves once `holds`; the test's own limit ends what never does. */
async function until(holds: () => boolean): Promise<void> {
	while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("the limit on workers", () => {
	it("applies to all launchers together, in each one's order, and every launch gets its turn", async () => {
		const { folder, notes, open, launch, keys } = openRig(2);
		const [one, other] = [open(), open()];
		let working = 0;
		let most = 0;
		const work = async (launcher: WorkerLauncher, key: string): Promise<void> => {
			const worker = await launch(launcher, key);
			working += 1;
			most = Math.max(most, working);
			// Gives the others the occasion to come in between.
			await new Promise((resolve) => setTimeout(resolve, 20));
			working -= 1;
			worker?.stop("now");
			await worker?.ended;
		};
		await Promise.all(
			["a1", "a2", "a3", "a4"].map((key) => work(one, key)).concat(["b1", "b2", "b3"].map((key) => work(other, key))),
		);
		expect(most).toBe(2);
		expect(keys().filter((key) => key.startsWith("a"))).toEqual(["a1", "a2", "a3", "a4"]);
		expect(keys().filter((key) => key.startsWith("b"))).toEqual(["b1", "b2", "b3"]);
		expect(notes[0]).toContain("at most 2 workers run on this machine");
		expect(existsSync(folder)).toBe(false);
	});

	it("ends the wait of a launch that is aborted, and frees its slot", async () => {
		const { folder, open, launch, keys } = openRig(1);
		const launcher = open();
		const first = await launch(launcher, "first");
		const stops = ["second", "third"].map((key) => {
			const stop = new AbortController();
			return { stop, launched: launch(launcher, key, stop.signal) };
		});
		const last = launch(launcher, "last");
		for (const { stop } of stops) stop.abort();
		expect(await Promise.all(stops.map(({ launched }) => launched))).toEqual([undefined, undefined]);
		first?.stop("now");
		const worker = await last;
		expect(keys()).toEqual(["first", "last"]);
		expect(readdirSync(folder)).toHaveLength(1);
		worker?.stop("now");
		await worker?.ended;
		await until(() => !existsSync(folder));
	});

	it("does not count a dead process, and removes its slot", async () => {
		const { folder, open, launch } = openRig(1);
		const { pid } = spawnSync(process.execPath, ["--version"]);
		mkdirSync(folder, { recursive: true });
		const dead = [hostname(), String(pid), "start", "1"].map(encodeURIComponent).join("~");
		writeFileSync(join(folder, dead), "");
		const worker = await launch(open(), "one");
		expect(worker).toBeDefined();
		expect(readdirSync(folder)).not.toContain(dead);
		worker?.stop("now");
	});

	it("leaves no slot of a killed supervisor to a run that needs no further worker", async () => {
		const { folder, open } = openRig(1);
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, [hostname(), String(2 ** 30), "start", "1"].map(encodeURIComponent).join("~")), "");
		await open().redactSessions(openFolder());
		expect(existsSync(folder)).toBe(false);
	});

	it("gives the slot of a failed launch to the next one", async () => {
		const { open, launch } = openRig(1);
		const failing = boundWorkers(
			{ ...openScriptedLauncher([]), launch: async () => ({ ok: false, failure: { reason: "spawn", detail: "no" } }) },
			{ folder: join(openFolder(), "workers"), max: 1 },
		);
		expect(await launch(failing, "one")).toBeUndefined();
		expect(await launch(failing, "two")).toBeUndefined();
		expect(await launch(open(), "three")).toBeDefined();
	});

	it("does not apply if slots cannot be stored", async () => {
		const folder = join(openFolder({ file: "x" }), "file");
		const { open, launch } = openRig(1, folder);
		const launcher = open();
		expect(await launch(launcher, "one")).toBeDefined();
		expect(await launch(launcher, "two")).toBeDefined();
	});
});
