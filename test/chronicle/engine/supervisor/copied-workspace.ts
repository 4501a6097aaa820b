// A second `Workspace`, of another make than the one with git: it keeps copies of the files in memory. For stages, and to see that the
// port's promises do not come from git. Plain files only: no links, no modes, nothing is ignored.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Result, Workspace, WorkspaceFailure } from "../../../../src/chronicle/core/index.ts";
import type { FileChange } from "../../../../src/chronicle/core/snapshot/index.ts";

type Files = ReadonlyMap<string, string>;

export function openCopiedWorkspace(cwd: string): Workspace {
	const kept = new Map<string, Files>();
	const now = (): Files =>
		new Map(
			readdirSync(cwd, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => join(entry.parentPath, entry.name).slice(cwd.length + 1))
				.filter((path) => !path.startsWith(".pi"))
				.sort()
				.map((path) => [path, readFileSync(join(cwd, path), "utf8")]),
		);
	const keep = (): string => {
		const files = now();
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

	return {
		async open() {
			return statSync(cwd, { throwIfNoEntry: false })
				? { ok: true, value: { cwd } }
				: { ok: false, failure: { reason: "io", message: `${cwd} is not there.`, remedy: "Put it back." } };
		},
		snapshot: async () => ({ ok: true, value: { tree: keep(), unkept: [], notes: [] } }),
		changes: async (from, to, limit) =>
			both(from, to, (one, other) => {
				const changes = compare(one, other);
				return { changes: changes.slice(0, limit), more: Math.max(0, changes.length - limit) };
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
				return { changes: changes.slice(0, limit), more, left: [], blocked: [] };
			}),
		async restore(tree, { expected } = {}) {
			const wanted = kept.get(tree);
			if (!wanted) return unknown;
			if (expected !== undefined && expected !== keep())
				return { ok: false, failure: { reason: "changed", message: "They have changed.", remedy: "Try again." } };
			for (const path of now().keys()) if (!wanted.has(path)) rmSync(join(cwd, path));
			for (const [path, text] of wanted) {
				mkdirSync(dirname(join(cwd, path)), { recursive: true });
				writeFileSync(join(cwd, path), text);
			}
			return { ok: true, value: { tree: keep(), left: [] } };
		},
		publish: async () => ({ ok: true, value: undefined }),
	};
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
