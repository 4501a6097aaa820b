// Text that bash expands a second time: arithmetic, subscripts, names of variables, prompts. The commands in it run.
// Every such text is expanded here once more, and so are the values of the variables that it names; text that is only partly known and
// has a subscript or an expansion is unknown.
import type { ArithmeticExpression } from "unbash";
import { displayText, isKnown } from "../text.ts";
import type { Expansion } from "./expansion.ts";
import { lookUp, unknownVariable } from "./state.ts";

const MAX_DEPTH = 6;
const MAX_NAMES = 40;

/** Walks the commands in a text that bash evaluates as arithmetic, as a subscript or as the name of a variable. */
export function evaluateText(text: string, expansion: Expansion, depth = 0): void {
	if (!/[$`[A-Za-z_]/.test(text) || !expansion.record.spend(2 + text.length / 20)) return;
	const unknown = (part: string) => expansion.record.unknown({ what: "script", text: displayText(part) });
	if (depth > MAX_DEPTH) {
		unknown(text);
		return;
	}
	// What a command prints is nobody's text here; a text that is only partly known is.
	if (!isKnown(text) && /[[$`]/.test(text)) unknown(text);
	for (const read of /[$`]/.test(text) ? expansion.expandAgain(text) : [text]) {
		const again = read !== text && /[$`]/.test(read) ? [read] : [];
		const named = namedValues(read, expansion).filter((value) => value !== read && value !== text);
		for (const more of [...again, ...named]) evaluateText(more, expansion, depth + 1);
	}
}

/** Walks the commands in an arithmetic expression: in its words, which may name subscripts. */
export function evaluateExpression(expression: ArithmeticExpression | undefined, expansion: Expansion): void {
	const open = expression ? [expression] : [];
	for (let node = open.pop(); node; node = open.pop()) {
		if (!expansion.record.spend(0.2)) return;
		switch (node.type) {
			case "ArithmeticWord":
				evaluateText(node.value, expansion);
				break;
			case "ArithmeticCommandExpansion":
				expansion.substitute(node.script);
				break;
			case "ArithmeticGroup":
				open.push(node.expression);
				break;
			case "ArithmeticUnary":
				if (/^(?:\+\+|--)$/.test(node.operator)) assignTo(node.operand, expansion);
				open.push(node.operand);
				break;
			case "ArithmeticBinary":
				if (/^(?:[-+*/%&^|]|<<|>>)?=$/.test(node.operator)) assignTo(node.left, expansion);
				open.push(node.right, node.left);
				break;
			case "ArithmeticTernary":
				open.push(node.alternate, node.consequent, node.test);
				break;
		}
	}
}

/** A variable that an expression changes is not followed. */
function assignTo(target: ArithmeticExpression, expansion: Expansion): void {
	const name = target.type === "ArithmeticWord" ? /^[A-Za-z_]\w*/.exec(target.value)?.[0] : undefined;
	if (name) expansion.assigned(name, unknownVariable);
}

/** The values of the variables that a text names. */
function namedValues(text: string, { state, host }: Expansion): readonly string[] {
	const names = new Set(text.match(/[A-Za-z_]\w*/g)?.slice(0, MAX_NAMES));
	return [...names].flatMap((name) => {
		const value = lookUp(state, name, host);
		return value?.kind === "text" ? value.options : (value?.items ?? []);
	});
}
