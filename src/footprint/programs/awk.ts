// awk: a program may write files, and run commands through `system` and pipes. Such a command is known as far as it consists of
// literals and of variables that the program or `-v` sets once.
import { isKnown, UNKNOWN_VALUE, unescapeLiteral } from "../text.ts";
import type { Call, ProgramSpec } from "./program-spec.ts";

/** Longer programs are not analyzed. */
const MAX_PROGRAM = 3000;

interface Token {
	readonly kind: "string" | "name" | "number" | "regex" | "sign" | "end";
	readonly text: string;
}

/** The next token; blanks and comments are in no group. */
const token =
	/#[^\n]*|"(?<string>(?:[^"\\\n]|\\.)*)"|(?<name>[A-Za-z_]\w*)|(?<number>\d[\w.]*)|(?<sign>\|&|\|\||&&|>>|[-+*/%^=!<>]=|\+\+|--|[^\s\w"]|\n)|[ \t\r\\]+/suy;
const regex = /(?<regex>\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*\/)/y;

function tokensOf(program: string): readonly Token[] {
	const tokens: Token[] = [];
	for (let at = 0; at < program.length; ) {
		const literal = program[at] === "/" && beginsRegex(tokens.at(-1)) ? matchAt(regex, program, at) : undefined;
		const found = literal ?? matchAt(token, program, at);
		at += found?.[0].length ?? 1;
		const read = found && tokenOf(found);
		if (read) tokens.push(read);
	}
	return tokens;
}

/** The token that was matched; `undefined` for blanks and comments. */
function tokenOf({ groups = {} }: RegExpExecArray): Token | undefined {
	const [kind, text = ""] = Object.entries(groups).find(([, each]) => each !== undefined) ?? [];
	if (kind === "string") return { kind, text: unescapeLiteral(text) };
	if (kind === "sign") return { kind: /^[;{}\n]$/.test(text) ? "end" : "sign", text };
	return kind === "name" || kind === "number" || kind === "regex" ? { kind, text } : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
	pattern.lastIndex = at;
	return pattern.exec(text) ?? undefined;
}

/** After an operand a slash divides, anywhere else a regular expression begins. */
function beginsRegex(before: Token | undefined): boolean {
	return !before || !(/^(?:string|name|number)$/.test(before.kind) || /^[)\]$]$/.test(before.text));
}

/** The values of variables that are set once, to literals. */
function variablesOf(tokens: readonly Token[], call: Call): ReadonlyMap<string, string> {
	const values = new Map<string, string>();
	const set = (name: string, text: string) =>
		values.set(name, values.has(name) && values.get(name) !== text ? UNKNOWN_VALUE : text);
	for (const given of call.values("-v --assign")) {
		const equals = given.indexOf("=");
		if (equals > 0) set(given.slice(0, equals), given.slice(equals + 1));
	}
	for (const [index, { kind, text }] of tokens.entries()) {
		const next = tokens[index + 1];
		if (kind !== "name" || next?.kind !== "sign") continue;
		if (next.text === "=") set(text, textOf(until(tokens, index + 2, /^[,)?:|]$|^\|&$/), values));
		else if (/^(?:[-+*/%^]=|\+\+|--)$/.test(next.text)) set(text, UNKNOWN_VALUE);
	}
	return values;
}

/** The tokens up to the end of a statement or a sign that ends the expression, brackets counted. */
function until(tokens: readonly Token[], from: number, stop: RegExp): readonly Token[] {
	let depth = 0;
	let at = from;
	for (; at < tokens.length; at++) {
		const { kind, text } = tokens[at] ?? { kind: "end", text: "" };
		if (kind === "end") break;
		if (kind === "sign" && depth === 0 && stop.test(text)) break;
		if (kind === "sign" && text === "(") depth++;
		if (kind === "sign" && text === ")") depth--;
		if (depth < 0) break;
	}
	return tokens.slice(from, at);
}

/** The text of an expression of literals and known variables. */
function textOf(tokens: readonly Token[], values: ReadonlyMap<string, string>): string {
	let text = "";
	for (const [index, { kind, text: word }] of tokens.entries()) {
		const next = tokens[index + 1]?.text;
		if (kind === "string" || kind === "number") text += word;
		else if (kind === "name" && next !== "(" && next !== "[") text += values.get(word) ?? UNKNOWN_VALUE;
		else if (kind === "sign" && /^[()]$/.test(word)) continue;
		else text += UNKNOWN_VALUE;
	}
	return text.replace(/\uE000+/g, UNKNOWN_VALUE);
}

/** The expression on the left of a pipe: literals, names and brackets. */
function leftOf(tokens: readonly Token[], end: number): readonly Token[] {
	const belongs = ({ kind, text }: Token) =>
		kind === "string" ||
		kind === "number" ||
		(kind === "name" && !/^(?:while|if|print|printf|return)$/.test(text)) ||
		(kind === "sign" && /^[$)]$/.test(text));
	const before = tokens.slice(0, end).findLastIndex((each) => !belongs(each));
	return tokens.slice(before + 1, end);
}

/** The expression that the `print` before a pipe prints; for a format, its known start. */
function printedBefore({ tokens, values }: AwkProgram, pipe: number): string {
	const at = printBefore(tokens, pipe);
	const shown = at < 0 ? [] : tokens.slice(at + 1, pipe);
	if (shown.length === 0) return UNKNOWN_VALUE;
	const comma = shown.findIndex(({ kind, text }) => kind === "sign" && text === ",");
	if (tokens[at]?.text === "printf" && comma >= 0) {
		const format = textOf(shown.slice(0, comma), values);
		const rest = textOf(shown.slice(comma + 1), values);
		return format.replace(/%[-+ #0-9.]*[a-zA-Z]/g, () => rest);
	}
	return `${textOf(shown, values)}\n`;
}

/** Index of the `print` whose output the operator at `index` redirects; -1 if the operator compares. */
function printBefore(tokens: readonly Token[], index: number): number {
	let depth = 0;
	for (let at = index - 1; at >= 0; at--) {
		const { kind, text } = tokens[at] ?? { kind: "end", text: "" };
		if (kind === "name" && /^printf?$/.test(text)) return at;
		if (kind === "sign" && text === ")") depth++;
		if (kind === "sign" && text === "(") depth--;
		if (kind === "end" || depth < 0) return -1;
	}
	return -1;
}

/** A program to analyze for the files it opens and the commands it runs. */
interface AwkProgram {
	readonly call: Call;
	readonly tokens: readonly Token[];
	readonly values: ReadonlyMap<string, string>;
}

function readProgram(call: Call, text: string): void {
	if (text.length > MAX_PROGRAM || !isKnown(text)) call.unknown("script", text);
	if (text.length > MAX_PROGRAM) return;
	const tokens = tokensOf(text);
	const program: AwkProgram = { call, tokens, values: variablesOf(tokens, call) };
	for (const [index, { kind, text: sign }] of tokens.entries()) {
		if (kind === "name" && sign === "system" && tokens[index + 1]?.text === "(")
			call.script(textOf(until(tokens, index + 2, /^[,)]$/), program.values));
		if (kind === "sign") readSign(program, index, sign);
	}
}

function readSign(program: AwkProgram, index: number, sign: string): void {
	if (sign === "|" || sign === "|&") readPipe(program, index);
	if (sign === ">" || sign === ">>") writeFile(program, index);
	if (sign === "<" && isGetline(program.tokens, index)) readFile(program, index);
}

function readPipe(program: AwkProgram, index: number): void {
	const { call, tokens, values } = program;
	if (tokens[index + 1]?.text === "getline") {
		const command = textOf(leftOf(tokens, index), values);
		call.script(command === "" ? UNKNOWN_VALUE : command);
		return;
	}
	const command = textOf(until(tokens, index + 1, /^[,)?:|]$|^\|&$/), values);
	if (command !== "") call.script(command, { input: printedBefore(program, index) });
}

function writeFile({ call, tokens, values }: AwkProgram, index: number): void {
	if (printBefore(tokens, index) < 0) return;
	const target = textOf(until(tokens, index + 1, /^[,)?:|]$/), values);
	call.applyRole(tokens[index]?.text === ">>" ? "write" : "replace", target === "" ? UNKNOWN_VALUE : target);
}

function isGetline(tokens: readonly Token[], index: number): boolean {
	return tokens.slice(Math.max(0, index - 2), index).some(({ text }) => text === "getline");
}

function readFile({ call, tokens, values }: AwkProgram, index: number): void {
	const [first] = until(tokens, index + 1, /^[,)?:|>&]/);
	const file = first ? textOf([first], values) : UNKNOWN_VALUE;
	if (file !== UNKNOWN_VALUE) call.applyRole("read", file);
}

function awk(call: Call): void {
	const texts = [...call.values("-e --source")];
	const files = call.values("-f --file -E --exec");
	const operands = texts.length + files.length > 0 ? call.operands : call.operands.slice(1);
	if (texts.length + files.length === 0) texts.push(call.operands[0] ?? "");
	const inPlace = call.values("-i --include").includes("inplace");
	for (const file of operands) {
		if (/^[A-Za-z_]\w*=/.test(file)) continue;
		call.applyRole("read", file);
		if (inPlace) call.applyRole("write", file);
	}
	for (const file of files) {
		const program = call.content(file);
		if (program !== undefined && isKnown(program)) texts.push(program);
		else {
			call.runProgramFile(file);
			call.unknown("script", "awk -f");
		}
	}
	for (const program of texts) readProgram(call, program);
}

/** The description of awk and its variants. */
export const awkProgram: ProgramSpec = {
	options: {
		"-f --file -E --exec": "text",
		"-v --assign -F --field-separator -i --include -l --load -e --source": "text",
	},
	custom: awk,
};
