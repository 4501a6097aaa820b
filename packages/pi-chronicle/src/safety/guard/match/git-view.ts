// Determines which files git ignores and tracks, from git's own files (.gitignore, info/exclude, the index), without starting a process.
// Invariants: a file without information counts as neither ignored nor untracked; the same files give the same answer, so the user's
// global ignore file is not read.
import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { attempt, linkedRepository, readSmallFile } from "../../../disk/index.ts";
import { isWithin } from "../../policy/index.ts";
import { type GitIndex, readGitIndex } from "./git-index.ts";

export interface GitView {
	/** Whether searches that respect git's rules skip a file (absolute path), and no ignore file of theirs includes it again. */
	isIgnored(path: string): boolean;
	/** Whether git's ignore files skip a directory (absolute path) in a directory that they do not skip. */
	ignoresFolder(path: string): boolean;
	/** Whether git certainly does not track a file. */
	isUntracked(path: string): boolean;
	/** Whether git certainly tracks a file. */
	isTracked(path: string): boolean;
	/** Whether a directory or file is ignored and contains nothing tracked: it is generated, or disposable. It need not exist. */
	isRegenerated(path: string): boolean;
	/** The tracked files below a directory, in a fixed order; `undefined` if git's index cannot be read. The same index gives the same list. */
	trackedBelow(directory: string): readonly string[] | undefined;
	/** Runs `work`, during which every fact is read from the disk at most once. */
	reading<Result>(work: () => Result): Result;
}

interface Repository {
	readonly root: string;
	/** The folder with the index. */
	readonly gitFolder: string;
	/** The folder with `info/exclude`. */
	readonly common: string;
}

/** No file system has longer paths. */
const MAX_PATH = 4096;
const MAX_KNOWN = 4000;
/** Files with which search programs include files that git ignores. */
const others = [".ignore", ".rgignore", ".fdignore", ".agignore"];

/** Paths with more segments or characters are not looked up: git could not have made them. */
const MAX_SEGMENTS = 120;

/** An ignore file in force, and its folder. */
interface IgnoreFile {
	readonly folder: string;
	readonly rules: Ignore;
}

/** A place between a repository's root and a path; a folder ends with a slash. */
interface GitPlace {
	readonly name: string;
	/** The folders of the repository that exist and contain the place, outermost first. */
	readonly folders: readonly string[];
}

/** Opens a view of the disk, which caches files as long as they do not change. */
export function openGitView(): GitView {
	let stats: Map<string, Stats | undefined> | undefined;
	const statOf: StatOf = (path) => {
		if (!stats) return readStat(path);
		if (!stats.has(path)) stats.set(path, readStat(path));
		return stats.get(path);
	};
	const indexes = new Map<string, { readonly stamp: string; readonly index: GitIndex | undefined }>();
	const lists = new WeakMap<GitIndex, Map<string, readonly string[]>>();

	const indexOf = ({ gitFolder, common }: Repository): GitIndex | undefined => {
		const stamp = stampOf(statOf(join(gitFolder, "index")));
		const known = indexes.get(gitFolder);
		if (known && known.stamp === stamp) return known.index;
		const index = stamp === "" ? undefined : readGitIndex(gitFolder, common);
		if (indexes.size > 20) indexes.clear();
		indexes.set(gitFolder, { stamp, index });
		return index;
	};

	const { ignoredBy, ignoresInside, isTakenBack } = openIgnoreFiles(statOf);

	return {
		isIgnored(path) {
			const repository = repositoryOf(path, statOf);
			return repository !== undefined && ignoredBy(repository, path, "as it is") && !isTakenBack(repository, path);
		},
		ignoresFolder(path) {
			const repository = repositoryOf(path, statOf);
			return repository !== undefined && ignoresInside(repository, `${path}/`);
		},
		isUntracked(path) {
			const repository = repositoryOf(path, statOf);
			const index = repository && indexOf(repository);
			return repository !== undefined && index !== undefined && !index.has(wayFrom(repository.root, path));
		},
		isTracked(path) {
			const repository = repositoryOf(path, statOf);
			return repository !== undefined && indexOf(repository)?.has(wayFrom(repository.root, path)) === true;
		},
		isRegenerated(path) {
			const repository = repositoryOf(path, statOf);
			if (!repository || repository.root === path) return false;
			const named = statOf(path) === undefined ? "as a folder" : "as it is";
			if (!ignoredBy(repository, path, named)) return false;
			const index = indexOf(repository);
			const way = wayFrom(repository.root, path);
			return index !== undefined && !index.has(way) && !index.hasBelow(way);
		},
		trackedBelow(directory) {
			const repository = repositoryOf(join(directory, "x"), statOf);
			const index = repository && indexOf(repository);
			if (!index) return undefined;
			const known = lists.get(index) ?? new Map<string, readonly string[]>();
			lists.set(index, known);
			const list =
				known.get(directory) ??
				index
					.below(wayFrom(repository.root, directory))
					.map((way) => `${repository.root}${sep}${way.replaceAll("/", sep)}`);
			known.set(directory, list);
			return list;
		},
		reading(work) {
			if (stats) return work();
			stats = new Map();
			try {
				return work();
			} finally {
				stats = undefined;
			}
		},
	};
}

/** The ignore files of git and of search programs. */
function openIgnoreFiles(statOf: StatOf) {
	const rules = openMemory(statOf, readRules);
	const ignoreFile = (folder: string, file: string): readonly IgnoreFile[] => {
		const found = rules(file);
		return found ? [{ folder, rules: found }] : [];
	};

	/** Whether git ignores a path: in one pass from the root, because the contents of an ignored folder are ignored. */
	const ignoredBy = ({ root, common }: Repository, path: string, named: "as it is" | "as a folder"): boolean => {
		const exclude = ignoreFile(root, join(common, "info", "exclude"));
		const inForce: IgnoreFile[] = [];
		return wayDown(root, path, named, statOf).some(({ name, folders }) => {
			for (const folder of folders.slice(inForce.length))
				inForce.push(...ignoreFile(folder, join(folder, ".gitignore")));
			return (lastSaid(inForce, name) ?? lastSaid(exclude, name)) === "ignored";
		});
	};

	/** Whether git ignores a place in a folder that it does not ignore. */
	const ignoresInside = ({ root, common }: Repository, place: string): boolean => {
		for (let folder = dirname(place); isWithin(folder, root); folder = dirname(folder)) {
			const said = lastSaid(ignoreFile(folder, join(folder, ".gitignore")), place);
			if (said) return said === "ignored";
		}
		return lastSaid(ignoreFile(root, join(common, "info", "exclude")), place) === "ignored";
	};

	/** Whether an ignore file of search programs includes a path again. */
	const isTakenBack = ({ root }: Repository, path: string): boolean =>
		others.some((other) =>
			wayDown(root, path, "as it is", statOf).some(
				({ name, folders }) =>
					lastSaid(
						folders.flatMap((folder) => ignoreFile(folder, join(folder, other))),
						name,
					) === "taken back",
			),
		);

	return { ignoredBy, ignoresInside, isTakenBack };
}

/** The places on the way from a repository's root to a path, outermost first; none for a path that is too long. */
function wayDown(root: string, path: string, named: "as it is" | "as a folder", statOf: StatOf): readonly GitPlace[] {
	const segments = wayFrom(root, path).split("/");
	if (segments.length > MAX_SEGMENTS || path.length > MAX_PATH) return [];
	const folders = [root];
	const places: GitPlace[] = [];
	let at = root;
	for (const [index, segment] of segments.entries()) {
		const isLast = index === segments.length - 1;
		const isExisting = folders.length > index;
		at = join(at, segment);
		// A link to a folder is a file to git.
		const isFolder = isExisting && statOf(at)?.isDirectory() === true;
		places.push({
			name: !isLast || isFolder || named === "as a folder" ? `${at}/` : at,
			folders: folders.slice(0, index + 1),
		});
		if (isFolder) folders.push(at);
	}
	return places;
}

/** What the deepest ignore file that mentions a place says of it. */
function lastSaid(files: readonly IgnoreFile[], place: string): "ignored" | "taken back" | undefined {
	for (const { folder, rules } of files.toReversed()) {
		const said = test(rules, folder, place);
		if (said) return said;
	}
	return undefined;
}

/** A path relative to a parent folder, with slashes. */
function wayFrom(folder: string, place: string): string {
	return relative(folder, place).replaceAll("\\", "/");
}

/** The verdict of one ignore file on a path; a folder ends with a slash. */
function test(rules: Ignore, folder: string, place: string): "ignored" | "taken back" | undefined {
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
function repositoryOf(path: string, statOf: StatOf): Repository | undefined {
	if (path.length > MAX_PATH) return undefined;
	for (let folder = dirname(path); ; folder = dirname(folder)) {
		const named = statOf(join(folder, ".git"));
		const mark = named?.isSymbolicLink() ? attempt(() => statSync(join(folder, ".git"))) : named;
		if (mark?.isDirectory()) return { root: folder, gitFolder: join(folder, ".git"), common: join(folder, ".git") };
		if (mark?.isFile()) {
			const linked = linkedRepository(folder);
			return linked && { root: folder, ...linked };
		}
		if (dirname(folder) === folder) return undefined;
	}
}

function readRules(file: string): Ignore | undefined {
	const text = readSmallFile(file);
	return text === undefined ? undefined : ignore({ ignorecase: false, allowRelativePaths: false }).add(text);
}

/** The file's own facts, without following a link; `undefined` if nothing is there. */
type StatOf = (path: string) => Stats | undefined;

function readStat(path: string): Stats | undefined {
	return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** Reads files, and again only after a change. */
function openMemory<Value>(
	statOf: StatOf,
	read: (file: string) => Value | undefined,
): (file: string) => Value | undefined {
	const known = new Map<string, { readonly stamp: string; readonly value: Value | undefined }>();
	return (file) => {
		// Git does not follow a link in place of such a file.
		const stamp = stampOf(statOf(file));
		const entry = known.get(file);
		if (entry && entry.stamp === stamp) return entry.value;
		const value = stamp === "" ? undefined : read(file);
		if (known.size > MAX_KNOWN) known.clear();
		known.set(file, { stamp, value });
		return value;
	};
}

function stampOf(stat: Stats | undefined): string {
	return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
}
