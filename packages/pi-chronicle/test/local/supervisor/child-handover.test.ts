// What a child run passes to its parent, with bounds and names.
import { expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo } from "./scripted-launcher.ts";
import { openStage } from "./stage.ts";

/** The data that a child hands over that has saved this. */
async function handedOver(data: object, target = "done") {
	const stage = openStage([
		async (host, order, ended) => {
			await host.updateSnapshot(data);
			await moveTo(target, "s".repeat(5000))(host, order, ended);
		},
	]);
	const work = { work: { persona: "B", next: ["done", "failed"] }, failed: { next: [] } };
	const branches = { one: { task: "x", run: { states: work } } };
	const ledger = await stage.create({ name: "t", states: { build: { branches, next: ["done"] } } });
	const { run } = await supervise(ledger, stage.ports, "fresh").ended;
	const ended = (await stage.events(run.id)).find(({ kind }) => kind === "child_ended");
	if (ended?.kind !== "child_ended") throw new Error("it did not end");
	return ended;
}
const many = (count: number, of: (n: number) => object) => Array.from({ length: count }, (_, n) => of(n));

it("a child hands over its findings and open tasks under its name, and nothing if it has none", async () => {
	const { handover } = await handedOver({ findings: [{ text: "f" }, { key: "k", text: "g" }], pending_tasks: ["p"] });
	expect(handover.data).toEqual({
		findings: [
			{ text: "f", from: "one" },
			{ key: "k", text: "g", from: "one" },
		],
		pendingTasks: [{ text: "p", from: "one" }],
	});
	expect((await handedOver({})).handover.data).toEqual({});
});

it("a child hands over all entries and its summary, whole", async () => {
	const { handover } = await handedOver({
		findings: many(21, (n) => ({ text: `${n}` })),
		pending_tasks: [{ key: "k".repeat(79), text: "x".repeat(1200) }],
	});
	expect(handover.data.findings?.map(({ text }) => text)).toEqual(many(21, (n) => ({ n })).map((_, n) => `${n}`));
	const [task] = handover.data.pendingTasks ?? [];
	expect([Buffer.byteLength(task?.text ?? ""), task?.key]).toEqual([1200, "k".repeat(79)]);
	expect(handover.summary).toBe("s".repeat(5000));
});

it.each([
	["done", "done"],
	["failed", "failed"],
])("a child that ends in %s is %s for its parent", async (target, status) => {
	expect(await handedOver({}, target)).toMatchObject({ status });
});
