// A run that continues with its edited template: by a resume while it waits, and by a rewind.

import type { Run, UserEvent } from "@pi-chronicle/core/machine";
import { hashDefinition } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { value } from "../ledger/sample-events.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

type States = Record<string, object>;

const reloadOf = (states: States, more: object = {}) => {
	const definition = { name: "t", states, ...more };
	return { template: { name: "t", hash: hashDefinition(definition), definition } };
};

const before = {
	plan: { persona: "Planner", next: ["build"] },
	build: { persona: "Builder", next: ["finished"], instructions: "Use tabs.", limits: { attempts: 1 } },
	finished: { next: [] },
};
const after = {
	plan: { persona: "Planner", next: ["build"] },
	build: { persona: "Builder", next: ["test"], instructions: "Use spaces." },
	test: { persona: "Tester", next: ["finished"] },
	finished: { next: [] },
};

/** A run that is paused in `build`. */
async function pausedRun(stage: Stage): Promise<Run> {
	const supervision = supervise(await stage.create({ name: "t", states: before }), stage.ports, "fresh");
	while (stage.orders.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
	await supervision.submit({ kind: "pause_requested", cause: "person", detail: "edit" });
	const { run } = await supervision.ended;
	expect(run).toMatchObject({ status: "paused", state: "build" });
	return run;
}

async function submit(stage: Stage, run: Run, event: UserEvent) {
	const supervision = supervise(await stage.reopen(run.id), stage.ports, "reopened");
	const { refused } = await supervision.submit(event);
	return { refused, run: (refused === undefined ? await supervision.ended : await supervision.stop()).run };
}

const answers = ({ stage }: Run): number => (stage.kind === "waiting" ? stage.since : 0);
const waiting: Play = async (_host, _order, ended) => void (await ended);

describe("a resume with an edited template", () => {
	it("keeps what was done, and does what follows with the new template", async () => {
		const stage = openStage([moveTo("build"), waiting, moveTo("test"), moveTo("finished")]);
		const paused = await pausedRun(stage);
		const resumed: UserEvent = { kind: "resumed", answers: answers(paused), reload: reloadOf(after) };
		const { refused, run } = await submit(stage, paused, resumed);
		expect([refused, run.status]).toEqual([undefined, "done"]);
		expect(run.history.map(({ from, to }) => `${from} ${to}`)).toEqual(["plan build", "build test", "test finished"]);
		expect(run.template.hash).toBe(reloadOf(after).template.hash);
		const [, first, second] = stage.orders;
		expect(first?.message.new).toContain("Use tabs.");
		expect(second).toMatchObject({ conversation: { kind: "new" } });
		expect(second?.message.new).toContain("Use spaces.");
		const read = value(await stage.store.read(run.id));
		// Folded from its events, the run is the same.
		expect(read.run.template).toEqual(run.template);
		const definitions = (await stage.events(run.id)).flatMap((event) =>
			event.kind === "created"
				? [event.template.definition]
				: event.kind === "resumed"
					? [event.reload?.template.definition]
					: [],
		);
		expect(definitions).toMatchObject([{ states: before }, { states: after }]);
	});

	it("continues the conversation if its state is unchanged", async () => {
		const stage = openStage([moveTo("build"), waiting, moveTo("finished")]);
		const paused = await pausedRun(stage);
		const more = { ...before, extra: { persona: "Extra", next: ["finished"] } };
		const resumed: UserEvent = { kind: "resumed", answers: answers(paused), reload: reloadOf(more) };
		const { run } = await submit(stage, paused, resumed);
		expect(run.status).toBe("done");
		expect(stage.orders[2]).toMatchObject({ conversation: { kind: "continue" } });
	});

	it.each([
		[
			"its state is gone",
			reloadOf({ plan: after.plan, build2: after.build, test: after.test }),
			'"build" is no longer a state',
		],
		["other files are kept", reloadOf(after, { files: "repository" }), "now saves different files"],
		["it is not a template", { template: { name: "t", hash: "h", definition: { states: 5 } } }, "cannot read"],
	])("is refused and changes nothing if %s", async (_, reload, reason) => {
		const stage = openStage([moveTo("build"), waiting]);
		const paused = await pausedRun(stage);
		const { refused, run } = await submit(stage, paused, { kind: "resumed", answers: answers(paused), reload });
		expect(refused).toContain(reason);
		expect(run.template).toEqual(paused.template);
		expect(run.status).toBe("paused");
	});

	it("runs the new cleanup commands only if they are approved", async () => {
		for (const approved of [true, false]) {
			const stage = openStage([moveTo("build"), waiting, moveTo("finished")]);
			const paused = await pausedRun(stage);
			const cleaned = { ...before, build: { ...before.build, cleanup: ["make clean"] } };
			const loaded = reloadOf(cleaned);
			const probe = await openStage([]).create(loaded.template.definition);
			const cleanupApproval = probe.run.cleanupHash ?? "";
			const reload = { ...loaded, ...(approved ? { cleanupApproval } : {}) };
			const { run } = await submit(stage, paused, { kind: "resumed", answers: answers(paused), reload });
			expect(run.status).toBe("done");
			expect(stage.commands).toEqual(approved ? ["make clean"] : []);
		}
	});
});

describe("a rewind with an edited template", () => {
	const rewind = (run: Run, states: States, state = "plan"): UserEvent => ({
		kind: "rewind_requested",
		to: 1,
		state,
		tree: run.baseline?.tree ?? "",
		snapshot: run.snapshot,
		pairMoves: {},
		reload: reloadOf(states),
	});

	it("uses it from the visit that it returns to", async () => {
		const stage = openStage([moveTo("build"), waiting, moveTo("build"), moveTo("test"), moveTo("finished")]);
		const paused = await pausedRun(stage);
		const back = await submit(stage, paused, rewind(paused, after));
		expect(back.run).toMatchObject({ status: "paused", state: "plan", hold: { cause: "rewound" } });
		expect(back.run.template.hash).toBe(reloadOf(after).template.hash);
		const { run } = await submit(stage, back.run, { kind: "resumed", answers: answers(back.run) });
		expect(run.status).toBe("done");
		expect(run.history.map(({ from, to }) => `${from} ${to}`)).toEqual([
			"plan build",
			"build plan",
			"plan build",
			"build test",
			"test finished",
		]);
	});

	it("is refused if the state of the visit no longer exists, and restores nothing", async () => {
		const stage = openStage([moveTo("build"), waiting]);
		const paused = await pausedRun(stage);
		const { build, test, finished } = after;
		const { refused, run } = await submit(stage, paused, rewind(paused, { build, test, finished }));
		expect(refused).toContain('"plan" is no longer a state');
		expect(run).toMatchObject({ status: "paused", state: "build", template: paused.template });
	});

	it("keeps the template if the files cannot be restored", async () => {
		const stage = openStage([moveTo("build"), waiting]);
		const paused = await pausedRun(stage);
		const event = rewind(paused, after);
		const { run } = await submit(stage, paused, { ...event, tree: "no such tree" } as UserEvent);
		expect(run).toMatchObject({ state: "build", template: paused.template });
	});
});

describe("children and an edited template", () => {
	const part = (next: string[]) => ({ states: { work: { persona: "B", next }, failed: { next: [] } } });
	const parent = (next: string[]) => ({
		build: { branches: { one: { run: part(next), task: "x" } }, next: ["finished"] },
		finished: { next: [] },
	});

	it("a resume is refused while children of the visit wait; a rewind drops them and plans new ones", async () => {
		const stage = openStage([moveTo("failed", "no"), moveTo("done", "yes")]);
		const { run } = await supervise(
			await stage.create({ name: "t", states: parent(["done", "failed"]) }),
			stage.ports,
			"fresh",
		).ended;
		expect(run).toMatchObject({ status: "paused", state: "build" });
		const reload = reloadOf(parent(["done"]));
		const resumed = await submit(stage, run, { kind: "resumed", answers: answers(run), reload });
		expect(resumed.refused).toContain("rewind 1 --reload");
		const back = await submit(stage, run, {
			kind: "rewind_requested",
			to: 1,
			state: "build",
			tree: run.baseline?.tree ?? "",
			snapshot: run.snapshot,
			pairMoves: {},
			reload,
		});
		expect(back.refused).toBeUndefined();
		const end = await submit(stage, back.run, { kind: "resumed", answers: answers(back.run) });
		expect(end.run).toMatchObject({ status: "done", childCount: 2 });
		expect(stage.orders.map(({ targets }) => targets.includes("failed"))).toEqual([true, false]);
	});
});
