// The timeline as a function of the run: every status, every width, nothing wider than the screen.
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import {
	ask,
	definition,
	go,
	here,
	open,
	rest,
	spend,
	start,
	type TestRun,
} from "../../../../core/test/machine/test-run.ts";
import { fitLine, paintLine, plain, unpainted } from "../../../src/tui/index.ts";
import { bar, shortCost, shortCount, shortTime } from "../../../src/ui/phrases/index.ts";
import { drawTimeline } from "../../../src/ui/screen/index.ts";

const now = "2030-01-01T01:00:00.000Z";
const draw = (testRun: TestRun, width = 120, at = now) =>
	drawTimeline(testRun.run, { width, now: at, prefix: "/chronicle " }).map((line) => paintLine(line, unpainted));

function never(): never {
	throw new Error("There is no worker that could end.");
}

const three = definition({
	planning: { persona: "Software Architect", next: ["implementation"], requires_approval: true },
	implementation: { persona: "Senior Engineer", next: ["verification", "planning"] },
	verification: { persona: "Tester", next: ["finished", "implementation"] },
});

describe("breadcrumbs", () => {
	it("show finished, current and future states", () => {
		const play = start(open(three));
		expect(draw(play)[1]).toBe("Planning [●] -> Implementation [ ] -> Verification [ ] -> Finished [ ]");
		go(play, "implementation", "a plan");
		const waiting = draw(play).join("\n");
		expect(waiting).toContain("Planning [?] -> Implementation [ ]");
		expect(waiting).toContain("Move from planning to implementation?");
		expect(waiting).toContain("/chronicle approve · /chronicle reject <words>");
	});

	it("count visits, and mark a refused move and human_intervention", () => {
		const play = start(
			open(definition({ a: { persona: "A", next: ["b", "finished"] }, b: { persona: "B", next: ["a"] } })),
		);
		for (const to of ["b", "a", "b"]) {
			go(play, to);
			start(play);
		}
		expect(draw(play).join("\n")).toContain("A [✓] ×2 -> B [●] ×2");
		go(play, "a");
		const stopped = draw(play).join("\n");
		expect(stopped).toContain("A [⊘] ×2");
		expect(stopped).toContain("Human intervention [!]");
		expect(stopped).toContain('The run has gone between "b" and "a" as often as it may.');
		expect(stopped).toContain("/chronicle release");
	});

	it.each([
		["a paused", (play: TestRun) => rest(play.say({ kind: "pause_requested", cause: "person", detail: "So." })), "‖"],
		["an aborted", (play: TestRun) => rest(play.say({ kind: "abort_requested" })), "✗"],
	] as const)("mark the state of %s run", (_, stop, mark) => {
		const play = start(open(three));
		stop(play);
		expect(draw(play).join("\n")).toContain(`Planning [${mark}] -> Implementation [ ]`);
	});

	it("have a heading with the template's name and the run's status, at every width", () => {
		const play = start(open({ ...three, name: "Feature Implementation" }));
		for (const width of [30, 40, 80, 200]) {
			const [first = "", second = ""] = draw(play, width);
			expect(first).toMatch(/^Feature Implementation/);
			expect(first + second).toContain("running");
		}
	});
});

describe("metrics", () => {
	it("show live tokens, cost and time of the state against ceilings, with a bar that warns", () => {
		const limited = definition(
			{ work: { persona: "Builder", next: ["finished"] } },
			{ limits: { cost_usd: 5, tokens: 100_000, minutes: 90 } },
		);
		const play = start(open(limited));
		play.say({ kind: "used", ...here(play), spend: spend(85_000, 4.5) });
		play.say({ kind: "tool_started", ...here(play), call: "c", tool: "bash", args: "npm test" });
		const lines = draw(play, 200, new Date(Date.parse(play.run.updatedAt) + 60_000).toISOString());
		const text = lines.join("\n");
		expect(text).toContain("Builder, m/m · visit 1 · 1m0");
		expect(text).toContain("85k tokens · $4.50");
		expect(text).toContain("▸ bash npm test");
		expect(text).toContain("85k tokens ▰▰▰▰▰▰▱▱ of 100k");
		expect(text).toContain("$4.50 ▰▰▰▰▰▰▰▱ of $5.00");
		const toned = drawTimeline(play.run, { width: 200, now, prefix: "" }).flat();
		expect(toned.find(({ text: bars }) => bars.startsWith("▰"))?.tone).toBe("warning");
	});

	const costly = () => {
		const play = start(
			open(definition({ work: { persona: "Software Architect", next: ["finished"] } }, { limits: { cost_usd: 5 } })),
		);
		return play.say({ kind: "used", ...here(play), spend: spend(1_812_000, 4.25) });
	};
	it.each([30, 40, 60, 80, 120])("show no truncated figure at %d columns", (width) => {
		const lines = draw(costly(), width);
		const text = lines.slice(2).join(" · ");
		for (const figure of ["Software Architect", "visit 1", "1.8M tokens", "$4.25 ▰▰▰"]) expect(text).toContain(figure);
		expect(text).not.toContain("…");
	});

	it("show the visit's changes while its worker runs and while it waits", () => {
		const play = costly();
		const options = { width: 120, now, prefix: "" };
		const text = (changed?: { files: number; added: number; removed: number }) =>
			drawTimeline(play.run, { ...options, changed })
				.map((line) => paintLine(line, unpainted))
				.join("\n");
		expect(text()).not.toContain("files");
		expect(text({ files: 3, added: 12, removed: 4 })).toContain("$4.25 · 3 files +12 −4");
		play.say({ kind: "pause_requested", cause: "person", detail: "So." });
		play.say({
			kind: "worker_ended",
			...(play.run.stage.kind === "stopping" && play.run.stage.launch ? play.run.stage.launch : never()),
			outcome: { kind: "stopped" },
		});
		const changes = [{ path: "a.ts", change: "M", added: 1, removed: 2 } as const];
		play.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: "a".repeat(40), changes });
		expect(text()).toContain("1 file +1 −2");
	});

	it("keep their height regardless of the worker's activity", () => {
		const play = start(open(three));
		const before = draw(play).length;
		play.say({ kind: "tool_started", ...here(play), call: "a", tool: "bash", args: "command=npm test timeout=90" });
		expect(draw(play).join("\n")).toContain("▸ bash npm test timeout=90");
		play.say({ kind: "tool_started", ...here(play), call: "b", tool: "read", args: "path=a.ts" });
		expect(draw(play).join("\n")).toContain("▸ 2 calls: read a.ts");
		expect(draw(play)).toHaveLength(before);
	});

	it.each([
		["cost", { cost_usd: 1 }, {}, ["/chronicle resume --cost <usd>"]],
		["tokens", { tokens: 1000 }, {}, ["/chronicle resume --tokens <n>"]],
		["time", { minutes: 1 }, {}, ["/chronicle resume --minutes <n>"]],
		["cost of a state", {}, { cost_usd: 1 }, ["/chronicle resume --state work --cost <usd>"]],
		["cost and tokens", { cost_usd: 1, tokens: 1000 }, {}, ["--cost <usd>", "--tokens <n>"]],
	] as const)("a reached ceiling on %s names the option that raises it", (_, limits, own, commands) => {
		const play = start(open(definition({ work: { persona: "W", next: ["finished"], limits: own } }, { limits })));
		play.wait(61_000).say({ kind: "used", ...here(play), spend: spend(2000, 2) });
		if (play.run.stage.kind === "working")
			play.say({ kind: "pause_requested", cause: "budget", detail: "It is reached." });
		rest(play);
		const text = draw(play).join("\n");
		for (const command of commands) expect(text).toContain(command);
	});

	it("show moves near their limit", () => {
		const play = start(
			open(
				definition(
					{ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a"] } },
					{ limits: { moves: 4, pair_moves: 9 } },
				),
			),
		);
		for (const to of ["b", "a"]) start(go(play, to));
		expect(draw(play).join("\n")).not.toContain("moves");
		for (const to of ["b", "a"]) start(go(play, to));
		expect(draw(play).join("\n")).toContain("4 of 4 moves");
	});

	it.each([
		[999, "999"],
		[12_340, "12.3k"],
		[2_100_000, "2.1M"],
		[999_960, "1M"],
	])("%d is %s", (count, text) => {
		expect(shortCount(count)).toBe(text);
	});
	it.each([
		[59_000, "59s"],
		[250_000, "4m10s"],
		[7_500_000, "2h05m"],
		[273_600_000, "3d04h"],
	])("%d ms are %s", (ms, text) => {
		expect(shortTime(ms)).toBe(text);
	});
	it("show money and bars", () => {
		expect([0, 0.0042, 12.3].map(shortCost)).toEqual(["$0", "$0.0042", "$12.30"]);
		expect([0, 0.5, 2].map((share) => bar(share, 4))).toEqual(["▱▱▱▱", "▰▰▱▱", "▰▰▰▰"]);
	});
});

describe("the next step", () => {
	const asking = definition({
		planning: { persona: "Architect", next: ["implementation"], requires_approval: true },
		implementation: { persona: "Engineer", next: ["planning", "verification", "human_intervention"] },
		verification: { persona: "Tester", next: [], requires_approval: "entry" },
	});

	it("is named with whether the user will be asked, and the keys are on the right, at every width with room", () => {
		const play = start(open(asking));
		const next = (width: number) => draw(play, width).find((line) => line.startsWith("  next: "));
		const keys = "/chronicle view · tell <words> · pause";
		for (const width of [120, 200]) {
			expect(next(width)).toMatch(/^ {2}next: Implementation, after asking you {2,}\/chronicle view/);
			expect(next(width)?.endsWith(keys)).toBe(true);
			expect(visibleWidth(next(width) ?? "")).toBe(width);
		}
		expect(next(60)).toBe("  next: Implementation, after asking you");
		go(play, "implementation");
		const { stage } = play.run;
		if (stage.kind === "asking") play.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff });
		start(play);
		expect(next(120)).toContain("next: Planning or Verification (asks you)  ");
	});

	it("has a clock that advances while a worker starts, and no other line moves", () => {
		const play = open(asking).say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "a".repeat(40) });
		expect(play.run.stage.kind).toBe("launching");
		const begun = Date.parse(play.run.updatedAt);
		const at = (ms: number) => draw(play, 120, new Date(begun + ms).toISOString());
		expect(at(0)).toContain("  ▸ starting a worker · 0s");
		expect(at(7000)).toContain("  ▸ starting a worker · 7s");
		expect(at(7000)).toHaveLength(at(0).length);
		expect(at(7000).join("\n")).toContain("next: Implementation, after asking you");
	});

	it("leaves the unfilled cells of a bar dim", () => {
		const play = start(open(definition({ work: { persona: "B", next: [] } }, { limits: { cost_usd: 5 } })));
		play.say({ kind: "used", ...here(play), spend: spend(1000, 2.5) });
		const cells = drawTimeline(play.run, { width: 120, now, prefix: "" })
			.flat()
			.filter(({ text }) => /^[▰▱]+$/.test(text));
		expect(cells.some(({ text }) => text.includes("▱"))).toBe(true);
		for (const { text, tone } of cells) expect(tone === "dim").toBe(text.includes("▱"));
	});
});

describe("widths", () => {
	const many = definition(
		Object.fromEntries(
			Array.from({ length: 24 }, (_, index) => [
				`state-${"統合".repeat(index % 4)}-${index}`,
				{ persona: "A", next: index < 23 ? [`state-${"統合".repeat((index + 1) % 4)}-${index + 1}`] : [] },
			]),
		),
	);
	it.each([30, 40, 80, 160, 200])("no line is wider than %d columns, with wide letters and hostile text", (width) => {
		const play = start(open(many, { task: "タスク 🧪 \u001b[31mred\u0007 \u202egnp.exe\u202c \u2067x\nsecond line" }));
		play.say({
			kind: "tool_started",
			...here(play),
			call: "c",
			tool: "bash",
			args: `echo ${"x".repeat(300)}\u001b[2J`,
		});
		const lines = draw(play, width);
		for (const line of lines) {
			expect(visibleWidth(line)).toBeLessThanOrEqual(width);
			// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
			expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
		}
		expect(lines.length).toBeLessThanOrEqual(11);
	});

	it("a line that fits is not cut", () => {
		expect(fitLine([plain("exactly")], 7)).toEqual([plain("exactly")]);
		expect(paintLine(fitLine([plain("too long")], 5), unpainted)).toBe("too …");
	});
});

it("the timeline shows the move that a worker requested while that worker ends", () => {
	const play = start(open(three));
	ask(play, "implementation");
	expect(draw(play).join("\n")).toContain("stopping the worker");
});
