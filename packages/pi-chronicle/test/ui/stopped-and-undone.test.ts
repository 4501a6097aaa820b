// What every view says about a run that does not continue, and about work that was undone: the same sentence, and nothing outdated.

import { readHistory } from "@pi-chronicle/core/history";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { applyJoin, end, join, parentTemplate, plan } from "../../../core/test/machine/child-steps.ts";
import {
	ask,
	definition,
	here,
	newTree,
	open,
	refold,
	rest,
	since,
	spend,
	start,
	type TestRun,
} from "../../../core/test/machine/test-run.ts";
import { paintLine, unpainted } from "../../src/tui/index.ts";
import {
	crumbText,
	currentNotices,
	endLines,
	haltReason,
	progressLine,
	runLines,
	statusLines,
	storyLines,
	undoneOf,
} from "../../src/ui/phrases/index.ts";
import { drawTimeline } from "../../src/ui/screen/index.ts";
import { historyPage } from "../../src/ui/screen/view-pages.ts";
import { ledgerOf } from "./report/ledgers.ts";
import { escalatedRun, failedRun, fiveStates, rewind, rewoundRun } from "./runs.ts";

const now = "2030-01-01T01:00:00.000Z";
const states = fiveStates;

describe("why a run does not continue", () => {
	const cases: Record<string, [TestRun, string]> = {
		failed: [failedRun(), '"check" moved to failed: The tests need a database.'],
		paused: [
			rest(
				start(open(definition(states))).say({
					kind: "pause_requested",
					cause: "quota",
					detail: "The provider's quota is used up.",
				}),
			),
			"The provider's quota is used up.",
		],
		escalated: [escalatedRun(), 'The run has gone between "check" and "build" as often as it may.'],
		aborted: [rest(start(open(definition(states))).say({ kind: "abort_requested" })), "Ended by you."],
	};

	it.each(Object.keys(cases))(
		"%s: the timeline, the status, the list and the last line give the reason",
		async (name) => {
			const [play, why] = cases[name] as [TestRun, string];
			const { run, events } = play;
			const read = ledgerOf(events);
			expect(haltReason(run)).toBe(why);
			expect(statusLines(read, { now, prefix: "/chronicle " })).toContain(why);
			const { id, task, status, state, updatedAt } = run;
			const summary = { template: "t", task, status, state, updatedAt, costUsd: 0, tokens: 0 };
			const project = {
				sessions: "/nowhere",
				clock: { now: () => Date.parse(now) },
				store: { read: async () => ({ ok: true, value: read }) },
			} as unknown as Parameters<typeof runLines>[0];
			const listed = await runLines(project, "/chronicle ", [{ kind: "run", id, summary, holder: undefined }]);
			expect(listed.map((line) => line.trim())).toContain(why);
			if (run.stage.kind === "over") {
				const last = events.findLast(({ kind }) => kind === "finished") as LedgerEvent;
				expect(progressLine(run, last)).toContain(`: ${why}`);
				expect(endLines(run, "/chronicle ")).toContain(why);
			} else
				expect(drawTimeline(run, { width: 200, now, prefix: "" }).map((line) => paintLine(line, unpainted))).toContain(
					why,
				);
		},
	);

	it("a run whose supervisor is gone is listed as interrupted, with the command that continues it", async () => {
		const { run, events } = start(open(definition(states)));
		const { id, task, state, updatedAt } = run;
		// As the store lists a run that nobody holds.
		const summary = { template: "t", task, status: "interrupted" as const, state, updatedAt, costUsd: 0, tokens: 0 };
		const project = {
			sessions: "/nowhere",
			clock: { now: () => Date.parse(now) },
			store: { read: async () => ({ ok: true, value: ledgerOf(events) }) },
		} as unknown as Parameters<typeof runLines>[0];
		const listed = await runLines(project, "/chronicle ", [{ kind: "run", id, summary, holder: undefined }]);
		expect(listed.join("\n")).toMatch(/interrupted · plan[\s\S]*\/chronicle resume 00000000/);
	});
});

describe("the path", () => {
	it("has an arrow only if the template has a move", () => {
		expect(crumbText(open(definition(states)).run)).toBe("Plan [●] -> Build [ ] -> Check [ ] -> Done [ ] | Failed [ ]");
		expect(crumbText(failedRun().run)).toBe("Plan [✓] -> Build [✓] -> Check [✓] -> Done [ ] | Failed [✗]");
	});

	it("does not call an escalation that was released a success", () => {
		const play = escalatedRun();
		expect(crumbText(play.run)).toContain("| Human intervention [!]");
		play.say({ kind: "released", answers: since(play) });
		expect(crumbText(play.run)).toContain("Human intervention [↩]");
	});

	it("marks the states whose visits a rewind has undone", () => {
		expect(crumbText(rewoundRun().run)).toBe("Plan [✓] -> Build [‖] ×2 -> Check [↶] -> Done [ ] | Failed [ ]");
	});
});

describe("work that a rewind has undone", () => {
	it("is undone from the target of the rewind on, and restored by the rewind that undoes it", async () => {
		const play = rewoundRun();
		const undone = async () => [...undoneOf((await readHistory(ledgerOf(play.events))).visits).visits];
		expect(await undone()).toEqual([2, 3]);
		const [{ seq = 0, visit = 0, state = "" } = {}] = play.run.kept;
		rewind(play, { visit, state, kept: seq });
		expect(await undone()).toEqual([4]);
	});

	it("was saved at a time of the same zone as the moves", async () => {
		vi.stubEnv("TZ", "Asia/Kathmandu");
		onTestFinished(() => void vi.unstubAllEnvs());
		const { run, events } = rewoundRun();
		const undone = undoneOf((await readHistory(ledgerOf(events))).visits);
		const page = historyPage(run, now, undone).map((line) => paintLine(line, unpainted));
		for (const lines of [page, storyLines(run, undone)]) {
			const days = lines.join("\n").match(/\d{4}-\d\d-\d\d \d\d(?=:)/g);
			expect(days).toEqual(Array(4).fill("2030-01-01 05"));
		}
	});

	it("is named in the history with what it cost", async () => {
		const { run, events } = rewoundRun();
		const undone = undoneOf((await readHistory(ledgerOf(events))).visits);
		const page = historyPage(run, now, undone).map((line) => paintLine(line, unpainted));
		const story = storyLines(run, undone);
		for (const lines of [page, story]) {
			expect(lines.join("\n")).toMatch(/2\. build → check {2}undone/i);
			expect(lines.join("\n")).toMatch(/3\. check ↶ build {2}undone/i);
			expect(lines.join("\n")).toContain("↶ 2 visits undone by rewinds: 1k tokens, $0.25");
		}
	});
});

describe("notes", () => {
	it("disappear when they are no longer true", () => {
		const play = open(definition(states, { limits: { tokens: 1000 } }));
		start(play);
		play.say({ kind: "used", visit: 1, attempt: 1, spend: spend(900) });
		expect(currentNotices(play.run).join()).toContain("90 % of the limit");
		play.say({ kind: "limits_changed", limits: { tokens: 50_000 } });
		expect(currentNotices(play.run)).toEqual([]);
		expect(play.run.notices.join()).toContain("90 % of the limit");
		const released = escalatedRun();
		released.say({ kind: "released", answers: since(released) });
		expect(currentNotices(released.run)).toEqual([]);
		expect(currentNotices(refold(failedRun().events))).toEqual([]);
	});

	it("a failed cleanup stays in the status of a run that is over, with `on_failure: pause` too", () => {
		const cleanup = [{ command: "stop it", on_failure: "pause" }];
		const states = { only: { persona: "A", next: ["done"], cleanup }, done: {} };
		const play = ask(start(open(definition(states))), "done");
		play.say({ kind: "worker_ended", ...here(play), launch: 1, outcome: { kind: "stopped" } });
		play.say({ kind: "cleanup_ended", visit: 1, index: 0, result: { kind: "exited", code: 3 } });
		expect(rest(play).run.stage.kind).toBe("over");
		const said = statusLines(ledgerOf(play.events), { now, prefix: "/chronicle " });
		expect(said).toContain('Note: A cleanup command of "only" failed (exit code 3): stop it');
	});

	it("a child that was dropped because of another stays in the status of a run that is over", () => {
		const persona = { persona: "B", next: ["done"] };
		const branches = { one: persona, two: { ...persona, needs: ["one"] }, three: persona };
		const play = plan(parentTemplate({ branches, next: ["done"], on_failed: "continue" }));
		end(play, 1, "failed");
		const { visit, into } = end(play, 3).due("merge_files");
		const merged = { kind: "joined", visit, before: into?.tree ?? "", tree: newTree(), conflicts: [] } as const;
		play.say({ ...merged, ...(into ? { child: into.child } : {}) });
		applyJoin(join(play));
		expect(rest(play).run.stage.kind).toBe("over");
		const said = statusLines(ledgerOf(play.events), { now, prefix: "/chronicle " });
		expect(said).toContain('Note: The child "two" was dropped: it needs "one", which failed.');
	});
});
