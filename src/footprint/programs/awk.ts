// awk: a program may write files, and run commands through `system` and pipes. Of such a command and of a file's name, the literals are known.
import { isKnown, UNKNOWN_VALUE, unescapeLiteral } from "../text.ts";
import type { Call } from "./program-spec.ts";

/** Longer programs are not analyzed. */
const MAX_PROGRAM = 3000;

/** Literals, regular expressions where one may begin, comments. */
const opaqueParts =
	/"((?:[^"\\\n]|\\.)*)"|(?<=(?:^|[(,~!&|{};\n])\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*\/|#[^\n]*/g;

/** `system(expression)`, `expression | getline`, `print expression | command`: what stands for each is the last known literal. */
const systemCall = /\bsystem\s*\(([^;}\n]*)/g;
const pipeToGetline = /([^;{}\n|&]*)\|&?\s*getline\b/g;
const pipeFromPrint = /\b(printf?)\b([^;}\n]*?)(?<!\|)\|&?(?!\|)([^;}\n]*)/g;
const printToFile = /\bprintf?\b[^;}\n|]*?(>>?)([^;}\n|]*)/g;
const getlineFromFile = /\bgetline\b[^;{}\n|<]*<([^;{}\n|)]*)/g;

/** The names that the program sets once, to a literal; it stands for its index. */
function constantsIn(bare: string): ReadonlyMap<string, string> {
	const set = [...bare.matchAll(/\b([A-Za-z_]\w*)\s*(?:[-+*/%^]?=(?!=)|\+\+|--)\s*("\d+"(?=\s*(?:[;}\n]|$)))?/g)];
	const once = set.filter(([, name]) => set.filter(([, other]) => other === name).length === 1);
	return new Map(once.flatMap(([, name = "", literal]) => (literal === undefined ? [] : [[name, literal]])));
}

function readProgram(call: Call, text: string): void {
	if (text.length > MAX_PROGRAM || !isKnown(text)) call.unknown("script", text);
	if (text.length > MAX_PROGRAM) return;
	const literals: string[] = [];
	const bare = text.replace(opaqueParts, (_all, literal?: string) =>
		literal === undefined ? " " : ` "${literals.push(unescapeLiteral(literal)) - 1}" `,
	);
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
	runCommands(call, bare, textOf);
	openFiles(call, bare, textOf);
}

function runCommands(call: Call, bare: string, textOf: (expression: string) => string): void {
	for (const [, command = ""] of bare.matchAll(systemCall)) call.script(textOf(command));
	for (const [, command = ""] of bare.matchAll(pipeToGetline)) call.script(textOf(command) || UNKNOWN_VALUE);
	for (const [, verb, shown = "", command = ""] of bare.matchAll(pipeFromPrint)) {
		if (/^\s*getline\b/.test(command)) continue;
		const [format = "", ...values] = shown.split(",");
		const filled = textOf(format).replace(/%[-+ #0-9.]*[a-zA-Z]/g, () => textOf(values.join(",")));
		const printed = verb === "printf" ? filled : textOf(shown);
		call.script(textOf(command) || UNKNOWN_VALUE, { input: printed === "" ? UNKNOWN_VALUE : `${printed}\n` });
	}
}

function openFiles(call: Call, bare: string, textOf: (expression: string) => string): void {
	// What stands in brackets compares.
	const flat = bare.replace(/\([^()]*\)/g, "").replace(/\([^()]*\)/g, "");
	for (const [, sign, file = ""] of flat.matchAll(printToFile))
		call.applyRole(sign === ">>" ? "write" : "replace", textOf(file) || UNKNOWN_VALUE);
	for (const [, file = ""] of bare.matchAll(getlineFromFile))
		if (isKnown(textOf(file))) call.applyRole("read", textOf(file));
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
