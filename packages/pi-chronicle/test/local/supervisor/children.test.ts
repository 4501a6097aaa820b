// A state that is done by child runs: how they start, what they hand over, how their files are joined, and what follows a stop or a failure.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run, UserEvent } from "@pi-chronicle/core/machine";
import { NO_SPEND } from "@pi-chronicle/core/machine";
import type { Supervision } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { haltReason, progressLine } from "../../../src/ui/phrases/index.ts";
import { within } from "../../harness/patience.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

/** Workers of children by what their task says: `write a.txt=1`, `find <text>`, `cost <usd>`, `wait`, `fail`, `ask`. */
const child: Play = async (host, order, ended) => {
	const task = /^## (?:The|Your) task.*\n\n(.*)/m.exec(order.message.new)?.[1] ?? "";
	for (const step of task.split(";").map((one) => one.trim())) {
		const [verb = "", rest = ""] = step.split(/ (.*)/);
		const [file = "", text = ""] = rest.split("=");
		if (verb === "write") writeFileSync(join(order.cwd, file), `${text}\n`);
		if (verb === "find") await host.updateSnapshot({ findings: [rest] });
		if (verb === "cost") host.report({ kind: "used", spend: { ...NO_SPEND, tokens: 10, costUsd: Number(rest) } });
		if (verb === "wait") return void (await ended);
		if (verb === "fail") return moveTo("failed", "gave\n up")(host, order, ended);
	}
	await moveTo(order.targets[0] ?? "done", `did ${task}`)(host, order, ended);
};

const many = (play: Play): Play[] => Array.from({ length: 60 }, () => play);

/** Branches by name with their tasks, then the state `after`. */
const template = (tasks: Record<string, string>, more: object = {}, after: object = { next: [] }) => ({
	name: "t",
	states: {
		build: {
			branches: Object.fromEntries(
				Object.entries(tasks).map(([name, task]) => [
					name,
					{ task, run: { states: { work: { persona: "Builder", next: ["done", "failed"] }, failed: { next: [] } } } },
				]),
			),
			next: ["after"],
			...more,
		},
		after,
	},
});

async function start(stage: Stage, definition: object): Promise<Run> {
	return (await supervise(await stage.create(definition), stage.ports, "fresh").ended).run;
}

async function reopen(stage: Stage, id: string): Promise<Supervision> {
	return supervise(await stage.reopen(id), stage.ports, "reopened");
}

const text = (stage: Stage, file: string): string => readFileSync(join(stage.folder, file), "utf8");

describe("a state with branches", () => {
	it("runs a child per branch in a folder of its own, joins their files, and hands over what they found", async () => {
		const stage = openStage(many(child));
		writeFileSync(join(stage.folder, "old.txt"), "old\n");
		const run = await start(
			stage,
			template({ one: "write a.txt=1; find the port is 80; cost 0.25", two: "write b.txt=2; cost 0.5" }),
		);
		expect(run).toMatchObject({ status: "done", state: "after", children: null });
		expect([text(stage, "a.txt"), text(stage, "b.txt"), text(stage, "old.txt")]).toEqual(["1\n", "2\n", "old\n"]);
		expect(run.totals).toMatchObject({ costUsd: 0.75, tokens: 20, attempts: 2 });
		expect(run.snapshot.findings.map((finding) => finding.text)).toEqual(["the port is 80"]);
		expect(run.snapshot.summaries.at(-1)?.text).toContain("2 of 2 children done.");
		expect(run.snapshot.files.map(({ path }) => path).sort()).toEqual(["a.txt", "b.txt"]);
		expect(run.history.map(({ from, to, cause }) => `${from}>${to} ${cause}`)).toEqual(["build>after children"]);
		const kinds = (await stage.events(run.id)).map(({ kind }) => kind);
		expect(kinds.indexOf("children_planned")).toBeLessThan(kinds.indexOf("child_ended"));
		expect(kinds.indexOf("joined")).toBeLessThan(kinds.indexOf("join_applied"));
		expect(readdirSync(join(stage.folder, ".pi", "children"))).toEqual([]);
	});

	it("names the parent in each child's ledger, whose id follows from it", async () => {
		const stage = openStage(many(child));
		const run = await start(stage, template({ one: "write a.txt=1" }));
		const [planned] = (await stage.events(run.id)).filter((event) => event.kind === "children_planned");
		const id = planned?.kind === "children_planned" ? (planned.children[0]?.id ?? "") : "";
		const [created] = await stage.events(id);
		expect(created).toMatchObject({
			kind: "created",
			parent: { run: run.id, root: run.id, visit: 1, index: 1, name: "one", level: 1, files: "own" },
			task: "write a.txt=1",
		});
	});

	it("starts no more children at a time than max_parallel", async () => {
		let working = 0;
		let most = 0;
		const counted: Play = async (host, order, ended) => {
			working += 1;
			most = Math.max(most, working);
			await new Promise((resolve) => setTimeout(resolve, 10));
			working -= 1;
			await child(host, order, ended);
		};
		const stage = openStage(many(counted));
		const tasks = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`c${n}`, `write f${n}=${n}`]));
		const run = await start(stage, template(tasks, { max_parallel: 2 }));
		expect(run.status).toBe("done");
		expect(most).toBe(2);
	});

	it("merges what the user writes meanwhile", async () => {
		const stage = openStage(
			many(async (host, order, ended) => {
				writeFileSync(join(stage.folder, "mine.txt"), "mine\n");
				await child(host, order, ended);
			}),
		);
		const run = await start(stage, template({ one: "write a.txt=1", two: "write b.txt=2" }));
		expect(run.status).toBe("done");
		expect([text(stage, "a.txt"), text(stage, "b.txt"), text(stage, "mine.txt")]).toEqual(["1\n", "2\n", "mine\n"]);
	});

	it("nests: a child's state may have children of its own", async () => {
		const stage = openStage(many(child));
		const leaf = (file: string) => ({
			task: `write ${file}=x; cost 0.1`,
			run: { states: { work: { persona: "B", next: ["done"] } } },
		});
		const inner = { states: { both: { branches: { l: leaf("l.txt"), r: leaf("r.txt") }, next: ["done"] } } };
		const run = await start(stage, {
			name: "t",
			states: { outer: { branches: { a: { run: inner }, b: leaf("b.txt") }, next: ["done"] } },
		});
		expect(run.status).toBe("done");
		expect(["l.txt", "r.txt", "b.txt"].map((file) => existsSync(join(stage.folder, file)))).toEqual([true, true, true]);
		expect(run.totals).toMatchObject({ costUsd: 0.3, attempts: 3 });
	});
});

describe("a limit on the time of a run", () => {
	it.each<[string, Record<string, string>]>([
		["one that says nothing", { one: "wait" }],
		["several at once", { one: "wait", two: "wait", three: "wait" }],
		["one beside another that reports and ends", { one: "wait", two: "cost 0.1; cost 0.2; write a.txt=1" }],
	])("stops children at work when their time together has passed: %s", async (_, tasks) => {
		const stage = openStage(many(child));
		const begun = performance.now();
		const run = await start(stage, { ...template(tasks), limits: { minutes: 0.01 } });
		const count = Object.values(tasks).filter((task) => task === "wait").length;
		expect(run).toMatchObject({ status: "budget_exceeded", hold: { cause: "budget" } });
		expect(performance.now() - begun).toBeGreaterThan(600 / count - 5);
		expect(run.totals.activeMs).toBeGreaterThanOrEqual(600);
		expect(run.totals.activeMs).toBeLessThan(600 + within(600));
	});

	it("stops the children of a child, whose own children run", async () => {
		const stage = openStage(many(child));
		const leaf = { task: "wait", run: { states: { work: { persona: "B", next: ["done"] } } } };
		const inner = { states: { both: { branches: { l: leaf, r: leaf }, next: ["done"] } } };
		const run = await start(stage, {
			name: "t",
			limits: { minutes: 0.01 },
			states: { outer: { branches: { a: { run: inner }, b: leaf }, next: ["done"] } },
		});
		expect(run).toMatchObject({ status: "budget_exceeded", hold: { cause: "budget" } });
		expect(run.totals.activeMs).toBeGreaterThanOrEqual(600);
		expect(run.totals.activeMs).toBeLessThan(600 + within(600));
	});
});

describe("join and on_failed", () => {
	it.each<[string, string, object, RegExp]>([
		["its worker's summary", "fail", {}, /^"bad" failed: gave up$/],
		["its worker's summary, whatever it was told before", "note; fail", {}, /^"bad" failed: gave up$/],
		["the user's words", "note; wait", { kind: "abort_requested", words: "no more" }, /^"bad" aborted: no more$/],
		["nothing where the user gave no reason", "note; wait", { kind: "abort_requested", words: "" }, /^"bad" aborted$/],
	])("a child that is not done gives the reason: %s", async (_, task, command, expected) => {
		const noting: Play = async (host, order, ended) => {
			if (order.message.new.includes("note")) host.waits("A worker waits for a free slot.");
			await child(host, order, ended);
		};
		const stage = openStage(many(noting));
		const supervision = supervise(await stage.create(template({ bad: task })), stage.ports, "fresh");
		if ("kind" in command) {
			await expect.poll(() => supervision.run.children?.children[0]?.activity?.stage).toBe("working");
			const [one] = supervision.run.children?.children ?? [];
			await stage.store.post(one?.id ?? "", command as UserEvent);
		}
		const { run } = await supervision.ended;
		expect(run.hold?.detail).toMatch(expected);
	});

	it("a child whose failure fails the run is named, and the run says why it failed", async () => {
		const stage = openStage(many(child));
		const supervision = supervise(
			await stage.create(template({ bad: "fail" }, { on_failed: "fail" })),
			stage.ports,
			"fresh",
		);
		const lines: (string | undefined)[] = [];
		supervision.watch((run, event, before) => void lines.push(progressLine(run, event, before)));
		const { run } = await supervision.ended;
		expect(lines.join("\n")).toMatch(/✗ bad failed: gave up · /);
		expect(haltReason(run)).toBe('"bad" failed: gave up');
		const again = await stage.store.read(run.id);
		expect(again.ok && haltReason(again.value.run)).toBe('"bad" failed: gave up');
	});

	it.each([
		["wait", "paused", '"bad" failed'],
		["continue", "done", ""],
		["fail", "failed", '"bad" failed'],
	])("on_failed: %s ends %s", async (on_failed, status, notice) => {
		const stage = openStage(many(child));
		const run = await start(stage, template({ bad: "fail", good: "write a.txt=1" }, { on_failed }));
		expect(run.status).toBe(status);
		expect([...run.notices, run.hold?.detail ?? ""].join(" ")).toContain(notice);
		expect(existsSync(join(stage.folder, "a.txt"))).toBe(status === "done");
	});

	it("join: any takes the first that is done and aborts the others without their files", async () => {
		const stage = openStage(many(child));
		const run = await start(
			stage,
			template({ slow: "write slow.txt=1; wait", quick: "write a.txt=1" }, { join: "any" }),
		);
		expect(run.status).toBe("done");
		expect([existsSync(join(stage.folder, "a.txt")), existsSync(join(stage.folder, "slow.txt"))]).toEqual([
			true,
			false,
		]);
		const ended = (await stage.events(run.id)).flatMap((event) => (event.kind === "child_ended" ? [event.status] : []));
		expect(ended).toEqual(["done", "aborted"]);
		// The user has decided nothing.
		expect(run.decisions).toEqual([]);
	});

	it("continues after a failed child is dropped, and after it is reopened", async () => {
		const stage = openStage(many(child));
		const first = await start(stage, template({ bad: "fail", good: "write a.txt=1" }));
		const bad = first.children?.children.find(({ name }) => name === "bad");
		expect(bad?.status).toBe("failed");
		const again = await reopen(stage, first.id);
		expect(await again.submit({ kind: "child_dropped", child: bad?.id ?? "" })).toEqual({ refused: undefined });
		const { run } = await again.ended;
		expect(run.status).toBe("done");
		expect(text(stage, "a.txt")).toBe("1\n");
	});

	it("waits if no child is done and there is nothing to join", async () => {
		const stage = openStage(many(child));
		const run = await start(stage, template({ a: "fail", b: "fail" }, { on_failed: "continue" }));
		expect(run).toMatchObject({ status: "paused", hold: { detail: expect.stringContaining("nothing to join") } });
	});
});

describe("for_each", () => {
	const planned = (saved: object, more: object = {}) => ({
		plays: [
			async (host, order, ended) => {
				await host.updateSnapshot(saved);
				await moveTo("build")(host, order, ended);
			},
			...many(child),
		] satisfies Play[],
		definition: {
			name: "t",
			states: {
				plan: { persona: "Planner", next: ["build"] },
				build: {
					run: { states: { work: { persona: "Builder", next: ["done"] } } },
					next: ["after"],
					...more,
				},
				after: { next: [] },
			},
		},
	});

	it("starts one child per pending task, in order, and ends the tasks of those that are done", async () => {
		const { plays, definition } = planned(
			{ pending_tasks: ["write a.txt=1", "write b.txt=2"] },
			{ for_each: "pendingTasks" },
		);
		const stage = openStage(plays);
		const run = await start(stage, definition);
		expect(run.status).toBe("done");
		expect(run.snapshot.pendingTasks).toEqual([]);
		expect([text(stage, "a.txt"), text(stage, "b.txt")]).toEqual(["1\n", "2\n"]);
	});

	it("takes a list that a worker saved under a key, and fills in the variables", async () => {
		const { plays, definition } = planned(
			{ parts: ["x", "y"] },
			{ for_each: "parts", as: "part", task: "write {part}.txt={index}" },
		);
		const stage = openStage(plays);
		const run = await start(stage, definition);
		expect(run.status).toBe("done");
		expect([text(stage, "x.txt"), text(stage, "y.txt")]).toEqual(["1\n", "2\n"]);
	});

	it("leaves the state at once if the list is empty, and reports that", async () => {
		const { plays, definition } = planned({ findings: ["f"] }, { for_each: "pendingTasks" });
		const run = await start(openStage(plays), definition);
		expect(run.status).toBe("done");
		expect(run.notices.join(" ")).toContain("nothing to do");
	});

	it.each([
		["101 entries", { parts: Array.from({ length: 101 }, (_, n) => n) }, "at most 100"],
		["an entry that is no text", { parts: ["a", ["b"]] }, "Entry 2"],
		["no such list", { other: ["a"] }, "no worker has saved"],
	])(
		"is refused to the worker that made the list with the reason, and pauses after the reminders: %s",
		async (_, saved, reason) => {
			const { definition } = planned(saved, { for_each: "parts" });
			const told: string[] = [];
			const insisting: Play = async (host, _order, ended) => {
				await host.updateSnapshot(saved);
				for (let times = 0; times < 2; times += 1) told.push((await host.requestMove("build", "done")).text);
				await ended;
			};
			const run = await start(openStage([insisting]), { ...definition, limits: { nudges: 1 } });
			expect(told).toEqual([expect.stringContaining(reason), expect.stringContaining("The run pauses here.")]);
			expect(run).toMatchObject({
				status: "paused",
				hold: { cause: "no_transition", detail: expect.stringContaining(reason) },
			});
		},
	);
});

describe("limits and commands", () => {
	it("pauses all children when the run's ceiling is reached, and continues them once it is raised", async () => {
		const stage = openStage(many(child));
		const first = await start(stage, {
			...template({ a: "cost 0.6; wait", b: "cost 0.6; wait" }),
			limits: { cost_usd: 1 },
		});
		expect(first).toMatchObject({ status: "budget_exceeded", totals: { costUsd: 1.2 } });
		expect(first.children?.children.map(({ status }) => status)).toEqual(["parked", "parked"]);
	});

	it("aborts every child with the run", async () => {
		const stage = openStage(many(child));
		const supervision = supervise(await stage.create(template({ a: "wait", b: "wait" })), stage.ports, "fresh");
		await working(supervision, 2, stage);
		await supervision.submit({ kind: "abort_requested" });
		const { run } = await supervision.ended;
		expect(run.status).toBe("aborted");
		for (const event of await stage.events(run.id))
			if (event.kind === "children_planned")
				for (const { id } of event.children) {
					const read = await stage.store.read(id);
					expect(read.ok && read.value.run.status).toBe("aborted");
				}
	});

	it("pauses every child with the run, and resumes them with it", async () => {
		let resumed = false;
		const stage = openStage(
			many(async (host, order, ended) => {
				if (resumed) await moveTo("done")(host, order, ended);
				else await ended;
			}),
		);
		const supervision = supervise(await stage.create(template({ a: "x", b: "y" })), stage.ports, "fresh");
		await working(supervision, 2, stage);
		await supervision.submit({ kind: "pause_requested", cause: "person", detail: "a break" });
		const { run } = await supervision.ended;
		expect(run).toMatchObject({ status: "paused", hold: { detail: "a break" } });
		resumed = true;
		const again = await reopen(stage, run.id);
		await again.submit({ kind: "resumed", answers: run.stage.kind === "waiting" ? run.stage.since : 0 });
		expect((await again.ended).run.status).toBe("done");
	});

	it("hands down what the user writes when the run is resumed, to each worker of each child", async () => {
		const waits: Play = async (_host, _order, ended) => void (await ended);
		const plays = [waits, waits];
		const stage = openStage(plays);
		const two = { w1: { persona: "One", next: ["w2"] }, w2: { persona: "Two", next: ["done"] } };
		const nested = { states: { mid: { run: { states: two }, next: ["done"] } } };
		const branches = { flat: { run: { states: two } }, deep: { run: nested } };
		const definition = { name: "t", states: { build: { branches, next: ["done"] } } };
		const supervision = supervise(await stage.create(definition), stage.ports, "fresh");
		await working(supervision, 2, stage);
		await supervision.submit({ kind: "pause_requested", cause: "person", detail: "a break" });
		const { run } = await supervision.ended;
		plays.push(...many(child));
		const again = await reopen(stage, run.id);
		const answers = run.stage.kind === "waiting" ? run.stage.since : 0;
		await again.submit({ kind: "resumed", answers, words: "use PORT9999" });
		const { run: end } = await again.ended;
		expect([end.status, end.hold?.detail, end.decisions.map(({ words }) => words)]).toEqual([
			"done",
			undefined,
			["use PORT9999"],
		]);
		const told = stage.orders.slice(2).map(({ state, message, conversation }) => {
			const read = conversation.kind === "new" ? message.new : message.continued;
			return `${state.name} ${read.includes("resumed the pause: a break (visit 1, build):\n<user>use PORT9999</user>")}`;
		});
		expect(told.toSorted()).toEqual(["w1 true", "w1 true", "w2 true", "w2 true"]);
	});

	it("ends a child that waits when it is dropped, and keeps what it and its own children know", async () => {
		const asks: Play = async (host, order, ended) => {
			await host.updateSnapshot({ findings: [`found in ${order.state.name}`], pending_tasks: ["to do"] });
			await moveTo("human_intervention", "which port?")(host, order, ended);
		};
		const stage = openStage([asks, ...many(child)]);
		const worker = { persona: "Worker", next: ["done"] };
		const branches = { mid: { run: { states: { inner: { branches: { deep: worker }, next: ["done"] } } } } };
		const definition = { name: "t", states: { build: { branches, on_failed: "continue", next: ["done"] } } };
		const first = await start(stage, definition);
		const [mid] = first.children?.children ?? [];
		expect(mid).toMatchObject({ status: "parked" });
		const again = await reopen(stage, first.id);
		await again.submit({ kind: "child_dropped", child: mid?.id ?? "", ends: true });
		const { run } = await again.ended;
		expect(run.children?.children[0]).toMatchObject({ status: "dropped" });
		expect(run.snapshot.findings.map((entry) => entry.text)).toEqual(["found in deep"]);
		expect(run.snapshot.pendingTasks.map((entry) => entry.text)).toEqual(["to do"]);
		expect(run.snapshot.summaries[0]?.text).toContain("which port?");
		expect(run.decisions).toEqual([]);
		const read = await stage.store.read(mid?.id ?? "");
		expect(read.ok && read.value.run.status).toBe("aborted");
	});

	it("resumes children that paused by themselves with the run", async () => {
		const plays: Play[] = [];
		const stage = openStage(plays);
		const { id, status, stage: waits } = await start(stage, template({ a: "x", b: "y" }));
		expect(status).toBe("paused");
		plays.push(...many(child));
		const again = await reopen(stage, id);
		await again.submit({ kind: "resumed", answers: waits.kind === "waiting" ? waits.since : 0 });
		expect((await again.ended).run.status).toBe("done");
	});

	it("resumes only the child that a command is for", async () => {
		const plays: Play[] = [];
		const stage = openStage(plays);
		const { id, children } = await start(stage, template({ a: "x", b: "y" }));
		const [a] = children?.children ?? [];
		plays.push(...many(child));
		const read = await stage.store.read(a?.id ?? "");
		const waits = read.ok && read.value.run.stage;
		const answers = waits && waits.kind === "waiting" ? waits.since : 0;
		await stage.store.post(a?.id ?? "", { kind: "resumed", answers });
		const again = await reopen(stage, id);
		await again.submit({ kind: "child_signaled", child: a?.id ?? "" });
		const { run } = await again.ended;
		expect(run.status).toBe("paused");
		expect(run.children?.children.map((one) => one.status)).toEqual(["done", "parked"]);
	});

	it("starts a child again that parks after a command for it was announced, and parks itself then", async () => {
		let announce: (() => Promise<unknown>) | undefined;
		const asking: Play = async (host, order, ended) => {
			await announce?.();
			announce = undefined;
			await moveTo("human_intervention", "Which port?")(host, order, ended);
		};
		const stage = openStage(many(asking));
		const supervision = supervise(await stage.create(template({ a: "x" })), stage.ports, "fresh");
		announce = () => {
			const [a] = supervision.run.children?.children ?? [];
			return supervision.submit({ kind: "child_signaled", child: a?.id ?? "" });
		};
		const { run } = await supervision.ended;
		expect(run.children?.children).toMatchObject([{ status: "parked", signaled: false, starts: 2 }]);
		expect(run.stage.kind).toBe("waiting");
	});

	it("sends the run elsewhere while children wait, and aborts them", async () => {
		const stage = openStage(many(child));
		const first = await start(stage, template({ bad: "fail", good: "write a.txt=1" }));
		const again = await reopen(stage, first.id);
		const answers = first.stage.kind === "waiting" ? first.stage.since : 0;
		expect(await again.submit({ kind: "released", answers, to: "after" })).toEqual({ refused: undefined });
		const { run } = await again.ended;
		expect(run).toMatchObject({ status: "done", state: "after", children: null });
		expect(existsSync(join(stage.folder, "a.txt"))).toBe(false);
	});

	it("drops the children if the run is rewound to before their visit", async () => {
		const stage = openStage([moveTo("build"), ...many(child)]);
		writeFileSync(join(stage.folder, "kept.txt"), "1\n");
		const { states } = template({ a: "wait", b: "wait" });
		const definition = { name: "t", states: { plan: { persona: "Planner", next: ["build"] }, ...states } };
		const supervision = supervise(await stage.create(definition), stage.ports, "fresh");
		await working(supervision, 3, stage);
		const { snapshot, pairMoves, baseline } = supervision.run;
		const tree = baseline?.tree ?? "";
		expect(
			await supervision.submit({ kind: "rewind_requested", to: 1, state: "plan", tree, snapshot, pairMoves }),
		).toEqual({ refused: undefined });
		const { run } = await supervision.ended;
		expect(run).toMatchObject({ status: "paused", state: "plan", children: null, hold: { cause: "rewound" } });
		const folder = join(stage.folder, ".pi", "children");
		const again = await reopen(stage, run.id);
		await again.submit({ kind: "abort_requested" });
		await again.ended;
		expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
	});

	it("refuses a message to the run and names the children", async () => {
		const stage = openStage(many(child));
		const supervision = supervise(await stage.create(template({ a: "wait" })), stage.ports, "fresh");
		await working(supervision, 1, stage);
		const { refused } = await supervision.submit({ kind: "told", text: "hello" });
		expect(refused).toMatch(/Send the message to one of them: [0-9a-f]{8} \(a\)/);
		await supervision.stop();
	});

	it("continues exactly the unfinished children after the supervisor stopped", async () => {
		let waits = true;
		const stage = openStage(
			many(async (host, order, ended) => {
				if (order.message.new.includes("write slow.txt") && waits) await ended;
				else await child(host, order, ended);
			}),
		);
		const definition = template({ quick: "write a.txt=1", slow: "write slow.txt=2" });
		const supervision = supervise(await stage.create(definition), stage.ports, "fresh");
		await until(supervision, (run) => run.children?.children[0]?.status === "done");
		await supervision.stop();
		waits = false;
		const { run } = await (await reopen(stage, supervision.run.id)).ended;
		expect(run.status).toBe("done");
		expect([text(stage, "a.txt"), text(stage, "slow.txt")]).toEqual(["1\n", "2\n"]);
		const quick = stage.orders.filter(({ message }) => message.new.includes("write a.txt"));
		expect(quick).toHaveLength(1);
	});
});

describe("conflicts", () => {
	const conflicting = { one: "write same.txt=1", two: "write same.txt=2" };

	it.each([
		["ours", "1\n"],
		["theirs", "2\n"],
	] as const)("asks the user, and takes %s", async (choice, result) => {
		const stage = openStage(many(child));
		const first = await start(stage, template(conflicting));
		expect(first.status).toBe("awaiting_approval");
		expect(first.stage).toMatchObject({
			question: { side: "conflict", conflicts: [{ path: "same.txt", theirs: "two" }] },
		});
		expect(existsSync(join(stage.folder, "same.txt"))).toBe(false);
		const question = first.stage.kind === "asking" ? first.stage.question : undefined;
		const again = await reopen(stage, first.id);
		await again.submit({ kind: "approved", answers: question?.seq ?? 0, diff: question?.diff ?? "", choice });
		const { run } = await again.ended;
		expect(run.status).toBe("done");
		expect(text(stage, "same.txt")).toBe(result);
	});

	it("lets a worker resolve them in a folder with the conflict markers", async () => {
		const stage = openStage(
			many(async (host, order, ended) => {
				if (order.state.name !== "merge") return child(host, order, ended);
				expect(readFileSync(join(order.cwd, "same.txt"), "utf8")).toContain("<<<<<<<");
				writeFileSync(join(order.cwd, "same.txt"), "both\n");
				await moveTo("done", "merged")(host, order, ended);
			}),
		);
		const run = await start(stage, template(conflicting, { on_conflict: "worker", merge_by: "Merger" }));
		expect(run.status).toBe("done");
		expect(text(stage, "same.txt")).toBe("both\n");
	});

	it("refuses the end of a merge while conflict markers are left, and names the files", async () => {
		const replies: string[] = [];
		const stage = openStage(
			many(async (host, order, ended) => {
				if (order.state.name !== "merge") return child(host, order, ended);
				expect(order.targets).toEqual(["done", "human_intervention", "merge"]);
				const refused = await host.requestMove("done", "not merged");
				replies.push(refused.kind, refused.text);
				writeFileSync(join(order.cwd, "same.txt"), "both\n");
				await moveTo("done", "merged")(host, order, ended);
			}),
		);
		const run = await start(stage, template(conflicting, { on_conflict: "worker" }));
		expect(run.status).toBe("done");
		expect(replies[0]).toBe("refused");
		expect(replies[1]).toContain("still have conflict markers: same.txt");
		expect(replies[1]).toContain('or call it with "human_intervention"');
		expect(run.snapshot.summaries).toContainEqual(expect.objectContaining({ child: "merge 3", text: "merged" }));
	});

	it("asks the user if two workers have left conflict markers, and writes none of them", async () => {
		const stage = openStage(
			many(async (host, order, ended) => {
				if (order.state.name !== "merge") return child(host, order, ended);
				const file = join(order.cwd, "same.txt");
				writeFileSync(file, "both\n");
				await host.requestMove("done", "merged");
				// A program that it started still writes.
				writeFileSync(file, "<<<<<<< one\n1\n=======\n2\n>>>>>>> two\n");
				await ended;
			}),
		);
		const run = await start(stage, template(conflicting, { on_conflict: "worker" }));
		expect(run).toMatchObject({ status: "awaiting_approval", stage: { question: { side: "conflict" } } });
		expect(run.children?.children.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
		expect(existsSync(join(stage.folder, "same.txt"))).toBe(false);
	});

	it("takes what the user has resolved by hand, and asks again while markers are left", async () => {
		const stage = openStage(many(child));
		const first = await start(stage, template(conflicting));
		const children = join(stage.folder, ".pi", "children");
		const [folder = ""] = readdirSync(children).filter(
			(name) => !first.children?.children.some(({ id }) => id === name),
		);
		const answer = async (run: Run): Promise<Run> => {
			const question = run.stage.kind === "asking" ? run.stage.question : undefined;
			const again = await reopen(stage, run.id);
			await again.submit({ kind: "approved", answers: question?.seq ?? 0, diff: question?.diff ?? "", choice: "hand" });
			return (await again.ended).run;
		};
		const asked = await answer(first);
		expect(asked.status).toBe("awaiting_approval");
		writeFileSync(join(children, folder, "same.txt"), "by hand\n");
		const run = await answer(asked);
		expect(run.status).toBe("done");
		expect(text(stage, "same.txt")).toBe("by hand\n");
	});

	it("fails the run with on_conflict: fail, and leaves the files as they were", async () => {
		const stage = openStage(many(child));
		const run = await start(stage, template(conflicting, { on_conflict: "fail" }));
		expect(run.status).toBe("failed");
		expect(existsSync(join(stage.folder, "same.txt"))).toBe(false);
	});
});

/** Resolves once `count` children have been launched. */
async function working(supervision: Supervision, count: number, { orders }: Stage): Promise<void> {
	while (orders.length < count && supervision.run.stage.kind !== "over")
		await new Promise((resolve) => setTimeout(resolve, 5));
}

function until(supervision: Supervision, holds: (run: Run) => boolean): Promise<void> {
	if (holds(supervision.run)) return Promise.resolve();
	return new Promise((resolve) => {
		const unwatch = supervision.watch((run) => {
			if (!holds(run)) return;
			unwatch();
			resolve();
		});
	});
}

describe("a join after a branch switch", () => {
	const main = { branch: "main", commit: "1".repeat(40) };
	const feature = { branch: "feature-x", commit: "2".repeat(40) };
	const detached = { branch: null, commit: "3".repeat(40) };

	it.each([
		["another branch", main, feature, true],
		["no branch", main, detached, true],
		["another commit without a branch", detached, { branch: null, commit: "4".repeat(40) }, true],
		["a new commit of the branch", main, { ...main, commit: "5".repeat(40) }, false],
		["nothing that is known", main, undefined, false],
	])("with %s checked out asks, naming both, or continues", async (_, then, now, asks) => {
		let checkedOut: typeof then | undefined = then;
		// The switch happens while the child works.
		const play: Play = async (...call) => {
			checkedOut = now;
			await child(...call);
		};
		const stage = openStage(many(play));
		const ports = { ...stage.ports, workspace: { ...stage.ports.workspace, checkedOut: async () => checkedOut } };
		const { run } = await supervise(await stage.create(template({ one: "write a.txt=1" })), ports, "fresh").ended;
		expect(existsSync(join(stage.folder, "a.txt"))).toBe(!asks);
		if (!asks) return void expect(run.status).toBe("done");
		expect(run).toMatchObject({ status: "paused", hold: { cause: "children" } });
		for (const one of [then, now])
			expect(run.hold?.detail).toContain(one?.branch === null ? one.commit.slice(0, 8) : one?.branch);
		const resume = async (more: object = {}) => {
			const again = supervise(await stage.reopen(run.id), ports, "reopened");
			const { stage: waits } = again.run;
			await again.submit({ kind: "resumed", answers: waits.kind === "waiting" ? waits.since : 0, ...more });
			return (await again.ended).run;
		};
		expect(await resume()).toMatchObject({ status: "paused" });
		expect(existsSync(join(stage.folder, "a.txt"))).toBe(false);
		expect(await resume({ otherBranch: true })).toMatchObject({ status: "done" });
		expect(text(stage, "a.txt")).toBe("1\n");
	});
});
