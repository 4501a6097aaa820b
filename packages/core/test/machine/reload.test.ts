// A paused run that continues with an edited template: which edits are accepted, and what stays as it was.
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../src/machine/index.ts";
import { hashDefinition } from "../../src/template/index.ts";
import { branches } from "./child-steps.ts";
import { pause } from "./requests.ts";
import { definition, open, rest, since, start, type TestRun } from "./test-run.ts";

const worker = { persona: "A", next: ["b", "done"] };
const states = { a: worker, b: { persona: "B", next: ["a"] }, over: { next: [] } };

const paused = (more: object = {}): TestRun => rest(start(open(definition(states, more))).say(pause));
function reload(testRun: TestRun, edited: object): TestRun {
	const template = { name: "t", hash: hashDefinition(edited), definition: edited };
	return testRun.say({ kind: "resumed", answers: since(testRun), reload: { template } } as EventBody);
}

describe("an edit", () => {
	it.each<[what: string, edited: object]>([
		["of another state", { ...states, b: { persona: "C", next: ["a"] } }],
		["of its state", { ...states, a: { ...worker, instructions: "More." } }],
		["that runs it with children", { ...states, a: { branches: branches("x"), next: ["b"] } }],
		["that adds a state", { ...states, c: { persona: "C", next: ["a"] } }],
	])("%s is accepted", (_what, edited) => {
		const testRun = reload(paused(), definition(edited));
		expect([testRun.refusal, testRun.run.template.hash]).toEqual(["", hashDefinition(definition(edited))]);
	});

	it.each<[what: string, edited: object, reason: string, message: RegExp]>([
		[
			"without its state",
			definition({
				b: { ...states.b, next: ["over"] },
				c: { branches: branches("x"), next: ["over"] },
				over: { next: [] },
			}),
			"unknown_state",
			/^"a" is no longer a state of the template "t"\. Its states are "b", "c"\. /,
		],
		[
			"in which its state only ends the run",
			definition({ b: { persona: "B", next: ["a"] }, a: { next: [] } }),
			"unknown_state",
			/Its states are "b"\. /,
		],
		[
			"that only names its state",
			definition({ b: { persona: "B", next: ["a"] } }),
			"unknown_state",
			/Its states are "b"\. /,
		],
		["that keeps other files", definition(states, { files: "repository" }), "illegal", /saves different files/],
		["that keeps secret files", definition(states, { secret_files: "keep" }), "illegal", /saves different files/],
		["that is no template", { states: 5 }, "illegal", /cannot read/],
	])("%s is refused, and nothing changes", (_what, edited, reason, message) => {
		const testRun = paused();
		const before = testRun.run;
		reload(testRun, edited);
		expect([testRun.refusal, testRun.run]).toEqual([reason, before]);
		expect(testRun.message).toMatch(message);
	});

	it("lets the worker continue its conversation only if its state is unchanged", () => {
		const key = (edited: object) => reload(paused(), definition(edited)).run.conversation?.key;
		expect(key({ ...states, b: { persona: "C", next: ["a"] } })).toBe("1.1");
		expect(key({ ...states, a: { ...worker, instructions: "More." } })).toBe("1.2");
	});
});
