// Tilde expansion: `~`, `~user`, `~+` at the start of a word and, in what looks like an assignment, after `=` and `:`.
import { UNKNOWN_VALUE } from "../text.ts";
import type { Expansion } from "./expansion.ts";
import { lookUp } from "./state.ts";

const tildeAtStart = /^~([\w.+-]*)(?=\/|$)/;
const tildeAfterAssignment = /^[A-Za-z_]\w*\+?=/;

/** An unquoted literal of a word. */
interface Literal {
	/** As written. */
	readonly source: string;
	/** Without quoting. */
	readonly value: string;
	/** It begins the word. */
	readonly first: boolean;
	/** It ends the word. */
	readonly last: boolean;
}

/** A literal with its tildes expanded; `undefined` if there are none. */
export function expandTildes({ source, value, first, last }: Literal, expansion: Expansion): string | undefined {
	if (!source.includes("~")) return undefined;
	const expand = (text: string, rest: string): string | undefined => {
		const found = tildeAtStart.exec(text);
		// `~$x` and `~"x"`: the user's name is not all literal, so bash leaves it alone.
		if (!found || (found[0].length === text.length && !last)) return undefined;
		const home = homeOf(found[1] ?? "", expansion);
		return home === undefined ? undefined : home + rest.slice(found[0].length);
	};
	if (first && source.startsWith("~")) return expand(source, value);
	const name = first ? tildeAfterAssignment.exec(source)?.[0] : undefined;
	if (!name || source.includes("\\")) return undefined;
	const parts = source.slice(name.length).split(":");
	return name + parts.map((part) => (part.startsWith("~") ? (expand(part, part) ?? part) : part)).join(":");
}

function homeOf(user: string, { state, host }: Expansion): string | undefined {
	if (user === "") {
		const home = lookUp(state, "HOME", host);
		const only = home?.kind === "text" && home.options.length === 1 ? home.options[0] : undefined;
		return only ?? UNKNOWN_VALUE;
	}
	if (user === "+") return state.cwd?.length === 1 ? state.cwd[0] : UNKNOWN_VALUE;
	if (user === "-") return UNKNOWN_VALUE;
	return state.elsewhere ? UNKNOWN_VALUE : host.homeOf(user);
}
