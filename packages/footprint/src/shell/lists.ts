// Lists that a command may extend with every step: array items, `$@`, the words of a command. Their size is bounded while they grow.
// A list beyond the bound is unknown, and the record reports the overflow; the cost of handling a list is linear in its size.
import { type FootprintRecord, footprintLimits } from "../record.ts";
import { UNKNOWN_VALUE } from "../text.ts";

/** Characters of all items together. */
const MAX_TEXT = 200_000;

/** The list; `undefined` if it is too long to judge or the budget is used up. */
export function boundedList(items: readonly string[], record: FootprintRecord): readonly string[] | undefined {
	const text = items.reduce((sum, item) => sum + item.length, 0);
	if (items.length > footprintLimits.words || text > MAX_TEXT) {
		record.overflow("a list longer than can be judged");
		return undefined;
	}
	return record.spend(items.length / 12 + text / 250) ? items : undefined;
}

/** Alternatives of lists, each within bounds; one unknown word if one of them is not. */
export function boundedLists(
	lists: readonly (readonly string[])[],
	record: FootprintRecord,
): readonly (readonly string[])[] {
	// Most words become one short argument.
	if (lists.length === 1 && lists[0]?.length === 1 && lists[0][0] !== undefined && lists[0][0].length < 1000)
		return lists;
	return lists.every((list) => boundedList(list, record) !== undefined) ? lists : [[UNKNOWN_VALUE]];
}

/** Texts of which each is within bounds; handling them costs by their size. */
export function boundedTexts(texts: readonly string[], record: FootprintRecord): readonly string[] {
	const size = texts.reduce((sum, text) => sum + text.length, 0);
	return size < 1000 || record.spend(size / 150) ? texts : [UNKNOWN_VALUE];
}
