// A real outage: the provider refuses everything for 90 seconds, and the run waits without a worker, then ends as done. Real pi and processes.
// The other tests of a provider that fails run meanwhile.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { call, fail, gate, openBench } from "../harness/index.ts";
import { needsLinux } from "../harness/needs.ts";
import { patient, within } from "../harness/patience.ts";
import {
	chronicle,
	eventsOf,
	type Going,
	goOn,
	ledgerOf,
	move,
	onlyRun,
	runIds,
	withTemplates,
	worker,
} from "./bench.ts";

const outageMs = 90_000;
const template = { states: { build: { persona: "Builder", next: ["finished"] } } };
const settings = { retry: { enabled: false }, chronicle: { providerRetry: "14s" } };
const files = withTemplates({ t: template });

type Bench = Awaited<ReturnType<typeof openBench>>;
let outage: Bench & { run: Going };

/** Waits until the runs of a project wait for their provider. */
async function untilWaiting({ project }: Pick<Bench, "project">, count = 1): Promise<void> {
	const waiting = () => runIds(project).filter((id) => ledgerOf(project, id).status === "awaiting_provider");
	await vi.waitFor(() => expect(waiting()).toHaveLength(count), { timeout: patient(60_000), interval: 200 });
}

const workersOf = ({ project }: Pick<Bench, "project">) =>
	project.processes().filter(({ command }) => command.includes("--mode"));

describe("an outage of the provider", { timeout: patient(200_000) }, () => {
	beforeAll(async () => {
		let until = Number.POSITIVE_INFINITY;
		const bench = await openBench({
			settings,
			files,
			script: {
				[worker("build")]: ({ results }) => {
					if (results.length === 0 && until === Number.POSITIVE_INFINITY) {
						until = Date.now() + outageMs;
						return call("bash", { command: "echo before" });
					}
					return Date.now() < until ? fail(429, "rate limited") : move("finished");
				},
			},
		});
		bench.server.lenient();
		outage = { ...bench, run: goOn(bench.project, ["run", "t", "Do it"]) };
		await untilWaiting(bench);
	}, patient(60_000));

	it("is said with its reason and the next try, and no worker waits", async () => {
		const { project } = outage;
		const { providerWait } = ledgerOf(project) as unknown as { providerWait: { since: string; next: string } };
		expect(Date.parse(providerWait.next) - Date.parse(providerWait.since)).toBe(14_000);
		await expect.poll(() => workersOf(outage).length, { timeout: patient(5000) }).toBe(0);
		const status = await chronicle(project, ["status"]);
		expect(status.stdout).toContain("waiting for the provider");
		expect(status.stdout).toMatch(/has failed since \d\d:\d\d \(.*429.*\)\. Next try at \d\d:\d\d/);
		const { data } = await chronicle(project, ["status", "--json"]);
		expect(data).toMatchObject({ status: "awaiting_provider", provider: { tries: expect.any(Number) } });
	});

	it("names when it ends in a header: that is the next try; with --no-wait the command ends with code 3", async () => {
		const { project, server } = await openBench({
			settings,
			files,
			script: { [worker("build")]: [fail(503, "busy", { "retry-after": "1200" }), move("finished")] },
		});
		server.lenient();
		const run = await chronicle(project, ["run", "--no-wait", "t", "Do it"]);
		expect(run.code, run.stderr).toBe(3);
		const awaited = eventsOf(project).find(({ kind }) => kind === "provider_awaited") as {
			since: string;
			next: string;
		};
		const waitMs = Date.parse(awaited.next) - Date.parse(awaited.since);
		expect(waitMs).toBeGreaterThan(1_150_000);
		expect(waitMs).toBeLessThanOrEqual(1_200_000);
		expect(project.processes()).toEqual([]);
		const gone =
			/No process supervises it now\..* next session of pi in this project .*resume tries at once\..*pi-chronicle resume/;
		for (const verb of ["status", "list"]) {
			const said = (await chronicle(project, [verb])).stdout;
			expect(said).toContain("interrupted");
			expect(said.replace(/\s+/g, " ")).toMatch(gone);
		}
		const resumed = await chronicle(project, ["resume"]);
		expect(resumed.code, resumed.stderr).toBe(0);
	});

	it("whose process has ended is taken up by the next session of pi in the project, which tries when it is due", async () => {
		const { project, server, rpc } = await openBench({
			settings,
			files,
			script: { [worker("build")]: [fail(503, "busy", { "retry-after": "6" }), move("finished")] },
		});
		server.lenient();
		expect((await chronicle(project, ["run", "--no-wait", "t", "Do it"])).code).toBe(3);
		const { next } = (ledgerOf(project) as unknown as { providerWait: { next: string } }).providerWait;
		const pi = await rpc();
		await pi.screen.notified("was left waiting; this session continues it");
		await expect.poll(() => ledgerOf(project).status, { timeout: patient(30_000) }).toBe("done");
		const tried = eventsOf(project).find(({ kind }) => kind === "provider_due");
		expect(Date.parse(String(tried?.at))).toBeGreaterThanOrEqual(Date.parse(next));
		expect(eventsOf(project).some(({ kind }) => kind === "resumed")).toBe(false);
	});

	it("whose process is killed is taken up by the session that follows it", async () => {
		const held = gate();
		const { project, server, rpc } = await openBench({
			settings,
			files,
			script: {
				[worker("build")]: [
					async () => {
						await held.opened;
						return fail(503, "busy", { "retry-after": "20" });
					},
					move("finished"),
				],
			},
		});
		server.lenient();
		const run = goOn(project, ["run", "t", "Do it"]);
		await server.waitForRequest(1);
		const pi = await rpc();
		// Refused while another process supervises the run, and followed from then on.
		await pi.prompt(`/chronicle resume ${onlyRun(project).slice(0, 8)}`);
		held.open();
		await untilWaiting({ project });
		run.signal("SIGKILL");
		await run.ended;
		await expect.poll(() => ledgerOf(project).status, { timeout: patient(60_000) }).toBe("done");
	});

	it("costs each local run that waits one idle process", needsLinux, async () => {
		const count = 4;
		const { project, server } = await openBench({
			settings: { ...settings, chronicle: { providerRetry: "10m" } },
			files,
			script: () => fail(503, "busy"),
		});
		server.lenient();
		const runs = Array.from({ length: count }, () => goOn(project, ["run", "t", "Do it"]));
		await untilWaiting({ project }, count);
		await expect.poll(() => project.processes().length, { timeout: patient(10_000) }).toBe(count);
		/** The most that one of them costs in five seconds, once it has settled. */
		const mostIn5s = async (): Promise<number> => {
			const before = runs.map(({ pid }) => cpuMs(pid));
			await sleep(5000);
			return Math.max(...runs.map(({ pid }, index) => cpuMs(pid) - (before[index] ?? 0)));
		};
		await expect.poll(mostIn5s, { timeout: patient(20_000) }).toBeLessThanOrEqual(50);
		for (const { pid } of runs) expect(residentMb(pid)).toBeLessThan(160);
		for (const run of runs) run.signal("SIGTERM");
		await Promise.all(runs.map(({ ended }) => ended));
	});

	it("is tried on another model first, and a refused key asks at once with what helps", async () => {
		const { project, server } = await openBench({
			settings: { ...settings, chronicle: { fallback: "scripted/two" } },
			files,
			script: { "model:one": () => fail(529, "overloaded"), "model:two": [move("finished")] },
		});
		server.lenient();
		const run = await chronicle(project, ["run", "--model", "scripted/one", "t", "Do it"]);
		expect(run.code, run.stderr).toBe(0);
		expect(eventsOf(project).some(({ kind }) => kind === "provider_awaited")).toBe(false);

		const refused = await openBench({
			settings,
			files,
			script: { [worker("build")]: () => fail(401, "invalid x-api-key") },
		});
		refused.server.lenient();
		const asks = await chronicle(refused.project, ["run", "t", "Do it"]);
		expect(asks.code).toBe(3);
		expect(asks.stdout).toMatch(/Log in with \/login in pi.*\n.*resume/);
	});

	it("of 90 s is waited out: no active time, and the same conversation continues", async () => {
		const { project, server, run } = outage;
		const { code, stdout } = await run.ended;
		expect(code, stdout).toBe(0);
		const events = eventsOf(project);
		const waits = events.filter(({ kind }) => kind === "provider_awaited");
		expect(waits.length).toBeGreaterThanOrEqual(3);
		const attempts = events.filter(({ kind }) => kind === "attempt_reserved").map(({ attempt }) => attempt);
		expect(new Set(attempts)).toEqual(new Set([1]));
		expect(ledgerOf(project).totals.activeMs).toBeLessThan(within(40_000));
		expect(JSON.stringify(server.last().messages)).toContain("echo before");
	});
});

/** CPU time of a process in ms, and its memory; clock ticks are 10 ms. */
function cpuMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
	return 10 * (Number(fields[11]) + Number(fields[12]));
}

function residentMb(pid: number): number {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
