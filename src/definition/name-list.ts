// Lists the available names in one sentence, to follow a message such as "Unknown agent: x."
import { quoted } from "./format.ts";

const maxNames = 12;

/** `There is only X.`, `There are X, Y and Z.`, or `none` if `names` is empty. Lists at most twelve names, formatted as code. */
export function thereAre(names: readonly string[], none: string): string {
	const [first] = names;
	if (first === undefined) return none;
	if (names.length === 1) return `There is only ${quoted(first)}.`;
	const shown = names.slice(0, maxNames).map((name) => quoted(name));
	const last = names.length > maxNames ? `${names.length - maxNames} more` : shown.pop();
	return `There are ${shown.join(", ")} and ${last}.`;
}
