// The mutants of one TypeScript file: each differs from it in one comparison, condition, logical operator or constant.
import { type Node, parseSync } from "oxc-parser";

/** One change: `text` replaces the code from `start` to `end` (UTF-16 units). */
export interface Mutant {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

const flipped: { readonly [operator: string]: string } = {
	"<": "<=",
	"<=": "<",
	">": ">=",
	">=": ">",
	"===": "!==",
	"!==": "===",
	"&&": "||",
	"||": "&&",
};

/** The nodes of TypeScript that hold code and not only types. */
const expressions = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** All mutants of a file, in the order of their places. Types are not mutated. `path` tells the grammar the language. */
export function mutantsOf(path: string, code: string): readonly Mutant[] {
	const mutants: Mutant[] = [];
	const visit = (node: Node): void => {
		if (node.type.startsWith("TS") && !expressions.has(node.type)) return;
		mutants.push(...ofNode(node, code));
		for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
	};
	visit(parseSync(path, code).program);
	return mutants.sort((a, b) => a.start - b.start);
}

function isNode(value: unknown): value is Node {
	return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function ofNode(node: Node, code: string): readonly Mutant[] {
	switch (node.type) {
		case "BinaryExpression":
		case "LogicalExpression": {
			const text = flipped[node.operator];
			if (text === undefined) return [];
			const start = code.indexOf(node.operator, node.left.end);
			return [{ start, end: start + node.operator.length, text }];
		}
		case "IfStatement":
		case "ConditionalExpression":
		case "WhileStatement":
			return negated(node.test, code);
		case "UnaryExpression":
			return node.operator === "!" ? [{ start: node.start, end: node.start + 1, text: "" }] : [];
		case "Literal":
			return constant(node.value).map((text) => ({ start: node.start, end: node.end, text }));
		default:
			return [];
	}
}

/** A condition negated, unless it is negated as an operator already. */
function negated(test: Node, code: string): readonly Mutant[] {
	if (test.type === "BinaryExpression" && /^[!=]==$/.test(test.operator)) return [];
	if (test.type === "UnaryExpression" && test.operator === "!") return [];
	return [{ start: test.start, end: test.end, text: `!(${code.slice(test.start, test.end)})` }];
}

function constant(value: unknown): readonly string[] {
	if (typeof value === "boolean") return [String(!value)];
	return typeof value === "number" ? [String(value + 1)] : [];
}
