// Reads PowerShell and cmd text as statements of words: quoting, separators, redirections and blocks. It evaluates no expressions.
// W1 a word that cannot be evaluated contains the unknown value; W2 script blocks and subexpressions are read as statements too, before the
// statement that holds them.
import { UNKNOWN_VALUE } from "../text.ts";

/** One command with its words and the files of its output. */
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

/** The variables that the text refers to, names in lower case. */
export interface Names {
	/** `undefined` if the value is unknown. */
	get(name: string): string | undefined;
	set(name: string, value: string): void;
}

interface Reader {
	readonly text: string;
	readonly dialect: Dialect;
	readonly names: Names;
	readonly statements: Statement[];
	at: number;
	/** How many blocks are open. */
	depth: number;
	/** A bound was reached: the rest is not read. */
	exceeded: boolean;
}

const MAX_STATEMENTS = 2000;
const MAX_DEPTH = 12;

/** Reads text into statements, those of its blocks included; `undefined` if it is too long or nested too deeply. */
export function readStatements(text: string, dialect: Dialect, names: Names): readonly Statement[] | undefined {
	const reader: Reader = { text, dialect, names, statements: [], at: 0, depth: 0, exceeded: false };
	while (reader.at < text.length) {
		readPipelines(reader);
		// An unmatched closing bracket.
		reader.at++;
	}
	return reader.exceeded ? undefined : reader.statements;
}

/** Reads up to the bracket that closes the block, or to the end of the text. */
function readPipelines(reader: Reader): void {
	let piped = false;
	if (reader.depth > MAX_DEPTH) reader.exceeded = true;
	while (reader.at < reader.text.length && !reader.exceeded) {
		readStatement(reader, piped);
		const [separator = ""] = match(reader, /\|(?!\|)\s*|[;\n\r&|]+/y) ?? [];
		piped = /^\|\s*$/.test(separator);
		if (separator === "" && /[)}]/.test(reader.text[reader.at] ?? "")) return;
		if (reader.statements.length > MAX_STATEMENTS) reader.exceeded = true;
	}
	if (reader.exceeded) reader.at = reader.text.length;
}

/** Matches a sticky expression at the reader's position and advances past it. */
function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
	pattern.lastIndex = reader.at;
	const found = pattern.exec(reader.text);
	if (found) reader.at = pattern.lastIndex;
	return found ?? undefined;
}

const blanks = {
	powershell: /(?:[ \t,]|`\r?\n|#[^\n]*)+/y,
	cmd: /(?:[ \t,]|\^\r?\n)+/y,
};
const assignments = {
	powershell: /(?:\[[\w.[\]]+\])?\$\{?((?:env:)?\w+)\}?(?:\s*\+?=(?!=)|\s+in\b)\s*/iy,
	cmd: /set\s+"?(\w+)=/iy,
};
const redirection = /(?:\d|\*)?(>>?)(&\d)?/y;
const expressionStart = /['"\d$(@[{!+]|-[^A-Za-z]/y;

function readStatement(reader: Reader, piped: boolean): void {
	const { dialect } = reader;
	match(reader, blanks[dialect]);
	const assignment = match(reader, assignments[dialect]);
	const start = reader.at;
	const isExpression = dialect === "powershell" && match(reader, expressionStart) !== undefined;
	reader.at = start;
	const { words, outputs } = readWords(reader);
	if (assignment?.[1]) {
		// A value, unless it is a command's output or a loop takes several.
		const isValue = words.length === 1 && (isExpression || dialect === "cmd") && !/\sin\s*$/i.test(assignment[0]);
		reader.names.set(assignment[1].toLowerCase(), (isValue ? words.pop() : undefined) ?? UNKNOWN_VALUE);
	}
	if (words.length === 0 && outputs.length === 0 && !isExpression) return;
	const kind = isExpression ? "expression" : "command";
	reader.statements.push({ words, outputs, piped, kind, source: reader.text.slice(start, reader.at) });
}

function readWords(reader: Reader): { words: string[]; outputs: Statement["outputs"][number][] } {
	const words: string[] = [];
	const outputs: Statement["outputs"][number][] = [];
	match(reader, /&(?!&)/y);
	for (;;) {
		match(reader, blanks[reader.dialect]);
		if (reader.at >= reader.text.length || match(reader, /(?=[;\n\r|&)}])/y)) return { words, outputs };
		const [redirects, sign, toStream] = match(reader, redirection) ?? [];
		if (redirects === undefined) words.push(readWord(reader));
		else if (toStream === undefined) {
			match(reader, blanks[reader.dialect]);
			outputs.push({ target: readWord(reader), appends: sign === ">>" });
		}
	}
}

/** A piece of a word: its syntax, and the text that it represents. */
type Rule = readonly [pattern: RegExp, value: (found: RegExpExecArray, reader: Reader) => string];

const asWritten: Rule[1] = ([text]) => text;
const escaped: Rule[1] = ([text]) => text.slice(1);

function variableValue([, braced, plain, member = ""]: RegExpExecArray, { names }: Reader): string {
	const value = names.get((braced ?? plain ?? "").toLowerCase()) ?? UNKNOWN_VALUE;
	// `$name.txt` is a file name; `$x.Property` and `$x[0]` are unknown.
	return member === "" ? value : /^\.(txt|json|js|ts|md|log|bak)\b/.test(member) ? value + member : UNKNOWN_VALUE;
}

const members = /((?:\.\w+|\[[^\]\n]{0,100}\]|\(\))*)/.source;
const variable: Rule = [new RegExp(String.raw`\$(?:\{([^}\n]+)\}|((?:env:)?[\w?]+))${members}`, "iy"), variableValue];
const subexpression: Rule = [/\$(?=\()/y, (_found, reader) => readBlock(reader)];
/** `%name%`, and the `%i` of a loop, whose value is unknown. */
const percentVariable: Rule = [
	/%([\w()]+)%|%%?[a-z]\b/iy,
	([, name = ""], { names }) => names.get(name.toLowerCase()) ?? UNKNOWN_VALUE,
];

const stringRules: { readonly [dialect in Dialect]: readonly Rule[] } = {
	powershell: [[/""|`[\s\S]?/y, escaped], subexpression, variable, [/[^"`$]+|\$/y, asWritten]],
	cmd: [percentVariable, [/[^"%]+|%/y, asWritten]],
};

const string: Rule = [
	/"/y,
	(_found, reader) => {
		const text = readPieces(reader, stringRules[reader.dialect]);
		match(reader, /"/y);
		return text;
	},
];

const wordRules: { readonly [dialect in Dialect]: readonly Rule[] } = {
	powershell: [
		[/'([^']*(?:''[^']*)*)'?/y, ([, text = ""]) => text.replaceAll("''", "'")],
		[/@'\r?\n([\s\S]*?)(?:\n'@|$)/y, ([, text = ""]) => text],
		[/@"\r?\n([\s\S]*?)(?:\n"@|$)/y, ([, text = ""]) => text.replace(/\$[\w:{(]\S*/g, UNKNOWN_VALUE)],
		string,
		[/`[\s\S]?/y, escaped],
		subexpression,
		[/@?(?=[({])/y, (_found, reader) => readBlock(reader)],
		variable,
		[/[^\s;|,&)}'"`$({@>]+|[@$]/y, asWritten],
	],
	cmd: [
		string,
		[/\^[\s\S]?/y, escaped],
		percentVariable,
		[/(?=\()/y, (_found, reader) => readBlock(reader)],
		[/[^\s;|,&)"^%(>]+|%/y, asWritten],
	],
};

function readWord(reader: Reader): string {
	const start = reader.at;
	const word = readPieces(reader, wordRules[reader.dialect]);
	if (reader.at === start) reader.at++;
	return word;
}

/** Joins the values of the pieces that the rules find, up to the first character that none of them takes. */
function readPieces(reader: Reader, rules: readonly Rule[]): string {
	let text = "";
	for (let found = true; found && reader.at < reader.text.length; ) {
		found = rules.some(([pattern, value]) => {
			const piece = match(reader, pattern);
			if (piece) text += value(piece, reader);
			return piece !== undefined;
		});
	}
	return text;
}

/** Reads a `{…}` or `(…)` into separate statements; in the word, it becomes the unknown value. */
function readBlock(reader: Reader): string {
	reader.at++;
	reader.depth++;
	readPipelines(reader);
	reader.depth--;
	reader.at++;
	return UNKNOWN_VALUE;
}
