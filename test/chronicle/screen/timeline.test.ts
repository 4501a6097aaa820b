// The timeline as a function of the run: every status, every width, nothing wider than the screen.
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import { drawTimeline, paintLine, unpainted } from "../../../src/chronicle/screen/index.ts";
import { fitLine, plain } from "../../../src/chronicle/screen/line.ts";
import { bar, shortCost, shortCount, shortTime } from "../../../src/chronicle/timeline/index.ts";
import { ask, definition, go, here, open, spend, start, type Theatre } from "../machine/theatre.ts";

const now = "2030-01-01T01:00:00.000Z";
const draw = (theatre: Theatre, width = 120, at = now) =>
	drawTimeline(theatre.run, { width, now: at, prefix: "/chronicle " }).map((line) => paintLine(line, unpainted));

const three = definition({
	planning: { persona: "Software Architect", next: ["implementation"], requires_approval: true },
	implementation: { persona: "Senior Engineer", next: ["verification", "planning"] },
	verification: { persona: "Tester", next: ["finished", "implementation"] },
});

describe("R28 breadcrumbs", () => {
	it("show what is done, what is current and what is to come", () => {
		const play = start(open(three));
		expect(draw(play)[1]).toBe("Planning [●] -> Implementation [ ] -> Verification [ ] -> Finished [ ]");
		go(play, "implementation", "a plan");
		const waiting = draw(play).join("\n");
		expect(waiting).toContain("Planning [?] -> Implementation [ ]");
		expect(waiting).toContain("May planning be left for implementation?");
		expect(waiting).toContain("/chronicle approve · /chronicle reject <words>");
	});

	it("count visits, and mark a refused move and the person's state", () => {
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
		expect(stopped).toContain("The move from b to a was refused (pair limit).");
		expect(stopped).toContain("/chronicle release");
	});

	it("name a paused, a failed and a finished run", () => {
		const play = start(open(three));
		play.say({ kind: "pause_requested", cause: "person", detail: "Paused by the person." });
		expect(draw(play).join("\n")).toContain("Planning [");
	});
});

describe("R29 metrics", () => {
	it("live tokens, cost and time of the state, against ceilings, with a bar that warns", () => {
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
	it("money and bars", () => {
		expect([0, 0.0042, 12.3].map(shortCost)).toEqual(["$0", "$0.0042", "$12.30"]);
		expect([0, 0.5, 2].map((share) => bar(share, 4))).toEqual(["▱▱▱▱", "▰▰▱▱", "▰▰▰▰"]);
	});
});

describe("R28 widths", () => {
	const many = definition(
		Object.fromEntries(
			Array.from({ length: 24 }, (_, index) => [
				`state-${"統合".repeat(index % 4)}-${index}`,
				{ persona: "A", next: index < 23 ? [`state-${"統合".repeat((index + 1) % 4)}-${index + 1}`] : [] },
			]),
		),
	);
	it.each([30, 40, 80, 160, 200])(
		"no line is wider than %d columns, wide letters and hostile words included",
		(width) => {
			const play = start(open(many, { task: "タスク 🧪 \u001b[31mred\u0007\nsecond line" }));
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
				expect(line).not.toMatch(/[\u0000-\u001f]/);
			}
			expect(lines.length).toBeLessThanOrEqual(10);
		},
	);

	it("a line that fits is not cut", () => {
		expect(fitLine([plain("exactly")], 7)).toEqual([plain("exactly")]);
		expect(paintLine(fitLine([plain("too long")], 5), unpainted)).toBe("too …");
	});
});

it("R29 a question to come: what a worker asked for is shown while it ends", () => {
	const play = start(open(three));
	ask(play, "implementation");
	expect(draw(play).join("\n")).toContain("ending the worker");
});
