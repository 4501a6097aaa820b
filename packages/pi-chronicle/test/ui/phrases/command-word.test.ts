// Words of printed commands: a shell and `/chronicle` in pi read each as the one word that it stands for.
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { commandWord, typedWords } from "../../../src/ui/phrases/index.ts";
import { runs, seed } from "../../harness/runs.ts";

/** Texts that a shell would take apart or replace. */
const odd = [
	"plan",
	"näme",
	"code review",
	"it's",
	"'",
	"a 'b' c",
	"${x}",
	"`x`",
	"$(x)",
	'"q"',
	"a;b",
	"*",
	"<words>",
	"\\",
	"- x",
];
const texts = fc.oneof(
	fc.constantFrom(...odd),
	fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/[\0\n\r]/.test(text)),
);

it("pi reads a quoted word back, whatever stands around it", () => {
	fc.assert(
		fc.property(texts, (text) => {
			const line = `resume 5f2c81d0 --state ${commandWord(text)} --cost 5`;
			expect(typedWords(line).map((word) => word.text)).toEqual(["resume", "5f2c81d0", "--state", text, "--cost", "5"]);
		}),
		{ numRuns: runs(), seed },
	);
});

it("a shell reads the same words", () => {
	const { stdout } = spawnSync("sh", ["-c", `printf '%s\\n' ${odd.map(commandWord).join(" ")}`], { encoding: "utf8" });
	expect(stdout.split("\n").slice(0, -1)).toEqual(odd);
});

it("quotes inside of text are text", () => {
	const line = "tell 5f2c it's 'not' don't";
	expect(typedWords(line).map(({ start, end }) => line.slice(start, end))).toEqual([
		"tell",
		"5f2c",
		"it's",
		"'not'",
		"don't",
	]);
});
