// Completions after `/chronicle ` in pi's editor. Names come from the folders' listings; what the runs say is loaded once per beginning of a line,
// remembered, and read anew in the background: a list that comes late would be for a line that the user has typed on.

import { templateFolders, templateNames } from "../../local/index.ts";
import { agentFolder } from "../../pi/index.ts";
import { type LineItem, nameItems, offer, splitLine } from "../commands/index.ts";
import type { ChronicleSession, SessionExtras } from "./chronicle-session.ts";
import { allListed } from "./session-list.ts";
import type { Whereabouts } from "./session-project.ts";

const takesTemplate = new Set(["start", "show", "check"]);
/** Milliseconds after which a remembered list is read anew. */
const freshMs = 1_000;

interface Remembered {
	readonly at: number;
	readonly items: readonly LineItem[];
}

/** Completions for the line up to the cursor, at once if they are known; `null` if nothing matches, or the last word is complete. */
export type CompleteChronicle = (line: string, where: Whereabouts) => LineItem[] | null | Promise<LineItem[] | null>;

/** Completes the lines of one session. `open` gives the session, which only lists of runs need. */
export function openCompletions(
	{ more }: Pick<SessionExtras, "more">,
	open: () => Promise<ChronicleSession>,
): CompleteChronicle {
	const listed = allListed({ more });
	const known = new Map<string, Remembered>();
	const remember = (key: string, items: readonly LineItem[]): readonly LineItem[] => {
		known.set(key, { at: performance.now(), items });
		return items;
	};
	return (line, where) => {
		const split = splitLine(line);
		const key = JSON.stringify([where, split.words, keyOfWord(split.last)]);
		const remembered = known.get(key);
		const isFresh = remembered !== undefined && performance.now() - remembered.at < freshMs;
		if (remembered && isFresh) return offer(split, remembered.items);
		const place = { cwd: where.cwd, agentFolder: agentFolder(), trusted: where.trusted };
		const templates = () => templateNames(templateFolders(place));
		const named = nameItems(split.words, { listed, templates, takesTemplate, startsByName: true });
		if (named) return offer(split, remember(key, named));
		const read = import("./run-completions.ts")
			.then(async ({ readRunItems }) => readRunItems(await open(), split, where))
			.then((items) => remember(key, items));
		if (remembered === undefined) return read.then((items) => offer(split, items));
		read.catch(() => known.delete(key));
		return offer(split, remembered.items);
	};
}

/** What the items depend on in the last word: an option, or the start of a run's id. */
function keyOfWord(last: string): string {
	if (last.startsWith("-")) return last.startsWith("--choice=") ? "--choice=" : "-";
	return /^[0-9a-f]+$/.test(last) ? last : "";
}
