// The value of `$(( … ))` if its numbers are known. Anything else is a placeholder.
// A1 assignments are reported, as unknown values; A2 commands inside it are not walked here (see `evaluated-text.ts`).
import type { ArithmeticExpression } from "unbash";
import { UNKNOWN_VALUE } from "../text.ts";

/** What an expression asks of the walk. */
export interface ArithmeticPort {
	/** The known value of a variable, else `undefined`. */
	variable(name: string): string | undefined;
	/** A variable is changed to something that is not followed. */
	assigned(name: string): void;
}

/** The result in decimal, or a placeholder. */
export function evaluateArithmetic(expression: ArithmeticExpression | undefined, port: ArithmeticPort): string {
	if (!expression) return UNKNOWN_VALUE;
	const value = evaluate(expression, port, 0);
	return value === undefined || !Number.isSafeInteger(value) ? UNKNOWN_VALUE : String(value);
}

const MAX_DEPTH = 100;

function evaluate(expression: ArithmeticExpression, port: ArithmeticPort, depth: number): number | undefined {
	if (depth > MAX_DEPTH) return undefined;
	switch (expression.type) {
		case "ArithmeticGroup":
			return evaluate(expression.expression, port, depth + 1);
		case "ArithmeticWord":
			return wordValue(expression.value, port, expression.parts !== undefined);
		case "ArithmeticCommandExpansion":
			return undefined;
		case "ArithmeticTernary":
			return evaluateTernary(expression, port, depth + 1);
		case "ArithmeticUnary":
			return evaluateUnary(expression, port, depth + 1);
		case "ArithmeticBinary":
			return evaluateBinary(expression, port, depth + 1);
	}
}

type Kind<T extends ArithmeticExpression["type"]> = Extract<ArithmeticExpression, { type: T }>;

function evaluateTernary(node: Kind<"ArithmeticTernary">, port: ArithmeticPort, depth: number): number | undefined {
	const test = evaluate(node.test, port, depth);
	const yes = evaluate(node.consequent, port, depth);
	const no = evaluate(node.alternate, port, depth);
	if (test === undefined) return undefined;
	return test !== 0 ? yes : no;
}

function evaluateUnary(node: Kind<"ArithmeticUnary">, port: ArithmeticPort, depth: number): number | undefined {
	const value = evaluate(node.operand, port, depth);
	if (node.operator === "++" || node.operator === "--") {
		assignTo(node.operand, port);
		return undefined;
	}
	return value === undefined ? undefined : unary[node.operator]?.(value);
}

function evaluateBinary(node: Kind<"ArithmeticBinary">, port: ArithmeticPort, depth: number): number | undefined {
	const left = evaluate(node.left, port, depth);
	const right = evaluate(node.right, port, depth);
	const { operator } = node;
	if (operator.endsWith("=") && !Object.hasOwn(binary, operator)) {
		assignTo(node.left, port);
		return operator === "=" ? right : undefined;
	}
	return left === undefined || right === undefined ? undefined : binary[operator]?.(left, right);
}

const unary: { readonly [operator: string]: (value: number) => number } = {
	"-": (value) => -value,
	"+": (value) => value,
	"!": (value) => Number(value === 0),
	"~": (value) => ~value,
};

/** Operators that assign nothing; others are not computed. */
const binary: { readonly [operator: string]: (left: number, right: number) => number | undefined } = {
	"+": (left, right) => left + right,
	"-": (left, right) => left - right,
	"*": (left, right) => left * right,
	"/": (left, right) => (right === 0 ? undefined : Math.trunc(left / right)),
	"%": (left, right) => (right === 0 ? undefined : left % right),
	"**": (left, right) => (right < 0 ? undefined : left ** right),
	"<": (left, right) => Number(left < right),
	">": (left, right) => Number(left > right),
	"<=": (left, right) => Number(left <= right),
	">=": (left, right) => Number(left >= right),
	"==": (left, right) => Number(left === right),
	"!=": (left, right) => Number(left !== right),
	"&&": (left, right) => Number(left !== 0 && right !== 0),
	"||": (left, right) => Number(left !== 0 || right !== 0),
	",": (_left, right) => right,
};

function assignTo(target: ArithmeticExpression, port: ArithmeticPort): void {
	if (target.type !== "ArithmeticWord") return;
	const name = /^[A-Za-z_]\w*/.exec(target.value)?.[0];
	if (name) port.assigned(name);
}

function wordValue(text: string, port: ArithmeticPort, hasParts: boolean): number | undefined {
	const word = text.trim();
	if (/^(0|[1-9]\d{0,14})$/.test(word)) return Number(word);
	if (/^0[xX][0-9a-fA-F]{1,12}$/.test(word)) return Number(word);
	const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(word)?.[1];
	if (!name || (hasParts && !word.startsWith("$"))) return undefined;
	const value = port.variable(name);
	if (value === undefined) return undefined;
	if (value === "") return 0;
	return /^-?(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : undefined;
}
