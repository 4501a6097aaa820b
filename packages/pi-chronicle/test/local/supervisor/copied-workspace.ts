// A second implementation of `Workspace`, without git: it keeps copies of the files in memory. For stages, and to check that the
// port's guarantees do not depend on git. Plain files only: no links, no modes, nothing is ignored.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ChildFolder, MergeConflict, Result, Workspace, WorkspaceFailure } from "@pi-chronicle/core/ports";
import { type FileChange, totalChanges } from "@pi-chronicle/core/snapshot";

type Files = ReadonlyMap<string, string>;

/** `kept`: the snapshots of a parent's workspace, which a child shares. */
export function openCopiedWorkspace(cwd: string, kept = new Map<string, Files>()): Workspace {
	const children = join(cwd, ".pi", "children");
	const opened = new Map<string, ChildFolder>();
	const now = (): Files =>
		new Map(
			readdirSync(cwd, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => join(entry.parentPath, entry.name).slice(cwd.length + 1))
				.filter((path) => !path.startsWith(".pi"))
				.sort()
				.map((path) => [path, readFileSync(join(cwd, path), "utf8")]),
		);
	const keep = (files = now()): string => {
		const name = createHash("sha1")
			.update(JSON.stringify([...files]))
			.digest("hex");
		kept.set(name, files);
		return name;
	};
	const both = <T>(from: string, to: string, look: (from: Files, to: Files) => T): Result<T, WorkspaceFailure> => {
		const [one, other] = [kept.get(from), kept.get(to)];
		return one && other ? { ok: true, value: look(one, other) } : unknown;
	};
	const compare = (from: Files, to: Files): FileChange[] =>
		[...new Set([...from.keys(), ...to.keys()])].sort().flatMap((path): FileChange[] => {
			const [before, after] = [from.get(path), to.get(path)];
			if (before === after) return [];
			if (before === undefined) return [{ path, change: "A", added: count(after), removed: 0 }];
			if (after === undefined) return [{ path, change: "D", added: 0, removed: count(before) }];
			return [{ path, change: "M", added: count(after), removed: count(before) }];
		});

	const merge: Workspace["merge"] = async ({ base, ours, theirs, names }, { take } = {}) => {
		const [from, one, other] = [kept.get(base), kept.get(ours), kept.get(theirs)];
		if (!from || !one || !other) return unknown;
		const merged = new Map<string, string>();
		const conflicts: MergeConflict[] = [];
		for (const path of [...new Set([...from.keys(), ...one.keys(), ...other.keys()])].sort()) {
			const [then, left, right] = [from.get(path), one.get(path), other.get(path)];
			const clean = left === then || left === right ? right : right === then ? left : undefined;
			const settled = typeof take === "string" ? take : take?.get(path);
			const conflicting = left !== then && right !== then && left !== right;
			const text = !conflicting
				? clean
				: settled === "ours"
					? left
					: settled === "theirs"
						? right
						: marked(left, right);
			if (text !== undefined) merged.set(path, text);
			if (!conflicting || settled !== undefined) continue;
			const kind =
				left === undefined || right === undefined ? "modify/delete" : then === undefined ? "add/add" : "content";
			conflicts.push({ path, paths: [path], kind, why: `${names.ours} and ${names.theirs} differ`, hunks: "" });
		}
		return { ok: true, value: { tree: keep(new Map([...merged].sort(([a], [b]) => (a < b ? -1 : 1)))), conflicts } };
	};
	const restore: Workspace["restore"] = async (tree, { expected } = {}) => {
		const wanted = kept.get(tree);
		if (!wanted) return unknown;
		if (expected !== undefined && expected !== keep())
			return { ok: false, failure: { reason: "changed", message: "They have changed.", remedy: "Try again." } };
		for (const path of now().keys()) if (!wanted.has(path)) rmSync(join(cwd, path));
		writeAll(cwd, wanted);
		return { ok: true, value: { tree: keep(), left: [] } };
	};

	return {
		async openChild(child, tree) {
			const wanted = kept.get(tree);
			if (!wanted) return unknown;
			const place = join(children, child);
			const made: ChildFolder = { cwd: place, root: place, source: cwd, isNew: true, tree, notes: [] };
			const known = opened.get(child);
			if (known) return { ok: true, value: { ...known, isNew: false } };
			mkdirSync(made.cwd, { recursive: true });
			writeAll(made.cwd, wanted);
			opened.set(child, made);
			return { ok: true, value: made };
		},
		noteSetUp: async () => ({ ok: true, value: undefined }),
		endChild: async () => ({ ok: true, value: { files: [] } }),
		async removeChildren(except) {
			for (const child of opened.keys()) {
				if (except.includes(child)) continue;
				opened.delete(child);
				rmSync(join(children, child), { recursive: true, force: true });
			}
			return { ok: true, value: [] };
		},
		keepChild: async (child) =>
			opened.has(child) ? openCopiedWorkspace(join(children, child), kept).snapshot() : unknown,
		conflictMarkers: async (tree, paths) => ({
			ok: true,
			value: paths.filter((path) => kept.get(tree)?.get(path)?.startsWith("<<<<<<< ")),
		}),
		merge,
		async join({ from, to, names }) {
			const tree = keep();
			const merged = await merge({ base: from, ours: tree, theirs: to, names });
			if (!merged.ok) return merged;
			const { conflicts } = merged.value;
			if (conflicts.length > 0) return { ok: true, value: { tree, left: [], conflicts } };
			const restored = await restore(merged.value.tree);
			return restored.ok ? { ok: true, value: { ...restored.value, conflicts } } : restored;
		},
		async open() {
			return statSync(cwd, { throwIfNoEntry: false })
				? { ok: true, value: { cwd } }
				: { ok: false, failure: { reason: "io", message: `${cwd} is not there.`, remedy: "Put it back." } };
		},
		snapshot: async () => ({ ok: true, value: { tree: keep(), unkept: [], notes: [] } }),
		changes: async (from, to, limit) =>
			both(from, to, (one, other) => {
				const changes = compare(one, other);
				const more = Math.max(0, changes.length - limit);
				return { changes: changes.slice(0, limit), more, total: totalChanges(changes) };
			}),
		patch: async (from, to, bytes, path) =>
			both(from, to, (one, other) =>
				compare(one, other)
					.filter((change) => path === undefined || change.path === path)
					.map((change) =>
						[`--- ${change.path}`, ...signed("-", one.get(change.path)), ...signed("+", other.get(change.path))].join(
							"\n",
						),
					)
					.join("\n")
					.slice(0, bytes),
			),
		preview: async (tree, limit) =>
			both(keep(), tree, (one, other) => {
				const changes = compare(one, other);
				const more = Math.max(0, changes.length - limit);
				const total = totalChanges(changes);
				return { changes: changes.slice(0, limit), more, total, left: [], blocked: [] };
			}),
		restore,
	};
}

/** Both sides of a conflict; the one that is left where the other removed the file. */
function marked(left: string | undefined, right: string | undefined): string | undefined {
	if (left === undefined || right === undefined) return left ?? right;
	return `<<<<<<< ours\n${left}=======\n${right}>>>>>>> theirs\n`;
}

function writeAll(folder: string, files: Files): void {
	for (const [path, text] of files) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
}

const unknown = {
	ok: false,
	failure: { reason: "unknown_tree", message: "No such state was kept.", remedy: "Choose another." },
} as const;

function count(text = ""): number {
	return text.split("\n").length - 1;
}

function signed(sign: string, text = ""): string[] {
	return text
		.split("\n")
		.slice(0, -1)
		.map((line) => sign + line);
}
