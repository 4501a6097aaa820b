// A command's text with everything blotted out that is only data: what a rule about several commands (pipes, redirections) may look at.
// S1 blotting never joins two words; runs of blanks become one; S2 text that cannot be parsed is left whole: better to see too much.
import { type Command, parse, type Word } from "unbash";
import { literalArguments } from "./literal-arguments.ts";

/** Programs that run what they are given on standard input or in a here-document. */
const runners =
	/^(?:(?:ba|da|k|z|a|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|psql|mysql|mariadb|sqlite3|sqlcmd|mongosh?|redis-cli|ssh|docker|kubectl|podman|xargs|parallel|sudo|su|env|eval|source|\.|at|batch|crontab|tclsh|lua|Rscript|osascript|pwsh|powershell|ed|ex|gdb|bc|duckdb|clickhouse-client|cqlsh|snowsql|bq)$/;

/** Blots out data words and here-documents of programs that do not run them, and comments. */
export function maskLiterals(command: string): string {
	const script = parse(command);
	if (script.errors && script.errors.length > 0) return command;
	const units =
		[...command].length === command.length
			? command.split("")
			: Array.from({ length: command.length }, (_, at) => command[at] ?? "");
	const blot = (from: number, to: number) => {
		for (let at = from; at < to; at++) if (units[at] !== "\n") units[at] = "·";
	};
	walk(script, (node) => blotCommand(node, blot), 0);
	return singleBlanks(units.join(""));
}

/** Runs of blanks as one blank, runs with a line end in them as one line end. */
export function singleBlanks(text: string): string {
	return text.replaceAll(/\s+/g, (blanks) => (blanks.includes("\n") ? "\n" : " "));
}

function blotCommand({ name, args, redirects }: Command, blot: (from: number, to: number) => void): void {
	const program = (name?.value ?? "").split("/").at(-1) ?? "";
	const words = args.filter((argument) => argument.type === "Word");
	const data = literalArguments(
		program,
		words.map(({ value }) => value),
	);
	words.forEach((word, index) => {
		if (data[index]) blotText(word, blot);
	});
	if (runners.test(program)) return;
	for (const redirect of redirects) {
		if (redirect.type === "HereDoc") blot(redirect.body.pos, redirect.body.end);
		if (redirect.type === "HereString" && redirect.target) blotText(redirect.target, blot);
	}
}

/** Blots a word but for what it runs: substitutions stay. */
function blotText(word: Word, blot: (from: number, to: number) => void): void {
	const live: [number, number][] = [];
	const find = (parts: Word["parts"] | readonly unknown[] | undefined) => {
		for (const part of parts ?? []) {
			const piece = part as { type: string; pos: number; end: number; parts?: readonly unknown[] };
			if (piece.type === "CommandExpansion" || piece.type === "ProcessSubstitution") live.push([piece.pos, piece.end]);
			else find(piece.parts);
		}
	};
	find(word.parts);
	let from = word.pos;
	for (const [start, end] of live) {
		blot(from, start);
		from = end;
	}
	blot(from, word.end);
}

/** Calls `visit` for every simple command, within substitutions too. */
function walk(node: unknown, visit: (command: Command) => void, depth: number): void {
	if (node === null || typeof node !== "object" || depth > 200) return;
	if (Array.isArray(node)) {
		for (const item of node) walk(item, visit, depth + 1);
		return;
	}
	const { type } = node as { type?: string };
	if (type === "Command") visit(node as Command);
	for (const key of [
		"commands",
		"command",
		"body",
		"clause",
		"then",
		"elif",
		"else",
		"items",
		"name",
		"prefix",
		"suffix",
		"parts",
		"script",
		"value",
		"target",
		"redirects",
		"wordlist",
		"word",
	]) {
		const inner = (node as Record<string, unknown>)[key];
		if (inner !== null && typeof inner === "object") walk(inner, visit, depth + 1);
	}
}
