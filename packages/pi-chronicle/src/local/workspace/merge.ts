// Merges two snapshots with a common base, describes and resolves the conflicts, and makes the remaining ones readable.
// No line of either side is lost unless its path is reported as a conflict; a file whose contents are not stored is never merged
// by lines; the same sides give the same tree.

import type { MergeConflict, MergedFiles, MergeSides } from "@pi-chronicle/core/ports";
import { readBlobs, writeBlob } from "./blobs.ts";
import { relativeTo } from "./compare.ts";
import { type Conflict, conflictHunks, explainConflict, findConflicts, labelMarkers, realPath } from "./conflicts.ts";
import { gitFailure, unknownTree } from "./failures.ts";
import { modes, removal, type TreeEntry } from "./git.ts";
import { type MergeOutput, mergeTrees } from "./merge-output.ts";
import { toRaw } from "./paths.ts";
import { editTree } from "./private-index.ts";
import type { Store } from "./store.ts";

type Side = "ours" | "theirs";

export interface MergeOptions {
	/** Folder for a second index. */
	readonly folder: string;
	/** Reported paths are relative to it. */
	readonly cwd: string;
	readonly take?: Side | ReadonlyMap<string, Side> | undefined;
}

/** Maximum bytes of conflicting lines for one file, and for a whole merge. */
const hunkBytes = 4_000;
const allHunkBytes = 64_000;

/** As in git: text has no NUL in its first bytes. */
const inspectedBytes = 8_000;

/** Merges two snapshots; changes no files. */
export async function mergeSnapshots(store: Store, sides: MergeSides, options: MergeOptions): Promise<MergedFiles> {
	if (sides.ours === sides.base) return { tree: sides.theirs, conflicts: [] };
	await store.reloadPlaceholders();
	const output = await mergeTrees(store, sides);
	const contents = await readBlobs(store, [...new Set(output.stages.map(({ object }) => object))]);
	const conflicts = findConflicts(output, {
		isUnkept: (object) => store.placeholderOf(object) !== undefined,
		isBinary: (object) => contents.get(object)?.subarray(0, inspectedBytes).includes(0) ?? false,
	});
	if (conflicts.length === 0) return { tree: output.tree, conflicts: [] };
	const { shown, sideOf } = openSides(store, options);
	const settled = await settleConflicts(store, sides, output, conflicts, sideOf);
	const open = conflicts.filter((conflict) => sideOf(conflict) === undefined);
	const marked = await markOpen(store, sides, output, open);
	const edited = await editTree(store, output.tree, [...settled, ...marked.entries], options.folder);
	let left = allHunkBytes;
	const described = open.map((conflict): MergeConflict => {
		const hunks = conflictHunks(marked.texts.get(conflict) ?? "", Math.min(left, hunkBytes));
		left -= Buffer.byteLength(hunks);
		return describeConflict(conflict, sides.names, shown, hunks);
	});
	return { tree: edited, conflicts: described };
}

/** A conflict for display. */
export function describeConflict(
	conflict: Conflict,
	names: MergeSides["names"],
	shown: (path: string) => string,
	hunks: string,
): MergeConflict {
	const { path, paths, kind } = conflict;
	return { path: shown(path), paths: paths.map(shown), kind, why: explainConflict(conflict, names), hunks };
}

/** How paths are shown, and which side resolves a conflict. */
export function openSides(store: Store, { cwd, take }: Pick<MergeOptions, "cwd" | "take">) {
	const shown = (path: string): string => relativeTo(cwd, store.root, path);
	const choose = ({ paths }: Conflict): Side | undefined =>
		take === undefined || typeof take === "string"
			? take
			: paths.map((path) => take.get(shown(path))).find((side) => side !== undefined);
	// A change of a file whose contents are not stored cannot be transferred, regardless of the side: a restore leaves the file and reports it.
	const isMoot = ({ stages }: Conflict): boolean =>
		stages.every(({ object }) => store.placeholderOf(object) !== undefined);
	const sideOf = (conflict: Conflict): Side | undefined => (isMoot(conflict) ? "theirs" : choose(conflict));
	return { shown, sideOf };
}

/** An entry of a tree with the bytes of its contents; not a number: they are missing. */
export interface SizedEntry extends TreeEntry {
	readonly size: number;
}

/** The entries of `tree`. Throws `unknown_tree`. `-l`: with their sizes, which are 0 otherwise. */
export async function listEntries(store: Store, tree: string, ...how: readonly "-l"[]): Promise<SizedEntry[]> {
	const listed = await store.tryGit(["ls-tree", "-r", "-z", ...how, "--full-tree", tree]);
	if (listed.kind !== "done") throw listed.kind === "failed" ? unknownTree() : gitFailure(listed);
	const lines = [...listed.output.toString("latin1").matchAll(/(\d+) [a-z]+ ([0-9a-f]+)(?: +(\S+))?\t([^\0]*)\0/g)];
	return lines.map(([, mode = "", object = "", size = "-", path = ""]) => {
		return { path, mode, object, size: size === "-" ? 0 : Number(size) };
	});
}

/** The entries of `tree`, by path (bytes as latin1). Throws `unknown_tree`. */
export async function entriesOf(store: Store, tree: string): Promise<ReadonlyMap<string, TreeEntry>> {
	return new Map((await listEntries(store, tree)).map((entry) => [entry.path, entry]));
}

/** Edits of the merged tree that give each resolved conflict the version of its side. */
async function settleConflicts(
	store: Store,
	sides: MergeSides,
	output: MergeOutput,
	conflicts: readonly Conflict[],
	sideOf: (conflict: Conflict) => Side | undefined,
): Promise<TreeEntry[]> {
	const bySide = {
		ours: conflicts.filter((conflict) => sideOf(conflict) === "ours"),
		theirs: conflicts.filter((conflict) => sideOf(conflict) === "theirs"),
	};
	const edits: TreeEntry[] = [];
	if (bySide.ours.length + bySide.theirs.length === 0) return edits;
	const merged = await entriesOf(store, output.tree);
	const aside = asideNames(output, merged);
	for (const side of ["ours", "theirs"] as const) {
		const wanted = await entriesOf(store, sides[side]);
		for (const path of bySide[side].flatMap(({ paths }) => paths)) {
			const entry = wanted.get(path);
			edits.push(...(aside.get(path) ?? []).map(removal));
			// A file excludes a folder of the same name.
			if (entry) edits.push(...below(merged, path).map(removal));
			edits.push(entry ?? removal(path));
		}
	}
	return edits;
}

function below(entries: ReadonlyMap<string, unknown>, folder: string): string[] {
	return [...entries.keys()].filter((path) => path.startsWith(`${folder}/`));
}

/** Names in the merged tree of files that git moved aside, by their path in the sides. */
function asideNames(output: MergeOutput, merged: ReadonlyMap<string, unknown>): ReadonlyMap<string, string[]> {
	const names = new Map<string, string[]>();
	for (const name of merged.keys()) {
		const path = realPath(name, output.commits);
		if (path !== name) names.set(path, [...(names.get(path) ?? []), name]);
	}
	return names;
}

interface Marked {
	readonly entries: readonly TreeEntry[];
	/** The texts with markers, of conflicts that have one. */
	readonly texts: ReadonlyMap<Conflict, string>;
}

/** Edits of the merged tree that make its open conflicts readable and keep placeholders unmixed. */
async function markOpen(
	store: Store,
	sides: MergeSides,
	output: MergeOutput,
	conflicts: readonly Conflict[],
): Promise<Marked> {
	const entries: TreeEntry[] = [];
	const texts = new Map<Conflict, string>();
	if (conflicts.length === 0) return { entries, texts };
	const merged = await entriesOf(store, output.tree);
	for (const conflict of conflicts) {
		if (conflict.kind === "unkept" || conflict.kind === "repository") entries.push(...keepOneSide(conflict));
		else {
			const marked = await labelTexts(store, sides, output, conflict, merged);
			entries.push(...marked.entries);
			if (marked.text !== "") texts.set(conflict, marked.text);
		}
	}
	const own = new Set(entries.map(({ path }) => path));
	entries.push(...renameAside(sides, output, merged).filter(({ path }) => !own.has(path)));
	return { entries, texts };
}

/** For entries that cannot be merged, our version stays, or theirs if ours does not exist. */
function keepOneSide({ stages }: Conflict): TreeEntry[] {
	return [...new Set(stages.map(({ path }) => path))].map((path) => {
		const found = [2, 3].map((stage) => stages.find((one) => one.path === path && one.stage === stage));
		const one = found.find((entry) => entry !== undefined);
		return one ? { path, mode: one.mode, object: one.object } : removal(path);
	});
}

/** The conflicted texts of one conflict with readable markers. */
async function labelTexts(
	store: Store,
	{ names }: MergeSides,
	{ commits }: MergeOutput,
	{ stages }: Conflict,
	merged: ReadonlyMap<string, TreeEntry>,
): Promise<{ readonly entries: TreeEntry[]; readonly text: string }> {
	const entries: TreeEntry[] = [];
	let text = "";
	for (const path of new Set(stages.map((stage) => stage.path))) {
		const entry = merged.get(path);
		const plain = entry && entry.mode !== modes.link && entry.mode !== modes.repository;
		// A text that equals one side has no markers.
		if (!plain || stages.some(({ object }) => object === entry.object)) continue;
		const read = await readBlobs(store, [entry.object]);
		const before = read.get(entry.object)?.toString("latin1") ?? "";
		const after = labelMarkers(before, commits, names);
		text += Buffer.from(after, "latin1").toString("utf8");
		if (after === before) continue;
		const written = await writeBlob(store, Buffer.from(after, "latin1"));
		entries.push({ ...entry, object: written });
	}
	return { entries, text };
}

/** Gives files that git moved aside a readable name instead of one with a commit. */
function renameAside(
	{ names }: MergeSides,
	{ commits }: MergeOutput,
	merged: ReadonlyMap<string, TreeEntry>,
): TreeEntry[] {
	const edits: TreeEntry[] = [];
	const taken = new Set(merged.keys());
	for (const entry of merged.values()) {
		const path = realPath(entry.path, commits);
		if (path === entry.path) continue;
		const side = entry.path.includes(`~${commits.ours}`, path.length) ? names.ours : names.theirs;
		const label = toRaw(side).replace(/[^\w.-]+/g, "-");
		let name = `${path}~${label}`;
		for (let n = 2; taken.has(name); n += 1) name = `${path}~${label}-${n}`;
		taken.add(name);
		edits.push(removal(entry.path), { ...entry, path: name });
	}
	return edits;
}
