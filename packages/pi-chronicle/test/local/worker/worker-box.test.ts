// What a start says about how shell commands are contained.
import { compileDefinition } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { describeContainment } from "../../../src/local/worker/worker-box.ts";

const worker = { persona: "A", next: ["done"] };
const command = { command: "true", next: { 0: "done", else: "done" } };
const probe = async () => ({ kind: "bwrap" as const, bwrap: "/usr/bin/bwrap", options: [] });

const byText = "shell commands are judged by their text alone.";
const rows: readonly [string, object, Parameters<typeof describeContainment>[1], string | undefined][] = [
	["workers", { a: worker }, { probe }, "Shell commands run in a sandbox (bwrap)."],
	["commands only", { a: command }, { probe }, "Shell commands run in a sandbox (bwrap)."],
	[
		"one of them without",
		{ a: { ...command, sandbox: "off" }, b: worker },
		{ probe },
		"Shell commands run in a sandbox (bwrap), except in a.",
	],
	["all without", { a: command, b: worker }, { probe, sandbox: { use: "off" } }, `The sandbox is off: ${byText}`],
	[
		"a machine without",
		{ a: command },
		{ probe: async () => undefined },
		`No sandbox works on this machine (\`pi-chronicle doctor\` says why): ${byText}`,
	],
	[
		"no command of its own",
		{ a: { branches: { c: { run: { states: { w: worker, done: {} } } } }, next: ["done"] } },
		{ probe },
		undefined,
	],
];

describe("how the shell commands of a run are contained", () => {
	it.each(rows)("is said for %s", async (_, states, options, line) => {
		const plan = compileDefinition({ states: { ...states, done: {} } }, "t");
		expect(plan).toBeDefined();
		expect((await describeContainment([...(plan?.states.values() ?? [])], options))?.line).toBe(line);
	});
});
