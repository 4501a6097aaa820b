// Collects the accesses, runs and unknowns of an analysis, without duplicates and within bounds.
// R1 nothing is dropped silently: beyond a bound, one `syntax` unknown that may do anything represents the rest; R2 paths that the call
// itself created, removed or linked outweigh the disk.
import type { AccessKind, CommandRun, FileAccess, Footprint, HostEnvironment, Unknown } from "./footprint.ts";
import { followLinks, isTooLong, pathRules } from "./paths.ts";
import { FIRST_SEARCH, knownWords, SEARCH_RESULT, unmarked } from "./text.ts";

/** Bounds of one footprint. They keep the worst case of any input within a fraction of a second. */
export const footprintLimits = {
	accesses: 2000,
	runs: 1000,
	unknowns: 300,
	/** Budget of a walk, in units of roughly a microsecond. Loops and functions cost each time they are walked. */
	budget: 16_000,
	/** Shell text within shell text (`sh -c`, `eval`, functions, substitutions). */
	depth: 24,
	/** Words of one command. */
	words: 2500,
	/** Parts (quotes, expansions) of one word. */
	parts: 1000,
	/** UTF-16 units of one command. */
	text: 1_000_000,
} as const;

const MAX_SEARCHES = 500;
const MAX_LINKS = 200;

export const everyAccess: readonly AccessKind[] = ["read", "list", "write", "delete", "link"];

/** Details of an access; an absent field means no. */
export interface AccessDetail {
	readonly recursive?: boolean;
	readonly replaces?: boolean;
	readonly only?: readonly string[];
	readonly skips?: FileAccess["skips"];
}

/** A run as an analysis finds it. */
export interface RunToRecord extends Pick<CommandRun, "program" | "text"> {
	readonly args?: readonly string[];
	readonly effects?: Iterable<CommandRun["effects"][number]>;
	readonly changes?: Iterable<CommandRun["changes"][number]>;
	readonly places?: CommandRun["places"];
	readonly elsewhere?: boolean;
}

/** Kinds of access that change a directory or file. */
const changes: ReadonlySet<AccessKind> = new Set(["write", "delete", "link"]);

export class FootprintRecord {
	/** The caller's environment plus the links that the call itself creates. */
	readonly host: HostEnvironment;
	private readonly links = new Map<string, string>();
	private readonly accesses = new Map<string, FileAccess>();
	private readonly runs = new Map<string, CommandRun>();
	private readonly unknowns = new Map<string, Unknown>();
	private readonly realPaths = new Map<string, string>();
	/** Normalized paths of fetched files; an empty string for any fetch. */
	private readonly fetches = new Set<string>();
	/** Directories in which something was created, changed or removed. */
	private readonly changedDirectories = new Set<string>();
	/** Directories in which something may have been created. */
	private readonly filledDirectories = new Set<string>();
	private readonly removedPaths = new Set<string>();
	private readonly emptiedPaths = new Set<string>();
	/** The filters of searches. The first has no filter and also represents searches beyond the bound. */
	private readonly searches: { readonly key: string; readonly detail: AccessDetail }[] = [{ key: "{}", detail: {} }];
	private readonly rules: ReturnType<typeof pathRules>;
	private readonly calls = new Set<string>();
	private spent = 0;
	private overflown = false;

	constructor(disk: HostEnvironment) {
		const { links } = this;
		this.rules = pathRules(disk);
		this.host = {
			...disk,
			kind: (path) => (links.has(path) ? "link" : disk.kind(path)),
			// A path through a link of this call is not on disk yet, so it is followed step by step.
			realpath: (path) => (links.has(path) ? undefined : disk.realpath(path)),
			names: (path) => disk.names(path)?.map(unmarked),
			readlink: (path) => links.get(path) ?? disk.readlink(path),
		};
	}

	/** Adds an access to an absolute path. The path may contain `..`, which the kernel resolves through links. */
	access(kind: AccessKind, path: string, by: string, detail: AccessDetail = {}): void {
		// As written: the links of a long path are not followed, also where `..` makes it short.
		if (isTooLong(path)) {
			this.overflow("a path longer than can be judged");
			return;
		}
		const { rules } = this;
		const lexical = rules.normalize(path);
		const entered = lexical.length > 1 && lexical.endsWith(rules.sep);
		const normal = entered ? rules.resolve(lexical) : lexical;
		// Every segment may be a link; a recursive change is compared with every protected path below it.
		if (!this.spend(4 + path.length / 20 + (detail.recursive && changes.has(kind) ? 25 : 0))) return;
		if (!this.addAccess(kind, normal, () => this.real(path), by, detail)) return;
		if (!changes.has(kind)) return;
		this.noteChange(kind, normal);
		const link = entered ? normal : this.ownPath(path);
		if (link !== normal && link !== this.real(path)) this.addAccess(kind, link, () => this.real(path), by, detail);
	}

	/** Adds an access under its normalized path; false if it is already recorded or a bound was reached. */
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

	/** The location of a path's last name without following it as a link: what `rm`, `mv` and `ln` change. */
	private ownPath(path: string): string {
		const { rules } = this;
		const name = rules.basename(path);
		return name === "." || name === ".." ? this.real(path) : rules.join(this.real(rules.dirname(path)), name);
	}

	/** Records that the file rewritten at an absolute path is empty. */
	emptied(path: string): void {
		this.emptiedPaths.add(this.rules.normalize(path));
	}

	/** Adds a run. `args` may contain placeholders. */
	run(found: RunToRecord): void {
		const { program, args = [], text, places, elsewhere = false } = found;
		const [effects, changes] = [[...(found.effects ?? [])], [...(found.changes ?? [])]];
		const run: CommandRun = {
			program,
			args: knownWords(args),
			text,
			effects,
			changes,
			...(places && { places }),
			...(elsewhere && { elsewhere }),
		};
		const key = `${elsewhere ? "@" : ""}${text}\0${effects.join()}\0${changes.join()}\0${places ? JSON.stringify(places) : ""}`;
		this.spent += 10 + text.length / 100;
		if (this.runs.has(key)) return;
		if (this.runs.size >= footprintLimits.runs) this.overflow("more commands than can be judged");
		else this.runs.set(key, run);
	}

	/** Adds the names of a tool that the call passes on to. */
	call(...names: readonly string[]): void {
		if (this.calls.size + names.length > footprintLimits.runs) this.overflow("more calls than can be judged");
		else for (const name of names) this.calls.add(name);
	}

	/** Adds an unknown part; by default it may do anything. */
	unknown({ may = everyAccess, ...unknown }: Omit<Unknown, "may"> & Partial<Pick<Unknown, "may">>): void {
		const text = unknown.text.length > 200 ? `${unknown.text.slice(0, 199)}…` : unknown.text;
		const key = `${unknown.what}\0${text}\0${may.join()}\0${unknown.under ?? ""}\0${unknown.tail ?? ""}`;
		if (this.unknowns.has(key)) return;
		if (this.unknowns.size >= footprintLimits.unknowns) this.overflow("more unknown words than can be judged");
		else this.unknowns.set(key, { ...unknown, text, may });
	}

	/** Records that a bound was reached: the rest may do anything. */
	overflow(why: string): void {
		if (this.overflown) return;
		this.overflown = true;
		this.unknowns.set("overflow", { what: "syntax", text: why, may: everyAccess });
	}

	/** Spends part of the budget; false when it is used up and the walk must stop. */
	spend(units: number): boolean {
		this.spent += units;
		if (this.spent > footprintLimits.budget) this.overflow("a command longer than can be judged");
		return this.spent <= footprintLimits.budget;
	}

	/** A placeholder for the results of a search below the directory that it is appended to. */
	found(detail: AccessDetail): string {
		const key = JSON.stringify(detail);
		this.spent += 45;
		const { searches } = this;
		let index = searches.findIndex((search) => search.key === key);
		if (index < 0) index = searches.length < MAX_SEARCHES ? searches.push({ key, detail }) - 1 : 0;
		return SEARCH_RESULT + String.fromCharCode(FIRST_SEARCH + index);
	}

	/** The filters of the search behind such a placeholder; `undefined` if the text is not such a placeholder. */
	searchOf(text: string): AccessDetail | undefined {
		if (text[0] !== SEARCH_RESULT) return undefined;
		return this.searches[(text.charCodeAt(1) || 0) - FIRST_SEARCH]?.detail;
	}

	/** A line of output that is limited to names with a glob: search results are, and known lines are kept. */
	narrowed(line: string, glob: string): string {
		const at = line.indexOf(SEARCH_RESULT);
		const detail = at >= 0 && at === line.length - 2 ? this.searchOf(line.slice(at)) : undefined;
		if (!detail || detail.only?.some((each) => !each.startsWith("!"))) return line;
		return line.slice(0, at) + this.found({ ...detail, only: [...(detail.only ?? []), glob] });
	}

	/** Whether something was created, changed or removed in a directory so far, so that the disk's answers may be stale. */
	changed(directory: string): boolean {
		return this.changedDirectories.has(this.rules.normalize(directory));
	}

	/** Whether a path or one of its parent directories may have been removed so far. */
	removed(path: string): boolean {
		if (this.removedPaths.size === 0) return false;
		return this.isRemoved(this.rules.resolve(path)) || this.isRemoved(this.real(path));
	}

	private isRemoved(path: string): boolean {
		if (this.removedPaths.has(path)) return true;
		const above = this.rules.dirname(path);
		return above !== path && this.isRemoved(above);
	}

	/** Whether an entry of this normalized path may have been put in place so far by a command that `counts`, by its text. */
	wasPut(path: string, counts: (by: string) => boolean): boolean {
		this.spent += this.accesses.size / 20;
		const { sep } = this.rules;
		return [...this.accesses.values()].some(
			(access) =>
				changes.has(access.kind) &&
				[access.path, access.real].some((at) => at === path || (access.recursive && path.startsWith(at + sep))) &&
				counts(access.by),
		);
	}

	/**
	 * The normalized paths that were copied, with all below them, to this normalized path or above it so far; `undefined` if anything else may
	 * have put an entry there.
	 */
	copiedFrom(path: string): readonly string[] | undefined {
		const sources: string[] = [];
		const read = (by: string) =>
			[...this.accesses.values()].filter((access) => access.kind === "read" && access.recursive && access.by === by);
		const isCopied = !this.wasPut(path, (by) => {
			// With `--link-dest`, files may be shared with another folder.
			const from = /^(?:cp|ditto|rsync(?!.* --link-dest)) /s.test(by) ? read(by) : [];
			sources.push(...from.map((access) => access.path));
			return from.length === 0;
		});
		return isCopied ? sources : undefined;
	}

	/** Whether something may have been created in a directory so far. */
	filled(directory: string): boolean {
		return this.filledDirectories.has(this.rules.normalize(directory));
	}

	/** The absolute path with links followed. */
	real(path: string): string {
		return followLinks(path, this.host, this.realPaths);
	}

	/** Records a fetch from the network, into a file if `path` (absolute) is given. */
	fetched(path?: string): void {
		this.fetches.add(path === undefined ? "" : this.rules.normalize(path));
	}

	/** Whether this call fetched a file; without a path, whether it fetched anything. */
	wasFetched(path?: string): boolean {
		return path === undefined ? this.fetches.size > 0 : this.fetches.has(this.rules.normalize(path));
	}

	/** Makes `name` (absolute) link to `target` (absolute, or relative to the directory of `name`), as if the link were on disk. */
	link(name: string, target: string): void {
		if (this.links.size >= MAX_LINKS) return;
		const { rules } = this;
		this.links.set(this.real(rules.dirname(name)) + rules.sep + rules.basename(name), target);
		this.realPaths.clear();
	}

	/** Builds the footprint from everything recorded. */
	finish(tool: string): Footprint {
		const accesses = [...this.accesses.values()].map((access) =>
			access.replaces && this.emptiedPaths.has(access.path) ? { ...access, empties: true as const } : access,
		);
		const [runs, unknowns, calls] = [[...this.runs.values()], [...this.unknowns.values()], [...this.calls]];
		return { tool, accesses, runs, unknowns, ...(calls.length > 0 && { calls }) };
	}
}
