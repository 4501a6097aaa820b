// A real outage: the provider refuses everything for 90 seconds, and the run waits without a worker, then ends as done. Real pi and processes.
import { describe, expect, it } from "vitest";
import { call, fail, openBench } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { chronicle, eventsOf, goOn, ledgerOf, move, withTemplates, worker } from "./bench.ts";

const outageMs = 90_000;
const template = { states: { build: { persona: "Builder", next: ["finished"] } } };
const settings = { retry: { enabled: false }, chronicle: { providerRetry: "14s" } };

describe("an outage of the provider", { timeout: patient(200_000) }, () => {
	it("of 90 s is waited out: no worker meanwhile, no active time, and the same conversation continues", async () => {
		let until = Number.POSITIVE_INFINITY;
		let answered = 0;
		const { project, server } = await openBench({
			settings,
			files: withTemplates({ t: template }),
			script: {
				[worker("build")]: () => {
					if (answered === 0) {
						answered += 1;
						until = Date.now() + outageMs;
						return call("bash", { command: "echo before" });
					}
					return Date.now() < until ? fail(429, "rate limited") : move("finished");
				},
			},
		});
		server.lenient();
		const run = goOn(project, ["run", "t", "Do it"]);
		await expect
			.poll(() => eventsOf(project).some(({ kind }) => kind === "provider_awaited"), { timeout: patient(30_000) })
			.toBe(true);
		const { providerWait } = ledgerOf(project) as unknown as { providerWait: { since: string; next: string } };
		expect(Date.parse(providerWait.next) - Date.parse(providerWait.since)).toBe(14_000);
		await expect
			.poll(() => project.processes().filter(({ command }) => command.includes("--mode")).length, {
				timeout: patient(5000),
			})
			.toBe(0);
		const status = await chronicle(project, ["status"]);
		expect(status.stdout).toContain("waiting for the provider");
		expect(status.stdout).toMatch(/has failed since \d\d:\d\d \(.*429.*\)\. Next try at \d\d:\d\d/);
		const json = JSON.parse((await chronicle(project, ["status", "--json"])).stdout) as Record<string, unknown>;
		expect(json).toMatchObject({ status: "awaiting_provider", provider: { tries: 1 } });
		const { code, stdout } = await run.ended;
		expect(code, stdout).toBe(0);
		const events = eventsOf(project);
		const waits = events.filter(({ kind }) => kind === "provider_awaited");
		expect(waits.length).toBeGreaterThanOrEqual(3);
		expect(events.filter(({ kind }) => kind === "attempt_reserved").map(({ attempt }) => attempt)).toEqual(
			events.filter(({ kind }) => kind === "attempt_reserved").map(() => 1),
		);
		expect(ledgerOf(project).totals.activeMs).toBeLessThan(patient(40_000));
		expect(JSON.stringify(server.last().messages)).toContain("echo before");
	});

	it("names when it ends in a header: that is the next try; with --no-wait the command ends with code 3", async () => {
		const { project, server } = await openBench({
			settings,
			files: withTemplates({ t: template }),
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
		expect((await chronicle(project, ["list"])).stdout).toContain("interrupted");
		const resumed = await chronicle(project, ["resume"]);
		expect(resumed.code, resumed.stderr).toBe(0);
	});

	it("is tried on another model first, and a refused key asks at once with what helps", async () => {
		const { project, server } = await openBench({
			settings: { ...settings, chronicle: { fallback: "scripted/two" } },
			files: withTemplates({ t: template }),
			script: { "model:one": () => fail(529, "overloaded"), "model:two": [move("finished")] },
		});
		server.lenient();
		const run = await chronicle(project, ["run", "--model", "scripted/one", "t", "Do it"]);
		expect(run.code, run.stderr).toBe(0);
		expect(eventsOf(project).some(({ kind }) => kind === "provider_awaited")).toBe(false);

		const refused = await openBench({
			settings,
			files: withTemplates({ t: template }),
			script: { [worker("build")]: () => fail(401, "invalid x-api-key") },
		});
		refused.server.lenient();
		const asks = await chronicle(refused.project, ["run", "t", "Do it"]);
		expect(asks.code).toBe(3);
		expect(asks.stdout).toMatch(/Log in with \/login in pi.*\n.*resume/);
	});
});
