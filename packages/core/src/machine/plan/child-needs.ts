// The order of the entries of a list: which one needs which. Pure.
// A list is in order only if an entry has a list of `needs`, or a text of `needs` where entries have ids: other data of that name means something else.
import { valueAt } from "../../output/index.ts";
import { type NeedingTask, readNeeds } from "../../template/index.ts";
import { MAX_CHILDREN } from "../run/child-run.ts";
import type { ChildItem } from "./child-items.ts";

export type ItemNeeds =
	/** The indexes, from 0, of the entries that each entry needs; `undefined`: the list has no order. */
	| { readonly needs: readonly (readonly number[])[] | undefined }
	/** One sentence each, bounded. */
	| { readonly problems: readonly string[] };

/** Problems of a list that are named at once. */
export const mostProblems = 8;

/** The needs of the entries of the list `source`, or why there can be no children for them. */
export function needsOfItems(items: readonly ChildItem[], source: string): ItemNeeds {
	if (items.length > MAX_CHILDREN)
		return {
			problems: [`\`for_each\` has ${items.length} entries, and a state can have at most ${MAX_CHILDREN} children.`],
		};
	const ids = items.map(idOf);
	const hasIds = ids.some((id) => id !== undefined);
	const written = items.map(({ value }) => valueAt(value, ["needs"]));
	const isOrdered = written.some((needs) => Array.isArray(needs) || (hasIds && isId(needs)));
	if (!isOrdered) return { needs: undefined };
	const wrong = written.flatMap((needs, at) =>
		needs === undefined || needs === null || isId(needs) || (Array.isArray(needs) && needs.every(isId))
			? []
			: [`Entry ${at + 1} of "${source}" has \`needs\` that are no list of ids.`],
	);
	const tasks = written.map(
		(needs, at): NeedingTask => ({ id: ids[at], needs: [needs].flat().filter(isId).map(String) }),
	);
	const read = readNeeds(tasks, (at) => `entry ${at + 1}${ids[at] === undefined ? "" : ` ("${ids[at]}")`}`);
	const problems = [...wrong, ...read.problems.map(({ message }) => `In "${source}", ${message}.`)];
	if (problems.length === 0) return { needs: read.needs };
	const more = problems.length - mostProblems;
	return { problems: [...problems.slice(0, mostProblems), ...(more > 0 ? [`${more} more problems.`] : [])] };
}

/** The id of an entry: its `id`, otherwise its key. */
function idOf({ value, key }: ChildItem): string | undefined {
	const id = valueAt(value, ["id"]);
	return isId(id) ? String(id) : key;
}

function isId(value: unknown): value is string | number {
	return (typeof value === "string" && value.trim() !== "") || typeof value === "number";
}
