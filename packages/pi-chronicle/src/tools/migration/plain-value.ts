// The values of a file of another tool, without places.
// Their length is bounded, so that aliases cannot multiply them.
import { type Node, plainOf, sizeOf } from "@pi-chronicle/core/definition";

export type Plain = string | number | boolean | null | readonly Plain[] | PlainRecord;
export interface PlainRecord {
	readonly [key: string]: Plain;
}

/** Why a file cannot be imported; the message is a sentence. */
export class ImportRefusal extends Error {}

const maxLength = 1_000_000;

/** The value of a tree. Throws an `ImportRefusal` if it is too long. */
export function plainValue(node: Node): Plain {
	if (sizeOf(node) > maxLength) throw new ImportRefusal("The file is too long with its aliases expanded.");
	return plainOf(node) as Plain;
}

export function isPlainRecord(value: Plain | undefined): value is PlainRecord {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `value` if it is an object, else an empty one. */
export function recordOf(value: Plain | undefined): PlainRecord {
	return isPlainRecord(value) ? value : {};
}

export function plainList(value: Plain | undefined): readonly Plain[] {
	return Array.isArray(value) ? value : [];
}
