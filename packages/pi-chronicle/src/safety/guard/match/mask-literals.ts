// Masks the literals in a command's text, so that rules about several commands (pipes, redirections) can be tried on it.
// Invariants: masking never joins two words; text that cannot be parsed is not masked, since seeing too much is safer.
import { type Command, parse, type Word } from "unbash";
import { literalArguments } from "./literal-arguments.ts";

/** Programs that run their standard input or a here-document. */
const runners =
	/^(?:(?:ba|da|k|z|a|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|psql|mysql|mariadb|sqlite3|sqlcmd|mongosh?|redis-cli|ssh|docker|kubectl|podman|xargs|parallel|sudo|su|env|eval|source|\.|at|batch|crontab|tclsh|lua|Rscript|osascript|pwsh|powershell|ed|ex|gdb|bc|duckdb|clickhouse-client|cqlsh|snowsql|bq)$/;

/** Masks literal arguments, and here-documents of programs that don't run them. */
export function maskLiterals(command: string): string {
	const script = parse(command);
	if (script.errors && script.errors.length > 0) return command;
	const units =
		[...command].length === command.length
			? command.split("")
			: Array.from({ length: command.length }, (_, at) => command[at] ?? "");
	const mask = (from: number, to: number) => {
		for (let at = from; at < to; at++) if (units[at] !== "\n") units[at] = "·";
	};
	walk(script, (node) => maskCommand(node, mask), 0);
	return singleBlanks(units.join(""));
}

/** Replaces runs of blanks with one blank, runs that contain a line end with one line end. */
export function singleBlanks(text: string): string {
	return text.replaceAll(/\s+/g, (blanks) => (blanks.includes("\n") ? "\n" : " "));
}

function maskCommand({ name, args, redirects }: Command, mask: (from: number, to: number) => void): void {
	const program = (name?.value ?? "").split("/").at(-1) ?? "";
	const words = args.filter((argument) => argument.type === "Word");
	const data = literalArguments(
		program,
		words.map(({ value }) => value),
	);
	words.forEach((word, index) => {
		if (data[index]) maskWord(word, mask);
	});
	if (runners.test(program)) return;
	for (const redirect of redirects) {
		if (redirect.type === "HereDoc") mask(redirect.body.pos, redirect.body.end);
		if (redirect.type === "HereString" && redirect.target) maskWord(redirect.target, mask);
	}
}

/** Masks a word except for what it runs: substitutions stay. */
function maskWord(word: Word, mask: (from: number, to: number) => void): void {
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
		mask(from, start);
		from = end;
	}
	mask(from, word.end);
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
	for (const key of "commands command body clause then elif else items name prefix suffix parts script value target redirects wordlist word".split(
		" ",
	)) {
		const inner = (node as Record<string, unknown>)[key];
		if (inner !== null && typeof inner === "object") walk(inner, visit, depth + 1);
	}
}
