// The findings and pending tasks of a run, whole, as plain lines. Pure.
import { counted } from "../../../definition/index.ts";
import { entryForList, type Finding } from "../../core/index.ts";

/** A titled list, after an empty line; nothing if there are no entries. `dropped`: older entries that only the events have. */
export function entrySection(title: string, entries: readonly Finding[], dropped = 0): string[] {
	if (entries.length === 0 && dropped === 0) return [];
	return [
		"",
		`${title}:`,
		...(dropped > 0 ? [`  … ${counted(dropped, "older entry", "older entries")} only in the events of the run`] : []),
		...entryLines(entries),
	];
}

/** Each entry with its id, key, text and fields, in all its lines. */
function entryLines(entries: readonly Finding[]): string[] {
	return entries.flatMap((entry) =>
		entryForList(entry)
			.split("\n")
			.map((line) => `  ${line}`),
	);
}
