// Notes next to the files of a child, as JSON.
// A note is whole, or it is not there: on a full disk the earlier one stays, and one that is torn counts as absent.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseUntrusted, type Shape } from "@pi-chronicle/core/definition";
import { replaceFile, undefinedIfMissing } from "../../disk/index.ts";

/** Writes the note `name` of the child at `place`. Throws disk errors. */
export function writeNote(place: string, name: string, value: unknown): Promise<void> {
	return replaceFile(join(place, name), JSON.stringify(value));
}

/** The note; `undefined`: there is none of that shape. */
export async function readNote<T>(place: string, name: string, shape: Shape<T>): Promise<T | undefined> {
	const text = await readFile(join(place, name), "utf8").catch(undefinedIfMissing);
	return text === undefined ? undefined : parseUntrusted(text, shape);
}
