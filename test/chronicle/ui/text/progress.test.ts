// Progress messages: a visit's usage is reported once it is known.
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../../src/chronicle/core/machine/index.ts";
import { progressLine } from "../../../../src/chronicle/ui/text/index.ts";
import { ask, definition, here, open, rest, spend, start, type Theatre } from "../../core/machine/theatre.ts";

const template = definition({ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["finished"] } });

/** The lines of what `happen` records. */
function told(theatre: Theatre, happen: (theatre: Theatre) => unknown): string[] {
	const { say } = theatre;
	const lines: string[] = [];
	const spy: Theatre = Object.create(theatre, {
		say: {
			value(body: EventBody) {
				const before = theatre.events.length;
				say(body);
				for (const event of theatre.events.slice(before)) lines.push(progressLine(theatre.run, event) ?? "");
				return spy;
			},
		},
	});
	happen(spy);
	return lines.filter(Boolean);
}

describe("progress messages", () => {
	it("report a move with the time, tokens and cost of the visit that it ends", () => {
		const theatre = start(open(template));
		theatre.wait(90_000).say({ kind: "used", ...here(theatre), spend: spend(1200, 0.25) });
		const lines = told(theatre, (at) => rest(ask(at, "b")));
		const moves = lines.filter((line) => line.startsWith("✓"));
		expect(moves).toHaveLength(1);
		expect(moves[0]).toMatch(/^✓ a → b · 1m3\ds, 1\.2k tokens, \$0\.25$/);
	});
	it("report the figures of the last visit too", () => {
		const theatre = start(open(template));
		rest(ask(theatre, "b"));
		start(theatre);
		theatre.wait(60_000).say({ kind: "used", ...here(theatre), spend: spend(500, 0.1) });
		const lines = told(theatre, (at) => rest(ask(at, "finished")));
		expect(lines.at(-1)).toMatch(/^■ done/);
		expect(lines.join("\n")).toMatch(/1m\d?\d?s?, 500 tokens, \$0\.10/);
	});
});
