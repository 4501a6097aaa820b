// The child runs of a visit, from the events of their parent.
import { describe, expect, it } from "vitest";
import { firstInSight, readHistory, type Visit } from "../../src/history/index.ts";
import { childAt, end, park, plan, spent, total } from "../machine/child-steps.ts";
import { spend, type TestRun } from "../machine/test-run.ts";

async function visitOf({ events }: TestRun) {
	const { visits } = await readHistory({
		async *events() {
			yield* events;
		},
	});
	const [visit] = visits;
	if (!visit) throw new Error("no visit");
	return visit;
}
const childrenOf = async (testRun: TestRun) => (await visitOf(testRun)).children;

describe("a child in the history", () => {
	it("is listed from its plan on, in the order of the join", async () => {
		const testRun = plan();
		const { beganAt } = await visitOf(testRun);
		const children = await childrenOf(testRun);
		expect(children).toMatchObject(
			["one", "two", "three"].map((name, index) => ({ index: index + 1, name, status: "pending", summary: "" })),
		);
		for (const { id, index, plannedAt, ...child } of children) {
			expect(id).toBe(childAt(testRun, index).id);
			expect(plannedAt).toBeGreaterThan(beganAt);
			expect(child).toMatchObject({ beganAt: undefined, endedAt: undefined, detail: "" });
		}
	});

	it("has its totals, its summary and its end", async () => {
		const testRun = plan();
		spent(testRun, 2, { spend: spend(5), activeMs: 300, attempts: 1, toolCalls: 2 });
		const [, working] = await childrenOf(testRun);
		expect(working).toMatchObject({
			status: "pending",
			total: { spend: { tokens: 5 }, toolCalls: 2 },
			endedAt: undefined,
		});
		end(testRun, 2, "done", { total: { spend: spend(7), activeMs: 400, attempts: 1, toolCalls: 3 } });
		const { children } = await visitOf(testRun);
		expect(children[1]).toMatchObject({
			status: "done",
			summary: "did 2",
			detail: "",
			total: { spend: { tokens: 7 } },
		});
		expect(children[1]?.endedAt).toBe(Date.parse(testRun.run.updatedAt));
		expect(children[0]).toMatchObject({ status: "pending", endedAt: undefined });
		end(testRun, 1, "failed");
		expect((await childrenOf(testRun))[0]).toMatchObject({ status: "failed", detail: "broke 1" });
	});

	it("started as long before its first report as the work time in it, and not before it was planned", async () => {
		const testRun = plan().wait(60_000);
		spent(testRun, 1, total(1, { activeMs: 20_000, attempts: 1 }));
		const at = Date.parse(testRun.run.updatedAt);
		spent(testRun, 2, total(1, { activeMs: 3_600_000, attempts: 1 }));
		spent(testRun, 3, total(0));
		testRun.wait(5_000);
		spent(testRun, 1, total(2, { activeMs: 21_000, attempts: 1 }));
		const [one, two, three] = await childrenOf(testRun);
		expect(one?.beganAt).toBe(at - 20_000);
		expect(two?.beganAt).toBe(two?.plannedAt);
		expect(three?.beganAt).toBeUndefined();
	});

	it("waits with its reason, and continues by a command, or with the run", async () => {
		const testRun = park(park(plan(), 1), 2);
		expect((await childrenOf(testRun)).map(({ status, detail }) => [status, detail])).toEqual([
			["parked", "asks 1"],
			["parked", "asks 2"],
			["pending", ""],
		]);
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		expect((await childrenOf(testRun))[0]).toMatchObject({ status: "pending", detail: "" });
		end(park(testRun, 1), 3);
		const { stage } = testRun.run;
		testRun.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect((await childrenOf(testRun)).map(({ status, detail }) => [status, detail])).toEqual([
			["pending", ""],
			["pending", ""],
			["done", ""],
		]);
	});

	it("that failed and is started again has no end; one that is dropped keeps its end, or has that of the command", async () => {
		const testRun = end(end(plan(), 1, "failed"), 2, "failed");
		const before = await childrenOf(testRun);
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 2).id });
		park(testRun, 3).say({ kind: "child_dropped", child: childAt(testRun, 3).id });
		const [one, two, three] = await childrenOf(testRun);
		expect(one).toMatchObject({ status: "pending", detail: "", endedAt: undefined });
		expect(two).toMatchObject({ status: "dropped", endedAt: before[1]?.endedAt });
		expect(three).toMatchObject({ status: "dropped", endedAt: Date.parse(testRun.run.updatedAt) });
	});

	it("that waits and is dropped stays dropped when its run has been ended", async () => {
		const testRun = park(plan(), 1);
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 1).id, ends: true });
		end(testRun, 1, "aborted", { total: total(5) });
		expect((await childrenOf(testRun))[0]).toMatchObject({ status: "dropped", detail: "asks 1", summary: "did 1" });
	});

	it("that is done stays done, regardless of commands", async () => {
		const testRun = end(plan(), 1);
		const before = await childrenOf(testRun);
		for (const kind of ["child_signaled", "child_dropped"] as const)
			expect(testRun.say({ kind, child: childAt(testRun, 1).id }).refusal).toBe("over");
		expect(await childrenOf(testRun)).toEqual(before);
	});
});

it.each([
	[["worker", "children", "nothing"], 2],
	[["children", "worker"], 2],
	[["worker", "nothing", "nothing"], 1],
	[["nothing", "nothing"], 2],
	[["worker", "undone", "nothing"], 1],
	[[], undefined],
] as const)("of visits with %j, a reader sees %s first", (kinds, number) => {
	const visits = kinds.map((kind, at) => ({
		...{ number: at + 1, children: kind === "children" ? [{}] : [], undone: kind === "undone" },
		launches: kind === "worker" || kind === "undone" ? [{}] : [],
	})) as unknown as Visit[];
	expect(firstInSight(visits)?.number).toBe(number);
});
