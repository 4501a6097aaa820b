// The current activity of a child run, from its worker's report to every view of its parent: timeline, status, live row, page, --json.
import { visibleWidth } from "@earendil-works/pi-tui";
import { RunHistory, readHistory } from "@pi-chronicle/core/history";
import { type ChildActivity, liveTotals } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { branches, end, parentTemplate, park, plan, spent, total } from "../../../core/test/machine/child-steps.ts";
import type { TestRun } from "../../../core/test/machine/test-run.ts";
import { supervise } from "../../src/local/supervisor/index.ts";
import type { Line } from "../../src/tui/index.ts";
import { liveText } from "../../src/ui/cli/output.ts";
import { childLines, runData, statusLines } from "../../src/ui/phrases/index.ts";
import { drawTimeline } from "../../src/ui/screen/timeline.ts";
import { childrenPage } from "../../src/ui/screen/view-children.ts";
import { gate } from "../harness/reply.ts";
import { moveTo, type Play } from "../local/supervisor/scripted-launcher.ts";
import { openStage } from "../local/supervisor/stage.ts";

const now = "2030-01-01T00:00:00.000Z";
const text = (lines: readonly Line[]) => lines.map((line) => line.map((part) => part.text).join("")).join("\n");

function report(testRun: TestRun, number: number, activity: ChildActivity | undefined, attempts = 1): TestRun {
	return spent(testRun, number, total(0, { attempts }), { state: "testing", ...(activity ? { activity } : {}) });
}

describe("the line of a child", () => {
	it.each<[ChildActivity | undefined, number, RegExp]>([
		[undefined, 0, / · starting · in testing$/],
		[{ stage: "launching" }, 0, / · starting · in testing: starting a worker$/],
		[{ stage: "launching" }, 1, / · working · .* · in testing: starting a worker$/],
		[{ stage: "working" }, 1, / · working · .* · in testing: waiting for the model$/],
		[{ stage: "working", tool: "bash", args: "command=npm test" }, 1, / · in testing: bash npm test$/],
		[{ stage: "working", tool: "ls", args: "" }, 1, / · in testing: ls$/],
		[{ stage: "stopping" }, 1, / · in testing: cleaning up, comparing files$/],
		[{ stage: "children" }, 0, / · working · in testing: child runs running$/],
	])("shows the activity: %j after %i attempts", (activity, attempts, expected) => {
		const testRun = report(plan(), 1, activity, attempts);
		expect(childLines(testRun.run, { now })[0]?.text).toMatch(expected);
	});

	it("has no activity once the child waits, has ended or starts again, or if nobody supervises the run", () => {
		const call = { stage: "working", tool: "bash", args: "command=npm test" } as const;
		const parked = park(report(plan(), 1, call), 1);
		const line = ({ run }: TestRun, isSupervised = true) => childLines(run, { now, isSupervised })[0]?.text;
		expect(line(report(plan(), 1, call), false)).toMatch(/ · interrupted · .* · in testing$/);
		expect(line(parked)).not.toContain("npm test");
		expect(line(end(report(plan(), 1, call), 1))).not.toContain("npm test");
		for (const number of [2, 3]) end(parked, number);
		const { stage } = parked.run;
		parked.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect(line(parked)).toMatch(/ · working · .* · in testing$/);
		expect(line(report(report(plan(), 1, call), 1, undefined))).toMatch(/ · in testing$/);
	});

	it("counts its worker's time as it passes, as does the run", () => {
		const testRun = report(plan(), 1, { stage: "working", since: "2030-01-01T00:00:00.000Z" });
		const at = "2030-01-01T00:01:05.000Z";
		expect(childLines(testRun.run, { now: at })[0]?.text).toMatch(/ · working · 1m05s · /);
		expect(childLines(testRun.run, { now: at, isSupervised: false })[0]?.text).toMatch(/ · interrupted · 0s · /);
		expect(liveTotals(testRun.run, at).activeMs).toBe(65_000);
		// A clock that was set back does not make it negative.
		expect(liveTotals(testRun.run, "2029-01-01T00:00:00.000Z").activeMs).toBe(0);
		end(testRun, 1, "done", { total: total(0, { attempts: 1, activeMs: 65_500 }) });
		expect(liveTotals(testRun.run, at).activeMs).toBe(65_500);
	});

	it("counts all children from six on, and lists first those that need the user, then those that run", () => {
		const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
		const testRun = plan(parentTemplate({ branches: branches(...names), on_failed: "wait", max_parallel: 4 }));
		end(testRun, 1);
		end(testRun, 2, "failed");
		report(testRun, 5, { stage: "working", tool: "read", args: "path=a.ts" });
		report(testRun, 6, { stage: "working" });
		park(testRun, 7, "awaiting_approval");
		const lines = childLines(testRun.run, { now }).map((line) => line.text);
		expect(lines[0]).toBe("8 children: 1 done, 2 running, 3 to do, 1 waiting, 1 failed");
		expect(lines.slice(1).map((line) => line[0])).toEqual(["g", "b", "e", "f"]);
		expect(lines[3]).toContain("read a.ts");
	});
});

it("a call by a child's worker is shown in every view of the parent until it ends", async () => {
	const [started, ended] = [gate(), gate()];
	const long = "x".repeat(3000);
	const child: Play = async (host, order, stopped) => {
		await started.opened;
		host.report({ kind: "tool_started", call: "1", tool: "bash", args: `command=npm test ${long}` });
		await ended.opened;
		host.report({
			...{ kind: "tool_ended", call: "1", tool: "bash", ms: 1, bytes: 1, hash: "0123456789abcdef" },
		} as Parameters<typeof host.report>[0]);
		await stopped;
		await moveTo("done")(host, order, stopped);
	};
	const stage = openStage([child, child]);
	const part = { run: { states: { testing: { persona: "Builder", next: ["done"] } } } };
	const held = await stage.create({ name: "t", states: { build: { branches: { one: part }, next: ["done"] } } });
	const supervision = supervise(held, stage.ports, "fresh");
	const { run: first } = supervision;
	const line = () => childLines(supervision.run, { now })[0]?.text;
	await expect.poll(() => line()).toContain("in testing: waiting for the model");
	started.open();
	await expect.poll(() => line()).toContain("in testing: bash npm test");

	const read = await stage.store.read(first.id);
	if (!read.ok) throw new Error(read.failure.message);
	const ledger: ReadLedger = read.value;
	expect(text(drawTimeline(ledger.run, { width: 120, now, prefix: "" }))).toMatch(/one \(.*in testing: bash npm test/);
	expect(statusLines(ledger, { now, prefix: "" }).join("\n")).toMatch(/one \(.*in testing: bash npm test/);
	expect(statusLines({ ...ledger, holder: undefined }, { now, prefix: "" }).join("\n")).not.toContain("npm test");
	expect(liveText(ledger.run, now)).toContain("0 of 1 children done · one: bash npm test");
	expect(text(childrenPage(await readHistory(ledger), ledger.run, 0, { width: 120, now }).lines)).toContain(
		"bash npm test",
	);
	expect(runData(ledger).children).toMatchObject([{ state: "testing", activity: { stage: "working", tool: "bash" } }]);
	// The parent's ledger does not grow with what the child's has in full.
	expect(JSON.stringify(ledger.run.children).length).toBeLessThan(2000);

	ended.open();
	await expect.poll(() => line()).toContain("in testing: waiting for the model");
	await supervision.stop();
	expect((await stage.events(first.id)).filter(({ kind }) => kind === "child_spent").length).toBeLessThan(8);
});

describe("at every width", () => {
	const widths = Array.from({ length: 161 }, (_, number) => 40 + number);
	const names = ["検証".repeat(12), "a", "the-transfer-of-all-receipts-of-the-last-decade"];
	const running = plan(parentTemplate({ branches: branches(...names) }));
	for (const number of [1, 2, 3])
		report(running, number, { stage: "working", tool: "bash", args: `command=npm test ${"x".repeat(180)}` });

	it("the timeline shows each child's activity and cost", () => {
		for (const width of widths) {
			const rows = text(drawTimeline(running.run, { width, now, prefix: "" })).split("\n");
			const children = rows.filter((row) => row.startsWith("  ● "));
			expect(children, `${width}`).toHaveLength(3);
			for (const row of children) {
				expect(row, `${width}`).toMatch(/ · \$0 · .*bash npm/);
				expect(visibleWidth(row)).toBeLessThanOrEqual(width);
				expect(row).not.toContain("……");
			}
		}
	});

	it("the page of children shows each one's state and activity, those of the selected one in full", async () => {
		const history = new RunHistory();
		for (const event of running.events) history.take(event);
		for (const width of widths)
			for (const selected of [0, 2]) {
				const { lines, focus } = childrenPage(history, running.run, selected, { width, now });
				const rows = text(lines).split("\n");
				expect(rows.filter((row) => row.includes("working"))).toHaveLength(3);
				expect(rows.filter((row) => row.includes("bash npm")).length, `${width}`).toBe(3);
				for (const row of rows) {
					expect(visibleWidth(row)).toBeLessThanOrEqual(width);
					expect(row).not.toContain("……");
				}
				expect(rows[focus?.first ?? -1]).toMatch(/^ › /);
				expect(text(lines.slice(focus?.first, (focus?.last ?? 0) + 1))).toContain("in testing: bash npm test");
			}
	});
});
