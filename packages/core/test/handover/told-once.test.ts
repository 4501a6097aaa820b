// Data that the instructions of a state have by a reference is told once.
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import { briefOf, firstMessageText, fullHandover } from "../../src/handover/index.ts";
import { outputText } from "../../src/output/index.ts";
import { definition, here, open, rest, start } from "../machine/test-run.ts";

const place = { cwd: "/p", file: "/p/.pi/handover.md", log: "/p/log", abilities: new Map(), folders: new Map() };

/** The message of a state with these instructions, and the file, after a state that handed over `data`. */
function toldOf(data: unknown, instructions: string): { readonly text: string; readonly file: string } {
	const states = {
		plan: { persona: "P", next: ["build"], output: { type: "object" } },
		build: { persona: "B", next: ["done"], instructions },
		done: {},
	};
	const testRun = start(open(definition(states)));
	testRun.say({ kind: "move_requested", ...here(testRun), target: "build", summary: "planned", data });
	const { run } = start(rest(testRun));
	const brief = briefOf(run, "entered", place);
	return { text: firstMessageText(brief), file: fullHandover(brief) };
}

const count = (text: string, part: string): number => text.split(part).length - 1;
/** Long enough not to stand in the message by chance. */
const long = fc
	.string({ minLength: 40, maxLength: 80, unit: fc.constantFrom(...'abcdefgh 数"\n') })
	.map((text) => `<${text}>`);
const value = fc.oneof(long, fc.array(long, { minLength: 1, maxLength: 3 }), fc.record({ file: long }));

it("every field that the instructions have is in the message once, every other in the data, and the file has all", () => {
	fc.assert(
		fc.property(value, value, fc.boolean(), (plan, rest, isWhole) => {
			const { text, file } = toldOf({ plan, rest }, `Build it: {output.plan${isWhole ? "" : ".plan"}}.`);
			const fold = JSON.stringify({ plan, rest });
			if (isWhole) expect(count(text, fold)).toBe(1);
			else {
				expect(text).toContain(`Build it: ${outputText(plan)}.`);
				expect(text).toContain(`: {"rest":${JSON.stringify(rest)}}`);
				expect(text).not.toContain(`{"plan":${JSON.stringify(plan)}`);
			}
			expect(file).toContain(fold);
		}),
		{ numRuns: runs() },
	);
});

it.each([
	["a short value", { port: 8081 }, "Listen on {output.plan.port}."],
	["a part of a field", { plan: { port: 8081, about: "x".repeat(60) } }, "Listen on {output.plan.plan.port}."],
	["no reference", { plan: "x".repeat(60) }, "Build it."],
])("data stays where the instructions have %s", (_what, data, instructions) => {
	expect(toldOf(data, instructions).text).toContain(`- visit 1, plan: ${JSON.stringify(data)}`);
});
