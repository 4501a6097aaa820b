// Wildcards of one path segment or one text: `*`, `?`, `[a-z]`, `[!a]`. Pure; a match takes at most pattern × text steps.
// Why not a regular expression: a project's rule file is somebody else's text, and what it is matched against is the model's.

export type Wildcard = (text: string) => boolean;

/** Compiles a pattern; one without wildcards compares. Wildcards match dots and slashes like everything else. */
export function compileWildcard(pattern: string): Wildcard {
	if (!/[*?[]/.test(pattern)) return (text) => text === pattern;
	const parts = tokens(pattern);
	const star = pattern.indexOf("*");
	// One `*` and nothing else is by far the most frequent kind.
	if (star !== -1 && !/[?[]/.test(pattern) && pattern.indexOf("*", star + 1) === -1) {
		const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
		return (text) => text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
	}
	return (text) => matches(parts, text);
}

/** Alternatives in braces, one pattern each: `a.{js,ts}` → `a.js`, `a.ts`. At most 64; a text with more stays as it is. */
export function expandBraces(pattern: string): string[] {
	const done: string[] = [];
	const open = [pattern];
	while (open.length > 0) {
		const next = open.pop() ?? "";
		const found = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(next);
		if (!found) done.push(next);
		else for (const choice of (found[2] ?? "").split(",")) open.push(`${found[1]}${choice}${found[3]}`);
		if (done.length + open.length > 64) return [pattern];
	}
	return done;
}

type Token =
	| "one"
	| "many"
	| { readonly not: boolean; readonly spans: readonly (readonly [number, number])[] }
	| number;

function tokens(pattern: string): Token[] {
	const parts: Token[] = [];
	const units = [...pattern];
	for (let at = 0; at < units.length; at++) {
		const unit = units[at] ?? "";
		if (unit === "*") {
			if (parts.at(-1) !== "many") parts.push("many");
		} else if (unit === "?") parts.push("one");
		else if (unit === "[") {
			const end = units.indexOf("]", at + (units[at + 1] === "!" || units[at + 1] === "^" ? 3 : 2));
			if (end === -1) parts.push(code(unit));
			else {
				parts.push(charClass(units.slice(at + 1, end)));
				at = end;
			}
		} else parts.push(code(unit));
	}
	return parts;
}

function charClass(units: readonly string[]): Token {
	const not = units[0] === "!" || units[0] === "^";
	const body = not ? units.slice(1) : units;
	const spans: [number, number][] = [];
	for (let at = 0; at < body.length; at++) {
		const low = code(body[at] ?? "");
		if (body[at + 1] === "-" && at + 2 < body.length) {
			spans.push([low, code(body[at + 2] ?? "")]);
			at += 2;
		} else spans.push([low, low]);
	}
	return { not, spans };
}

function code(unit: string): number {
	return unit.codePointAt(0) ?? 0;
}

function accepts(token: Token | undefined, unit: number): boolean {
	if (token === undefined || token === "many") return false;
	if (token === "one") return true;
	if (typeof token === "number") return token === unit;
	return token.spans.some(([low, high]) => unit >= low && unit <= high) !== token.not;
}

/** The classic walk with one place to return to: the latest `*`. */
function matches(parts: readonly Token[], text: string): boolean {
	const units = Array.from(text, code);
	let part = 0;
	let at = 0;
	let star = -1;
	let retry = 0;
	while (at < units.length) {
		if (part < parts.length && accepts(parts[part], units[at] ?? 0)) {
			part++;
			at++;
		} else if (parts[part] === "many") {
			star = part++;
			retry = at;
		} else if (star !== -1) {
			part = star + 1;
			at = ++retry;
		} else return false;
	}
	while (parts[part] === "many") part++;
	return part === parts.length;
}
