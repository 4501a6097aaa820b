// Keeping the files as they are: what is new or changed goes into the private index, and the index becomes a tree.
// P1 contents are read once: what has not changed since the last state costs a look; P2 a file that cannot be read is named and stops
// nothing, a git that fails is no fault of a file; P3 what is too large or secret by its name has an entry that changes with its size and
// time; P4 a repository inside is one entry that changes with its HEAD and its files.
import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import { gitFailure, isFull, stopped, tooBig } from "./failures.ts";
import { type Entry, indexInfo, modes, nulled } from "./git.ts";
import { openOwner } from "./import-objects.ts";
import { keepInner } from "./inner.ts";
import { type Marks, openMarks } from "./marks.ts";
import { foldersAbove, fromRaw, placeOf } from "./paths.ts";
import type { Surroundings } from "./repository.ts";
import type { Store, StoreOptions } from "./store.ts";

const nothing = "0".repeat(40);

/** A kept state. */
export interface KeptState {
	readonly tree: string;
	/** Paths (bytes as latin1) whose present state is not in it, with the reason. A folder stands for all that is in it. */
	readonly unkept: ReadonlyMap<string, string>;
}

export interface Keeper {
	keep(): Promise<Result<KeptState, WorkspaceFailure>>;
	/** Puts files into the index that are ignored: they belong to the files from here on. */
	add(paths: readonly string[]): Promise<Result<void, WorkspaceFailure>>;
	/** The index is another now than the last state that was kept. */
	indexChanged(): void;
	readonly marks: Marks;
}

/** What the index holds that git by itself would not understand. */
interface Known {
	readonly repositories: Set<string>;
	/** By path: the mark that stands for the content. */
	readonly marked: Map<string, string>;
	/** Paths that are no part of the files of this run: left by a version that kept the whole repository. */
	readonly outside: readonly string[];
}

/** What is to be done to the index. */
interface Sorted {
	readonly plain: string[];
	readonly special: Entry[];
	readonly removed: string[];
	/** Marked before, and plain or gone now. */
	readonly unmarked: string[];
	readonly marked: Map<string, string>;
	readonly unkept: Map<string, string>;
	bytes: number;
}

const done: Result<void, WorkspaceFailure> = { ok: true, value: undefined };

/** Opens the keeper of one store. */
export async function openKeeper(store: Store, options: StoreOptions, around: Surroundings): Promise<Keeper> {
	const { folder, limits, borrow } = options;
	// A store that was opened to look at another one goes away again.
	const owner =
		around.objects === undefined || borrow.length > 0 ? undefined : openOwner(store, folder, limits.ownBytes);
	const marks = await openMarks(store, options);
	let known: Known | undefined;
	let last: string | undefined;
	let first = true;

	/** Runs git on a list of paths; nothing for an empty one. */
	const update = async (args: readonly string[], input: Buffer): Promise<Result<void, WorkspaceFailure>> => {
		if (input.length === 0) return done;
		const updated = await store.git(["update-index", "-z", ...args], { input });
		return updated.kind === "done" ? done : gitFailure(updated);
	};
	const forget = (paths: readonly string[]): Promise<Result<void, WorkspaceFailure>> =>
		update(["--index-info"], indexInfo(paths.map((path) => ({ path, mode: "0", object: nothing }))));

	/** Names of what is new or changed; a repository ends in `/`. */
	const changedNames = async (
		marked: ReadonlyMap<string, string>,
	): Promise<Result<{ names: Set<string>; closed: Map<string, string> }, WorkspaceFailure>> => {
		const listed = await store.git([
			"ls-files",
			"-z",
			"--others",
			"--modified",
			"--exclude-standard",
			...store.below(),
		]);
		if (listed.kind !== "done") return gitFailure(listed);
		const names = new Set(listed.output.toString("latin1").split("\0").filter(Boolean));
		// Once they are in the index, changes of these show like any other.
		if (first) for (const name of around.forced) if (store.contains(name)) names.add(name);
		for (const path of marked.keys()) names.add(path);
		return { ok: true, value: { names, closed: closedFolders(listed.warnings) } };
	};

	const sort = async (
		names: ReadonlySet<string>,
		{ repositories, marked }: Known,
		unkept: Map<string, string>,
	): Promise<Sorted | undefined> => {
		const sorted: Sorted = {
			plain: [],
			special: [],
			removed: [],
			unmarked: [],
			marked: new Map(),
			unkept,
			bytes: 0,
		};
		const links = openLinks(store.root);
		for (const name of names) {
			if (store.control.signal?.aborted) return undefined;
			const path = name.replace(/\/$/, "");
			if (await links.leadTo(path)) {
				// The folder that it was in is a link now: what is behind that is no part of the files.
				sorted.removed.push(path);
				if (marked.has(path)) sorted.unmarked.push(path);
				continue;
			}
			const stats = await lstat(placeOf(around.root, path)).catch((error: NodeJS.ErrnoException) => error.code);
			if (typeof stats === "string" || stats === undefined) {
				if (stats === "ENOENT" || stats === "ENOTDIR") sorted.removed.push(path);
				else unkept.set(path, `cannot be looked at (${stats})`);
			} else if (stats.isDirectory()) {
				if (name.endsWith("/") || repositories.has(path)) {
					const entry = await keepInner(store, path);
					if (entry.ok) sorted.special.push(entry.value);
					else unkept.set(path, `is a repository that could not be kept: ${entry.failure.message}`);
				} else sorted.removed.push(path);
			} else if (stats.isSymbolicLink()) sorted.plain.push(path);
			else if (!stats.isFile()) unkept.set(path, "is no file");
			else {
				const kind = marks.kindFor(path, stats.size);
				if (kind === undefined) await sortPlain(path, stats.size, sorted);
				else {
					const object = await marks.make(kind, stats.size, stats.mtimeMs);
					if (object === undefined) return undefined;
					if (marked.get(path) === object) continue;
					sorted.marked.set(path, object);
					sorted.special.push({ path, mode: stats.mode & 0o100 ? modes.program : modes.file, object });
					continue;
				}
			}
			if (marked.has(path) && !unkept.has(path)) sorted.unmarked.push(path);
		}
		return sorted;
	};

	const sortPlain = async (path: string, size: number, sorted: Sorted): Promise<void> => {
		const readable = await access(placeOf(around.root, path), constants.R_OK).then(
			() => true,
			() => false,
		);
		if (!readable) return void sorted.unkept.set(path, "cannot be read");
		sorted.plain.push(path);
		sorted.bytes += size;
	};

	const keep = async (): Promise<Result<KeptState, WorkspaceFailure>> => {
		if (!known) {
			const read = await readKnown(store);
			if (!read.ok) return read;
			known = read.value;
		}
		const { repositories, marked, outside } = known;
		const former = await formerRepositories(store, repositories);
		const forgotten = await forget([...former, ...outside]);
		if (!forgotten.ok) return forgotten;
		for (const path of former) repositories.delete(path);
		if (outside.length > 0) known = { ...known, outside: [] };

		const changed = await changedNames(marked);
		if (!changed.ok) return changed;
		const { names, closed } = changed.value;
		if (names.size > limits.files)
			return tooBig(
				`${count(names.size)} files in ${around.root} are new or changed; at most ${count(limits.files)} are kept.`,
			);
		const sorted = await sort(names, known, new Map(closed));
		if (!sorted) return store.control.signal?.aborted ? stopped : markFailure;
		if (sorted.bytes > limits.totalBytes)
			return tooBig(
				`${count(Math.round(sorted.bytes / 1e6))} MB in ${around.root} are new or changed; at most ${count(Math.round(limits.totalBytes / 1e6))} MB are kept at once.`,
			);
		const moved = names.size > 0 || former.length > 0 || outside.length > 0 || last === undefined;
		if (!moved && last !== undefined) return { ok: true, value: { tree: last, unkept: sorted.unkept } };
		const indexed = await index(sorted);
		if (!indexed.ok) return indexed;
		for (const path of sorted.unmarked) marked.delete(path);
		for (const [path, object] of sorted.marked) marked.set(path, object);
		for (const { path, mode } of sorted.special) if (mode === modes.repository) repositories.add(path);
		const written = await store.git(["write-tree"]);
		if (written.kind !== "done") return gitFailure(written);
		const tree = written.output.toString("latin1").trim();
		const owned = (await owner?.own(tree)) ?? done;
		if (!owned.ok) return owned;
		last = tree;
		first = false;
		return { ok: true, value: { tree, unkept: sorted.unkept } };
	};

	/** Brings the index to what was sorted. */
	const index = async ({
		plain,
		special,
		removed,
		unmarked,
		marked,
		unkept,
	}: Sorted): Promise<Result<void, WorkspaceFailure>> => {
		// Git is told not to look at marked files: it would read them whole each time.
		const steps: (() => Promise<Result<void, WorkspaceFailure>>)[] = [
			() => update(["--no-skip-worktree", "--stdin"], nulled(unmarked)),
			() => forget(removed),
			() => addPlain(store, plain, unkept),
			() => update(["--add", "--replace", "--index-info"], indexInfo(special)),
			() => update(["--skip-worktree", "--stdin"], nulled([...marked.keys()])),
		];
		for (const step of steps) {
			const result = await step();
			if (!result.ok) return result;
		}
		return done;
	};

	const reset = (): void => {
		known = undefined;
		last = undefined;
	};
	return {
		async keep() {
			const kept = await keep();
			// What is known of the index may be wrong after a failure in the middle.
			if (!kept.ok) reset();
			return kept;
		},
		async add(paths) {
			const unkept = new Map<string, string>();
			const added = await addPlain(store, paths, unkept);
			reset();
			if (!added.ok) return added;
			const [first] = unkept;
			return first === undefined
				? done
				: gitFailure({ kind: "failed", code: -1, message: `${fromRaw(first[0])} ${first[1]}`, raw: "" });
		},
		indexChanged() {
			reset();
			// An index that was made again has lost what is tracked against a pattern.
			first = true;
		},
		marks,
	};
}

/** Tells whether a path leads through a link. */
function openLinks(root: string): { leadTo(path: string): Promise<boolean> } {
	const seen = new Map<string, boolean>();
	return {
		async leadTo(path) {
			for (const folder of foldersAbove(path)) {
				let link = seen.get(folder);
				if (link === undefined) {
					link = (await lstat(placeOf(root, folder)).catch(() => undefined))?.isSymbolicLink() ?? false;
					seen.set(folder, link);
				}
				if (link) return true;
			}
			return false;
		},
	};
}

const markFailure = gitFailure({ kind: "failed", code: -1, message: "a mark could not be written", raw: "" });

function count(number: number): string {
	return number.toLocaleString("en-US");
}

/** Folders that git could not look into, by its warnings. */
function closedFolders(warnings: string): Map<string, string> {
	const found = [...warnings.matchAll(/^warning: could not open directory '([\s\S]*?)\/?': (.*)$/gm)];
	return new Map(found.map(([, path = "", why = ""]) => [path, `cannot be looked into (${why})`]));
}

async function readKnown(store: Store): Promise<Result<Known, WorkspaceFailure>> {
	const listed = await store.git(["ls-files", "-z", "-t", "--stage"]);
	if (listed.kind !== "done") return gitFailure(listed);
	const outside: string[] = [];
	const known = { repositories: new Set<string>(), marked: new Map<string, string>(), outside };
	for (const line of listed.output.toString("latin1").split("\0")) {
		const [tag = "", mode = "", object = ""] = line.split(" ", 3);
		const path = line.slice(line.indexOf("\t") + 1);
		if (line !== "" && !store.contains(path)) outside.push(path);
		else if (mode === modes.repository) known.repositories.add(path);
		else if (tag === "S") known.marked.set(path, object);
	}
	return { ok: true, value: known };
}

/** Repositories of the last state that are plain folders, or nothing, now: git looks into them only once they are forgotten. */
async function formerRepositories(store: Store, repositories: ReadonlySet<string>): Promise<string[]> {
	const gone: string[] = [];
	for (const path of repositories) {
		const there = await lstat(placeOf(store.root, `${path}/.git`)).catch(
			({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
		);
		if (there === false) gone.push(path);
	}
	return gone;
}

/** Files that became unreadable between the look at them and git's: more than that is a failure. */
const mostFaults = 20;

/** Adds files to the index. One that git names as the cause of its failure is left out, and named in `unkept`. */
async function addPlain(
	store: Store,
	names: readonly string[],
	unkept: Map<string, string>,
): Promise<Result<void, WorkspaceFailure>> {
	let left = names;
	for (let faults = 0; left.length > 0; faults += 1) {
		const added = await store.git(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
			input: nulled(left),
		});
		if (added.kind === "done") return done;
		if (added.kind !== "failed" || isFull(added.message) || faults >= mostFaults) return gitFailure(added);
		const blamed = /^fatal: Unable to process path ([\s\S]+)\n$/m.exec(added.raw)?.[1];
		if (blamed === undefined || !left.includes(blamed)) return gitFailure(added);
		unkept.set(blamed, `cannot be read (${(added.message.split("\n")[0] ?? "").replace(/^error: /, "")})`);
		left = left.filter((name) => name !== blamed);
	}
	return done;
}
