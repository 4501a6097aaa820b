// Progress messages: a visit's usage is reported once it is known.

import type { EventBody, LedgerEvent } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import {
	ask,
	definition,
	here,
	open,
	rest,
	spend,
	start,
	type TestRun,
} from "../../../../core/test/machine/test-run.ts";
import { eventText, incidentOf, nextStep, progressLine } from "../../../src/ui/phrases/index.ts";

const template = definition({ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["finished"] } });

/** The lines of what `happen` records. */
function told(testRun: TestRun, happen: (testRun: TestRun) => unknown): string[] {
	const { say } = testRun;
	const lines: string[] = [];
	const spy: TestRun = Object.create(testRun, {
		say: {
			value(body: EventBody) {
				const before = testRun.events.length;
				say(body);
				for (const event of testRun.events.slice(before)) lines.push(progressLine(testRun.run, event) ?? "");
				return spy;
			},
		},
	});
	happen(spy);
	return lines.filter(Boolean);
}

describe("progress messages", () => {
	it("report a move with the time, tokens and cost of the visit that it ends", () => {
		const testRun = start(open(template));
		testRun.wait(90_000).say({ kind: "used", ...here(testRun), spend: spend(1200, 0.25) });
		const lines = told(testRun, (at) => rest(ask(at, "b")));
		const moves = lines.filter((line) => line.startsWith("✓"));
		expect(moves).toHaveLength(1);
		expect(moves[0]).toMatch(/^✓ a → b · 1m3\ds, 1\.2k tokens, \$0\.25$/);
	});
	it("report the figures of the last visit too", () => {
		const testRun = start(open(template));
		rest(ask(testRun, "b"));
		start(testRun);
		testRun.wait(60_000).say({ kind: "used", ...here(testRun), spend: spend(500, 0.1) });
		const lines = told(testRun, (at) => rest(ask(at, "finished")));
		expect(lines.at(-1)).toMatch(/^■ done/);
		expect(lines.join("\n")).toMatch(/1m\d?\d?s?, 500 tokens, \$0\.10/);
	});
	it("say why a run was given up, as every screen does, and what helps", () => {
		const detail = "The hosts of the engine gave up the run after 5 attempts. No disk space.";
		const testRun = start(open(template));
		expect(told(testRun, (at) => at.say({ kind: "given_up", detail }))).toEqual([`‖ ${detail}`]);
		const event = testRun.events.at(-1) as LedgerEvent;
		expect(eventText(event)).toContain(detail);
		expect(incidentOf(event)).toEqual({ what: `The run waits: ${detail}`, tone: "warn" });
		expect(nextStep(testRun.run)).toEqual({
			what: expect.stringContaining(detail),
			help: "Mend what the reason names, then resume: the run continues where it was.",
			commands: ["resume", "abort"],
		});
	});
});
