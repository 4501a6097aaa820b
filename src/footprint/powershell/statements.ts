// PowerShell and cmd text as statements of words. A reader, not a grammar: quoting, separators, redirections and blocks, no expressions.
// W1 a word that holds anything not known becomes a hole; W2 the text of script blocks and subexpressions is read as statements too.
import { HOLE } from "../text.ts";

/** One command with its words and the files that its output goes to. */
export interface Statement {
	readonly words: readonly string[];
	readonly outputs: readonly { readonly target: string; readonly appends: boolean }[];
	/** Its input comes from the statement before it. */
	readonly piped: boolean;
	/** An expression runs no command, unless it calls a method. */
	readonly kind: "command" | "expression";
	readonly source: string;
}

export type Dialect = "powershell" | "cmd";

/** The variables that text refers to, names in lower case. */
export interface Names {
	/** `undefined` where it is not known. */
	get(name: string): string | undefined;
	/** A variable was given this value: a hole where unknown. */
	set(name: string, value: string): void;
}

interface Reader {
	readonly text: string;
	readonly dialect: Dialect;
	readonly names: Names;
	readonly statements: Statement[];
	/** Texts of blocks, read after the statement that holds them. */
	readonly blocks: string[];
	at: number;
}

const MAX_STATEMENTS = 2000;
const MAX_DEPTH = 12;

/** Reads text into statements, those of its blocks included; `undefined` where there are more than can be judged. */
export function readStatements(text: string, dialect: Dialect, names: Names): readonly Statement[] | undefined {
	const statements: Statement[] = [];
	let texts = [text];
	for (let depth = 0; texts.length > 0; depth++) {
		if (depth > MAX_DEPTH) return undefined;
		const inner: string[] = [];
		for (const source of texts) {
			const reader: Reader = { text: source, dialect, names, statements, blocks: inner, at: 0 };
			while (reader.at < source.length) {
				readPipeline(reader);
				if (statements.length > MAX_STATEMENTS) return undefined;
			}
		}
		texts = inner;
	}
	return statements;
}

function readPipeline(reader: Reader): void {
	let piped = false;
	for (;;) {
		readStatement(reader, piped);
		if (reader.text[reader.at] !== "|" || reader.text[reader.at + 1] === "|") break;
		reader.at++;
		piped = true;
	}
	while (/[;\n\r&|)}]/.test(reader.text[reader.at] ?? "")) reader.at++;
}

function readStatement(reader: Reader, piped: boolean): void {
	const words: string[] = [];
	const outputs: { target: string; appends: boolean }[] = [];
	skipBlanks(reader);
	const assigned = readAssigned(reader);
	const start = reader.at;
	const expression =
		reader.dialect === "powershell" && /^(['"\d$(@[{!+]|-[^A-Za-z])/.test(reader.text.slice(start, start + 2));
	for (;;) {
		skipBlanks(reader);
		const rest = reader.text.slice(reader.at, reader.at + 8);
		if (rest === "" || /^[;\n\r|]/.test(rest)) break;
		if (rest[0] === "&" && (reader.dialect === "cmd" || rest[1] === "&" || words.length > 0)) break;
		if (rest[0] === "&" || rest[0] === ")" || rest[0] === "}") {
			reader.at++;
			continue;
		}
		const redirect = /^([\d*]?)(>>?)(&\d)?/.exec(rest);
		if (redirect) {
			reader.at += redirect[0].length;
			if (redirect[3]) continue;
			skipBlanks(reader);
			outputs.push({ target: readWord(reader), appends: redirect[2] === ">>" });
			continue;
		}
		const before = reader.at;
		words.push(readWord(reader));
		if (reader.at === before) reader.at++;
	}
	const [value] = words;
	if (assigned !== undefined) {
		reader.names.set(assigned, words.length === 1 && value !== undefined ? value : HOLE);
		// A single word was a value; several are a command whose output is kept.
		if (words.length === 1) words.length = 0;
	}
	if (words.length === 0 && outputs.length === 0 && !expression) return;
	const source = reader.text.slice(start, reader.at);
	reader.statements.push({ words, outputs, piped, kind: expression ? "expression" : "command", source });
}

/** The name of the variable that a statement assigns, if it does: `$x = …`, `set x=…`. */
function readAssigned(reader: Reader): string | undefined {
	const rest = reader.text.slice(reader.at, reader.at + 200);
	const pattern =
		reader.dialect === "cmd" ? /^set\s+"?(\w+)=/i : /^(?:\[[\w.[\]]+\])?\$\{?((?:env:)?\w+)\}?\s*[+]?=(?!=)\s*/i;
	const found = pattern.exec(rest);
	if (!found?.[1]) return undefined;
	reader.at += found[0].length;
	return found[1].toLowerCase();
}

function skipBlanks(reader: Reader): void {
	const { text } = reader;
	for (;;) {
		const char = text[reader.at];
		if (char === " " || char === "\t" || char === ",") reader.at++;
		else if (char === "`" && /[\r\n]/.test(text[reader.at + 1] ?? "")) reader.at += 2;
		else if (char === "^" && reader.dialect === "cmd" && /[\r\n]/.test(text[reader.at + 1] ?? "")) reader.at += 2;
		else if (char === "#" && reader.dialect === "powershell")
			while (reader.at < text.length && text[reader.at] !== "\n") reader.at++;
		else return;
	}
}

function readWord(reader: Reader): string {
	const { text } = reader;
	let word = "";
	while (reader.at < text.length) {
		const char = text[reader.at] ?? "";
		if (/[\s;|,)}]/.test(char) || (char === "&" && word !== "") || (char === ">" && !/^\d?$/.test(word))) break;
		if (reader.dialect === "cmd") {
			if (char === '"') word += quoted(reader, '"', "");
			else if (char === "^") {
				word += text[reader.at + 1] ?? "";
				reader.at += 2;
			} else if (char === "%") word += named(reader, /^%([\w()]+)%/);
			else word += text[reader.at++];
		} else if (char === "'") word += quoted(reader, "'", "");
		else if (char === '"') word += quoted(reader, '"', "`");
		else if (char === "@" && /['"]/.test(text[reader.at + 1] ?? "")) word += hereString(reader);
		else if (char === "`") {
			word += text[reader.at + 1] ?? "";
			reader.at += 2;
		} else if (char === "$") word += variable(reader);
		else if (char === "{" || char === "(" || (char === "@" && /[({]/.test(text[reader.at + 1] ?? "")))
			word += block(reader);
		else word += text[reader.at++];
	}
	return word;
}

function quoted(reader: Reader, mark: string, escaping: string): string {
	const { text } = reader;
	let value = "";
	reader.at++;
	while (reader.at < text.length) {
		const char = text[reader.at] ?? "";
		if (char === mark) {
			reader.at++;
			if (text[reader.at] !== mark) return value;
			value += mark;
			reader.at++;
		} else if (escaping !== "" && char === escaping) {
			value += text[reader.at + 1] ?? "";
			reader.at += 2;
		} else if (escaping !== "" && char === "$") value += variable(reader);
		else if (reader.dialect === "cmd" && char === "%") value += named(reader, /^%([\w()]+)%/);
		else value += text[reader.at++];
	}
	return value;
}

function hereString(reader: Reader): string {
	const mark = reader.text[reader.at + 1] ?? "'";
	const end = reader.text.indexOf(`\n${mark}@`, reader.at + 2);
	const body = reader.text.slice(reader.at + 2, end < 0 ? undefined : end);
	reader.at = end < 0 ? reader.text.length : end + 3;
	return mark === "'" ? body : body.replace(/\$[\w:{(][^\s]*/g, HOLE);
}

function variable(reader: Reader): string {
	if (reader.text[reader.at + 1] === "(") {
		reader.at++;
		return block(reader);
	}
	return named(reader, /^\$(?:\{([^}]+)\}|((?:env:)?[\w?]+))/i);
}

function named(reader: Reader, pattern: RegExp): string {
	const found = pattern.exec(reader.text.slice(reader.at, reader.at + 200));
	if (!found) return reader.text[reader.at++] ?? "";
	reader.at += found[0].length;
	// `$x.Property`, `$x[0]`: what they are is not followed.
	const member = /^(\.\w+|\[[^\]]*\]|\(\))+/.exec(reader.text.slice(reader.at, reader.at + 200));
	const value = reader.names.get((found[1] ?? found[2] ?? "").toLowerCase());
	if (!member || /^\.(txt|json|js|ts|md|log|bak)\b/.test(member[0])) return value ?? HOLE;
	reader.at += member[0].length;
	return HOLE;
}

/** A `{…}` or `(…)`: its text is read later; the word has a hole in its place. */
function block(reader: Reader): string {
	const { text } = reader;
	if (text[reader.at] === "@") reader.at++;
	const start = reader.at + 1;
	let depth = 0;
	for (; reader.at < text.length; reader.at++) {
		const char = text[reader.at] ?? "";
		if (char === "'" || char === '"') {
			const close = text.indexOf(char, reader.at + 1);
			reader.at = close < 0 ? text.length : close;
		} else if (char === "{" || char === "(") depth++;
		else if ((char === "}" || char === ")") && --depth === 0) break;
	}
	reader.blocks.push(text.slice(start, reader.at));
	reader.at++;
	return HOLE;
}
