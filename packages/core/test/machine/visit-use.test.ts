// The use of one visit: repeated calls, and the ceilings on calls and requests.
import { describe, expect, it } from "vitest";
import { allowanceOf, type EventBody } from "../../src/machine/index.ts";
import { definition, here, open, rest, since, spend, start, type TestRun } from "./test-run.ts";

const template = (state: object = {}) => definition({ a: { persona: "A", next: ["done"], ...state } });

let calls = 0;
/** A call with its result; the same `print` and `hash` are the same call with the same result. */
function call(testRun: TestRun, print: string | undefined, hash = "0", more: object = {}): TestRun {
	calls += 1;
	const about = { ...here(testRun), call: `c${calls}`, tool: "bash" };
	testRun.say({ kind: "tool_started", ...about, args: "x", ...(print === undefined ? {} : { print }) });
	return testRun.say({ kind: "tool_ended", ...about, ms: 1, bytes: 1, hash, ...more } as EventBody);
}
const repeat = (testRun: TestRun, count: number, print: string | undefined, hash?: string, more?: object) => {
	for (let n = 0; n < count; n += 1) call(testRun, print, hash, more);
	return testRun;
};
const queued = ({ run }: TestRun) => run.outbox.length;

describe("the same call with the same result", () => {
	it("is reported to the model at the third time, and pauses the run at the sixth", () => {
		const testRun = start(open(template()));
		expect(queued(repeat(testRun, 2, "p"))).toBe(0);
		expect(queued(repeat(testRun, 1, "p"))).toBe(1);
		expect(testRun.due("send").text).toContain("3 times");
		expect(testRun.run.notices.at(-1)).toContain("3 times");
		repeat(testRun, 2, "p");
		expect(testRun.run.stage.kind).toBe("working");
		repeat(testRun, 1, "p");
		expect(testRun.due("end_worker").how).toBe("boundary");
		expect(rest(testRun).run.hold).toMatchObject({ status: "paused", cause: "circling" });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(testRun.run.visitRecord.use).toBeUndefined();
	});

	it.each<[what: string, calls: (testRun: TestRun) => TestRun, nudges: number]>([
		["with other results", (testRun) => call(call(call(testRun, "p", "1"), "p", "2"), "p", "3"), 0],
		["with other arguments", (testRun) => call(call(call(testRun, "p"), "q"), "r"), 0],
		["without a fingerprint, in older ledgers", (testRun) => repeat(testRun, 9, undefined), 0],
		["without a known result", (testRun) => repeat(testRun, 9, "p", ""), 0],
		["refused for the same reason", (testRun) => repeat(testRun, 3, "p", "", { blocked: "no" }), 1],
		[
			"refused for other reasons",
			(testRun) => ["a", "b", "c"].reduce((all, blocked) => call(all, "p", "0", { blocked }), testRun),
			0,
		],
		[
			"whose results differ in times only",
			(testRun) => ["1", "2", "3"].reduce((all, hash) => call(all, "p", hash, { timeless: "t" }), testRun),
			1,
		],
	])("%s", (_what, repeated, nudges) => {
		const testRun = repeated(start(open(template())));
		expect([queued(testRun), testRun.run.stage.kind]).toEqual([nudges, "working"]);
	});

	it("is allowed if the state polls, and only counted once the worker is being stopped", () => {
		const polling = repeat(start(open(template({ polling: true }))), 9, "p");
		expect([queued(polling), polling.run.stage.kind]).toEqual([0, "working"]);
		const stopping = start(open(template())).say({ kind: "pause_requested", cause: "person", detail: "" });
		repeat(stopping, 9, "p");
		expect([queued(stopping), stopping.run.hold?.cause, stopping.run.visitRecord.use?.calls]).toEqual([0, "person", 9]);
	});
});

describe("the ceiling of one visit", () => {
	it("on calls stops the worker at that call, and bounds its allowance", () => {
		const testRun = start(open(template({ limits: { calls: 3 } })));
		call(call(testRun, "p"), "q");
		expect(testRun.run.stage.kind).toBe("working");
		expect(allowanceOf(testRun.run)).toMatchObject({ calls: 1, requests: 400 });
		call(testRun, "r");
		expect(testRun.run).toMatchObject({ hold: { status: "paused", cause: "visit_limit" }, stage: { how: "boundary" } });
		expect(allowanceOf(testRun.run)).toMatchObject({ calls: 1 });
	});

	it("on requests stops the worker at that request", () => {
		const testRun = start(open(template({ limits: { requests: 3 } })));
		const request = (requests: number, tokens: number) =>
			testRun.say({ kind: "used", ...here(testRun), spend: spend(tokens), requests } as EventBody);
		request(1, 1);
		request(0, 2);
		expect(testRun.run.visitRecord.use?.requests).toBe(1);
		request(1, 3);
		expect(testRun.run.stage.kind).toBe("working");
		expect(allowanceOf(testRun.run)).toMatchObject({ calls: 800, requests: 1 });
		request(1, 4);
		expect(testRun.run).toMatchObject({ hold: { cause: "visit_limit" }, stage: { kind: "stopping" } });
	});
});
