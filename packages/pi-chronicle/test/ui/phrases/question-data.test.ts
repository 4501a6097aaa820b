// What a state hands over as data is part of what the user approves.
import { expect, it } from "vitest";
import { definition, here, open, rest, start } from "../../../../core/test/machine/test-run.ts";
import { questionLines } from "../../../src/ui/phrases/index.ts";

const output = { type: "object", properties: { criteria: { type: "array" }, places: { type: "array" } } };
const states = {
	plan: { persona: "P", next: ["build"], requires_approval: true, output },
	build: { persona: "B", next: ["done"] },
	done: {},
};

function asked(data: object | undefined): string {
	const play = start(open(definition(states)));
	play.say({
		kind: "move_requested",
		...here(play),
		target: "build",
		summary: "Two steps.",
		...(data ? { data } : {}),
	});
	const { run } = rest(play);
	if (run.stage.kind !== "asking") throw new Error(run.stage.kind);
	return questionLines(run.stage.question, run, run.updatedAt).join("\n");
}

it("a question shows each field of the data, and each entry of its lists on a line", () => {
	const data = {
		criteria: ["It prints\nthe sum.", "Nothing else changes."],
		places: [{ file: "src/a.js", lines: [3, 9] }],
		percent: 81,
		command: "npm test",
	};
	expect(asked(data)).toContain(
		[
			"Data:",
			"  criteria:",
			"    - It prints the sum.",
			"    - Nothing else changes.",
			"  places:",
			"    - (file: src/a.js, lines: [3,9])",
			"  percent: 81",
			"  command: npm test",
		].join("\n"),
	);
});

it("without data, a question has no such part", () => {
	expect(asked(undefined)).not.toContain("Data:");
});
