// The part of JavaScript's regular expression syntax that rule files use, as a tree that can be reasoned about.
// Not a validator: `RegExp` is. What is outside of the part (back references, lookbehind, named classes, …) gives no tree.

/** One bit per ASCII code, and one (128) for everything beyond. */
export type CharSet = Uint8Array;

export type PatternNode =
	| { readonly kind: "set"; readonly set: CharSet; readonly literal: string | undefined }
	/** `^`, `$`, `\b`, `\B` and lookaheads: nothing is consumed. */
	| { readonly kind: "assertion" }
	| { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
	| { readonly kind: "choice"; readonly options: readonly PatternNode[] }
	| { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

/** Parses the source of a valid expression; `undefined` where it uses something outside of the known part. */
export function parsePattern(source: string, ignoreCase: boolean): PatternNode | undefined {
	let at = 0;

	const choice = (): PatternNode | undefined => {
		const options: PatternNode[] = [];
		for (;;) {
			const option = sequence();
			if (!option) return undefined;
			options.push(option);
			if (source[at] !== "|") break;
			at++;
		}
		const [only] = options;
		return options.length === 1 ? only : { kind: "choice", options };
	};

	const sequence = (): PatternNode | undefined => {
		const items: PatternNode[] = [];
		while (at < source.length && source[at] !== "|" && source[at] !== ")") {
			const item = atom();
			if (!item) return undefined;
			const repeated = quantified(item);
			if (!repeated) return undefined;
			items.push(repeated);
		}
		return { kind: "sequence", items };
	};

	const atom = (): PatternNode | undefined => {
		const unit = source[at] ?? "";
		switch (unit) {
			case "^":
			case "$":
				at++;
				return { kind: "assertion" };
			case ".":
				at++;
				return { kind: "set", set: except("\n\r"), literal: undefined };
			case "(":
				return parenthesis();
			case "[":
				return bracket();
			case "\\":
				return escaped();
			case "*":
			case "+":
			case "?":
				return undefined;
			default:
				at++;
				return single(unit, ignoreCase);
		}
	};

	const parenthesis = (): PatternNode | undefined => {
		at++;
		let look = false;
		if (source[at] === "?") {
			const kind = source.slice(at, at + 2);
			if (kind === "?=" || kind === "?!") look = true;
			else if (kind !== "?:") {
				const named = /^\?<[A-Za-z_]\w*>/.exec(source.slice(at, at + 40));
				if (!named) return undefined;
				at += named[0].length - 2;
			}
			at += 2;
		}
		const inner = choice();
		if (!inner || source[at] !== ")") return undefined;
		at++;
		// A lookahead with a repetition in it costs as much as what it looks through.
		if (look) return hasUnbounded(inner) ? undefined : { kind: "assertion" };
		return inner;
	};

	const escaped = (): PatternNode | undefined => {
		const unit = source[at + 1] ?? "";
		at += 2;
		if (unit === "b" || unit === "B") return { kind: "assertion" };
		if (/[1-9k]/.test(unit)) return undefined;
		const named = namedSet(unit);
		if (named) return { kind: "set", set: named, literal: undefined };
		const code = escapedCode(unit);
		return code === undefined ? undefined : single(code, ignoreCase);
	};

	const escapedCode = (unit: string): string | undefined => {
		const control = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", "0": "\0" }[unit];
		if (control !== undefined) return control;
		const digits = unit === "x" ? 2 : unit === "u" ? 4 : 0;
		if (digits > 0) {
			const hex = source.slice(at, at + digits);
			if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(hex)) return undefined;
			at += digits;
			return String.fromCharCode(Number.parseInt(hex, 16));
		}
		return /[A-Za-z]/.test(unit) ? undefined : unit;
	};

	const bracket = (): PatternNode | undefined => {
		at++;
		const not = source[at] === "^";
		if (not) at++;
		const set = new Uint8Array(129);
		let low: number | undefined;
		while (at < source.length && source[at] !== "]") {
			let unit = source[at] ?? "";
			let named: CharSet | undefined;
			if (unit === "\\") {
				const next = source[at + 1] ?? "";
				at += 2;
				named = namedSet(next);
				if (!named) {
					const code = next === "b" ? "\b" : escapedCode(next);
					if (code === undefined) return undefined;
					unit = code;
				}
			} else at++;
			if (named) {
				for (let code = 0; code <= 128; code++) if (named[code]) set[code] = 1;
				low = undefined;
				continue;
			}
			const high = Math.min(unit.charCodeAt(0), 128);
			if (low !== undefined && source[at - unit.length - 1] === "-" && pendingRange) {
				for (let code = low; code <= high; code++) set[code] = 1;
				pendingRange = false;
				low = undefined;
			} else {
				set[high] = 1;
				low = high;
			}
			if (source[at] === "-" && source[at + 1] !== "]" && low !== undefined) {
				pendingRange = true;
				at++;
			}
		}
		if (source[at] !== "]") return undefined;
		at++;
		if (ignoreCase) foldSet(set);
		return { kind: "set", set: not ? set.map((bit) => 1 - bit) : set, literal: undefined };
	};
	let pendingRange = false;

	const quantified = (body: PatternNode): PatternNode | undefined => {
		const found = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(source.slice(at, at + 24));
		if (!found) return body;
		at += found[0].length;
		if (/^[*+?{]/.test(source.slice(at, at + 1)) && source[at] !== "{") return undefined;
		const many = Number.POSITIVE_INFINITY;
		const sign = found[0][0];
		if (sign === "*") return { kind: "repeat", body, min: 0, max: many };
		if (sign === "+") return { kind: "repeat", body, min: 1, max: many };
		if (sign === "?") return { kind: "repeat", body, min: 0, max: 1 };
		const min = Number(found[1]);
		const max = found[2] === undefined ? min : found[3] === "" ? many : Number(found[3]);
		return { kind: "repeat", body, min, max };
	};

	const tree = choice();
	return at === source.length ? tree : undefined;
}

/** Whether something in the tree may repeat without end. */
export function hasUnbounded(node: PatternNode): boolean {
	switch (node.kind) {
		case "set":
		case "assertion":
			return false;
		case "sequence":
			return node.items.some(hasUnbounded);
		case "choice":
			return node.options.some(hasUnbounded);
		case "repeat":
			return node.max > 64 || hasUnbounded(node.body);
	}
}

const blanks = " \t\n\r\f\v";

function except(units: string): CharSet {
	const set = new Uint8Array(129).fill(1);
	for (const unit of units) set[unit.charCodeAt(0)] = 0;
	return set;
}

function only(units: string, beyond = 0): CharSet {
	const set = new Uint8Array(129);
	for (const unit of units) set[unit.charCodeAt(0)] = 1;
	set[128] = beyond;
	return set;
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

function namedSet(unit: string): CharSet | undefined {
	const set = { d: only(digits), w: only(`${digits}${letters}_`), s: only(blanks, 1) }[unit.toLowerCase()];
	if (!set || !/[dwsDWS]/.test(unit)) return undefined;
	if (unit === unit.toLowerCase()) return set;
	const inverse = set.map((bit) => 1 - bit);
	inverse[128] = 1;
	return inverse;
}

function foldSet(set: CharSet): void {
	for (const letter of letters) {
		if (!set[letter.charCodeAt(0)]) continue;
		set[letter.toLowerCase().charCodeAt(0)] = 1;
		set[letter.toUpperCase().charCodeAt(0)] = 1;
	}
}

function single(unit: string, ignoreCase: boolean): PatternNode {
	const set = new Uint8Array(129);
	set[Math.min(unit.charCodeAt(0), 128)] = 1;
	if (ignoreCase) foldSet(set);
	return { kind: "set", set, literal: unit };
}
