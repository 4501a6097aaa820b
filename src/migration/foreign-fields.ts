// The fields of another tool's file, as plain values.
// F1 `rest` lists every field that a reader did not take, including fields of an unexpected type, so that no field is lost silently; F2 the
// size of the values is bounded, so that aliases cannot multiply them.
import type { Node } from "../definition/index.ts";
import { type ImportNote, ImportRefusal, importNote } from "./draft.ts";

export type Plain = string | number | boolean | null | readonly Plain[] | PlainRecord;
export interface PlainRecord {
	readonly [key: string]: Plain;
}

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

export function plainList(value: Plain | undefined): readonly Plain[] {
	return Array.isArray(value) ? value : [];
}

export class ForeignFields {
	readonly where: string;
	readonly #left: Map<string, Plain>;

	/** `where`: the name of the fields' place in notes. */
	constructor(fields: PlainRecord, where: string) {
		this.where = where;
		this.#left = new Map(Object.entries(fields));
	}

	/** Takes a string, or a number as a string. */
	text(key: string): string | undefined {
		const value = this.#left.get(key);
		const text = typeof value === "number" ? String(value) : value;
		return typeof text === "string" ? this.#took(key, text) : undefined;
	}

	/** Takes a number above 0. */
	number(key: string): number | undefined {
		const value = this.#left.get(key);
		return typeof value === "number" && value > 0 ? this.#took(key, value) : undefined;
	}

	flag(key: string): boolean | undefined {
		const value = this.#left.get(key);
		return typeof value === "boolean" ? this.#took(key, value) : undefined;
	}

	record(key: string): PlainRecord | undefined {
		const value = this.#left.get(key);
		return isRecord(value) ? this.#took(key, value) : undefined;
	}

	list(key: string): readonly Plain[] | undefined {
		const value = this.#left.get(key);
		return Array.isArray(value) ? this.#took(key, value as readonly Plain[]) : undefined;
	}

	/** Takes a list of names, or one string with commas. */
	names(key: string): readonly string[] | undefined {
		const value = this.#left.get(key);
		const items = typeof value === "string" ? value.split(",") : value;
		if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) return undefined;
		return this.#took(
			key,
			items.map((item: string) => item.trim()).filter((item) => item !== ""),
		);
	}

	/** Takes a value of any type. */
	any(key: string): Plain | undefined {
		const value = this.#left.get(key);
		return value === undefined ? undefined : this.#took(key, value);
	}

	/** Takes fields that are irrelevant to the work, such as versions. */
	ignore(...keys: readonly string[]): void {
		for (const key of keys) this.#left.delete(key);
	}

	/** The fields that were not taken. */
	rest(): readonly ImportNote[] {
		return [...this.#left].map(([key, value]) => importNote(this.where, `\`${key}\` ${JSON.stringify(value)}`));
	}

	#took<T>(key: string, value: T): T {
		this.#left.delete(key);
		return value;
	}
}
