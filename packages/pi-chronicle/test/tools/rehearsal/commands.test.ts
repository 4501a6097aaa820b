// How commands end in a rehearsal: as a script says, else so that the run goes along its path.
import { openSource } from "@pi-chronicle/core/definition";
import { readTemplate } from "@pi-chronicle/core/template";
import { expect, it } from "vitest";
import { planCommands } from "../../../src/tools/rehearsal/commands.ts";
import { cue } from "../../../src/tools/rehearsal/scenario.ts";

const states = {
	test: { command: "npm test", next: ["review", "fix"] },
	fix: { persona: "F", next: ["test"] },
	review: { persona: "R", next: ["done"] },
	done: {},
};
const path = ["test", "fix", "test", "review", "done"];

it.each<[Record<string, number>, Record<string, number>]>([
	[{}, { test: 0, "test#1": 1, "test#2": 0 }],
	[{ test: 7 }, { test: 7 }],
	[
		{ test: 7, "test#2": 0 },
		{ test: 7, "test#2": 0 },
	],
	[{ "test#2": 3 }, { test: 0, "test#1": 1, "test#2": 3 }],
	[{ "test#1.2": 3 }, { test: 0, "test#1.2": 3 }],
	[{ other: 3 }, { test: 0, "test#1": 1, "test#2": 0 }],
])("a script %j holds from its visit on: %j", (script, expected) => {
	const { read } = readTemplate(openSource("/t.json", JSON.stringify({ states })), "t");
	if (!read) throw new Error("not read");
	const scripts = Object.entries(script).map(([place, exitCode]) => [place, [cue({ exitCode })]] as const);
	const ends = planCommands(read.template, scripts, { path });
	expect(Object.fromEntries(Object.entries(ends).map(([place, { exit }]) => [place, exit]))).toEqual(expected);
});
