// What is never part of a run's files, whatever the ignore patterns say: the package's own folders, pi's agent folder, and credentials.
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { credentialFiles, credentialPatterns } from "@pi-chronicle/core/snapshot";
import { deepestRealPath } from "../../disk/index.ts";
import { toRaw } from "./paths.ts";

export interface Exclusions {
	/** Why `path` (bytes as latin1, below the root) is never part of the files, as part of a sentence; `undefined`: it may be. */
	reason(path: string): string | undefined;
	/** The same as ignore patterns at the root. */
	readonly patterns: readonly string[];
}

/**
 * Compiles the exclusions below `root`, a real path. `leftOut`: folders and files, absolute; `homes`: home folders in it, relative (default: this
 * machine's).
 */
export function openExclusions(root: string, leftOut: readonly string[], homes = homesIn(root)): Exclusions {
	const below = (path: string): string | undefined => {
		const way = relative(root, path);
		return way === "" || way.startsWith("..") || way === path ? undefined : way.split(sep).join("/");
	};
	const folders = leftOut.flatMap((path) => below(deepestRealPath(path)) ?? []);
	const own = folders.map(toRaw);
	const holdsCredentials = credentialFiles(homes.map(toRaw));
	return {
		reason(path) {
			if (own.some((one) => one === path || path.startsWith(`${one}/`))) return "belongs to pi or pi-chronicle";
			return holdsCredentials(path) ? "may hold credentials" : undefined;
		},
		patterns: [...folders.map((path) => `/${escapePattern(path)}`), ...credentialPatterns(homes.map(escapePattern))],
	};
}

/** The test whether a path (bytes as latin1, below the root) can be one of a run's files. `folder`: only what is in it; empty: the root. */
export function containsFile({ reason }: Exclusions, folder: string): (path: string) => boolean {
	return (path) => (folder === "" || path.startsWith(`${folder}/`)) && reason(path) === undefined;
}

/** The user's home folder in `root`, relative; in a folder above it, those of all users. */
function homesIn(root: string): string[] {
	const home = deepestRealPath(homedir());
	if (home === root) return [""];
	const way = relative(root, home);
	if (way.startsWith("..") || way === home) return [];
	const users = dirname(way);
	const all = users === "." ? "*" : `${users.split(sep).join("/")}/*`;
	return dirname(root) === root ? [all, "root"] : [all];
}

/** pi's agent folder as exclusions: in a project that is this folder or lies in it, only what is never its contents. */
export function agentExclusions(agentFolder: string): string[] {
	return [agentFolder, join(agentFolder, "auth.json"), join(agentFolder, "sessions")];
}

/** A path in gitignore notation. */
export function escapePattern(path: string): string {
	return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}
