// The record that an analysis writes while it walks: accesses, runs, unknowns, each once, within bounds.
// R1 nothing is dropped silently: past a bound, one `syntax` unknown that may do anything stands for the rest; R2 what the call itself
// made, removed or linked outweighs what the disk says.
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

/** How a place is accessed; absent means no. */
export interface AccessDetail {
	readonly recursive?: boolean;
	readonly replaces?: boolean;
	readonly only?: readonly string[];
	readonly skips?: FileAccess["skips"];
}

/** Kinds of access after which a directory or file is no longer as it was. */
const changes: ReadonlySet<AccessKind> = new Set(["write", "delete", "link"]);

export class FootprintRecord {
	/** The caller's environment, with the links that the call itself makes. */
	readonly host: HostEnvironment;
	private readonly links = new Map<string, string>();
	private readonly accesses = new Map<string, FileAccess>();
	private readonly runs = new Map<string, CommandRun>();
	private readonly unknowns = new Map<string, Unknown>();
	private readonly realPaths = new Map<string, string>();
	/** Normal paths of fetched files; the empty one for anything at all. */
	private readonly fetches = new Set<string>();
	/** Directories in which something was made, changed or removed. */
	private readonly changedDirectories = new Set<string>();
	/** Directories in which something may have been made. */
	private readonly filledDirectories = new Set<string>();
	private readonly removedPaths = new Set<string>();
	private readonly emptiedPaths = new Set<string>();
	/** What searches keep to. The first keeps to nothing: it also stands for those that there is no room for. */
	private readonly searches: { readonly key: string; readonly detail: AccessDetail }[] = [{ key: "{}", detail: {} }];
	private readonly rules: ReturnType<typeof pathRules>;
	private spent = 0;
	private overflown = false;

	constructor(disk: HostEnvironment) {
		const { links } = this;
		this.rules = pathRules(disk);
		this.host = {
			...disk,
			kind: (path) => (links.has(path) ? "link" : disk.kind(path)),
			// What leads through a link of this call is not on disk yet: it is followed step by step.
			realpath: (path) => (links.has(path) ? undefined : disk.realpath(path)),
			names: (path) => disk.names(path)?.map(unmarked),
			readlink: (path) => links.get(path) ?? disk.readlink(path),
		};
	}

	/** Adds an access to an absolute path, which may hold `..` that the kernel would follow through links. */
	access(kind: AccessKind, path: string, by: string, detail: AccessDetail = {}): void {
		const { rules } = this;
		const lexical = rules.normalize(path);
		const entered = lexical.length > 1 && lexical.endsWith(rules.sep);
		const normal = entered ? rules.resolve(lexical) : lexical;
		this.spent += 4 + path.length / 100;
		if (!this.addAccess(kind, normal, () => this.real(path), by, detail)) return;
		if (!changes.has(kind)) return;
		// What reaches below is compared with every protected place there.
		if (detail.recursive) this.spent += 25;
		this.noteChange(kind, normal);
		const link = entered ? normal : this.ownPath(path);
		if (link !== normal && link !== this.real(path)) this.addAccess(kind, link, () => this.real(path), by, detail);
	}

	/** Adds an access under its normal path; false where it is known or there is no room. */
	private addAccess(kind: AccessKind, path: string, real: () => string, by: string, detail: AccessDetail): boolean {
		const { recursive = false, replaces = false, only, skips } = detail;
		const marks = `${kind}${recursive ? "+" : "-"}${replaces ? "!" : ""}`;
		const key = `${marks}${path}\0${only?.join("\0") ?? ""}\0${skips?.join() ?? ""}`;
		if (this.accesses.has(key)) return false;
		if (this.accesses.size >= footprintLimits.accesses) {
			this.overflow("more paths than can be judged");
			return false;
		}
		const details = { ...(replaces && { replaces }), ...(only && { only }), ...(skips && { skips }) };
		this.accesses.set(key, { kind, path, real: real(), recursive, ...details, by });
		return true;
	}

	private noteChange(kind: AccessKind, path: string): void {
		const directory = this.rules.dirname(path);
		this.changedDirectories.add(directory);
		if (kind === "delete") this.removedPaths.add(path);
		else this.filledDirectories.add(directory);
	}

	/** Where the last name of a path itself is, a link not followed: what `rm`, `mv` and `ln` change. */
	private ownPath(path: string): string {
		const { rules } = this;
		const name = rules.basename(path);
		return name === "." || name === ".." ? this.real(path) : rules.join(this.real(rules.dirname(path)), name);
	}

	/** Notes that what was written anew at a path (absolute) is nothing. */
	emptied(path: string): void {
		this.emptiedPaths.add(this.rules.normalize(path));
	}

	run(run: CommandRun): void {
		const key = `${run.elsewhere ? "@" : ""}${run.text}\0${run.effects.join()}\0${run.changes.join()}`;
		this.spent += 10 + run.text.length / 100;
		if (this.runs.has(key)) return;
		if (this.runs.size >= footprintLimits.runs) this.overflow("more commands than can be judged");
		else this.runs.set(key, run);
	}

	unknown(unknown: Unknown): void {
		const text = unknown.text.length > 200 ? `${unknown.text.slice(0, 199)}…` : unknown.text;
		const key = `${unknown.what}\0${text}\0${unknown.may.join()}\0${unknown.under ?? ""}\0${unknown.tail ?? ""}`;
		if (this.unknowns.has(key)) return;
		if (this.unknowns.size >= footprintLimits.unknowns) this.overflow("more unknown words than can be judged");
		else this.unknowns.set(key, { ...unknown, text });
	}

	/** Notes that a bound was reached: the rest may do anything. */
	overflow(why: string): void {
		if (this.overflown) return;
		this.overflown = true;
		this.unknowns.set("overflow", { what: "syntax", text: why, may: everyAccess });
	}

	/** Spends some of the budget; false once it is used up, and the walk must stop. */
	spend(units: number): boolean {
		this.spent += units;
		if (this.spent > footprintLimits.budget) this.overflow("a command longer than can be judged");
		return this.spent <= footprintLimits.budget;
	}

	/** A text that stands for what a search may find below the directory that it is written after. */
	found(detail: AccessDetail): string {
		const key = JSON.stringify(detail);
		this.spent += 45;
		const { searches } = this;
		let index = searches.findIndex((search) => search.key === key);
		if (index < 0) index = searches.length < MAX_SEARCHES ? searches.push({ key, detail }) - 1 : 0;
		return SEARCH_RESULT + String.fromCharCode(FIRST_SEARCH + index);
	}

	/** What the search behind such a text keeps to; `undefined` where the text stands for none. */
	searchOf(text: string): AccessDetail | undefined {
		if (text[0] !== SEARCH_RESULT) return undefined;
		return this.searches[(text.charCodeAt(1) || 0) - FIRST_SEARCH]?.detail;
	}

	/** Whether something was made, changed or removed in a directory so far: what the disk says of it may be stale. */
	changed(directory: string): boolean {
		return this.changedDirectories.has(this.rules.normalize(directory));
	}

	/** Whether a path, or a directory above it, may have been removed so far. */
	removed(path: string): boolean {
		if (this.removedPaths.size === 0) return false;
		return this.isRemoved(this.rules.resolve(path)) || this.isRemoved(this.real(path));
	}

	private isRemoved(path: string): boolean {
		if (this.removedPaths.has(path)) return true;
		const above = this.rules.dirname(path);
		return above !== path && this.isRemoved(above);
	}

	/** Whether something may have been made in a directory so far. */
	filled(directory: string): boolean {
		return this.filledDirectories.has(this.rules.normalize(directory));
	}

	/** The path (absolute) with links followed. */
	real(path: string): string {
		return followLinks(path, this.host, this.realPaths);
	}

	/** Notes that something was fetched from the network, into a file where `path` (absolute) is given. */
	fetched(path?: string): void {
		this.fetches.add(path === undefined ? "" : this.rules.normalize(path));
	}

	/** Whether a file was fetched by this call; without a path, whether anything was. */
	wasFetched(path?: string): boolean {
		return path === undefined ? this.fetches.size > 0 : this.fetches.has(this.rules.normalize(path));
	}

	/** From now on `name` (absolute) leads to `target` (absolute, or relative to where `name` is), as if it were on disk. */
	link(name: string, target: string): void {
		if (this.links.size >= MAX_LINKS) return;
		const { rules } = this;
		this.links.set(this.real(rules.dirname(name)) + rules.sep + rules.basename(name), target);
		this.realPaths.clear();
	}

	/** The footprint of all that was recorded. */
	finish(tool: string): Footprint {
		const accesses = [...this.accesses.values()].map((access) =>
			access.replaces && this.emptiedPaths.has(access.path) ? { ...access, empties: true as const } : access,
		);
		return { tool, accesses, runs: [...this.runs.values()], unknowns: [...this.unknowns.values()] };
	}
}
