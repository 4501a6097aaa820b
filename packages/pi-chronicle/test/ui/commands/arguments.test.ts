// Arguments of a command line: options, names, and text for an agent.

import { describe, expect, it } from "vitest";
import { type CommandGrammar, parseArguments } from "../../../src/ui/commands/arguments.ts";
import { grammarOf, startCommand } from "../../../src/ui/commands/index.ts";
import { steerings } from "../../../src/ui/commands/steering.ts";
import { optionsIn } from "../../../src/ui/option-usage.ts";

const options = { cwd: "value", json: "flag", model: "value", help: "flag" } as const;
const { others } = grammarOf(startCommand, {});
const run: CommandGrammar = { options, others, textAfter: 1 };
const reject: CommandGrammar = {
	options,
	textAfter: 0,
	isName: (word) => word === "last" || /^[0-9a-f]{4,}$/.test(word),
};
const list: CommandGrammar = { options };

function read(words: readonly string[], grammar: CommandGrammar): unknown {
	const parsed = parseArguments(words, grammar);
	if ("error" in parsed) return parsed.error;
	const { flags, values, names, text } = parsed;
	return {
		names: names.join("|"),
		text: text.join(" "),
		options: [...flags, ...Object.entries(values).flat()].join(" "),
	};
}

describe("an option of this program that the verb does not have", () => {
	it.each([
		[["feature", "Add", "it", "--stat"], "--stat"],
		[["feature", "Add", "it", "--out", "file.html"], "--out"],
		[["feature", "Add", "it", "--out=file.html"], "--out=file.html"],
		[["feature", "Add", "it", "--scenario"], "--scenario"],
	])("after the text is an error: %j", (words, option) => {
		const error = `This command has no option ${option}. If it is part of the text, put -- before the text.`;
		expect(read(words, run)).toBe(error);
		const [name = "", ...text] = words;
		expect(read([name, "--", ...text], run)).toEqual({ names: name, text: text.join(" "), options: "" });
	});

	it("is recognized for every verb", () => {
		for (const option of [
			...steerings.flatMap((verb) => Object.keys(optionsIn(verb.options))),
			"cwd",
			"json",
			"pi",
			"approve",
		])
			expect(read(["x", "do", "it", `--${option}`], { options: {}, others, textAfter: 1 })).toContain(
				`no option --${option}`,
			);
	});

	it("within the text is text, and so are options of other programs", () => {
		expect(read(["feature", "say", "what", "--stat", "does"], run)).toMatchObject({ text: "say what --stat does" });
		expect(read(["feature", "add", "--verbose"], run)).toMatchObject({ text: "add --verbose" });
	});
});

describe("a verb with a text", () => {
	it.each([
		[["feature", "Add", "it"], "feature", "Add it", ""],
		[["--json", "feature", "--cwd", "/x", "Add it"], "feature", "Add it", "json cwd /x"],
		[["--cwd=/x", "feature", "Add it"], "feature", "Add it", "cwd /x"],
		// In the midst of it nothing is taken for an option; behind it options are options again.
		[["feature", "Add", "--json", "to", "list"], "feature", "Add --json to list", ""],
		[["feature", "Add", "--json"], "feature", "Add", "json"],
		[["feature", "Add a flag", "--json", "--model", "x"], "feature", "Add a flag", "json model x"],
		[["feature", "remove", "the", "flag", "--json"], "feature", "remove the flag", "json"],
		[
			["feature", "add", "it", "--json", "--cwd", "/x y", "--model=a/b"],
			"feature",
			"add it",
			"json cwd /x y model a/b",
		],
		[["feature", "say", "what", "--model", "is", "for"], "feature", "say what --model is for", ""],
		[["feature", "explain", "--model"], "feature", "explain --model", ""],
		[["feature", "--", "remove", "the", "flag", "--json"], "feature", "remove the flag --json", ""],
		[["feature", "--json is broken"], "feature", "--json is broken", ""],
		[["feature", "-x crashes"], "feature", "-x crashes", ""],
		[["feature", "-v", "prints", "nothing"], "feature", "-v prints nothing", ""],
		[["feature", "--verbose", "prints", "nothing"], "feature", "--verbose prints nothing", ""],
		[["feature", "-"], "feature", "-", ""],
		[["feature", "--", "--json", "is", "broken"], "feature", "--json is broken", ""],
		[["--", "--odd-name", "do", "it"], "--odd-name", "do it", ""],
		[["feature", "--json", "--", "-- dashes"], "feature", "-- dashes", "json"],
		[["feature"], "feature", "", ""],
		[[], "", "", ""],
		[["-h"], "", "", "help"],
		[["feature", "--help"], "feature", "", "help"],
		[["feature", "line one\nline two"], "feature", "line one\nline two", ""],
		[["feature", "--model", "a/b", "5", "things"], "feature", "5 things", "model a/b"],
	])("%j", (words, names, text, given) => {
		expect(read(words, run)).toEqual({ names, text, options: given });
	});
	it.each([
		[["--jsn", "feature", "x"], "Unknown option: --jsn. Did you mean `--json`?"],
		[
			["feature", "--jsno", "x"],
			"Unknown option: --jsno. Did you mean `--json`? If it starts the text, put -- before it.",
		],
		[["feature", "--model"], "--model needs a value."],
		[["feature", "--model", "--json", "x"], "--model needs a value."],
		[["feature", "--model=", "x"], "--model needs a value."],
		[["feature", "--cwd", " ", "x"], "--cwd needs a value."],
		[["feature", "--model", "--", "x"], "--model needs a value."],
		[["feature", "--json=yes", "x"], "--json takes no value."],
		[["--nonsense", "feature", "x"], "Unknown option: --nonsense."],
	])("%j is refused", (words, message) => {
		expect(read(words, run)).toBe(message);
	});
});

describe("a verb with a run and a text", () => {
	it.each([
		[["last", "needs", "tests"], "last", "needs tests"],
		[["3f2a9", "needs", "tests"], "3f2a9", "needs tests"],
		[["needs", "tests"], "", "needs tests"],
		[["add", "tests", "last"], "", "add tests last"],
		[["3f2a9", "last", "words"], "3f2a9", "last words"],
		[["--", "last", "resort"], "", "last resort"],
		[["last", "--", "--json", "is", "bad"], "last", "--json is bad"],
	])("%j", (words, names, text) => {
		expect(read(words, reject)).toEqual({ names, text, options: "" });
	});
});

describe("a verb without a text", () => {
	it("accepts its options anywhere, and no others", () => {
		expect(read(["a", "--json", "b", "--cwd", "/x"], list)).toEqual({ names: "a|b", text: "", options: "json cwd /x" });
		expect(read(["a", "--", "--json"], list)).toEqual({ names: "a|--json", text: "", options: "" });
		expect(read(["a", "--stat"], list)).toBe("Unknown option: --stat.");
	});
});
