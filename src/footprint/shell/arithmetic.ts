// The value of `$(( … ))` where its numbers are known. Anything else is a hole.
// A1 what an expression assigns is reported, as unknown values; A2 commands inside it are walked by the caller's `substitute`.
import type { ArithmeticExpression, ParsedScript } from "unbash";
import { UNKNOWN_VALUE } from "../text.ts";

/** What the expression may ask and tell. */
export interface ArithmeticPort {
	/** The known value of a variable, else `undefined`. */
	variable(name: string): string | undefined;
	/** A variable is changed to something that is not followed. */
	assigned(name: string): void;
	/** Walks the commands of a `$(…)` inside. */
	substitute(script: ParsedScript | undefined): void;
}

/** The result in decimal, or a hole. */
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
			port.substitute(expression.script);
			return undefined;
		case "ArithmeticTernary": {
			const test = evaluate(expression.test, port, depth + 1);
			const yes = evaluate(expression.consequent, port, depth + 1);
			const no = evaluate(expression.alternate, port, depth + 1);
			return test === undefined ? undefined : test !== 0 ? yes : no;
		}
		case "ArithmeticUnary": {
			const value = evaluate(expression.operand, port, depth + 1);
			if (expression.operator === "++" || expression.operator === "--") {
				assignTo(expression.operand, port);
				return undefined;
			}
			if (value === undefined) return undefined;
			switch (expression.operator) {
				case "-":
					return -value;
				case "+":
					return value;
				case "!":
					return value === 0 ? 1 : 0;
				case "~":
					return ~value;
				default:
					return undefined;
			}
		}
		case "ArithmeticBinary": {
			const left = evaluate(expression.left, port, depth + 1);
			const right = evaluate(expression.right, port, depth + 1);
			const { operator } = expression;
			if (operator.endsWith("=") && !["==", "!=", "<=", ">="].includes(operator)) {
				assignTo(expression.left, port);
				return operator === "=" ? right : undefined;
			}
			return left === undefined || right === undefined ? undefined : apply(operator, left, right);
		}
	}
}

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

function apply(operator: string, left: number, right: number): number | undefined {
	switch (operator) {
		case "+":
			return left + right;
		case "-":
			return left - right;
		case "*":
			return left * right;
		case "/":
			return right === 0 ? undefined : Math.trunc(left / right);
		case "%":
			return right === 0 ? undefined : left % right;
		case "**":
			return right < 0 ? undefined : left ** right;
		case "<":
			return left < right ? 1 : 0;
		case ">":
			return left > right ? 1 : 0;
		case "<=":
			return left <= right ? 1 : 0;
		case ">=":
			return left >= right ? 1 : 0;
		case "==":
			return left === right ? 1 : 0;
		case "!=":
			return left !== right ? 1 : 0;
		case "&&":
			return left !== 0 && right !== 0 ? 1 : 0;
		case "||":
			return left !== 0 || right !== 0 ? 1 : 0;
		case ",":
			return right;
		default:
			return undefined;
	}
}
