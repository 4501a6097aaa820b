// The supervisor's loop: order of records, questions, and how it ends.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FailureError } from "@pi-chronicle/core/definition";
import { NO_SPEND } from "@pi-chronicle/core/machine";
import type { HeldLedger, MoveReply, WorkerHost } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo } from "./scripted-launcher.ts";
import { openStage } from "./stage.ts";

const two = {
	name: "t",
	states: { plan: { persona: "Planner", next: ["build"] }, build: { persona: "Builder", next: ["finished"] } },
};

describe("the supervisor's loop", () => {
	it("runs a template to its end: one launch a state, a handover to the next, the worker ended before the next starts", async () => {
		const stage = openStage([
			async (host, order, ended) => {
				expect(order.targets).toContain("build");
				expect(await host.requestMove("nowhere", "x")).toMatchObject({
					kind: "refused",
					text: expect.stringContaining('"build"'),
				});
				await host.updateSnapshot({ findings: ["The API port is 8081"] });
				writeFileSync(join(order.cwd, "a.txt"), "1\n");
				await moveTo("build", "planned it")(host, order, ended);
			},
			moveTo("finished", "built it"),
		]);
		const ledger = await stage.create(two);
		const { ended } = supervise(ledger, stage.ports, "fresh");
		const { kind, run } = await ended;
		expect(kind).toBe("parked");
		expect(run).toMatchObject({ status: "done", state: "finished" });
		expect(run.history.map(({ from, to, cause }) => `${from}>${to} ${cause}`)).toEqual([
			"plan>build worker",
			"build>finished worker",
		]);
		expect(stage.orders[1]?.message.new).toContain("The API port is 8081");
		expect(stage.orders[1]?.message.new).toContain("planned it");
		expect(stage.orders[1]?.message.new).toContain("a.txt");
		const kinds = (await stage.events(run.id)).map(({ kind }) => kind);
		expect(kinds.indexOf("attempt_reserved")).toBeLessThan(kinds.indexOf("worker_started"));
		expect(kinds.indexOf("worker_ended")).toBeLessThan(kinds.lastIndexOf("attempt_reserved"));
		expect(kinds.filter((kind) => kind === "moved")).toHaveLength(2);
	});

	it("waits for an approval without a process, accepts it in a later supervision, and a second answer has no effect", async () => {
		const template = { ...two, states: { ...two.states, plan: { ...two.states.plan, requires_approval: true } } };
		const stage = openStage([moveTo("build"), moveTo("finished")], [{ kind: "undecided" }, { kind: "approved" }]);
		const first = await supervise(await stage.create(template), stage.ports, "fresh").ended;
		expect(first.run.status).toBe("awaiting_approval");
		expect(stage.orders).toHaveLength(1);
		const second = supervise(await stage.reopen(first.run.id), stage.ports, "reopened");
		const { run } = await second.ended;
		expect(run.status).toBe("done");
		expect(stage.questions.map(({ target }) => target)).toEqual(["build", "build"]);
		expect(await second.submit({ kind: "approved", answers: stage.questions[0]?.seq ?? 0, diff: "" })).toMatchObject({
			refused: expect.any(String),
		});
	});

	it("a move is one append with the event that led to it, and a launch one with the measured files", async () => {
		const stage = openStage([moveTo("build"), moveTo("finished")]);
		const ledger = await stage.create(two);
		const appends: string[] = [];
		const append: HeldLedger["append"] = (bodies, durability) => {
			appends.push(`${durability}: ${bodies.map(({ kind }) => kind).join(", ")}`);
			return ledger.append(bodies, durability);
		};
		const { run } = await supervise({ ...ledger, append }, stage.ports, "fresh").ended;
		expect(run.status).toBe("done");
		const visit = ["durable: worker_started", "durable: move_requested, moved", "durable: worker_ended"];
		expect(appends).toEqual([
			"durable: files_measured, attempt_reserved",
			...visit,
			"durable: files_measured, attempt_reserved",
			...visit,
			"durable: files_measured, finished",
		]);
	});

	it("a worker of an earlier visit cannot move the run", async () => {
		let early: WorkerHost | undefined;
		let late: MoveReply | undefined;
		const stage = openStage([
			async (host, _order, ended) => {
				early = host;
				await host.requestMove("b", "on");
				await ended;
			},
			async (host, _order, ended) => {
				late = await early?.requestMove("finished", "and out");
				await host.requestMove("finished", "done");
				await ended;
			},
		]);
		const ledger = await stage.create({
			states: { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["finished"] } },
		});
		const { run } = await supervise(ledger, stage.ports, "fresh").ended;
		expect(late).toMatchObject({
			kind: "refused",
			text: expect.stringContaining("This was decided in an earlier visit"),
		});
		expect(run).toMatchObject({ status: "done", visit: 3 });
	});
	it("twelve hours of sleep are recorded with a notice, and do not count", async () => {
		const began = Date.now();
		let slept = 0;
		const stage = openStage(
			[
				async (host, _order, ended) => {
					slept = 12 * 3_600_000;
					host.report({ kind: "used", spend: { ...NO_SPEND, tokens: 1 } });
					await host.requestMove("finished", "done");
					await ended;
				},
			],
			[],
			() => Date.now() + slept,
		);
		const clock = { ...stage.ports.clock, awake: () => ({ now: () => performance.now(), close: () => {} }) };
		const states = { a: { persona: "A", next: ["finished"] } };
		const ledger = await stage.create({ states, limits: { minutes: 600 } });
		const { run } = await supervise(ledger, { ...stage.ports, clock }, "fresh").ended;
		expect(run).toMatchObject({ status: "done", notices: [expect.stringContaining("12h00m")] });
		expect(run.totals.activeMs).toBeLessThanOrEqual(Date.now() - began);
	});
	it("a rejection returns to the same state with the user's message", async () => {
		const template = { ...two, states: { ...two.states, plan: { ...two.states.plan, requires_approval: true } } };
		const stage = openStage(
			[moveTo("build"), moveTo("build"), moveTo("finished")],
			[{ kind: "rejected", words: "name the risks" }, { kind: "approved" }],
		);
		const { run } = await supervise(await stage.create(template), stage.ports, "fresh").ended;
		expect(run.status).toBe("done");
		expect(stage.orders[1]?.message.continued).toContain("name the risks");
		expect(run.history).toHaveLength(2);
	});

	it("the fourth move between two states becomes human_intervention; the user's release lets the run continue", async () => {
		const pingPong = {
			name: "t",
			states: { a: { persona: "A", next: ["b", "finished"] }, b: { persona: "B", next: ["a"] } },
		};
		const stage = openStage(["b", "a", "b", "a"].map((to) => moveTo(to)));
		const { run } = await supervise(await stage.create(pingPong), stage.ports, "fresh").ended;
		expect(run).toMatchObject({ status: "human_intervention", refused: { from: "b", to: "a" } });
		expect(stage.orders).toHaveLength(4);
		const again = await stage.reopen(run.id);
		const goOn = openStage([moveTo("finished")]);
		const supervision = supervise(again, goOn.ports, "reopened");
		const since = run.stage.kind === "waiting" ? run.stage.since : 0;
		expect(await supervision.submit({ kind: "released", answers: since })).toEqual({ refused: undefined });
		expect((await supervision.ended).run).toMatchObject({ status: "done" });
	});

	it("cleanup runs after the worker has ended and before the next one starts", async () => {
		const template = { ...two, states: { ...two.states, plan: { ...two.states.plan, cleanup: ["stop things"] } } };
		const order: string[] = [];
		const stage = openStage([
			async (host, _order, ended) => {
				await moveTo("build")(host, _order, ended);
				order.push("worker ended");
			},
			async (host, launched, ended) => {
				order.push(`second worker after ${stage.commands.join()}`);
				await moveTo("finished")(host, launched, ended);
			},
		]);
		await supervise(await stage.create(template), stage.ports, "fresh").ended;
		expect(stage.commands).toEqual(["stop things"]);
		expect(order).toEqual(["worker ended", "second worker after stop things"]);
	});

	it("abort stops the worker at once; pause stops it and waits; resume continues the same conversation", async () => {
		const hanging = async (_host: unknown, _order: unknown, ended: Promise<unknown>) => void (await ended);
		const stage = openStage([hanging, moveTo("build"), moveTo("finished")]);
		const supervision = supervise(await stage.create(two), stage.ports, "fresh");
		await expect.poll(() => supervision.run.stage.kind).toBe("working");
		await supervision.submit({ kind: "pause_requested", cause: "person", detail: "Paused by the person." });
		const { run } = await supervision.ended;
		expect(run).toMatchObject({ status: "paused", state: "plan" });
		const goOn = supervise(await stage.reopen(run.id), stage.ports, "reopened");
		await goOn.submit({ kind: "resumed", answers: run.stage.kind === "waiting" ? run.stage.since : 0 });
		expect((await goOn.ended).run.status).toBe("done");
		expect(stage.orders[1]?.conversation).toMatchObject({ kind: "continue" });
	});

	it("a stopped supervision leaves the run as recorded; the next one continues the attempt's conversation", async () => {
		const hanging = async (_host: unknown, _order: unknown, ended: Promise<unknown>) => void (await ended);
		const stage = openStage([hanging, moveTo("build"), moveTo("finished")]);
		const supervision = supervise(await stage.create(two), stage.ports, "fresh");
		await expect.poll(() => supervision.run.stage.kind).toBe("working");
		const { kind, run } = await supervision.stop();
		expect(kind).toBe("released");
		const { run: after } = await supervise(await stage.reopen(run.id), stage.ports, "reopened").ended;
		expect(after.status).toBe("done");
		expect(stage.orders[1]).toMatchObject({
			conversation: { kind: "continue" },
			launch: { visit: 1, attempt: 1, launch: 2 },
		});
		expect(stage.orders[1]?.message.continued).toContain("interrupted");
		expect(after.history).toHaveLength(2);
	});

	it("a ledger that cannot be written stops the workers with the reason; the run is not lost", async () => {
		const stage = openStage([async (host) => void (await host.updateSnapshot("x")), moveTo("build")]);
		const ledger = await stage.create(two);
		let full = false;
		const limited = {
			...ledger,
			append: async (...given: Parameters<typeof ledger.append>) =>
				full && given[0][0]?.kind === "snapshot_updated"
					? {
							ok: false as const,
							failure: { reason: "no_space" as const, message: "The disk is full.", remedy: "Make room." },
						}
					: ledger.append(...given),
		};
		full = true;
		const end = await supervise(limited, stage.ports, "fresh").ended;
		expect(end).toMatchObject({ kind: "failed", failure: { reason: "no_space" } });
		const read = await stage.store.read(end.run.id);
		expect(read.ok && read.value.run.state).toBe("plan");
	});

	it.each([
		[new FailureError({ reason: "database_away", message: "No route.", remedy: "Wait." }), "database_away", "Wait."],
		[new Error("It broke."), "broken", "Resume the run; if it happens again, report it."],
	])("what throws %s ends the supervision with its failure", async (error, reason, remedy) => {
		const stage = openStage([]);
		const launcher = { ...stage.ports.launcher, launch: () => Promise.reject(error) };
		const end = await supervise(await stage.create(two), { ...stage.ports, launcher }, "fresh").ended;
		expect(end).toMatchObject({ kind: "failed", failure: { reason, message: error.message, remedy } });
	});

	it("the user sends the run elsewhere instead of approving", async () => {
		const template = { ...two, states: { ...two.states, plan: { ...two.states.plan, requires_approval: true } } };
		const stage = openStage([moveTo("build")], [{ kind: "sent", to: "finished", words: "not needed" }]);
		const { run } = await supervise(await stage.create(template), stage.ports, "fresh").ended;
		expect(run).toMatchObject({ status: "done", state: "finished" });
		expect(run.history.at(-1)).toMatchObject({ from: "plan", cause: "person" });
	});

	it("events posted while nobody held the run are recorded before the supervision may end", async () => {
		const stage = openStage([moveTo("build"), moveTo("finished")]);
		const supervision = supervise(await stage.create(two), stage.ports, "fresh");
		await supervision.submit({ kind: "pause_requested", cause: "person", detail: "Paused." });
		const { run } = await supervision.ended;
		expect(run.status).toBe("paused");
		await stage.store.post(run.id, { kind: "resumed", answers: run.stage.kind === "waiting" ? run.stage.since : 0 });
		expect((await supervise(await stage.reopen(run.id), stage.ports, "reopened").ended).run.status).toBe("done");
	});

	it("an event submitted right before the stop is recorded, and starts no action", async () => {
		const stage = openStage([moveTo("build"), moveTo("finished")]);
		const supervision = supervise(await stage.create(two), stage.ports, "fresh");
		await supervision.submit({ kind: "pause_requested", cause: "person", detail: "Paused." });
		const { run } = await supervision.ended;
		const launched = stage.orders.length;
		const brief = supervise(await stage.reopen(run.id), stage.ports, "reopened");
		const said = brief.submit({ kind: "resumed", answers: run.stage.kind === "waiting" ? run.stage.since : 0 });
		const { kind, run: after } = await brief.stop();
		expect(await said).toEqual({ refused: undefined });
		expect({ kind, status: after.status, launched: stage.orders.length }).toEqual({
			kind: "released",
			status: "running",
			launched,
		});
		expect(await brief.submit({ kind: "told", text: "x" })).toMatchObject({ refused: expect.any(String) });
	});

	it.each(["abort_requested", "pause_requested"] as const)(
		"%s applies to a run whose supervisor died between an event and its decision",
		async (kind) => {
			const stage = openStage([]);
			const ledger = await stage.create(two);
			await ledger.append([{ kind: "files_measured", visit: 1, purpose: "baseline", tree: "a".repeat(40) }], "durable");
			await ledger.releaseLease();
			const again = await stage.reopen(ledger.run.id);
			expect(again.run.stage).toMatchObject({ kind: "deciding", decision: { kind: "attempt_reserved" } });
			const supervision = supervise(again, stage.ports, "reopened");
			const word =
				kind === "abort_requested" ? ({ kind } as const) : ({ kind, cause: "person", detail: "Paused." } as const);
			expect(await supervision.submit(word)).toEqual({ refused: undefined });
			const { run } = await supervision.ended;
			expect(run.status).toBe(kind === "abort_requested" ? "aborted" : "paused");
			expect(stage.orders).toEqual([]);
		},
	);
	it("submitted twenty times, an abort finishes the run once", async () => {
		const stage = openStage([]);
		const ledger = await stage.create(two);
		const supervision = supervise(ledger, stage.ports, "fresh");
		// Said at every moment from the first on, one of them while a decision is in line.
		const said = Array.from({ length: 20 }, () => supervision.submit({ kind: "abort_requested" }));
		await Promise.all(said);
		const { run } = await supervision.ended;
		expect(run.status).toBe("aborted");
		const finished = (await stage.events(run.id)).flatMap((event) => (event.kind === "finished" ? [event.status] : []));
		expect(finished).toEqual(["aborted"]);
	});

	it("a supervisor that has lost the lease starts nothing and stops no process of another one", async () => {
		let die: () => void = () => {};
		const died = new Promise<void>((resolve) => {
			die = resolve;
		});
		const stage = openStage([() => died, moveTo("build")]);
		const ledger = await stage.create(two);
		let lost = false;
		let swept = 0;
		const { launcher } = stage.ports;
		const ports = {
			...stage.ports,
			launcher: {
				...launcher,
				stopOrphans: async () => {
					swept += 1;
					return { stopped: 0, left: 0 };
				},
				async launch(...given: Parameters<typeof launcher.launch>) {
					const launched = await launcher.launch(...given);
					const ended = died.then(() => ({ kind: "killed" as const, signal: "SIGKILL" }));
					return launched.ok ? { ...launched, value: { ...launched.value, ended } } : launched;
				},
			},
		};
		const supervision = supervise({ ...ledger, holdsLease: async () => !lost && ledger.holdsLease() }, ports, "fresh");
		await expect.poll(() => supervision.run.stage.kind).toBe("working");
		const before = swept;
		// Another supervisor has taken the run and ended this one's worker, as it ends all that it finds.
		lost = true;
		die();
		expect(await supervision.ended).toMatchObject({ kind: "failed", failure: { reason: "fenced" } });
		expect({ swept, launched: stage.orders.length }).toEqual({ swept: before, launched: 1 });
	});

	it("a message submitted during a launch reaches the worker once", async () => {
		const sent: string[] = [];
		const stage = openStage([moveTo("build"), moveTo("finished")]);
		const { launcher, workspace } = stage.ports;
		let talk: () => Promise<unknown> = async () => {};
		const ports = {
			...stage.ports,
			workspace: {
				...workspace,
				async open(...given: Parameters<typeof workspace.open>) {
					await talk();
					return workspace.open(...given);
				},
			},
			launcher: {
				...launcher,
				async launch(...given: Parameters<typeof launcher.launch>) {
					const launched = await launcher.launch(...given);
					const send = async (text: string) => {
						sent.push(text);
						return true;
					};
					return launched.ok ? { ...launched, value: { ...launched.value, send } } : launched;
				},
			},
		};
		const supervision = supervise(await stage.create(two), ports, "fresh");
		talk = async () => {
			talk = async () => {};
			await supervision.submit({ kind: "told", text: "mind the gap" });
		};
		await supervision.ended;
		const first = stage.orders[0]?.message.new.split("mind the gap").length ?? 0;
		expect({ inFirstMessage: first - 1, sent }).toEqual({ inFirstMessage: 0, sent: ["mind the gap"] });
		expect(stage.orders[1]?.message.new.split("mind the gap")).toHaveLength(2);
	});

	it("the time of a worker counts until its supervision is stopped", async () => {
		const hanging = async (_host: unknown, _order: unknown, ended: Promise<unknown>) => void (await ended);
		let now = Date.parse("2026-01-01T00:00:00Z");
		const stage = openStage([hanging, moveTo("build"), moveTo("finished")], [], () => now);
		const supervision = supervise(await stage.create(two), stage.ports, "fresh");
		await expect.poll(() => supervision.run.stage.kind).toBe("working");
		now += 600_000;
		const { run } = await supervision.stop();
		expect(run.stage.kind).toBe("working");
		now += 3_600_000;
		const { run: done } = await supervise(await stage.reopen(run.id), stage.ports, "reopened").ended;
		expect(done).toMatchObject({ status: "done", totals: { activeMs: 600_000 } });
	});

	it("usage of a lost worker after its last report is counted, even if its conversation is never continued", async () => {
		const spent = { ...NO_SPEND, input: 480, output: 20, tokens: 500, costUsd: 0.25 };
		const hanging = async (_host: unknown, _order: unknown, ended: Promise<unknown>) => void (await ended);
		const stage = openStage([hanging]);
		const supervision = supervise(await stage.create(two), stage.ports, "fresh");
		await expect.poll(() => supervision.run.stage.kind).toBe("working");
		const { run } = await supervision.stop();
		const again = await stage.reopen(run.id);
		const asked: string[] = [];
		const launcher = {
			...stage.ports.launcher,
			readSpend: async (_folder: string, key: string) => {
				asked.push(key);
				return spent;
			},
		};
		const after = supervise(again, { ...stage.ports, launcher }, "reopened");
		await after.submit({ kind: "abort_requested" });
		const end = await after.ended;
		expect(end.run).toMatchObject({ status: "aborted", totals: { tokens: 500, costUsd: 0.25 } });
		expect(end.run.states.plan).toMatchObject({ tokens: 500 });
		expect(asked).toEqual(["1.1"]);
	});

	it("an interrupted cleanup runs again in the next supervision, after leftovers of the first are stopped once", async () => {
		const template = {
			...two,
			states: { ...two.states, plan: { ...two.states.plan, cleanup: ["stop things", "and others"] } },
		};
		const story: string[] = [];
		const stage = openStage([moveTo("build"), moveTo("finished")]);
		const ports = (how: "hangs" | "works") => ({
			...stage.ports,
			launcher: {
				...stage.ports.launcher,
				async stopOrphans() {
					story.push("sweep");
					return { stopped: 0, left: 0 };
				},
			},
			commands: {
				async run(command: string, _cwd: string, _ms: number, signal: AbortSignal) {
					story.push(command);
					if (how === "works") return { result: { kind: "exited" as const, code: 0 }, output: "" };
					await new Promise((resolve) => signal.addEventListener("abort", resolve));
					return { result: { kind: "killed" as const, signal: "SIGKILL" }, output: "" };
				},
			},
		});
		const first = supervise(await stage.create(template), ports("hangs"), "fresh");
		await expect.poll(() => story).toContain("stop things");
		const { run } = await first.stop();
		story.length = 0;
		const { run: after } = await supervise(await stage.reopen(run.id), ports("works"), "reopened").ended;
		expect(story.slice(0, 3)).toEqual(["sweep", "stop things", "and others"]);
		expect(after).toMatchObject({ status: "done", notices: [] });
	});

	it("an incomplete event ends the supervision with a reason, not the process; the run stays as recorded", async () => {
		const stage = openStage([]);
		const { run } = await supervise(await stage.create(two), stage.ports, "fresh").ended;
		expect(run.status).toBe("paused");
		const supervision = supervise(await stage.reopen(run.id), stage.ports, "reopened");
		expect(await supervision.submit({ kind: "told" } as never)).toMatchObject({ refused: expect.any(String) });
		expect(await supervision.ended).toMatchObject({ kind: "failed", failure: { reason: "broken" } });
		const read = await stage.store.read(run.id);
		expect(read.ok && read.value.run).toMatchObject({ status: "paused", outbox: [] });
	});
});
