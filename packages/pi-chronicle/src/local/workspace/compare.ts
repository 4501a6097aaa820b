// Compares two snapshots, by git's raw listing.
// Lines are counted only for stored text, not for links, repositories or placeholders.

import { posix, relative, sep } from "node:path";
import type { FileChange } from "@pi-chronicle/core/snapshot";
import { gitFailure, unknownTree } from "./failures.ts";
import { cutBytes, modes } from "./git.ts";
import { type NestedState, readNested } from "./nested-repository.ts";
import { byPath, fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";

export interface RawChange {
	readonly status: string;
	/** Bytes as latin1, below the root. */
	readonly path: string;
	readonly from: string | undefined;
	readonly before: { readonly mode: string; readonly object: string };
	readonly after: { readonly mode: string; readonly object: string };
	readonly added: number | undefined;
	readonly removed: number | undefined;
}

/** Short listings that are the same with and without renames, by the trees, whose names stand for their contents: of each store, which has the trees then. */
const listings = new WeakMap<Store, Map<string, readonly RawChange[]>>();
const maxKnown = 500;
const maxKnownChanges = 30;

/** The changes from one tree to another. */
export async function rawChanges(...asked: Parameters<typeof listChanges>): Promise<readonly RawChange[]> {
	const [store, from, to, renames] = asked;
	const key = [from, to, ...store.below()].join(" ");
	const known = listings.get(store) ?? new Map<string, readonly RawChange[]>();
	listings.set(store, known);
	const listed = known.get(key) ?? (await listChanges(...asked));
	const isSame = listed.every((one) => one.from === undefined && (renames === "found" || one.status !== "D"));
	// Nothing changes from a tree to itself: whether the store has the tree is asked then.
	if (isSame && from !== to && listed.length <= maxKnownChanges) known.set(key, listed);
	for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest);
	// Snapshots of earlier versions hold files that are never part of a run.
	return listed.filter(({ path }) => store.exclusionOf(path) === undefined);
}

/** The same, always read from the store. Throws `unknown_tree`. */
export async function listChanges(
	store: Store,
	from: string,
	to: string,
	renames: "found" | "apart",
): Promise<readonly RawChange[]> {
	const how = renames === "found" ? ["-M", "-l2000"] : ["--no-renames"];
	const listed = await store.tryGit([
		"diff-tree",
		"-r",
		"-z",
		"--raw",
		"--numstat",
		"--no-ext-diff",
		"--no-textconv",
		"--abbrev=64",
		...how,
		from,
		to,
		...store.below(),
	]);
	if (listed.kind === "done") return parseRawChanges(listed.output.toString("latin1"));
	if (
		listed.kind === "failed" &&
		/bad object|not a tree|unable to read|ambiguous argument|bad revision|Not a valid/i.test(listed.message)
	)
		throw unknownTree();
	throw gitFailure(listed);
}

/** Parses git's listing (`-z`). Raw records come first (`:mode mode object object status NUL path NUL`), then the line counts (`added TAB removed TAB path NUL`). */
export function parseRawChanges(text: string): RawChange[] {
	const fields = text.split("\0");
	const changes: RawChange[] = [];
	const counts = new Map<string, { readonly added: number; readonly removed: number }>();
	for (let at = 0; at < fields.length; ) {
		const field = fields[at] ?? "";
		const [, next = "", afterNext = ""] = fields.slice(at, at + 3);
		if (field.startsWith(":")) {
			const change = parseChange(field, next, afterNext);
			changes.push(change);
			at += change.from === undefined ? 2 : 3;
			continue;
		}
		const count = parseCount(field, afterNext);
		if (count?.lines) counts.set(count.path, count.lines);
		at += count?.renamed ? 3 : 1;
	}
	return changes.map((change) => ({ ...change, ...counts.get(change.path) }));
}

/** Line counts; no `lines` for entries without any. A rename has an empty path here: both names follow, `second` is the new one. */
function parseCount(field: string, second: string) {
	const [added = "", removed = "", ...rest] = field.split("\t");
	if (rest.length === 0) return undefined;
	const path = rest.join("\t");
	const renamed = path === "";
	const lines = added === "-" ? undefined : { added: Number(added), removed: Number(removed) };
	return { path: renamed ? second : path, renamed, lines };
}

function parseChange(field: string, first: string, second: string): RawChange {
	const [oldMode = "", newMode = "", oldObject = "", newObject = "", status = ""] = field.slice(1).split(" ");
	const renamed = status.startsWith("R") || status.startsWith("C");
	return {
		status: status.slice(0, 1),
		path: renamed ? second : first,
		from: renamed ? first : undefined,
		before: { mode: oldMode, object: oldObject },
		after: { mode: newMode, object: newObject },
		added: undefined,
		removed: undefined,
	};
}

/** The changes for display: paths relative to `cwd`, sorted. */
export function describeChanges(store: Store, cwd: string, changes: readonly RawChange[]): FileChange[] {
	return changes
		.map((change): FileChange => {
			const lined = [change.before, change.after].every(
				({ mode, object }) =>
					mode !== modes.link && mode !== modes.repository && store.placeholderOf(object) === undefined,
			);
			return {
				path: relativeTo(cwd, store.root, change.path),
				change: letter(change.status),
				...(change.from === undefined ? {} : { from: relativeTo(cwd, store.root, change.from) }),
				...(lined && change.added !== undefined ? { added: change.added, removed: change.removed ?? 0 } : {}),
			};
		})
		.sort(byPath);
}

function letter(status: string): FileChange["change"] {
	return status === "A" || status === "D" || status === "R" ? status : status === "C" ? "A" : "M";
}

/** One of git's paths, relative to `cwd`. */
export function relativeTo(cwd: string, root: string, raw: string): string {
	return posix.relative(relative(root, cwd).split(sep).join("/"), fromRaw(raw));
}

/** The patch from one tree to another, at most `bytes` bytes, of all files or of `path` (relative to the run's folder). */
export async function drawPatch(
	store: Store,
	from: string,
	to: string,
	bytes: number,
	path: string | undefined,
): Promise<string> {
	const below = fromRaw(store.repository.below);
	const only = path === undefined ? store.below() : ["--", `:(top,literal)${posix.join(below, path)}`];
	const drawn = await store.tryGit(
		["diff-tree", "-r", "-p", "-M", "-l2000", "--no-color", "--no-ext-diff", "--no-textconv", from, to, ...only],
		{ enough: bytes },
	);
	if (drawn.kind !== "done") {
		// Throws `unknown_tree` if that is the reason.
		await listChanges(store, from, to, "apart");
		throw gitFailure(drawn);
	}
	const text = await nameCommits(store, drawn.output.subarray(0, bytes).toString("utf8"));
	return cutBytes(text, bytes);
}

/** A patch with the commits of nested repositories in place of the objects that stand for them: like git, `-dirty` with changed files. */
async function nameCommits(store: Store, patch: string): Promise<string> {
	const objects = [...patch.matchAll(/^[-+]Subproject commit ([0-9a-f]{40,64})$/gm)].map(([, object = ""]) => object);
	const states = new Map<string, NestedState | undefined>();
	for (const object of new Set(objects)) states.set(object, await readNested(store, object));
	let before: string | undefined;
	return patch.replace(/^([-+])Subproject commit ([0-9a-f]{40,64})$/gm, (line, sign: string, object: string) => {
		const head = states.get(object)?.head;
		if (head === undefined) return line;
		const dirty = sign === "+" && head === before ? "-dirty" : "";
		before = sign === "-" ? head : undefined;
		return `${sign}Subproject commit ${head}${dirty}`;
	});
}
