// How much work an expression can cause, told from its text: what is cheap runs at once, what may explode runs under
// a time limit. C1 an estimate is never too low; what cannot be estimated is `unbounded`.
import { type CharSet, hasUnbounded, type PatternNode } from "./pattern-syntax.ts";

export type PatternCost =
	/** At most about `text length ** exponent` steps, divided by the length of the literal beginning. */
	{ readonly kind: "polynomial"; readonly exponent: number; readonly prefix: string } | { readonly kind: "unbounded" };

/** Steps that an expression may take over a text of `length` UTF-16 units; infinite where it is not known. */
export function stepsFor(cost: PatternCost, length: number): number {
	if (cost.kind === "unbounded") return Number.POSITIVE_INFINITY;
	return length ** cost.exponent / Math.max(1, cost.prefix.length);
}

/** Estimates a parsed expression. Texts are taken to hold no two blanks in a row. */
export function costOf(tree: PatternNode | undefined, ignoreCase: boolean): PatternCost {
	if (!tree || !isTame(tree)) return { kind: "unbounded" };
	// Every place of the text may be a start, whatever comes before it.
	return { kind: "polynomial", exponent: 1 + wildness(tree), prefix: ignoreCase ? "" : literalPrefix(tree) };
}

/** The text that every match begins with, as far as it is fixed; blanks count as one space. */
export function literalPrefix(tree: PatternNode): string {
	let text = "";
	const walk = (node: PatternNode): boolean => {
		switch (node.kind) {
			case "assertion":
				return true;
			case "set":
				if (node.literal === undefined) return false;
				text += node.literal;
				return true;
			case "sequence":
				return node.items.every(walk);
			case "choice":
				return false;
			case "repeat":
				if (node.min === 1 && isBlank(node.body)) {
					text += " ";
					return true;
				}
				return node.min === 1 && node.max === 1 && walk(node.body);
		}
	};
	walk(tree);
	return text;
}

/** Texts that every match holds somewhere: where one of them is not there, the expression need not be tried. */
export function requiredTexts(tree: PatternNode): string[] {
	const found: string[] = [];
	let text = "";
	const close = () => {
		if (text.length > 1) found.push(text);
		text = "";
	};
	const walk = (node: PatternNode): void => {
		switch (node.kind) {
			case "assertion":
				return;
			case "set":
				if (node.literal === undefined) close();
				else text += node.literal;
				return;
			case "sequence":
				node.items.forEach(walk);
				return;
			case "choice":
				close();
				return;
			case "repeat":
				close();
				if (node.min > 0) walk(node.body);
				close();
				return;
		}
	};
	walk(tree);
	close();
	return found;
}

/** The number of repetitions without end that may have to try many lengths. */
function wildness(node: PatternNode): number {
	switch (node.kind) {
		case "set":
		case "assertion":
			return 0;
		case "sequence":
			return node.items.reduce((sum, item) => sum + wildness(item), 0);
		case "choice":
			return Math.max(0, ...node.options.map(wildness));
		case "repeat":
			if (node.max <= 64) return wildness(node.body) * Math.max(1, node.max);
			return isBlank(node.body) ? 0 : 1;
	}
}

/** No repetition within a repetition, unless every pass through it is forced. */
function isTame(node: PatternNode): boolean {
	switch (node.kind) {
		case "set":
		case "assertion":
			return true;
		case "sequence":
			return node.items.every(isTame);
		case "choice":
			return node.options.every(isTame);
		case "repeat":
			if (node.max <= 1) return isTame(node.body);
			if (node.body.kind === "set") return true;
			if (node.max <= 64 && !hasUnbounded(node.body)) return isTame(node.body) && node.max <= 8;
			return isForced(node.body);
	}
}

/** Whether a text can be cut into passes of `body` in one way only, each pass deciding by the next character. */
function isForced(body: PatternNode): boolean {
	if (body.kind === "set") return true;
	if (body.kind === "choice") {
		// Single characters, no two options accepting the same one.
		const sets = body.options.map(onlySet);
		return sets.every((set, index) => set && sets.slice(index + 1).every((other) => other && disjoint(set, other)));
	}
	if (body.kind !== "sequence" || body.items.length === 0) return false;
	const parts: { set: CharSet; loose: boolean; optional: boolean }[] = [];
	for (const item of body.items) {
		if (item.kind === "assertion") continue;
		const set = onlySet(item.kind === "repeat" ? item.body : item);
		if (!set) return false;
		const repeat = item.kind === "repeat" ? item : undefined;
		parts.push({ set, loose: repeat !== undefined && repeat.max > 1, optional: repeat?.min === 0 });
	}
	// Where a part may end early or be left out, what can come next must begin differently; around the cycle too.
	for (let index = 0; index < parts.length; index++) {
		const part = parts[index];
		if (!part || (!part.loose && !part.optional)) continue;
		for (let step = 1; step <= parts.length; step++) {
			const next = parts[(index + step) % parts.length];
			if (!next || !disjoint(part.set, next.set)) return false;
			if (!next.optional) break;
		}
	}
	return parts.some(({ optional }) => !optional);
}

function onlySet(node: PatternNode): CharSet | undefined {
	if (node.kind === "set") return node.set;
	const [only] = node.kind === "sequence" ? node.items : [];
	return node.kind === "sequence" && node.items.length === 1 && only ? onlySet(only) : undefined;
}

function isBlank(node: PatternNode): boolean {
	const set = onlySet(node);
	if (!set) return false;
	for (let code = 0; code < 128; code++)
		if (set[code] && !" \t\n\r\f\v".includes(String.fromCharCode(code))) return false;
	return true;
}

function disjoint(a: CharSet, b: CharSet): boolean {
	return a.every((bit, code) => !bit || !b[code]);
}
