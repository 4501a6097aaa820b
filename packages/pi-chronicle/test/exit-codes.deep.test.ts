// The documented exit codes, one after another in the documented project.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { commandNames } from "../src/pi/package/stand-aside.ts";
import { sampled } from "./harness/deep-it.ts";
import { runPrint } from "./harness/index.ts";
import { patient } from "./harness/patience.ts";
import { openStage, type Stage, step } from "./workflow/stage.ts";

const rows = [...readFileSync("docs/commands.md", "utf8").matchAll(/^\| `(\/[^`]+)` \| (\d+) \| (.*?) ?\|$/gm)].map(
	([, command = "", code = "", why = ""]) => [command, Number(code), why] as const,
);

/** Longest time that one pi may take here, in ms. */
const longest = 80_000;

describe("the table of exit codes", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage({ w: ["a"] });
	});

	it("has a row for every command", () => {
		const shown = new Set(rows.map(([command]) => command.slice(1).split(" ", 1)[0]));
		expect([...shown].sort()).toEqual([...commandNames].sort());
	});

	it.each(sampled(rows))(
		"%s is %i: %s",
		async (command, code, why) => {
			if (why === "the file already exists")
				stage.project.write(".pi/damage-control-rules.yaml", "zeroAccessPaths: []\n");
			stage.play(step("next"), "done");
			const end = await stage.print(command, { timeout: longest });
			expect([end.code, `${end.stdout}${end.stderr}`.trim() === ""]).toEqual([code, false]);
		},
		patient(90_000),
	);
});

describe("several messages", () => {
	it.each(
		sampled([
			["what an earlier one left waiting is ended by the person", ["/workflow w it", "/workflow next"], 0],
			["or given up", ["/workflow w it", "/cancel-workflow", "hello"], 0],
			[
				"one that was moved while it was paused has come to its end",
				["/workflow x it", "/workflow pause", "/workflow next", "/workflow resume", "/workflow next"],
				0,
			],
			["one that was moved while it was paused waits", ["/workflow x it", "/workflow pause", "/workflow next"], 3],
			["one that still waits is said by the last", ["/workflow w it", "hello"], 3],
		]),
	)(
		"%s",
		async (_what, messages, code) => {
			const mine = (id: string) => ({ id, advance: "person" });
			const stage = await openStage({ w: [mine("a")], x: [mine("a"), mine("b")] });
			const end = await runPrint(stage.project, messages, { timeout: longest });
			expect([end.code, end.stdout]).toEqual([code, expect.stringContaining("it waits for you")]);
		},
		patient(90_000),
	);
});
