// Validates data written by another process or an earlier version: each reader declares the shape that it needs once, next to its type.
// Files written by users are read as fields (field.ts), which report positions and remedies. TypeBox is not used: a worker checks its brief
// before pi's packages are loaded, and the command line runs without them.

/** A test of whether a value has the shape of a type. */
export type Shape<T> = (value: unknown) => value is T;

/** Tests for a string. */
export const isText: Shape<string> = (value) => typeof value === "string";

/** Tests for a finite number. */
export const isNumber: Shape<number> = (value): value is number => typeof value === "number" && Number.isFinite(value);

/** Tests for a boolean. */
export const isFlag: Shape<boolean> = (value) => typeof value === "boolean";

/** Tests for an object or a list; the fields are not checked. */
export const anyObject: Shape<object> = (value) => typeof value === "object" && value !== null;

/** Tests for an object that is no list; the fields are not checked. */
export const isRecord: Shape<Readonly<Record<string, unknown>>> = (value): value is Readonly<Record<string, unknown>> =>
	anyObject(value) && !Array.isArray(value);

/** The fields of an object; anything else has none. */
export function propertiesOf(value: unknown): Readonly<Record<string, unknown>> {
	return isRecord(value) ? value : {};
}

/** Tests for one of `values`. */
export function oneOf<const T extends readonly (string | number | boolean | null)[]>(...values: T): Shape<T[number]> {
	return (value): value is T[number] => (values as readonly unknown[]).includes(value);
}

/** Tests for what passes one of two shapes. */
export function eitherOf<One, Other>(one: Shape<One>, other: Shape<Other>): Shape<One | Other> {
	return (value): value is One | Other => one(value) || other(value);
}

/** Tests for a list whose items all pass `item`. */
export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
	return (value): value is readonly T[] => Array.isArray(value) && value.every(item);
}

/** Tests for `undefined` or a value that passes `shape`. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
	return (value): value is T | undefined => value === undefined || shape(value);
}

/** A check for every field of a type. */
export type Checks<T extends object> = { readonly [K in keyof T]-?: (value: unknown) => boolean };

/** The value without fields that are not in the table, such as those of a newer version. */
export function only<T extends object>(fields: Checks<T>, value: T): T {
	return Object.fromEntries(Object.keys(fields).map((field) => [field, value[field as keyof T]])) as T;
}

/** Tests for an object with these fields; further fields are allowed. `fields` names every field of the type. */
export function object<T extends object>(fields: Checks<T>): Shape<T> {
	const checks = Object.entries<(value: unknown) => boolean>(fields);
	return (value): value is T => isRecord(value) && checks.every(([field, fits]) => fits(value[field]));
}

/** The value of a JSON text that has the shape; `undefined`: it has not. */
export function parseUntrusted<T>(text: string, shape: Shape<T>): T | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return shape(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
