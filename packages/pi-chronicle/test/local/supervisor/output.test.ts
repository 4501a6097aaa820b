// Output data of states: checked before a move, explained to the worker, available to later texts, lists of children and parents.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "@pi-chronicle/core/machine";
import type { MoveReply } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

const schema = {
	type: "object",
	required: ["verdict"],
	properties: { verdict: { enum: ["ok", "bad"] }, parts: { type: "array" } },
};

/** Hands over each of these until one is accepted; the replies are added to `replies`. */
const handOver =
	(target: string, attempts: readonly unknown[], replies: MoveReply[] = []): Play =>
	async (host, _order, ended) => {
		for (const data of attempts) {
			const reply = await host.requestMove(target, "done", data);
			replies.push(reply);
			if (reply.kind === "accepted") break;
		}
		await ended;
	};

async function start(stage: Stage, states: object, more: object = {}): Promise<Run> {
	return (await supervise(await stage.create({ name: "t", states, ...more }), stage.ports, "fresh").ended).run;
}

const two = (later: object = {}, review: object = {}) => ({
	review: { persona: "R", next: ["later"], output: schema, ...review },
	later: { persona: "L", next: ["end"], ...later },
	end: { next: [] },
});

describe("a state with an output", () => {
	it("is left only with data that matches; the worker gets the reason, and later workers get the data", async () => {
		const replies: MoveReply[] = [];
		const plays = [
			handOver("later", [undefined, { verdict: "fine" }, { verdict: "ok", parts: ["a"] }], replies),
			moveTo("end"),
		];
		const stage = openStage(plays);
		const run = await start(
			stage,
			two({
				instructions:
					"It is {output.review.verdict}, {output.review.parts.0} of {output.review.parts}; {output.review.no} {x}",
			}),
		);
		expect(run.status).toBe("done");
		expect(replies.map(({ kind }) => kind)).toEqual(["refused", "refused", "accepted"]);
		expect(replies[0]?.text).toContain("`data` is missing");
		expect(replies[1]?.text).toContain('data.verdict must be one of ["ok","bad"]');
		const events = await stage.events(run.id);
		expect(events.filter(({ kind }) => kind === "output_refused")).toHaveLength(2);
		expect(events.find(({ kind }) => kind === "move_requested")).toMatchObject({
			data: { verdict: "ok", parts: ["a"] },
		});
		const message = stage.orders[1]?.message.new ?? "";
		expect(message).toContain('It is ok, a of ["a"]; (no data) {x}');
		expect(message).toContain('{"verdict":"ok","parts":["a"]}');
		expect(stage.orders[0]?.message.new).toContain("with `data`");
		expect(stage.orders[1]?.message.new).not.toContain("with `data`");
	});

	it("pauses after as many refusals as reminders are allowed, and takes the data after it is resumed", async () => {
		const replies: MoveReply[] = [];
		const stage = openStage([
			handOver("later", [{}, {}, {}], replies),
			handOver("later", [{ verdict: "bad" }]),
			moveTo("end"),
		]);
		const run = await start(stage, two(), { limits: { nudges: 2 } });
		expect(run).toMatchObject({
			status: "paused",
			state: "review",
			hold: { cause: "no_transition", detail: expect.stringContaining('data lacks "verdict"') },
		});
		expect(replies.map(({ text }) => text.includes("pauses"))).toEqual([false, false, true]);
		const again = supervise(await stage.reopen(run.id), stage.ports, "reopened");
		expect(run.stage.kind).toBe("waiting");
		const answers = run.stage.kind === "waiting" ? run.stage.since : 0;
		expect(await again.submit({ kind: "resumed", answers })).toEqual({ refused: undefined });
		expect((await again.ended).run.status).toBe("done");
	});

	it.each<[string, Play]>([
		["escalates", handOver("human_intervention", [undefined])],
		["escalates with data that does not match", handOver("human_intervention", [{ verdict: 5 }])],
	])("needs no data if its worker %s", async (_, play) => {
		const stage = openStage([play]);
		const run = await start(stage, two());
		expect(run.status).toBe("human_intervention");
		expect(run.snapshot.outputs).toBeUndefined();
	});

	it("needs no data if it repeats itself, and hands over at the end of the run", async () => {
		const stage = openStage([handOver("review", [undefined]), handOver("done", [undefined, { verdict: "ok" }])]);
		const run = await start(stage, { review: { persona: "R", next: ["done"], output: schema } });
		expect(run.status).toBe("done");
		expect(run.snapshot.outputs).toEqual([{ state: "review", visit: 1, data: { verdict: "ok" } }]);
	});

	it("keeps the last data of each state, and keeps data of a state without output out", async () => {
		const stage = openStage([
			handOver("later", [{ verdict: "bad" }]),
			handOver("review", [{ verdict: "x" }]),
			handOver("later", [{ verdict: "ok" }]),
			moveTo("end"),
		]);
		const run = await start(stage, two({ next: ["end", "review"] }));
		expect(run.status).toBe("done");
		expect(run.snapshot.outputs).toEqual([{ state: "review", visit: 3, data: { verdict: "ok" } }]);
	});
});

describe("children and data", () => {
	const leaf = (output: object = schema) => ({ states: { work: { persona: "B", next: ["done"], output } } });

	/** A child hands over what its task says, as JSON. */
	const child: Play = async (host, order, ended) => {
		const task = /^## (?:The|Your) task.*\n\n(.*)/m.exec(order.message.new)?.[1] ?? "";
		await host.requestMove("done", "did it", JSON.parse(task));
		await ended;
	};
	const children = (count: number): Play[] => Array.from({ length: count }, () => child);

	it("with branches become an object by name for the next state", async () => {
		const stage = openStage([...children(2), moveTo("end")]);
		const branches = { a: { run: leaf(), task: '{"verdict":"ok"}' }, b: { run: leaf(), task: '{"verdict":"bad"}' } };
		const run = await start(stage, {
			build: { branches, max_parallel: 1, next: ["judge"] },
			judge: { persona: "J", next: ["end"], instructions: "a {output.build.a.verdict}, b {output.build.b.verdict}" },
			end: { next: [] },
		});
		expect(run.status).toBe("done");
		expect(run.snapshot.outputs).toEqual([
			{ state: "build", visit: 1, data: { a: { verdict: "ok" }, b: { verdict: "bad" } } },
		]);
		expect(stage.orders.at(-1)?.message.new).toContain("a ok, b bad");
		const ended = (await stage.events(run.id)).filter(({ kind }) => kind === "child_ended");
		expect(ended[0]).toMatchObject({ handover: { output: { verdict: "ok" } } });
	});

	const listed = (data: unknown, build: object): [Play[], object] => [
		[handOver("build", [data]), ...children(120)],
		{
			plan: { persona: "P", next: ["build"], output: { type: "object" } },
			build: { run: leaf(), next: ["end"], ...build },
			end: { next: [] },
		},
	];

	it.each<[string, unknown, object, unknown]>([
		["texts", { list: ['{"verdict":"ok"}'] }, {}, [{ verdict: "ok" }]],
		[
			"objects whose fields the task names",
			{ list: [{ v: "ok" }, { v: "bad" }] },
			{ task: '{"verdict":"{item.v}","parts":[{index}]}' },
			[
				{ verdict: "ok", parts: [1] },
				{ verdict: "bad", parts: [2] },
			],
		],
		[
			"groups by another name",
			{ list: [{ v: "ok" }] },
			{ as: "part", task: '{"verdict":"{part.v}"}' },
			[{ verdict: "ok" }],
		],
		["numbers and lists", { list: [[1, "ok"]] }, { task: '{"verdict":"{item.1}"}' }, [{ verdict: "ok" }]],
	])("are started for each entry of a list of %s, and are a list", async (_, data, build, expected) => {
		const [plays, states] = listed(data, { for_each: "output.plan.list", ...build });
		const run = await start(openStage(plays), states);
		expect(run.status).toBe("done");
		expect(run.snapshot.outputs?.at(-1)).toMatchObject({ state: "build", data: expected });
	});

	it("of an only child are its data itself", async () => {
		const [plays, states] = listed({ v: "ok" }, { task: '{"verdict":"{output.plan.v}"}' });
		const run = await start(openStage(plays), states);
		expect(run.snapshot.outputs?.at(-1)?.data).toEqual({ verdict: "ok" });
	});

	it.each<[string, unknown, object, string]>([
		["no list", { list: "x" }, {}, '"output.plan.list" is not a list'],
		["nothing there", {}, {}, 'has no "list"'],
		["101 entries", { list: Array.from({ length: 101 }, (_, n) => `${n}`) }, {}, "at most 100"],
		["a list where a text is needed", { list: ['{"verdict":"ok"}', [1]] }, {}, "Entry 2"],
		["null where a text is needed", { list: [null] }, {}, "Entry 1"],
		["a field that an entry lacks", { list: [{ v: "ok" }, {}] }, { task: "{item.v}" }, "Entry 2"],
		["a field that is a group", { list: [{ v: {} }] }, { task: "{item.v}" }, "Entry 1"],
		["missing data in the task", { list: ["x"] }, { task: "{output.plan.no}" }, 'has no "no"'],
	])(
		"are not planned with %s: the worker that made the data is told, and the run pauses",
		async (_, data, build, detail) => {
			const [, states] = listed(data, { for_each: "output.plan.list", ...build });
			const replies: MoveReply[] = [];
			const stage = openStage([handOver("build", [data, data], replies)]);
			const run = await start(stage, states, { limits: { nudges: 1 } });
			expect(replies.map(({ kind }) => kind)).toEqual(["refused", "refused"]);
			expect(replies[0]?.text).toContain(detail);
			expect(run).toMatchObject({ status: "paused", hold: { detail: expect.stringContaining(detail) } });
			expect(existsSync(join(stage.folder, ".pi", "children"))).toBe(false);
		},
	);

	it("leave the state at once if the list is empty", async () => {
		const [plays, states] = listed({ list: [] }, { for_each: "output.plan.list" });
		expect((await start(openStage(plays), states)).status).toBe("done");
	});
});
