// Data with one invalid value, for tests of strict readers of stored data. Pure.

const replacements: readonly (readonly [name: string, value: unknown])[] = [
	["null", null],
	["a list", []],
	["an object", {}],
	["a text", "text"],
	["an empty text", ""],
	["a boolean", true],
	["0", 0],
	["a fraction", 1.5],
	["a negative number", -1],
];

/** One corruption: the path (`a.0.b`) and the value there. */
export interface Corruption {
	readonly name: string;
	readonly data: unknown;
}

/** Every copy of `data` (JSON) in which one value, at any depth, is removed or replaced by a value of another kind. */
export function corruptions(data: unknown): readonly Corruption[] {
	return pathsOf(data).flatMap((path) => [
		{ name: `${path.join(".")}: removed`, data: changed(data, path, undefined) },
		...replacements.map(([name, value]) => ({ name: `${path.join(".")}: ${name}`, data: changed(data, path, value) })),
	]);
}

function pathsOf(data: unknown): readonly (readonly string[])[] {
	if (typeof data !== "object" || data === null) return [];
	return Object.entries(data).flatMap(([key, value]) => [[key], ...pathsOf(value).map((rest) => [key, ...rest])]);
}

function changed(data: unknown, [key = "", ...rest]: readonly string[], value: unknown): unknown {
	const copy = (Array.isArray(data) ? [...data] : { ...(data as object) }) as Record<string, unknown>;
	const next = rest.length === 0 ? value : changed(copy[key], rest, value);
	if (next !== undefined) copy[key] = next;
	else if (Array.isArray(copy)) copy.splice(Number(key), 1);
	else delete copy[key];
	return copy;
}
