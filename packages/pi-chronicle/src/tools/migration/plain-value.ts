// The values of a file of another tool, without places.
// Their number is bounded, so that aliases cannot multiply them.
import type { Node } from "@pi-chronicle/core/definition";

export type Plain = string | number | boolean | null | readonly Plain[] | PlainRecord;
export interface PlainRecord {
	readonly [key: string]: Plain;
}

/** Why a file cannot be imported; the message is a sentence. */
export class ImportRefusal extends Error {}

const maxValues = 20_000;

/** The value of a tree. Throws an `ImportRefusal` if it has too many values. */
export function plainValue(node: Node): Plain {
	let left = maxValues;
	const convert = (each: Node): Plain => {
		left -= 1;
		if (left < 0) throw new ImportRefusal(`The file has more than ${maxValues} values.`);
		if (each.kind === "scalar") return each.value;
		if (each.kind === "list") return each.items.map(convert);
		return Object.fromEntries([...each.entries].map(([key, { value }]) => [key, convert(value)]));
	};
	return convert(node);
}

export function isRecord(value: Plain | undefined): value is PlainRecord {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `value` if it is an object, else an empty one. */
export function recordOf(value: Plain | undefined): PlainRecord {
	return isRecord(value) ? value : {};
}

export function plainList(value: Plain | undefined): readonly Plain[] {
	return Array.isArray(value) ? value : [];
}
