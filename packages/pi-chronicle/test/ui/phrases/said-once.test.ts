// A run that waits is told once on each screen: what it is, what it was given, what it asks, and what it has cost.
import { describe, expect, it } from "vitest";
import {
	branches,
	childAt,
	conflict,
	end,
	join,
	measure,
	parentTemplate,
	park,
	plan,
} from "../../../../core/test/machine/child-steps.ts";
import {
	crash,
	definition,
	go,
	here,
	open,
	rest,
	spend,
	start,
	type TestRun,
} from "../../../../core/test/machine/test-run.ts";
import { type Project, summarizeRun, type WaitingChild } from "../../../src/local/index.ts";
import { questionLines, questionTitle, runLines, runStatusText, statusLines } from "../../../src/ui/phrases/index.ts";
import { drawTimeline } from "../../../src/ui/screen/index.ts";
import { ledgerOf } from "../report/ledgers.ts";

const task = "Export the receipts";
const summary = "Two steps are planned.";
const asked = "Which port does it listen to?";
const now = "2030-01-01T00:10:00.000Z";

const two = (fields: object = {}, more: object = {}) =>
	definition({ a: { persona: "Planner", next: ["b"], ...fields }, b: { persona: "Builder", next: ["done"] } }, more);

const paid = (play: TestRun): TestRun => play.say({ kind: "used", ...here(play), spend: spend(4321, 0.37) });
const worked = (template: object): TestRun => paid(start(open(template, { task })));

const asks = (choices: readonly string[]): TestRun => {
	const play = worked(two());
	play.say({ kind: "tool_started", ...here(play), call: "q", tool: "ask_user", args: `question=${asked}`, print: "p" });
	return play.say({ kind: "ask_opened", ...here(play), title: asked, text: asked, call: "q", choices: [...choices] });
};
const approval = (): TestRun => go(worked(two({ requires_approval: true })), "b", summary);

/** Children of which two wait for approvals of their own. */
function several(): { readonly play: TestRun; readonly below: readonly WaitingChild[] } {
	const play = plan(parentTemplate({ branches: branches("reader", "table", "page") }), { task });
	end(play, 1);
	const below = [2, 3].map((number) => {
		park(play, number, "awaiting_approval", "it asks to move from a to b");
		const child = go(
			paid(start(open(two({ requires_approval: true }), { task: `part ${number}` }))),
			"b",
			`step ${number}`,
		);
		return { names: [childAt(play, number).name], read: ledgerOf(child.events) };
	});
	return { play, below };
}

/** Runs that wait, and what each screen says at most once; `told`: what the status has to say. */
const cases: readonly (readonly [string, () => TestRun, readonly string[]])[] = [
	["an approval", approval, ["Move from a to b?", summary, "approve"]],
	["the approval of its start", () => measure(open(two({ requires_approval: "entry" }), { task })), ["Start a?"]],
	["a question", () => asks([]), [asked]],
	["a question with choices", () => asks(["80", "8080"]), [asked]],
	[
		"a conflict",
		() => join(end(end(end(plan(parentTemplate(), { task }), 1), 2), 3), [conflict("src/x.ts")]),
		["src/x.ts", "--choice ours"],
	],
	["a limit", () => rest(crash(worked(two({}, { limits: { tokens: 4000 } })))), ["is reached"]],
	[
		"a pause",
		() => rest(worked(two()).say({ kind: "pause_requested", cause: "person", detail: "Paused by you." })),
		["Paused by you."],
	],
	["a crash", () => rest(crash(start(rest(crash(worked(two())))))), []],
];

const count = (text: string, words: string) => text.split(words).length - 1;

async function screensOf(play: TestRun): Promise<Readonly<Record<string, string>>> {
	const { run } = play;
	const read = ledgerOf(play.events);
	const project = {
		store: { read: async () => ({ ok: true, value: read }) },
		sessions: "/nowhere",
		clock: { now: () => Date.parse(now) },
	};
	const entry = { kind: "run", id: run.id, holder: undefined, summary: summarizeRun(run, undefined) } as const;
	const question = run.stage.kind === "asking" ? run.stage.question : undefined;
	const widget = (width: number) =>
		drawTimeline(run, { width, now, prefix: "/chronicle ", answerKey: "Alt+A" })
			.map((line) => line.map(({ text }) => text).join(""))
			.join("\n");
	return {
		status: statusLines(read, { now, prefix: "/chronicle " }).join("\n"),
		widget: widget(80),
		"wide widget": widget(120),
		list: (await runLines(project as unknown as Project, "/chronicle ", [entry])).join("\n"),
		...(question ? { dialog: [questionTitle(question), ...questionLines(question, run, now)].join("\n") } : {}),
	};
}

describe("a run that waits", () => {
	it.each(cases)("for %s is told once on every screen", async (_, make, told) => {
		const play = make();
		const { run } = play;
		expect(["running", "done"]).not.toContain(run.status);
		const screens = await screensOf(play);
		for (const [name, text] of Object.entries(screens)) {
			for (const words of [task, summary, asked, `· ${runStatusText(run.status)}`, ...told])
				expect([name, words, count(text, words) > 1 ? text : ""]).toEqual([name, words, ""]);
			expect(text, name).not.toContain("--answers");
		}
		for (const words of [task, ...told]) expect(screens.status).toContain(words);
		expect(screens.status?.match(/^(?:Total|So far): /gm)).toHaveLength(1);
	});

	it("for several children tells each of them once, with its command", () => {
		const { play, below } = several();
		const text = statusLines(ledgerOf(play.events), { now, prefix: "/chronicle ", below }).join("\n");
		for (const [index, { names, read }] of below.entries()) {
			const id = read.run.id.slice(0, 8);
			expect(text).toContain(`"${names}" (${id}): Move from a to b?`);
			expect(count(text, `step ${index + 2}`)).toBe(1);
			expect(count(text, `/chronicle approve ${id}`)).toBeGreaterThan(0);
		}
		expect(count(text, task)).toBe(1);
		expect(text).not.toContain("--answers");
	});
});
