// Determines which files git ignores and tracks, from git's own files (.gitignore, info/exclude, the index), without starting a process.
// Invariants: a file without information counts as neither ignored nor untracked; the same files give the same answer, so the user's
// global ignore file is not read.
import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ignore, { type Ignore } from "ignore";
import { attempt } from "../../../disk/index.ts";
import { type GitIndex, readGitIndex } from "./git-index.ts";

export interface GitView {
	/** Whether searches that respect git's rules skip a file (absolute path), and no ignore file of theirs includes it again. */
	isIgnored(path: string): boolean;
	/** Whether git certainly does not track a file. */
	isUntracked(path: string): boolean;
	/** Whether git certainly tracks a file. */
	isTracked(path: string): boolean;
	/** Whether a directory or file is ignored and contains nothing tracked: it is generated, or disposable. */
	isRegenerated(path: string): boolean;
}

interface Repository {
	readonly root: string;
	/** The folder with the index. */
	readonly gitFolder: string;
	/** The folder with `info/exclude`. */
	readonly common: string;
}

/** In bytes; a longer rule file is not read. */
const MAX_RULES = 1_000_000;
const MAX_KNOWN = 4000;
/** Files with which search programs include files that git ignores. */
const others = [".ignore", ".rgignore", ".fdignore", ".agignore"];

/** Opens a view of the disk, which caches files as long as they do not change. */
export function openGitView(): GitView {
	const rules = openMemory((file) => readRules(file));
	const indexes = new Map<string, { readonly stamp: string; readonly index: GitIndex | undefined }>();

	const indexOf = ({ gitFolder, common }: Repository): GitIndex | undefined => {
		const stamp = stampOf(join(gitFolder, "index"));
		const known = indexes.get(gitFolder);
		if (known && known.stamp === stamp) return known.index;
		const index = stamp === "" ? undefined : readGitIndex(gitFolder, common);
		if (indexes.size > 20) indexes.clear();
		indexes.set(gitFolder, { stamp, index });
		return index;
	};

	/** The verdict of the ignore files with one name on a path; the deepest folder takes precedence. */
	const saidBy = (name: string, place: string, root: string): "ignored" | "taken back" | undefined => {
		for (let folder = dirname(place.replace(/\/$/, "")); ; folder = dirname(folder)) {
			const verdict = test(rules(join(folder, name)), folder, place);
			if (verdict) return verdict;
			if (folder === root || dirname(folder) === folder) return undefined;
		}
	};

	const ignoredBy = ({ root, common }: Repository, path: string): boolean => {
		const exclude = rules(join(common, "info", "exclude"));
		const way = wayFrom(root, path).split("/");
		for (let at = 1; at <= way.length; at++) {
			const part = join(root, ...way.slice(0, at));
			const place = at < way.length || isDirectory(part) ? `${part}/` : part;
			const verdict = saidBy(".gitignore", place, root) ?? test(exclude, root, place);
			// The contents of an ignored folder are ignored.
			if (verdict === "ignored") return true;
		}
		return false;
	};

	const isTakenBack = ({ root }: Repository, path: string): boolean => {
		for (let place = path; place !== root; place = dirname(place)) {
			const named = place === path ? place : `${place}/`;
			if (others.some((name) => saidBy(name, named, root) === "taken back")) return true;
		}
		return false;
	};

	return {
		isIgnored(path) {
			const repository = repositoryOf(path);
			return repository !== undefined && ignoredBy(repository, path) && !isTakenBack(repository, path);
		},
		isUntracked(path) {
			const repository = repositoryOf(path);
			const index = repository && indexOf(repository);
			return repository !== undefined && index !== undefined && !index.has(wayFrom(repository.root, path));
		},
		isTracked(path) {
			const repository = repositoryOf(path);
			return repository !== undefined && indexOf(repository)?.has(wayFrom(repository.root, path)) === true;
		},
		isRegenerated(path) {
			const repository = repositoryOf(path);
			if (!repository || repository.root === path || !ignoredBy(repository, path)) return false;
			const index = indexOf(repository);
			const way = wayFrom(repository.root, path);
			return index !== undefined && !index.has(way) && !index.hasBelow(way);
		},
	};
}

/** A path relative to a parent folder, with slashes. */
function wayFrom(folder: string, place: string): string {
	return relative(folder, place).replaceAll("\\", "/");
}

/** The verdict of one ignore file on a path; a folder ends with a slash. */
function test(rules: Ignore | undefined, folder: string, place: string): "ignored" | "taken back" | undefined {
	if (!rules) return undefined;
	const way = wayFrom(folder, place);
	if (way === "" || way.startsWith("..")) return undefined;
	const { ignored, unignored } = (rules as unknown as OwnRules)._rules.test(
		place.endsWith("/") ? `${way}/` : way,
		true,
		"regex",
	);
	return ignored ? "ignored" : unignored ? "taken back" : undefined;
}

/**
 * The library's test of a single path. Its public `test` also tests the parent folders against the same ignore file: a folder that a stronger
 * file includes again would still hide its contents. The bundle contains the exact version of package.json.
 */
interface OwnRules {
	readonly _rules: {
		test(path: string, taken: true, mode: "regex"): { readonly ignored: boolean; readonly unignored: boolean };
	};
}

/** The repository that a path belongs to: the nearest one above it. */
function repositoryOf(path: string): Repository | undefined {
	for (let folder = dirname(path); ; folder = dirname(folder)) {
		const mark = statOf(join(folder, ".git"));
		if (mark?.isDirectory()) return { root: folder, gitFolder: join(folder, ".git"), common: join(folder, ".git") };
		if (mark?.isFile()) return linkedRepository(folder);
		if (dirname(folder) === folder) return undefined;
	}
}

/** A worktree or submodule, whose `.git` is a file with the path of the repository. */
function linkedRepository(root: string): Repository | undefined {
	const target = /^gitdir: (.+)$/m.exec(textOf(join(root, ".git")) ?? "")?.[1]?.trim();
	if (target === undefined) return undefined;
	const gitFolder = resolve(root, target);
	const common = textOf(join(gitFolder, "commondir"))?.trim();
	return { root, gitFolder, common: common === undefined ? gitFolder : resolve(gitFolder, common) };
}

function readRules(file: string): Ignore | undefined {
	const text = textOf(file);
	return text === undefined ? undefined : ignore({ ignorecase: false, allowRelativePaths: false }).add(text);
}

/** Reads files, and again only after a change. */
function openMemory<Value>(read: (file: string) => Value | undefined): (file: string) => Value | undefined {
	const known = new Map<string, { readonly stamp: string; readonly value: Value | undefined }>();
	return (file) => {
		const stamp = stampOf(file);
		const entry = known.get(file);
		if (entry && entry.stamp === stamp) return entry.value;
		const value = stamp === "" ? undefined : read(file);
		if (known.size > MAX_KNOWN) known.clear();
		known.set(file, { stamp, value });
		return value;
	};
}

function stampOf(file: string): string {
	const stat = statOf(file);
	return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
}

/** A link to a folder is a file to git. */
function isDirectory(path: string): boolean {
	return attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) ?? false;
}

function statOf(path: string): Stats | undefined {
	return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

function textOf(file: string): string | undefined {
	return attempt(() => (statSync(file).size > MAX_RULES ? undefined : readFileSync(file, "utf8")));
}
