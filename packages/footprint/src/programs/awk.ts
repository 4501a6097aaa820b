// awk: a program may write files, and run commands through `system` and pipes. Of such a command and of a file's name, the literals are known.
import { isKnown, UNKNOWN_VALUE, unescapeLiteral } from "../text.ts";
import type { Call } from "./program-spec.ts";

/** Longer programs are not analyzed. */
const MAX_PROGRAM = 3000;

/** Literals, regular expressions where one may begin, comments. */
const opaqueParts =
	/"((?:[^"\\\n]|\\.)*)"|(?<=(?:^|[(,~!&|{};\n])\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.){0,100}\]){0,300}\/|#[^\n]*/g;

const systemCall = /\bsystem\s*\(([^;}\n]*)/g;

/** The names that the program sets once, to a literal, each with the index that stands for the literal. */
function constantsIn(bare: string): ReadonlyMap<string, string> {
	const set = [...bare.matchAll(/\b([A-Za-z_]\w*)\s*(?:[-+*/%^]?=(?!=)|\+\+|--)\s*("\d+"(?=\s*(?:[;}\n]|$)))?/g)];
	const counts = new Map<string, number>();
	for (const [, name = ""] of set) counts.set(name, (counts.get(name) ?? 0) + 1);
	return new Map(
		set.flatMap(([, name = "", literal]) => (literal !== undefined && counts.get(name) === 1 ? [[name, literal]] : [])),
	);
}

function readProgram(call: Call, text: string): void {
	if (text.length > MAX_PROGRAM || !isKnown(text)) call.unknown("script", text);
	if (text.length > MAX_PROGRAM) return;
	const literals: string[] = [];
	const bare = text.replace(opaqueParts, (_all, literal?: string) =>
		literal === undefined ? " " : ` "${literals.push(unescapeLiteral(literal)) - 1}" `,
	);
	if (/^\s*@(?:load|include)\b/m.test(bare)) call.unknown("script", text);
	const constants = constantsIn(bare);
	/** The text of an expression: its literals, with a placeholder for anything else. */
	const textOf = (expression: string): string =>
		expression
			.replace(/\b[A-Za-z_]\w*\b(?!\s*[(["])/g, (name) => constants.get(name) ?? name)
			.split(/("\d+")/)
			.map((part, at) =>
				at % 2 === 1 ? literals[Number(part.slice(1, -1))] : /^[\s()]*$/.test(part) ? "" : UNKNOWN_VALUE,
			)
			.join("");
	for (const [, command = ""] of bare.matchAll(systemCall)) call.script(textOf(command));
	for (const statement of bare.split(/[;{}\n]/)) {
		runPiped(call, statement.split(/(?<!\|)\|&?(?!\|)/), textOf);
		openFiles(call, statement, textOf);
	}
}

/** `expression | getline` and `print expression | command`: the commands of a statement that is split at its pipes. */
function runPiped(call: Call, parts: readonly string[], textOf: (expression: string) => string): void {
	for (const [at, after] of parts.entries()) {
		const before = parts[at - 1];
		if (before === undefined) continue;
		const [, verb, shown = ""] = /\b(printf?)\b(.*)$/s.exec(before) ?? [];
		if (/^\s*getline\b/.test(after)) call.script(textOf(/[^(,=]*$/.exec(before)?.[0] ?? "") || UNKNOWN_VALUE);
		else if (verb !== undefined)
			call.script(textOf(after) || UNKNOWN_VALUE, { input: printedByAwk(verb, shown, textOf) || UNKNOWN_VALUE });
	}
}

function printedByAwk(verb: string, shown: string, textOf: (expression: string) => string): string {
	const [format = "", ...values] = shown.split(",");
	const filled = textOf(format).replace(/%[-+ #0-9.]{0,20}[a-zA-Z]/g, () => textOf(values.join(",")));
	const text = verb === "printf" ? filled : textOf(shown);
	return text === "" ? "" : `${text}\n`;
}

/** `print expression > file` and `getline < file` */
function openFiles(call: Call, statement: string, textOf: (expression: string) => string): void {
	// What stands in brackets compares.
	const flat = statement.replace(/\([^()]*\)/g, "").replace(/\([^()]*\)/g, "");
	const [, sign, target = ""] = /\bprintf?\b[^>|]*(>>?)([^|]*)/.exec(flat) ?? [];
	if (sign !== undefined) call.applyRole(sign === ">>" ? "write" : "replace", textOf(target) || UNKNOWN_VALUE);
	const [, source = ""] = /\bgetline\b[^<|]*<([^|)]*)/.exec(statement) ?? [];
	if (source !== "" && isKnown(textOf(source))) call.applyRole("read", textOf(source));
}

export function awk(call: Call): void {
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
	// Libraries of functions, and extensions in machine code.
	if (call.values("-i --include -l --load").some((name) => !/^(inplace|join|getopt|ord|strtonum)$/.test(name)))
		call.unknown("script", call.text);
	for (const program of texts) readProgram(call, program);
}
