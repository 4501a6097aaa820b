// The files of git that a command in the sandbox may write, and those that decide what git runs later, outside the sandbox.
// Invariant: a file or link that a command may have made in the project opens no folder outside of it.
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { HostEnvironment } from "@pi-chronicle/footprint";
import { attempt, commonFolder, linkedRepository, readSmallFile } from "../../disk/index.ts";
import { isWithin } from "../containment.ts";

type GitHost = Pick<HostEnvironment, "home" | "kind" | "names" | "realpath">;

export interface GitRules {
	/** The folders of the working trees. */
	readonly roots: readonly string[];
	/** Folders that git writes: objects, refs, index, logs. */
	readonly write: readonly string[];
	/** Stores of objects, and hooks and settings in the home directory: they are only read. */
	readonly read: readonly string[];
	/** Files that must stay as they are: settings, and files that lead to other repositories. Some do not exist. */
	readonly keptFiles: readonly string[];
	/** Folders of hooks, which must stay as they are. Some do not exist. */
	readonly keptFolders: readonly string[];
}

/** The rules for the repositories that contain `folders`. */
export function gitRules(folders: readonly string[], host: GitHost): GitRules {
	const roots = new Set(folders.flatMap((folder) => repositoryAbove(folder, host) ?? []));
	const found = [...roots].flatMap((root) => rulesOf(root, host) ?? []);
	return {
		roots: [...roots],
		write: found.flatMap(({ write }) => write),
		read: found.flatMap(({ read }) => read),
		keptFiles: found.flatMap(({ keptFiles }) => keptFiles),
		keptFolders: found.flatMap(({ keptFolders }) => keptFolders),
	};
}

/** The nearest folder with a repository; one in the home directory does not count for what is below. */
export function repositoryAbove(
	folder: string,
	{ home, kind, realpath }: Pick<GitHost, "home" | "kind" | "realpath">,
): string | undefined {
	const start = realpath(folder) ?? folder;
	for (let at = start; ; at = dirname(at)) {
		if (kind(join(at, ".git")) !== undefined) return at !== start && at === realpath(home) ? undefined : at;
		if (dirname(at) === at) return undefined;
	}
}

function rulesOf(root: string, host: GitHost): Omit<GitRules, "roots"> | undefined {
	const place = join(root, ".git");
	const own = repositoryAt(place, root, host);
	if (own === undefined) return undefined;
	const common = commonOf(own, root, host);
	const repositories = [...new Set([own, common]), ...submodules(join(common, "modules"), host)];
	const led = ledTo(join(common, "config"), root, host);
	const isOutside = (path: string) => isWithin(path, host.home) && !isWithin(path, root);
	return {
		write: [...new Set([own, common])],
		read: [...alternates(join(common, "objects"), host), ...[...led.files, ...led.folders].filter(isOutside)],
		keptFiles: [
			...(own === place ? [] : [place]),
			...repositories.flatMap((folder) => settingFiles.map((name) => join(folder, name))),
			...led.files,
		],
		keptFolders: [...repositories.map((folder) => join(folder, "hooks")), ...led.folders],
	};
}

const settingFiles = ["config", "config.worktree", "commondir", "gitdir", "objects/info/alternates"];

/** The repository that `place`, the `.git` of a working tree, is or leads to; one outside of the working tree has to lead back. */
function repositoryAt(place: string, root: string, { kind, realpath }: GitHost): string | undefined {
	if (kind(place) === "directory") return place;
	const target = kind(place) === "file" ? linkedRepository(root)?.gitFolder : place;
	const own = target === undefined ? undefined : realpath(target);
	if (own === undefined || kind(join(own, "HEAD")) === undefined) return undefined;
	if (isWithin(own, root)) return own;
	// A linked working tree, and a submodule.
	const tree = readSmallFile(join(own, "gitdir"))?.trim();
	if (tree !== undefined && realpath(dirname(resolve(own, tree))) === root) return own;
	const worktree = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(readSmallFile(join(own, "config")) ?? "")?.[1];
	return worktree !== undefined && realpath(resolve(own, worktree)) === root ? own : undefined;
}

/** The repository that shares its objects and settings with `own`, that of a linked working tree; else `own`. */
function commonOf(own: string, root: string, { kind, realpath }: GitHost): string {
	const common = realpath(commonFolder(own));
	if (common === undefined || kind(join(common, "HEAD")) === undefined) return own;
	return isWithin(common, root) || dirname(own) === join(common, "worktrees") ? common : own;
}

/** The repositories of submodules; a name may contain slashes. */
function submodules(folder: string, host: GitHost, depth = 4): string[] {
	if (depth === 0) return [];
	return (host.names(folder) ?? []).flatMap((name) => {
		const path = join(folder, name);
		if (host.kind(path) !== "directory") return [];
		if (host.kind(join(path, "HEAD")) === undefined) return submodules(path, host, depth - 1);
		return [path, ...submodules(join(path, "modules"), host, depth - 1)];
	});
}

function alternates(objects: string, { kind }: GitHost): string[] {
	const lines = readSmallFile(join(objects, "info/alternates"))?.split("\n") ?? [];
	return lines
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => resolve(objects, line.startsWith('"') ? String(attempt(() => JSON.parse(line)) ?? "") : line))
		.filter((path) => basename(path) === "objects" && kind(join(path, "pack")) === "directory");
}

/** Folders of hooks, and further settings, that a file of settings names. */
function ledTo(
	config: string,
	root: string,
	{ home }: GitHost,
): { readonly files: string[]; readonly folders: string[] } {
	const files: string[] = [];
	const folders: string[] = [];
	const text = readSmallFile(config) ?? "";
	for (const [, key = "", value = ""] of text.matchAll(
		/^\s*(hookspath|path|attributesfile|fsmonitor)\s*=\s*"?([^"\n]+?)"?\s*$/gim,
	)) {
		if (/^(true|false)$/i.test(value)) continue;
		// Hooks are named from the working tree, included settings from the file that includes them.
		const base = key.toLowerCase() === "path" ? dirname(config) : root;
		const path = value.startsWith("~/") ? join(home, value.slice(2)) : isAbsolute(value) ? value : resolve(base, value);
		// A folder with another name may be one that an install makes, such as `.husky/_`.
		const isFolder = key.toLowerCase() === "hookspath" && /^(hooks|\.[a-z]+)$/.test(basename(path));
		(isFolder ? folders : files).push(path);
	}
	return { files, folders };
}
