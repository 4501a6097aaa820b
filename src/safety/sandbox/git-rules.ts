// The files of git that a command in the sandbox may write, and those that decide what git runs later, outside the sandbox.
import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { attempt } from "../../disk/index.ts";
import type { HostEnvironment } from "../../footprint/index.ts";

type GitHost = Pick<HostEnvironment, "home" | "kind" | "names" | "realpath">;

export interface GitRules {
	/** The folders of the working trees. */
	readonly roots: readonly string[];
	/** Folders that git writes: objects, refs, index, logs. */
	readonly write: readonly string[];
	/** Stores of objects that are only read. */
	readonly read: readonly string[];
	/** What must stay as it is: hooks, settings, and the files that lead to other repositories. Some do not exist. */
	readonly kept: readonly string[];
}

/** The rules for the repositories that contain `folders`. */
export function gitRules(folders: readonly string[], host: GitHost): GitRules {
	const roots = new Set(folders.flatMap((folder) => repositoryAbove(folder, host) ?? []));
	const found = [...roots].map((root) => rulesOf(root, host));
	return {
		roots: [...roots],
		write: found.flatMap(({ write }) => write),
		read: found.flatMap(({ read }) => read),
		kept: found.flatMap(({ kept }) => kept),
	};
}

/** The nearest folder with a repository; one in the home directory does not count for what is below. */
export function repositoryAbove(
	folder: string,
	{ kind, realpath }: Pick<GitHost, "kind" | "realpath">,
): string | undefined {
	for (let at = realpath(folder) ?? folder; ; at = dirname(at)) {
		if (kind(join(at, ".git")) !== undefined) return at;
		if (dirname(at) === at) return undefined;
	}
}

function rulesOf(root: string, host: GitHost): Pick<GitRules, "write" | "read" | "kept"> {
	const place = join(root, ".git");
	const text = host.kind(place) === "file" ? readText(place) : undefined;
	const target = text && /^gitdir: (.+)$/m.exec(text)?.[1]?.trim();
	const own = target ? resolve(root, target) : (host.realpath(place) ?? place);
	const shared = readText(join(own, "commondir"))?.trim();
	const common = shared ? resolve(own, shared) : own;
	const repositories = [...new Set([own, common]), ...submodules(join(common, "modules"), host)];
	return {
		write: [...new Set([own, common])],
		read: alternates(join(common, "objects")),
		kept: [
			...(target ? [place] : []),
			...repositories.flatMap((folder) =>
				["hooks", "config", "config.worktree", "commondir", "gitdir"].map((name) => join(folder, name)),
			),
			...ledTo(join(common, "config"), root, host),
		],
	};
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

function alternates(objects: string): string[] {
	const lines = readText(join(objects, "info/alternates"))?.split("\n") ?? [];
	return lines
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => resolve(objects, line.startsWith('"') ? String(attempt(() => JSON.parse(line)) ?? "") : line));
}

/** Folders of hooks and further settings that a file of settings names. */
function ledTo(config: string, root: string, { home }: GitHost): string[] {
	const text = readText(config) ?? "";
	return [...text.matchAll(/^\s*(hookspath|path|attributesfile|fsmonitor)\s*=\s*"?([^"\n]+?)"?\s*$/gim)].flatMap(
		([, key = "", value = ""]) => {
			if (/^(true|false)$/i.test(value)) return [];
			if (value.startsWith("~/")) return [join(home, value.slice(2))];
			if (isAbsolute(value)) return [value];
			// Hooks are named from the working tree, included settings from the file that includes them.
			return [resolve(key.toLowerCase() === "path" ? dirname(config) : root, value)];
		},
	);
}

function readText(path: string): string | undefined {
	return attempt(() => readFileSync(path, "utf8"));
}
