// A supervisor whose host lacks the labels of a state: it records pending commands, starts nothing, and releases the run.
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo } from "./scripted-launcher.ts";
import { openStage } from "./stage.ts";

const template = {
	name: "t",
	states: {
		plan: { persona: "Planner", next: ["train"] },
		train: { persona: "Trainer", host: ["gpu"], next: ["finished"] },
	},
};

describe("a supervisor without the labels of the next state", () => {
	it("releases the run before a worker starts, and a supervisor with them continues it", async () => {
		const stage = openStage([moveTo("train"), moveTo("finished")]);
		const first = await supervise(await stage.create(template), { ...stage.ports, labels: [] }, "fresh").ended;
		expect(first).toMatchObject({ kind: "released", run: { status: "running", state: "train", attempt: 0 } });
		expect(stage.orders).toHaveLength(1);
		const ports = { ...stage.ports, labels: ["gpu", "big"] };
		const second = await supervise(await stage.reopen(first.run.id), ports, "reopened").ended;
		expect(second).toMatchObject({ kind: "parked", run: { status: "done" } });
		expect(stage.orders).toHaveLength(2);
		const kinds = (await stage.events(first.run.id)).map(({ kind }) => kind);
		expect(kinds.filter((kind) => kind === "host_awaited")).toHaveLength(1);
		expect(kinds.filter((kind) => kind === "attempt_reserved")).toHaveLength(2);
	});

	it("records every pending command before it releases the run, however many there are", async () => {
		const stage = openStage([moveTo("train"), moveTo("finished")]);
		const ports = { ...stage.ports, labels: [] };
		const { run } = await supervise(await stage.create(template), ports, "fresh").ended;
		for (let n = 1; n <= 12; n += 1) await stage.store.post(run.id, { kind: "told", text: `message ${n}` });
		const told = await supervise(await stage.reopen(run.id), ports, "reopened").ended;
		expect(told.kind).toBe("released");
		expect(told.run.outbox).toHaveLength(12);
		await stage.store.post(run.id, { kind: "abort_requested" });
		const aborted = await supervise(await stage.reopen(run.id), ports, "reopened").ended;
		expect(aborted).toMatchObject({ kind: "parked", run: { status: "aborted" } });
		expect(stage.orders).toHaveLength(1);
	});

	it("does not exist on a single machine, which ignores labels", async () => {
		const stage = openStage([moveTo("train"), moveTo("finished")]);
		const { run } = await supervise(await stage.create(template), stage.ports, "fresh").ended;
		expect(run.status).toBe("done");
		expect((await stage.events(run.id)).map(({ kind }) => kind)).not.toContain("host_awaited");
	});
});
