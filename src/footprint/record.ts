// The record that an analysis writes while it walks: accesses, runs, unknowns, each once, within bounds.
// R1 nothing is dropped silently: past a bound, one `syntax` unknown that may do anything stands for the rest.
import type { AccessKind, CommandRun, FileAccess, Footprint, HostEnvironment, Unknown } from "./footprint.ts";
import { followLinks, pathRules } from "./paths.ts";
import { FIRST_SEARCH, SEARCH_RESULT, unmarked } from "./text.ts";

/** Bounds of one footprint. They hold the worst case of any input to a fraction of a second. */
export const footprintLimits = {
	accesses: 2000,
	runs: 1000,
	unknowns: 300,
	/** What a walk may spend, in units of roughly a microsecond. Loops and functions cost each time they are walked. */
	budget: 16_000,
	/** Shell text within shell text (`sh -c`, `eval`, functions, substitutions). */
	depth: 24,
	/** Words of one command. */
	words: 4000,
	/** Parts (quotes, expansions) of one word. */
	parts: 1000,
	/** UTF-16 units of one command. */
	text: 1_000_000,
} as const;

const MAX_SEARCHES = 500;
const MAX_LINKS = 200;

export const everyAccess: readonly AccessKind[] = ["read", "list", "write", "delete", "link"];

/** How a touch is made; absent means no. */
export interface AccessDetail {
	readonly recursive?: boolean;
	readonly replaces?: boolean;
	readonly only?: readonly string[];
	readonly skips?: FileAccess["skips"];
}

export interface FootprintRecord {
	readonly host: HostEnvironment;
	/** Adds a touch of an absolute path, which may hold `..` that the kernel would follow through links. */
	access(access: AccessKind, path: string, by: string, detail?: AccessDetail): void;
	/** What was written anew at a path (absolute) is nothing. */
	emptied(path: string): void;
	run(run: CommandRun): void;
	unknown(unknown: Unknown): void;
	/** Says that a bound was reached: the rest may do anything. */
	overflow(why: string): void;
	/** Spends of the budget; false once it is used up, and the walk must stop. */
	spend(units: number): boolean;
	/** A text that stands for what a search may find below the directory that it is written after. */
	found(detail: AccessDetail): string;
	/** What the search behind such a text keeps to; `undefined` where the text stands for none. */
	searchOf(text: string): AccessDetail | undefined;
	/** Whether something was made, changed or removed in a directory so far: what the disk says of it may be stale. */
	changed(directory: string): boolean;
	/** Whether a path, or a directory above it, may have been removed so far. */
	removed(path: string): boolean;
	/** Whether something may have been made in a directory so far. */
	filled(directory: string): boolean;
	real(path: string): string;
	/** Something was fetched from the network, into a file where `path` (absolute) is given. */
	fetched(path?: string): void;
	/** Whether a file was fetched by this call; without a path, whether anything was. */
	wasFetched(path?: string): boolean;
	/** From now on `name` (absolute) leads to `target` (absolute, or relative to where `name` is), as if it were on disk. */
	link(name: string, target: string): void;
	finish(tool: string): Footprint;
}

/** Opens an empty record. */
export function openRecord(disk: HostEnvironment): FootprintRecord {
	const links = new Map<string, string>();
	const host: HostEnvironment = {
		...disk,
		kind: (path) => (links.has(path) ? "link" : disk.kind(path)),
		// What leads through a link of this script is not on disk yet: it is followed step by step.
		realpath: (path) => (links.has(path) ? undefined : disk.realpath(path)),
		names: (path) => disk.names(path)?.map(unmarked),
		readlink: (path) => links.get(path) ?? disk.readlink(path),
	};
	const accesses = new Map<string, FileAccess>();
	const runs = new Map<string, CommandRun>();
	const unknowns = new Map<string, Unknown>();
	const followed = new Map<string, string>();
	const fetches = new Set<string>();
	const changed = new Set<string>();
	const removed = new Set<string>();
	const filled = new Set<string>();
	const emptied = new Set<string>();
	const rules = pathRules(host);
	// The first search keeps to nothing: it also stands for those that there is no room for.
	const searches: { readonly key: string; readonly detail: AccessDetail }[] = [{ key: "{}", detail: {} }];
	let spent = 0;
	let overflown = false;

	const overflow = (why: string) => {
		if (overflown) return;
		overflown = true;
		unknowns.set("overflow", { what: "syntax", text: why, may: everyAccess });
	};
	return {
		host,
		overflow,
		real: (path) => followLinks(path, host, followed),
		fetched: (path) => void fetches.add(path === undefined ? "" : rules.normalize(path)),
		wasFetched: (path) => (path === undefined ? fetches.size > 0 : fetches.has(rules.normalize(path))),
		link(name, target) {
			if (links.size >= MAX_LINKS) return;
			links.set(followLinks(rules.dirname(name), host, followed) + rules.sep + rules.basename(name), target);
			followed.clear();
		},
		access(access, path, by, detail = {}) {
			const lexical = rules.normalize(path);
			const normal = lexical.length > 1 && lexical.endsWith(rules.sep) ? rules.resolve(lexical) : lexical;
			const { recursive = false, replaces = false, only, skips } = detail;
			const key = `${access}${recursive ? "+" : "-"}${replaces ? "!" : ""}${normal}\0${only?.join("\0") ?? ""}\0${skips?.join() ?? ""}`;
			spent += 4 + path.length / 100;
			if (accesses.has(key)) return;
			if (accesses.size >= footprintLimits.accesses) return overflow("more paths than can be judged");
			// What reaches below is compared with every protected place there.
			if (recursive && access !== "read" && access !== "list") spent += 25;
			if (access === "write" || access === "delete" || access === "link") {
				changed.add(rules.dirname(normal));
				if (access === "delete") removed.add(normal);
				else filled.add(rules.dirname(normal));
			}
			accesses.set(key, {
				kind: access,
				path: normal,
				real: followLinks(path, host, followed),
				recursive,
				...(replaces && { replaces }),
				...(only && { only }),
				...(skips && { skips }),
				by,
			});
		},
		emptied: (path) => void emptied.add(rules.normalize(path)),
		run(run) {
			const key = `${run.elsewhere ? "@" : ""}${run.text}\0${run.effects.join()}\0${run.changes.join()}`;
			spent += 10 + run.text.length / 100;
			if (runs.has(key)) return;
			if (runs.size >= footprintLimits.runs) return overflow("more commands than can be judged");
			runs.set(key, run);
		},
		unknown(unknown) {
			const text = unknown.text.length > 200 ? `${unknown.text.slice(0, 199)}…` : unknown.text;
			const key = `${unknown.what}\0${text}\0${unknown.may.join()}\0${unknown.under ?? ""}\0${unknown.tail ?? ""}`;
			if (unknowns.has(key)) return;
			if (unknowns.size >= footprintLimits.unknowns) return overflow("more unknown words than can be judged");
			unknowns.set(key, { ...unknown, text });
		},
		spend(units) {
			spent += units;
			if (spent > footprintLimits.budget) overflow("a command longer than can be judged");
			return spent <= footprintLimits.budget;
		},
		found(detail) {
			const key = JSON.stringify(detail);
			spent += 45;
			let index = searches.findIndex((search) => search.key === key);
			if (index < 0) index = searches.length < MAX_SEARCHES ? searches.push({ key, detail }) - 1 : 0;
			return SEARCH_RESULT + String.fromCharCode(FIRST_SEARCH + index);
		},
		searchOf(text) {
			return text[0] === SEARCH_RESULT ? searches[(text.charCodeAt(1) || 0) - FIRST_SEARCH]?.detail : undefined;
		},
		changed: (directory) => changed.has(rules.normalize(directory)),
		removed(path) {
			if (removed.size === 0) return false;
			const isGone = (place: string): boolean => {
				if (removed.has(place)) return true;
				const above = rules.dirname(place);
				return above !== place && isGone(above);
			};
			return isGone(rules.resolve(path)) || isGone(followLinks(path, host, followed));
		},
		filled: (directory) => filled.has(rules.normalize(directory)),
		finish: (tool) => ({
			tool,
			accesses: [...accesses.values()].map((access) =>
				access.replaces && emptied.has(access.path) ? { ...access, empties: true as const } : access,
			),
			runs: [...runs.values()],
			unknowns: [...unknowns.values()],
		}),
	};
}
