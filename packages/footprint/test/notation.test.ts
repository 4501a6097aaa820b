// The notation of program descriptions.
import { expect, describe as group, it } from "vitest";
import { describe } from "../src/programs/notation.ts";

group("a description", () => {
	it.each([
		["sort | read* | -o --output: replace", { sort: { operands: "read", options: { "-o --output": "replace" } } }],
		[
			"cp | read* into | -r > recursive",
			{ cp: { operands: { rest: "read", last: "into" }, when: { "-r": { recursive: true } } } },
		],
		["uniq | read replace | --color ?", { uniq: { operands: { first: ["read", "replace"] }, attached: "--color" } }],
		[
			"du | list* here:list skips:hidden,ignored",
			{ du: { operands: "list", defaultRole: "list", skips: ["hidden", "ignored"] } },
		],
		[
			"git | first | --force ! | bare > ~worktree\n\tpush | ~remote +publish\n\t*",
			{
				git: {
					optionsFirst: true,
					flags: "--force",
					withoutSubcommand: { changes: ["worktree"] },
					subcommands: { push: { changes: ["remote"], effects: ["publish"] }, "*": {} },
				},
			},
		],
		[
			"# a comment\n\n$shared | -a: text\na b | =shared | -b: read",
			{ "a b": { options: { "-a": "text", "-b": "read" } } },
		],
	])("%s", (text, expected) => {
		expect(describe(text)).toEqual(expected);
	});

	it.each([
		"a | reed*",
		"a | +no-effect",
		"a | ~nothing",
		"a | @missing",
		"a | =missing",
		"a | -o: nothing",
		"\t\ta | read*",
	])("with a word that the notation does not have is refused: %s", (text) =>
		expect(() => describe(text)).toThrow(/description/),
	);
});
