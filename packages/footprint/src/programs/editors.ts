// Editors: stream editors (sed, awk), patch, and interactive editors.
import { isBlank, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { awk } from "./awk.ts";
import { runEscapes } from "./escapes.ts";
import { describe, describeFields } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** `sed`: scripts by `-e`, `-f` or as the first operand; files are read, or written with `-i`. */
function sed(call: Call): void {
	const scripts = call.values("-e --expression");
	const inPlace = call.has("-i --in-place -I");
	// BSD's `-i ''` takes its suffix as a word.
	const operands = inPlace && call.operands[0] === "" ? call.operands.slice(1) : call.operands;
	const byOption = scripts.length > 0 || call.has("-f --file");
	const all = byOption ? scripts : operands.slice(0, 1);
	const files = byOption ? operands : operands.slice(1);
	for (const file of files) {
		call.applyRole("read", file);
		if (inPlace) call.applyRole("write", file);
	}
	for (const script of all) sedScript(call, script);
	for (const file of call.values("-f --file")) {
		const script = call.content(file);
		if (script !== undefined && isKnown(script)) sedScript(call, script);
		else {
			call.runProgramFile(file);
			call.unknown("script", "sed -f", ["read", "write"]);
		}
	}
}

/** Longer scripts are not analyzed. */
const MAX_SCRIPT = 3000;

/** `w file`, `r file`, `e`, and the flags `w` and `e` of `s`: the files a sed script opens and the commands it runs. */
function sedScript(call: Call, script: string): void {
	if (!isKnown(script) || script.length > MAX_SCRIPT) call.unknown("script", script);
	else for (const line of script.split("\n")) sedLine(call, line);
}

function sedLine(call: Call, line: string): void {
	const commands = stripped(line);
	const [, file] = /(?:^|[;{}0-9$/!,\s])[wW]\s*([^;}\s][^;}]*)/.exec(commands) ?? [];
	if (file) call.applyRole("replace", file.trim());
	const [, source] = /(?:^|[;{}0-9$/!,\s])[rR]\s+([^;}\s][^;}]*)/.exec(commands) ?? [];
	if (source) call.applyRole("read", source.trim());
	for (const substitution of substitutions(line)) sedFlags(call, substitution);
	// `e` alone runs the input line.
	const command = /(?:^|[;{}0-9$/!,])\s*e(?:\s+(.+)|\s*[;}].*)?$/.exec(commands);
	if (command) call.script(command[1] ?? (isBlank(call.stdin) ? UNKNOWN_VALUE : call.stdin));
}

function sedFlags(call: Call, { flags, pattern, replacement }: Substitution): void {
	const [, file] = /w\s*(\S.*)$/.exec(flags) ?? [];
	if (file) call.applyRole("replace", file.trim());
	if (/^[gpiImM0-9]*e/.test(flags)) runLine(call, pattern, replacement);
}

/** The flag `e` of a substitution runs the resulting line. */
function runLine(call: Call, pattern: string, replacement: string): void {
	const text = replacement.replace(/\\(.)|&/gs, (_all, letter?: string) =>
		letter === undefined || /\d/.test(letter) ? UNKNOWN_VALUE : letter === "n" ? "\n" : letter,
	);
	const whole = /^\^?\.\*\$?$/.test(pattern);
	if (!isBlank(text)) call.script(whole ? text : `${text}${UNKNOWN_VALUE}`);
	if (!whole) call.effect("run-unknown-text");
	call.unknown("script", call.text);
}

/** A line of sed without its substitutions, transliterations and addresses, whose text could look like commands. */
function stripped(line: string): string {
	let text = line;
	for (const { start, end } of [...substitutions(line)].reverse()) text = `${text.slice(0, start)};${text.slice(end)}`;
	return text.replace(/\/(?:[^/\\]|\\.)*\//g, "/").replace(/^\s*[aic]\b.*$/, "");
}

interface Substitution {
	readonly start: number;
	readonly end: number;
	readonly pattern: string;
	readonly replacement: string;
	readonly flags: string;
}

function substitutions(line: string): Substitution[] {
	const found: Substitution[] = [];
	const opening = /(?:^|[;{}\s0-9$/!,])([sy])([^\w\s\\])/g;
	for (let match = opening.exec(line); match && found.length <= 200; match = opening.exec(line)) {
		const start = match.index + match[0].length;
		const middle = endOfPart(line, start, match[2] ?? "/");
		const end = endOfPart(line, middle + 1, match[2] ?? "/");
		const flags = /^[gpiImMe0-9]*(?:w\s*[^;}]+)?/.exec(line.slice(end + 1))?.[0] ?? "";
		found.push({
			start: start - 2,
			end: end + 1 + flags.length,
			pattern: line.slice(start, middle),
			replacement: line.slice(middle + 1, end),
			flags,
		});
		opening.lastIndex = Math.max(end + 1 + flags.length, opening.lastIndex);
	}
	return found;
}

/** Where the next delimiter is that no backslash escapes. */
function endOfPart(line: string, from: number, delimiter: string): number {
	let at = from;
	while (at < line.length && line[at] !== delimiter) at += line[at] === "\\" ? 2 : 1;
	return at;
}

/** An interactive editor: it may write its files and anything else. */
function screen(call: Call): void {
	const language = call.name === "ed" ? "ed" : "vi";
	const [starts, files] = [call.operands.filter(isStartCommand), call.operands.filter((word) => !isStartCommand(word))];
	for (const command of [...call.values("-c --cmd"), ...starts.map((word) => word.slice(1))]) {
		runEscapes(call, language, command);
		// vi's own functions for files.
		if (/\b(?:delete|rename|writefile)\s*\(/.test(command)) call.effect("unseen-removal");
		if (/%\s*d(?:elete)?\b.*\b[wx]|^%\s*d/.test(command)) call.effect("destroy-content");
	}
	// Without a screen, commands come from standard input.
	if (call.stdin !== "") runEscapes(call, language, call.stdin);
	for (const file of call.values("-S -u -s")) {
		const script = call.content(file);
		if (script !== undefined) runEscapes(call, "vi", script);
		else if (file !== "NONE" && file !== "NORC") call.runProgramFile(file);
	}
	for (const file of files) {
		call.applyRole("read", file);
		call.applyRole("write", file);
	}
	call.unknown("program", call.text);
}

function isStartCommand(word: string): boolean {
	return word.startsWith("+");
}

const screenEditor = describeFields("@screen | -c --cmd --line: text | -S -u -s: text", { screen });
/** `ex` and `vim -es`: `-s` makes it silent and takes no file. */
const lineEditor = describeFields("@screen | -c --cmd --line: text | -S -u: text", { screen });

function vi(call: Call): void {
	const silent = call.name === "ex" || call.args.some((word) => /^-[a-zA-Z]*[eE]/.test(word));
	call.delegate(silent ? lineEditor : screenEditor, call.args);
}

export const editors = describe(
	`
sed gsed | @sed | -e --expression -l --line-length: text | -f --file: read | -i --in-place -I ?
awk gawk mawk nawk | @awk | -f --file -E --exec: text | -v --assign -F --field-separator -i --include -l --load -e --source: text \
		| -d -o -p --dump-variables --pretty-print --profile > ~worktree in:directory | -d -o -p ?
ed red | @screen
ex vi vim nvim view vimdiff | first @vi
emacs emacsclient | dash @screen | --eval -eval -e --execute -execute: code | -f -funcall --funcall: text \
		| -l -load --load --script -script: run
nano pico micro hx code cursor windsurf subl zed idea gedit open xdg-open start | @screen | -c --cmd --line: text
patch | write read ~worktree in:operands | -i --input: read | -o --output -r --reject-file: replace | -d --directory: directory \
		| -p --strip -F --fuzz -D --ifdef -B --prefix -z --suffix -V: text | --dry-run -C --check > harmless
sponge | replace*
sd | text text write* | -n --max-replacements -f --flags: text | -p --preview > text text read*
codemod jscodeshift | ~worktree in:operands ?project
`,
	{ awk, screen, sed, vi },
	"abbreviating",
);
