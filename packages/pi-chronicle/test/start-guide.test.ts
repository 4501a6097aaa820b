// What `npm start` shows above the editor follows what is so.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Moment, openGuide, shows } from "../../../scripts/start-guide.ts";

const idle: Moment = { editor: "", works: false, workflow: "none", chronicle: undefined };
const [one = "", two = ""] = shows.map(({ kind, name, task }) => `/${kind} ${name} ${task}`);

describe("the guide of a rehearsal in a terminal", () => {
	it("leads from the first prompt to the end, with one hint for each step", () => {
		const at = openGuide();
		const step = (moment: Partial<Moment>) => {
			const { hint, prompt } = at({ ...idle, ...moment });
			return prompt === undefined ? hint.join() : `${hint.join()} | ${prompt}`;
		};
		expect(
			[
				{},
				{ editor: one },
				{ editor: "" },
				{ works: true, workflow: "open" },
				{ workflow: "open" },
				{ works: true, workflow: "open" },
				{ works: true, workflow: "over" },
				{ workflow: "over", editor: "typed ahead" },
				{ workflow: "over" },
				{ workflow: "over", editor: two },
				{ workflow: "over", chronicle: "running" },
				{ workflow: "over", chronicle: "awaiting_approval" },
				{ workflow: "over", chronicle: "paused" },
				{ workflow: "over", chronicle: "running", works: true },
				{ workflow: "over", chronicle: "done" },
				{ workflow: "over", chronicle: "done", editor: two },
			].map((moment) => step(moment as Partial<Moment>)),
		).toEqual([
			expect.stringMatching(new RegExp(`Enter runs the workflow below.* [|] ${one}$`)),
			expect.stringMatching(/Enter runs the workflow below\.$/),
			`Next, whenever you like: ${one}`,
			expect.stringContaining("Esc pauses the workflow"),
			expect.stringContaining("/workflow resume continues it"),
			expect.stringContaining("Esc pauses the workflow"),
			`Next, whenever you like: ${two}`,
			`Next, whenever you like: ${two}`,
			expect.stringMatching(new RegExp(`Enter starts the chronicle below.* [|] ${two}$`)),
			expect.stringMatching(/Enter starts the chronicle below[^|]*$/),
			expect.stringContaining("a process and a conversation of its own"),
			expect.stringContaining("waits for you"),
			expect.stringContaining("waits for you"),
			expect.stringContaining("a process and a conversation of its own"),
			expect.stringContaining("That was a workflow and a chronicle."),
			expect.stringContaining("That was a workflow and a chronicle."),
		]);
	});

	it("names Enter only where the prompt stands in the editor, and overwrites nothing", () => {
		const moments = fc.record<Moment>({
			editor: fc.constantFrom("", one, two, "words"),
			works: fc.boolean(),
			workflow: fc.constantFrom<Moment["workflow"]>("none", "open", "over"),
			chronicle: fc.constantFrom(undefined, "running", "asks", "awaiting_approval", "paused", "done", "aborted"),
		});
		fc.assert(
			fc.property(fc.array(moments, { maxLength: 30 }), (steps) => {
				const guide = openGuide();
				const offered: string[] = [];
				for (const moment of steps) {
					const { hint, prompt } = guide(moment);
					if (prompt !== undefined) {
						expect({ ...moment, works: false, editor: "" }).toEqual(moment);
						offered.push(prompt);
					}
					if (hint.join().startsWith("Enter"))
						expect(hint).toEqual([`Enter runs ${(prompt ?? moment.editor).slice(1)}`]);
				}
				expect(offered).toEqual([...new Set(offered)]);
			}),
		);
	});
});
