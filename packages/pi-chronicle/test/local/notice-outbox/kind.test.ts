// Which events are told, by their kind, and until when a notice tells something.

import { foldEvent, type LedgerEvent, type Run, startRun } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import {
	ask,
	definition,
	go,
	newTree,
	open,
	rest,
	start,
	type TestRun,
} from "../../../../core/test/machine/test-run.ts";
import { isCurrent, noticeKind } from "../../../src/local/index.ts";

const template = (more: object = {}, state: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["done"] } }, more);

/** Every notice of a run, by kind and number. */
function notices({ events }: TestRun) {
	const found: { kind: string; seq: number; event: LedgerEvent["kind"] }[] = [];
	let run: Run | undefined;
	for (const event of events) {
		const before = run;
		run = before ? foldEvent(before, event) : startRun(event);
		const kind = run && before && noticeKind(run, event, before);
		if (kind !== undefined) found.push({ kind, seq: event.seq, event: event.kind });
	}
	return found;
}

describe("a notice", () => {
	const asked = () => rest(ask(start(open(template({}, { requires_approval: true }))), "b"));
	const question = () =>
		start(open(template())).say({
			kind: "ask_opened",
			visit: 1,
			attempt: 1,
			title: "Which?",
			text: "Which?",
			call: "c1",
		});
	it.each<
		[kind: string, event: LedgerEvent["kind"], bring: () => TestRun, answer: (testRun: TestRun, seq: number) => TestRun]
	>([
		[
			"approval",
			"approval_asked",
			asked,
			(testRun, answers) => {
				const { stage } = testRun.run;
				return testRun.say({ kind: "approved", answers, diff: stage.kind === "asking" ? stage.question.diff : "" });
			},
		],
		[
			"question",
			"ask_opened",
			question,
			(testRun, answers) => testRun.say({ kind: "ask_answered", answers, verdict: "answered", words: "this" }),
		],
		[
			"decision",
			"files_measured",
			() => go(start(open(template())), "human_intervention"),
			(testRun, answers) => testRun.say({ kind: "released", answers, to: "b" }),
		],
		[
			"paused",
			"parked",
			() => rest(start(open(template())).say({ kind: "pause_requested", cause: "crash", detail: "x" })),
			(testRun, answers) => testRun.say({ kind: "resumed", answers }),
		],
		[
			"ceiling",
			"parked",
			() =>
				open(template({ limits: { minutes: 0 } })).say({
					kind: "files_measured",
					visit: 1,
					purpose: "baseline",
					tree: newTree(),
				}),
			(testRun, answers) =>
				testRun.say({ kind: "limits_changed", limits: { activeMs: 9e9 } }).say({ kind: "resumed", answers }),
		],
		[
			"done",
			"finished",
			() => go(start(go(start(open(template())), "b")), "done"),
			(testRun, answers) => testRun.say({ kind: "reopened", answers, to: "a" }),
		],
	])("of the kind %s tells its event (%s) until it is answered", (kind, event, bring, answer) => {
		const testRun = bring();
		const told = notices(testRun).filter((one) => one.kind !== "warning");
		expect(told).toMatchObject([{ kind, event }]);
		const [{ seq } = { seq: 0 }] = told;
		expect(isCurrent(testRun.run, { kind: kind as "done", seq })).toBe(true);
		answer(testRun, seq);
		expect([testRun.refusal, isCurrent(testRun.run, { kind: kind as "done", seq })]).toEqual(["", false]);
	});

	it("tells nothing of what the user does, nor of an aborted run", () => {
		const testRun = rest(start(open(template())).say({ kind: "told", text: "x" }).say({ kind: "abort_requested" }));
		expect([testRun.run.status, notices(testRun)]).toEqual(["aborted", []]);
	});

	it("warns once of what the run notes while it goes on", () => {
		const testRun = start(open(template())).say({ kind: "noted", text: "Disk almost full." });
		expect(notices(testRun)).toMatchObject([{ kind: "warning", event: "noted" }]);
	});
});
