// Decides how a code block is tested, from its info string alone. README.md documents the info strings.
import { type Block, commandsOf } from "./blocks.ts";

export type Plan =
	/** Run commands with bash. */
	| { kind: "run"; exit: number }
	/** Type lines into a running pi. */
	| { kind: "type" }
	/** Commands that another test runs, or that are run in a folder of the checkout. */
	| { kind: "covered"; commands: string[] }
	/** Lines for pi that only have to be commands which exist. */
	| { kind: "named" }
	/** Lines that the last run must have printed. */
	| { kind: "output" }
	/** A file of the document's project. */
	| { kind: "file"; path: string }
	/** A file with a mistake that the product must report. */
	| { kind: "invalid"; path: string }
	/** An excerpt of a file of the checkout. */
	| { kind: "part"; of: string }
	/** A tree of paths of the checkout. */
	| { kind: "layout" }
	/** The way of a call through files of the checkout. */
	| { kind: "trace" }
	/** Lines of a picture. */
	| { kind: "screen"; name: string }
	| { kind: "diagram" }
	/** Nothing is known about such blocks: the test fails. */
	| { kind: "unknown"; reason: string };

const fileLanguages = new Set([
	"yaml",
	"markdown",
	"md",
	"json",
	"jsonc",
	"json5",
	"js",
	"mjs",
	"ts",
	"toml",
	"text",
	"bash",
	"sh",
]);
const shells = new Set(["bash", "sh"]);
const knownWords = new Set(["run", "output", "invalid", "layout", "trace"]);
const knownValues = new Set(["file", "in", "exit", "part-of", "screen", "script"]);

/** The plan for one block. */
export function planBlock(block: Block): Plan {
	const { language, words, values } = block;
	const strange = [...words].filter((word) => !knownWords.has(word));
	strange.push(...[...values.keys()].filter((key) => !knownValues.has(key)));
	if (strange.length > 0) return { kind: "unknown", reason: `unknown words in the info string: ${strange.join(", ")}` };

	const file = values.get("file");
	const part = values.get("part-of");
	const screen = values.get("screen");
	if (part !== undefined) return { kind: "part", of: part };
	if (file !== undefined && fileLanguages.has(language)) {
		return { kind: words.has("invalid") ? "invalid" : "file", path: file };
	}
	if (words.has("run") && shells.has(language)) return { kind: "run", exit: Number(values.get("exit") ?? 0) };
	if (shells.has(language)) return { kind: "covered", commands: commandsOf(block.text) };
	if (language === "pi") return { kind: words.has("run") ? "type" : "named" };
	if (language === "mermaid") return { kind: "diagram" };
	if (language === "text" && words.has("output")) return { kind: "output" };
	if (language === "text" && words.has("layout")) return { kind: "layout" };
	if (language === "text" && words.has("trace")) return { kind: "trace" };
	if (language === "text" && screen !== undefined) return { kind: "screen", name: screen };
	return {
		kind: "unknown",
		reason: `a block of ${language || "no language"} must say what it is, see packages/pi-chronicle/test/docs/README.md`,
	};
}

/** Which project a block belongs to: `""` is the document's empty one. */
export function projectOf(block: Block): string {
	return block.values.get("in") ?? "";
}

/** Whether `expected` lines occur in `actual` in this order; returns the first that does not. `…` stands for anything. */
export function missingLine(expected: string, actual: string): string | undefined {
	const printed = actual.split("\n").map((line) => line.trimEnd());
	let next = 0;
	for (const line of expected.split("\n").map((one) => one.trimEnd())) {
		if (line.trim() === "" || line.trim() === "…") continue;
		const pattern = new RegExp(`^\\s*${line.trim().split("…").map(literal).join(".*")}\\s*$`);
		const found = printed.findIndex((one, index) => index >= next && pattern.test(one));
		if (found < 0) return line;
		next = found + 1;
	}
	return undefined;
}

/** A regular expression's source that matches `text` itself. */
function literal(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
