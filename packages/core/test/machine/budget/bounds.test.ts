// The bounds of every text and list that a run keeps in memory. The ledger keeps the rest.
import { describe, expect, it } from "vitest";
import { awaitedAnswer, type EventBody } from "../../../src/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../../src/snapshot/index.ts";
import { ask, crash, definition, go, here, newTree, open, rest, since, start, type TestRun } from "../test-run.ts";

const long = "¤".repeat(20_000);
/** How many of the long text's characters are left in a text. */
const left = (text = "") => text.split("¤").length - 1;
const two = (more: object = {}, state: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["a", "done"] } }, more);
const repeat = (testRun: TestRun, count: number, say: (n: number) => EventBody) => {
	for (let n = 1; n <= count; n += 1) testRun.say(say(n));
	return testRun;
};
const lastNotice = ({ run }: TestRun) => run.notices.at(-1) ?? "";
const end = (testRun: TestRun, outcome: Extract<EventBody, { kind: "worker_ended" }>["outcome"]) =>
	testRun.say({ kind: "worker_ended", ...here(testRun), launch: 1, outcome });

describe("of a text", () => {
	it.each<[what: string, most: number, kept: () => string | undefined]>([
		["a notice", 300, () => lastNotice(open(two()).say({ kind: "noted", text: long }))],
		[
			"a question's title",
			200,
			() =>
				start(open(two())).say({ kind: "ask_opened", visit: 1, attempt: 1, title: long, text: "" } as EventBody).run
					.questions[0]?.title,
		],
		[
			"a call's arguments",
			160,
			() =>
				start(open(two())).say({ kind: "tool_started", visit: 1, attempt: 1, call: "c", tool: "t", args: long }).run
					.calls.open[0]?.args,
		],
		["an abort's words", 300, () => finished(start(open(two())).say({ kind: "abort_requested", words: long }))],
		["an exit's detail", 200, () => lastNotice(end(start(open(two())), { kind: "exited", code: 1, detail: long }))],
		[
			"a provider's detail",
			200,
			() =>
				start(open(two())).say({ kind: "turn_settled", visit: 1, attempt: 1, stop: "quota", detail: long }).run.hold
					?.detail,
		],
		["a failed cleanup's cause", 120, () => lastNotice(cleaned("x", { kind: "unstarted", detail: long }))],
		["a failed cleanup's command", 100, () => lastNotice(cleaned(long.slice(0, 500), { kind: "timed_out" }))],
		[
			"why files are unmeasured at the start",
			500,
			() =>
				open(two()).say({ kind: "files_unmeasured", visit: 1, purpose: "baseline", detail: long }).run.baseline?.why,
		],
		["why files are unmeasured at the end", 500, () => unmeasured(long).run.unmeasured[0]?.why],
		["the path of a file that is not kept", 200, () => unkept([{ path: long, why: "x" }])],
		["why a file is not kept", 200, () => unkept([{ path: "x", why: long }])],
	])("%s: %d characters", (_what, most, kept) => {
		expect(left(kept())).toBe(most);
	});

	it("an empty detail counts as absent", () => {
		expect(lastNotice(end(start(open(two())), { kind: "exited", code: 1, detail: "" }))).toBe(
			'The worker of "a" ended with exit code 1 and without a transition.',
		);
		const quota = { kind: "turn_settled", visit: 1, attempt: 1, stop: "quota", detail: "" } as const;
		expect(start(open(two())).say(quota).run.hold?.detail).toBe("The provider's quota is used up.");
	});

	it("a message: 8000 characters, not truncated", () => {
		const testRun = open(two());
		expect(testRun.say({ kind: "told", text: "x".repeat(8000) }).run.outbox).toHaveLength(1);
		expect(testRun.say({ kind: "told", text: "x".repeat(8001) }).refusal).toBe("limit");
		expect(paused("x".repeat(8000))).toBe("x".repeat(8000));
		expect(paused(`y${"x".repeat(8000)}`)).toBe(`y${"x".repeat(8000)}`);
	});

	it("a move's summary: 800 bytes, and 100 once ten moves have followed", () => {
		const testRun = open(two({ limits: { moves: 99, pair_moves: 99 } }));
		const sizes = () => testRun.run.history.map(({ summary }) => Buffer.byteLength(summary));
		const move = (summary: string) => go(start(testRun), testRun.run.state === "a" ? "b" : "a", summary);
		move("x".repeat(800));
		move("x".repeat(801));
		expect(testRun.run.history.map(({ summary }) => summary.endsWith("…"))).toEqual([false, true]);
		move("x".repeat(100));
		move("x".repeat(101));
		expect(sizes()).toEqual([800, 800, 100, 101]);
		for (let n = 0; n < 9; n += 1) move("short");
		expect(sizes().slice(0, 4)).toEqual([100, 100, 100, 101]);
		expect(testRun.run.history[2]?.summary.endsWith("…")).toBe(false);
		move("short");
		expect(sizes()[3]).toBe(100);
	});

	it("a visit's own summary: 4000 bytes, whole in the question", () => {
		const asked = (summary: string) => {
			const testRun = go(start(open(two({}, { requires_approval: true }))), "b", summary);
			return testRun.due("ask_approval").question.summary;
		};
		expect(asked("x".repeat(4000))).toBe("x".repeat(4000));
		expect(Buffer.byteLength(asked("x".repeat(4001)))).toBe(4000);
	});
});

describe("of a list, the newest", () => {
	const called = (n: number): EventBody => ({
		kind: "tool_started",
		visit: 1,
		attempt: 1,
		call: `c${n}`,
		tool: "t",
		args: "",
	});
	const ended = (n: number): EventBody => ({
		...{ kind: "tool_ended", visit: 1, attempt: 1, call: `c${n}`, tool: `t${n}`, ms: 1, bytes: 1, hash: "" },
	});
	it.each<[what: string, most: number, kept: () => readonly unknown[], newest: unknown]>([
		["notices", 10, () => repeat(open(two()), 12, (n) => ({ kind: "noted", text: `n${n}` })).run.notices, "n12"],
		[
			"questions",
			5,
			() =>
				repeat(
					start(open(two())),
					7,
					(n) => ({ kind: "ask_opened", visit: 1, attempt: 1, title: `q${n}`, text: "" }) as EventBody,
				).run.questions.map(({ title }) => title),
			"q7",
		],
		["open calls", 16, () => repeat(start(open(two())), 18, called).run.calls.open.map(({ call }) => call), "c18"],
		["ended calls", 8, () => repeat(start(open(two())), 10, ended).run.calls.recent.map(({ tool }) => tool), "t10"],
		["visits without measured files", 8, () => visits(10).run.unmeasured.map(({ visit }) => visit), 10],
		["states before rewinds", 8, () => rewinds(10).run.kept.map(({ tree }) => tree), "tree10"],
	])("%s: %d", (_what, most, kept, newest) => {
		expect(kept()).toHaveLength(most);
		expect(kept().at(-1)).toEqual(newest);
	});

	it("messages: 20; the message of an answer replaces the oldest, any other is refused", () => {
		const testRun = rest(start(open(two())).say({ kind: "pause_requested", cause: "person", detail: "" }));
		repeat(testRun, 20, (n) => ({ kind: "told", text: `m${n}` }));
		expect(testRun.refusal).toBe("");
		expect(testRun.say({ kind: "told", text: "m21" }).refusal).toBe("limit");
		testRun.say({ kind: "resumed", answers: awaitedAnswer(testRun.run) ?? 0, words: "last" });
		expect(testRun.run.outbox.map(({ text }) => text)).toEqual([
			...Array.from({ length: 19 }, (_, n) => `m${n + 2}`),
			"last",
		]);
	});

	it("files in a sentence: 5, the others are counted", () => {
		const names = (count: number) => unkept(Array.from({ length: count }, (_, n) => ({ path: `f${n}`, why: "y" })));
		expect(names(5)).toBe("Files could not be measured: f0 (y), f1 (y), f2 (y), f3 (y), f4 (y)");
		expect(names(6)).toBe("Files could not be measured: f0 (y), f1 (y), f2 (y), f3 (y), f4 (y) and 1 more");
	});
});

/** The message that reaches the next worker with an answer of these words. */
function paused(words: string): string {
	const testRun = rest(start(open(two())).say({ kind: "pause_requested", cause: "person", detail: "" }));
	testRun.say({ kind: "resumed", answers: since(testRun), words });
	return testRun.run.outbox[0]?.text ?? "";
}

function finished(testRun: TestRun): string {
	const last = rest(testRun).events.at(-1);
	return last?.kind === "finished" ? (last.detail ?? "") : "";
}

function cleaned(command: string, result: Extract<EventBody, { kind: "cleanup_ended" }>["result"]): TestRun {
	const testRun = crash(start(open(two({}, { cleanup: [command] }))));
	return testRun.say({ kind: "cleanup_ended", visit: 1, index: 0, result });
}

function unmeasured(detail: string): TestRun {
	return crash(start(open(two()))).say({ kind: "files_unmeasured", visit: 1, purpose: "changes", detail });
}

/** The notice about files that a measurement did not keep. */
function unkept(files: readonly { path: string; why: string }[]): string {
	return lastNotice(
		crash(start(open(two()))).say({
			...{ kind: "files_measured", visit: 1, purpose: "changes", tree: newTree(), changes: [], unkept: files },
		}),
	);
}

/** As many visits whose files were not measured at their end. */
function visits(count: number): TestRun {
	const testRun = open(two({ limits: { moves: 99, pair_moves: 99 } }));
	for (let visit = 1; visit <= count; visit += 1) {
		ask(start(testRun), testRun.run.state === "a" ? "b" : "a");
		testRun.say({ kind: "worker_ended", visit, attempt: 1, launch: 1, outcome: { kind: "stopped" } });
		testRun.say({ kind: "files_unmeasured", visit, purpose: "changes", detail: "no git" });
	}
	return testRun;
}

function rewinds(count: number): TestRun {
	const testRun = rest(start(open(two())).say({ kind: "pause_requested", cause: "person", detail: "" }));
	for (let n = 1; n <= count; n += 1) {
		const { visit } = testRun.run;
		testRun.say({ kind: "rewind_requested", to: 1, state: "a", tree: "t", snapshot: EMPTY_SNAPSHOT, pairMoves: {} });
		testRun.say({ kind: "files_measured", visit, purpose: "before", tree: `tree${n}` });
		testRun.say({ kind: "files_restored", tree: "t", before: `tree${n}` });
	}
	return testRun;
}
