// The report of runs that failed, were rewound, looped, or have more states and visits than it draws.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ask, definition, go, open, start } from "../../../../core/test/machine/test-run.ts";
import { saveReport, writeReport } from "../../../src/ui/report/index.ts";
import { foldCourse, partText, pathOf } from "../../../src/ui/report/path.ts";
import { readReportModel } from "../../../src/ui/report/read-model.ts";
import { openFolder } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { failedRun, fiveStates, rewind, rewoundRun } from "../runs.ts";
import { ledgerOf, used } from "./ledgers.ts";

const fixed = { zone: "Europe/Berlin", madeAt: Date.UTC(2030, 0, 2, 9) };
const asIs = (text: string) => text;
const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("the head", () => {
	it("says why a run failed", async () => {
		const html = await writeReport(ledgerOf(failedRun().events), fixed);
		const [, why = ""] = /<p class="why" dir="auto">(.*?)<\/p>/.exec(html) ?? [];
		expect(why.replaceAll("&quot;", '"')).toBe('"check" moved to failed: The tests need a database.');
	});

	it("has commands with the run's id and the answered question", async () => {
		const play = start(open(definition({ ...fiveStates, plan: { ...fiveStates.plan, requires_approval: true } })));
		go(play, "build");
		expect(await writeReport(ledgerOf(play.events), fixed)).toMatch(/<code>\/chronicle approve 00000000<\/code>/);
		const gone = await writeReport(ledgerOf(start(open(definition(fiveStates))).events), fixed);
		expect(gone).toContain("No process supervises it now. No recorded event is lost.");
		expect(gone).toContain("<code>/chronicle resume 00000000</code>");
	});
});

describe("a rewind", () => {
	it("is marked on the edge and the time axis; what it undid is gray, labeled as undone, and has its cost", async () => {
		const play = rewoundRun();
		const html = await writeReport(ledgerOf(play.events), fixed);
		expect(html).toMatch(/<g class="edge rewound">[\s\S]*?>↶ 3<\/text>/);
		expect(html).toMatch(/<g class="rewind"><title>Move 3: rewound to Build<\/title>/);
		expect(html.match(/<section class="visit(?: first)? undone" id="visit-\d+"/g)).toHaveLength(2);
		expect(html.match(/<li class="undone"><span class="name">/g)).toHaveLength(2);
		expect(textOf(html)).toContain("$0.25 for undone work");
		expect(textOf(html)).toContain("Plan → Build → Check ↶ Build");
		const { nodes } = pathOf(await readReportModel(ledgerOf(play.events), asIs));
		expect(nodes.map(({ state, mark }) => `${state} ${mark}`)).toEqual([
			"plan done",
			"build paused",
			"check undone",
			"done todo",
			"failed todo",
		]);
	});

	it("that was itself undone leaves gray only what happened in between", async () => {
		const play = rewoundRun();
		const [{ seq = 0, visit = 0, state = "" } = {}] = play.run.kept;
		rewind(play, { visit, state, kept: seq });
		const html = await writeReport(ledgerOf(play.events), fixed);
		expect(html.match(/<section class="visit(?: first)? undone" id="visit-\d+"/g)).toHaveLength(1);
	});
});

describe("the time that a worker needs to start", () => {
	it("is a pale bar", async () => {
		const play = open(definition(fiveStates));
		play.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "1".repeat(40) });
		start(play.wait(20_000));
		ask(play.wait(40_000), "build");
		const html = await writeReport(ledgerOf(play.events), fixed);
		expect(html).toMatch(/<rect class="starting"[^>]*><title>A worker starting: 20s<\/title>/);
	});
});

describe("a state that is a command", () => {
	it("is shown with its command, its outcome and the end of its output", async () => {
		const play = open(
			definition({ test: { command: "npm test", next: ["fix"] }, fix: { persona: "F", next: ["test"] } }),
		);
		play.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "1".repeat(40) });
		const launch = { visit: 1, attempt: play.run.attempt, launch: play.run.launch };
		play.say({ kind: "command_started", ...launch, command: "npm test", file: "/f.log" });
		const result = { kind: "exited", code: 3 } as const;
		play.wait(12_000).say({ kind: "command_ended", ...launch, result, ms: 12_000, bytes: 8, output: "2 failed" });
		const text = textOf(await writeReport(ledgerOf(play.events), fixed));
		expect(text).toContain("Attempt 1: npm test ✗ failed with exit code 3 12s");
		expect(text).toMatch(/Said `?npm test`? failed with exit code 3 after 12.0s\. Its output: 2 failed/);
	});
});

describe("the course of a run", () => {
	const fold = (states: string) =>
		foldCourse([...states], () => false)
			.map(partText)
			.join(" → ");

	it.each([
		["abc", "A → B → C"],
		["abababc", "A ⇄ B ×3 → C"],
		["aaab", "A ×3 → B"],
		["abcabcabcd", "(A → B → C) ×3 → D"],
		["xababy", "X → A ⇄ B ×2 → Y"],
		["aba", "A → B → A"],
		["", ""],
	])("%s is %s", (states, folded) => {
		expect(fold(states)).toBe(folded);
	});

	it("has every state as often as the run entered it, regardless of the order", () => {
		for (let seed = 0; seed < 3000; seed += 1) {
			const states = [...(seed * 2_654_435_761).toString(3)];
			const parts = foldCourse(states, (index) => (seed + index) % 7 === 0);
			expect(parts.flatMap(({ states: once, times }) => Array.from({ length: times }, () => once).flat())).toEqual(
				states,
			);
		}
	});
});

describe("more states than it draws", () => {
	it("are those that the run has visited, and the others are counted", async () => {
		const name = (index: number) => `s${index}`;
		const states = Object.fromEntries(
			Array.from({ length: 90 }, (_, index) => [name(index), { persona: "P", next: [name(index + 1)] }]),
		);
		const play = open(definition({ ...states, s90: {} }, { limits: { moves: 999 } }));
		for (let index = 0; index < 9; index += 1) go(start(play), name(index + 1));
		const { nodes, edges, statesLeftOut } = pathOf(await readReportModel(ledgerOf(play.events), asIs));
		expect(nodes.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, (_, index) => name(index)));
		expect(edges).toHaveLength(9);
		expect(statesLeftOut).toBe(81);
		expect(textOf(await writeReport(ledgerOf(play.events), fixed))).toContain(
			"81 states without a visit in the diagram.",
		);
	});
});

describe("2,000 visits", () => {
	it("are a page of at most 3 MB, with a way to the visits that it shows", { timeout: patient(60_000) }, async () => {
		const play = open(definition(fiveStates, { limits: { moves: 10_000, pair_moves: 10_000 } }));
		go(start(play), "build", "words ".repeat(60));
		for (let index = 0; index < 1000; index += 1) {
			used(start(play), 500, 0.001);
			go(play, "check", "words ".repeat(60));
			go(start(play), "build", "words ".repeat(60));
		}
		const html = await writeReport(ledgerOf(play.events), fixed);
		expect(Buffer.byteLength(html)).toBeLessThan(3_000_000);
		expect(textOf(html)).toContain("Build ⇄ Check ×1000");
		// What is left out stands where it is missing, with what it holds.
		expect(textOf(html)).toMatch(
			/1602 visits left out \(visits 101 to 1702\): (Build|Check) ×80[01], (Build|Check) ×80[01]; \d/,
		);
		for (const [, id] of html.matchAll(/href="#(visit-\d+)"/g)) expect(html).toContain(`id="${id}"`);
	});
});

describe("the conversations", () => {
	const message = (role: string, content: unknown, more: object = {}) =>
		JSON.stringify({ type: "message", message: { role, content, ...more } });
	const turn = (text: string) => message("assistant", [{ type: "text", text }]);

	it("are in the report: first and last messages, calls with their results, and no secret", async () => {
		const key = "AKIAIOSFODNN7EXAMPLE";
		const folder = openFolder({
			"workers/1.1.jsonl": [
				JSON.stringify({ type: "session", cwd: "/p" }),
				message("user", [{ type: "text", text: "Plan it." }]),
				message("assistant", [
					{ type: "text", text: "I look." },
					{ type: "toolCall", id: "1", name: "bash", arguments: { command: "cat key" } },
				]),
				message("toolResult", [{ type: "text", text: `key ${key} <b>` }], { toolCallId: "1", isError: true }),
				...Array.from({ length: 20 }, (_, index) => turn(`Thought ${index}.`)),
				turn("The plan is ready."),
				'{"torn',
			].join("\n"),
		});
		const saved = await saveReport(ledgerOf(failedRun().events, { folder }), fixed);
		if (!saved.ok) throw new Error(saved.failure.message);
		const html = readFileSync(saved.value.path, "utf8");
		const [talk = ""] = /<details class="talk">[\s\S]*?<\/ol>/.exec(html) ?? [];
		expect(textOf(talk)).toMatch(/Conversation 1\.1 To the worker Plan it\. The worker I look\. bash cat key ✗/);
		expect(talk).toContain("&lt;b&gt;");
		expect(talk).toContain("The plan is ready.");
		expect(textOf(talk)).toContain("… 12 more messages in the session file …");
		expect(html).not.toContain(key);
	});

	it("have no message for a result whose call is in the part that is not read", async () => {
		const long = "x".repeat(60_000);
		const folder = openFolder({
			"workers/1.1.jsonl": [
				JSON.stringify({ type: "session", cwd: "/p" }),
				message("user", [{ type: "text", text: "Plan it." }]),
				message("assistant", [{ type: "toolCall", id: "1", name: "bash", arguments: { command: long } }]),
				...[1, 2, 3, 4].map(() => turn(long)),
				message("toolResult", [{ type: "text", text: long }], { toolCallId: "1" }),
				turn("The plan is ready."),
			].join("\n"),
		});
		const saved = await saveReport(ledgerOf(failedRun().events, { folder }), fixed);
		if (!saved.ok) throw new Error(saved.failure.message);
		const [talk = ""] = /<details class="talk">[\s\S]*?<\/ol>/.exec(readFileSync(saved.value.path, "utf8")) ?? [];
		expect(talk).toContain("… messages in between in the session file …");
		expect(talk).toContain("The plan is ready.");
		expect(talk).not.toMatch(/<b>The worker<\/b>\s*<\/li>/);
	});
});
