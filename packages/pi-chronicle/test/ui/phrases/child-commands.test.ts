// The commands that the status prints for a run that waits for its children: each can be typed as printed.

import type { ReadLedger } from "@pi-chronicle/core/ports";
import { expect, it } from "vitest";
import { childAt, end, join, parentTemplate, park, plan } from "../../../../core/test/machine/child-steps.ts";
import type { TestRun } from "../../../../core/test/machine/test-run.ts";
import { parseArguments } from "../../../src/ui/commands/arguments.ts";
import { commands } from "../../../src/ui/commands/index.ts";
import { optionsIn } from "../../../src/ui/option-usage.ts";
import { runData, waitingLines } from "../../../src/ui/phrases/index.ts";

const readOf = ({ run }: TestRun) =>
	({ run, repairs: [], place: "/r.events.jsonl", folder: "/r" }) as unknown as ReadLedger;

function printed(testRun: TestRun): string[] {
	return waitingLines(readOf(testRun), "")[1]?.split(" · ") ?? [];
}

const lost = (status: "failed" | "aborted") => end(end(end(plan(), 1), 2), 3, status);
const waiting = () => park(end(end(plan(), 1), 2, "failed"), 3);
const unjoined = () => {
	const testRun = join(end(end(end(plan(parentTemplate({ on_failed: "continue" })), 1), 2, "failed"), 3));
	return testRun.say({ kind: "join_failed", visit: 1, detail: "The disk is full." });
};

it.each<[string, () => TestRun, (run: TestRun, id: (number: number) => string) => readonly string[]]>([
	["failed", () => lost("failed"), (_, id) => [`reopen ${id(3)} <state>`, `drop ${id(3)}`]],
	["aborted", () => lost("aborted"), (_, id) => [`reopen ${id(3)} <state>`, `drop ${id(3)}`]],
	["waits, beside a failed one", waiting, (_, id) => [`resume ${id(3)}`, `drop ${id(3)}`]],
	[
		"failed, and the files could not be joined",
		unjoined,
		(_, id) => [expect.stringMatching(/^resume/), `drop ${id(2)}`],
	],
])("of a child that has %s", (_, of, expected) => {
	const testRun = of();
	const lines = printed(testRun);
	const own = testRun.run.id.slice(0, 8);
	expect(lines).toEqual([...expected(testRun, (number) => childAt(testRun, number).id.slice(0, 8)), `abort ${own}`]);
	for (const line of lines) {
		const [name, ...words] = line.replace("<state>", "work").split(" ");
		const command = commands.find((one) => one.name === name);
		const run = words.find((word) => /^[0-9a-f]{8}$/.test(word)) ?? "";
		const parsed = parseArguments(words, {
			options: { ...optionsIn(command?.options), answers: "value" },
			textAfter: name === "reopen" ? 2 : 1,
			isName: (word) => word === run,
		});
		expect(parsed, line).not.toHaveProperty("error");
		// One run, and no second id that would be taken for text.
		expect("text" in parsed && parsed.text, line).toEqual([]);
	}
});

it("of a run whose supervisor was killed answer its waiting children too", () => {
	const parent = readOf(end(plan(), 1));
	const { run: child } = lost("failed");
	const below = [{ names: ["two"], read: readOf({ run: child } as TestRun) }];
	const lines = waitingLines(parent, "", below).filter((line) => /^[a-z]+ [0-9a-f]{8}/.test(line));
	expect(lines.map((line) => line.split(" · ").at(-1))).toEqual([
		`drop ${child.id.slice(0, 8)}`,
		`resume ${parent.run.id.slice(0, 8)}`,
	]);
	expect(runData(parent, below)).toMatchObject({ status: "interrupted", waitsFor: { children: [{ id: child.id }] } });
});
