// `take: one`: the children are done, the worker of the next state chooses one, and only its files are joined.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LedgerEvent, Run, UserEvent } from "@pi-chronicle/core/machine";
import type { MoveReply, Supervision } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

/** A child writes the file and the text that its task names, `a.txt=1`. */
const child: Play = async (host, order, ended) => {
	const [, file = "", text = ""] = /^## (?:The|Your) task.*\n\n(.*)=(.*)/m.exec(order.message.new) ?? [];
	writeFileSync(join(order.cwd, file), `${text}\n`);
	await moveTo("done", `wrote ${file}`)(host, order, ended);
};

const choose =
	(target: string, data: unknown, replies: MoveReply[] = []): Play =>
	async (host, _order, ended) => {
		replies.push(await host.requestMove(target, "chosen", data));
		await ended;
	};

const template = (judge: object = {}, build: object = {}) => {
	const run = { states: { work: { persona: "Builder", next: ["done", "failed"] }, failed: { next: [] } } };
	return {
		name: "t",
		states: {
			build: {
				branches: { one: { run, task: "a.txt=1" }, two: { run, task: "a.txt=2" }, three: { run, task: "b.txt=3" } },
				max_parallel: 1,
				take: "one",
				next: ["judge"],
				...build,
			},
			judge: { persona: "Judge", next: ["after", "build"], ...judge },
			after: { next: [] },
		},
	};
};

async function start(stage: Stage, definition: object): Promise<Run> {
	return (await supervise(await stage.create(definition), stage.ports, "fresh").ended).run;
}

async function reopen(stage: Stage, { id }: Run): Promise<Supervision> {
	const opened = await stage.store.open(id);
	if (!opened.ok) throw new Error(opened.failure.message);
	return supervise(opened.value, stage.ports, "reopened");
}

async function answer(stage: Stage, run: Run, event: UserEvent): Promise<Run> {
	const supervision = await reopen(stage, run);
	expect(await supervision.submit(event)).toEqual({ refused: undefined });
	return (await supervision.ended).run;
}

async function kindsOf({ store }: Stage, { id }: Run): Promise<LedgerEvent["kind"][]> {
	const read = await store.read(id);
	if (!read.ok) throw new Error(read.failure.message);
	const kinds: LedgerEvent["kind"][] = [];
	for await (const event of read.value.events()) kinds.push(event.kind);
	return kinds;
}

const files = ({ folder }: Stage): (string | undefined)[] =>
	["a.txt", "b.txt"].map((name) =>
		existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trim() : undefined,
	);

describe("take: one", () => {
	it("joins the files of the child that the next state's worker names, and no others", async () => {
		const stage = openStage([child, child, child, choose("after", { winner: "two" })]);
		const run = await start(stage, template({ cleanup: ["echo cleaned"] }));
		expect(run).toMatchObject({ status: "done", state: "after", candidates: null, children: null });
		expect(files(stage)).toEqual(["2", undefined]);
		expect(run.history.map(({ from, to, cause }) => `${from}>${to} ${cause}`)).toEqual([
			"build>judge children",
			"judge>after worker",
		]);
		expect(run.notices).toContain('The files of "two" are taken.');
		expect(run.snapshot.files.map(({ path }) => path)).toEqual(["a.txt"]);
		expect(run.snapshot.outputs).toEqual([{ state: "judge", visit: 2, data: { winner: "two" } }]);
		expect(stage.commands).toEqual(["echo cleaned"]);
		const kinds = await kindsOf(stage, run);
		expect(kinds.filter((kind) => kind === "joined")).toHaveLength(1);
		expect(kinds.indexOf("joined")).toBeGreaterThan(kinds.lastIndexOf("worker_ended"));
	});

	it("names the children to the worker, and shows it each one's files", async () => {
		const seen: (string | undefined)[] = [];
		const judge: Play = async (host, order, ended) => {
			for (const [, name = "", folder = ""] of order.message.new.matchAll(/- `(\w+)`, files in (\S+):/g))
				seen.push(`${name} ${readFileSync(join(folder, name === "three" ? "b.txt" : "a.txt"), "utf8").trim()}`);
			expect(order.output).toMatchObject({
				required: ["winner"],
				properties: { winner: { enum: ["one", "two", "three"] } },
			});
			expect(files(stage)).toEqual([undefined, undefined]);
			await choose("after", { winner: "three" })(host, order, ended);
		};
		const stage: Stage = openStage([child, child, child, judge]);
		expect((await start(stage, template())).status).toBe("done");
		expect(seen).toEqual(["one 1", "two 2", "three 3"]);
		expect(files(stage)).toEqual([undefined, "3"]);
	});

	it.each<[string, unknown, RegExp]>([
		["no data", undefined, /missing/],
		["no winner", {}, /data lacks "winner"/],
		["the name of none", { winner: "four" }, /data\.winner must be one of \["one","two","three"\]/],
	])("refuses a move with %s", async (_, data, expected) => {
		const replies: MoveReply[] = [];
		const both: Play = async (host, order, ended) => {
			replies.push(await host.requestMove("after", "chosen", data));
			await choose("after", { winner: "one" })(host, order, ended);
		};
		const stage = openStage([child, child, child, both]);
		expect((await start(stage, template())).status).toBe("done");
		expect(replies).toEqual([{ kind: "refused", text: expect.stringMatching(expected) }]);
		expect(files(stage)).toEqual(["1", undefined]);
	});

	it("needs no choice if the children try again, and drops their work", async () => {
		const stage = openStage([
			child,
			child,
			child,
			choose("build", undefined),
			child,
			child,
			child,
			choose("after", { winner: "three" }),
		]);
		const run = await start(stage, template());
		expect(run.status).toBe("done");
		expect(run.notices).toContain('No child of "build" was taken.');
		expect(files(stage)).toEqual([undefined, "3"]);
	});

	it("keeps the state's own output next to the choice, and lets the run end with it", async () => {
		const output = { type: "object", required: ["why"], properties: { why: { type: "string" } } };
		const stage = openStage([child, child, child, choose("done", { winner: "one", why: "small" })]);
		const run = await start(stage, template({ next: [], output }));
		expect(run).toMatchObject({ status: "done", state: "judge" });
		expect(files(stage)).toEqual(["1", undefined]);
		expect(run.snapshot.outputs?.at(-1)?.data).toEqual({ winner: "one", why: "small" });
	});

	it("merges what the user changed meanwhile, and asks about conflicts", async () => {
		const judge: Play = async (host, order, ended) => {
			writeFileSync(join(stage.folder, "a.txt"), "mine\n");
			await choose("after", { winner: "one" })(host, order, ended);
		};
		const stage: Stage = openStage([child, child, child, judge]);
		const run = await start(stage, template());
		expect(run).toMatchObject({
			status: "awaiting_approval",
			stage: { kind: "asking", question: { side: "conflict", target: "after" } },
		});
		const question = run.stage.kind === "asking" ? run.stage.question : undefined;
		const event = {
			kind: "approved",
			answers: question?.seq ?? 0,
			diff: question?.diff ?? "",
			choice: "theirs",
		} as const;
		const ended = await answer(stage, run, event);
		expect(ended).toMatchObject({ status: "done", state: "after" });
		expect(files(stage)).toEqual(["1", undefined]);
	});

	it("takes no child before the move is approved, and says which it would take", async () => {
		const plays = [child, child, child, choose("after", { winner: "two" }), choose("after", { winner: "one" })];
		const seen: (string | undefined)[][] = [];
		const stage: Stage = openStage(plays, [{ kind: "rejected", words: "the other one" }, { kind: "approved" }]);
		const supervision = supervise(await stage.create(template({ requires_approval: "exit" })), stage.ports, "fresh");
		supervision.watch((_, { kind }) => void (kind === "approved" && seen.push(files(stage))));
		expect((await supervision.ended).run).toMatchObject({ status: "done", state: "after" });
		expect(stage.questions.map(({ summary }) => summary)).toEqual([
			'Takes the files of "two". chosen',
			'Takes the files of "one". chosen',
		]);
		expect(seen).toEqual([[undefined, undefined]]);
		expect(files(stage)).toEqual(["1", undefined]);
	});

	it("keeps the children while the user decides for the worker, and drops them if the run goes elsewhere", async () => {
		const stage = openStage([
			child,
			child,
			child,
			choose("human_intervention", undefined),
			choose("after", { winner: "one" }),
		]);
		const run = await start(stage, template());
		expect(run).toMatchObject({ status: "human_intervention", candidates: { judge: "judge", winner: null } });
		const answers = run.stage.kind === "waiting" ? run.stage.since : 0;
		expect((await answer(stage, run, { kind: "released", answers, to: "judge" })).status).toBe("done");
		expect(files(stage)).toEqual(["1", undefined]);
		const other = openStage([child, child, child, choose("human_intervention", undefined)]);
		const stuck = await start(other, template());
		const since = stuck.stage.kind === "waiting" ? stuck.stage.since : 0;
		const ended = await answer(other, stuck, { kind: "released", answers: since, to: "after" });
		expect(ended).toMatchObject({ status: "done", candidates: null });
		expect(files(other)).toEqual([undefined, undefined]);
	});

	it.each([
		[true, 3],
		[false, 0],
	])("keeps the folders of all children after the join if the setting is %s", async (keepChildFolders, expected) => {
		const stage = openStage([child, child, child, choose("after", { winner: "two" })]);
		const ports = { ...stage.ports, keepChildFolders };
		const ledger = await stage.create(template());
		expect((await supervise(ledger, ports, "fresh").ended).run.status).toBe("done");
		const folder = join(stage.folder, ".pi", "children");
		expect(existsSync(folder) ? readdirSync(folder) : []).toHaveLength(expected);
	});

	it("leaves out children that failed", async () => {
		const failing: Play = moveTo("failed", "gave up");
		const stage = openStage([child, failing, child, choose("after", { winner: "three" })]);
		const run = await start(stage, template({}, { on_failed: "continue" }));
		expect(run.status).toBe("done");
		expect(files(stage)).toEqual([undefined, "3"]);
	});

	it("cannot be rewound to the choice once a child is taken: the refusal says where to rewind to", async () => {
		const stage = openStage([child, child, child, choose("after", { winner: "one" })]);
		const run = await start(stage, template());
		const { snapshot, pairMoves } = run;
		const supervision = await reopen(stage, run);
		const event = { kind: "rewind_requested", to: 2, state: "judge", tree: "t", snapshot, pairMoves } as const;
		const { refused } = await supervision.submit(event);
		expect(refused).toContain('rewind to visit 1 ("build")');
		await supervision.stop();
	});
});
