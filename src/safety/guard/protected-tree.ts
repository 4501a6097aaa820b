// What lies below a directory that a command goes through: the first protected place in it, looked for on the real disk.
// W1 the walk is breadth first and bounded in number (in time only for a disk that hangs); a bound reached is said, never taken for "nothing there";
// W2 links are not followed: what they lead to is touched under its own name.
import { spawnSync } from "node:child_process";
import { type Dirent, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Touch } from "../footprint/index.ts";
import { compileWildcard } from "./wildcard.ts";

export type Found =
	| { readonly kind: "protected"; readonly path: string }
	| { readonly kind: "nothing" }
	/** There is more below than is looked at. */
	| { readonly kind: "too-much" };

export interface Walk {
	readonly touch: Touch;
	/** Places to look at whatever their depth; absolute. */
	readonly places: readonly string[];
	/** Whether names have to be looked at, or the known places are all there is. */
	readonly names: boolean;
	/** Whether the rules speak of this path. */
	readonly isProtected: (path: string) => boolean;
	/** Directories, by name, that are not gone into. */
	readonly passOver: ReadonlySet<string>;
	readonly exists: (path: string) => boolean;
}

const limits = { ms: 2000, names: 20_000 };

/** Looks for a protected place below `touch.real`, the kinds of place left out that the command itself passes over. */
export function findProtected({ touch, places, names, isProtected, passOver, exists }: Walk): Found {
	const selects = selectionOf(touch);
	const hides = touch.skips?.includes("hidden") ?? false;
	const asksGit = touch.skips?.includes("ignored") || touch.skips?.includes("untracked");
	const leavesOut = exclusionOf(touch);
	const counts = (path: string) => {
		const way = relative(touch.real, path);
		if (!selects(way)) return false;
		if (hides && way.split(/[\\/]/).some((name) => name.startsWith("."))) return false;
		return !asksGit || !passedOverByGit(touch, path);
	};
	for (const place of places) if (exists(place) && counts(place)) return { kind: "protected", path: place };
	if (!names) return { kind: "nothing" };

	const until = performance.now() + limits.ms;
	let seen = 0;
	let level = [touch.real];
	while (level.length > 0) {
		const next: string[] = [];
		for (const directory of level) {
			for (const entry of entriesOf(directory)) {
				const path = join(directory, entry.name);
				const hidden = hides && entry.name.startsWith(".");
				if (!hidden && isProtected(path) && counts(path)) return { kind: "protected", path };
				if (entry.isDirectory() && !hidden && !passOver.has(entry.name) && !leavesOut(relative(touch.real, path)))
					next.push(path);
				seen++;
			}
			if (seen > limits.names || performance.now() > until) return { kind: "too-much" };
		}
		level = next;
	}
	return { kind: "nothing" };
}

/** Whether the globs of a search pass over a place and all that is in it. */
function exclusionOf({ only = [] }: Pick<Touch, "only">): (way: string) => boolean {
	const unwanted = only.filter((glob) => glob.startsWith("!")).map((glob) => globOf(glob.slice(1)));
	return (way) => unwanted.some((fits) => fits(way));
}

/** Whether the globs of a search let a file through, by its path relative to the directory that is searched. */
export function selectionOf({ only = [] }: Pick<Touch, "only">): (way: string) => boolean {
	const wanted = only.filter((glob) => !glob.startsWith("!")).map(globOf);
	const leavesOut = exclusionOf({ only });
	return (way) => (wanted.length === 0 || wanted.some((fits) => fits(way))) && !leavesOut(way);
}

/** Whether a search picks what it finds by a name that says something. */
export function picksByName({ only = [] }: Pick<Touch, "only">): boolean {
	return only.some((glob) => /^[^!].*\w/.test(glob));
}

/** A glob without a slash fits any segment of the way; one with a slash the whole way. */
function globOf(glob: string): (way: string) => boolean {
	const test = compileWildcard(
		glob
			.replace(/^\.?\/+/, "")
			.replace(/\/+$/, "")
			.replaceAll("**/", "*"),
	);
	if (glob.replace(/\/+$/, "").includes("/")) return (way) => test(way.replaceAll("\\", "/"));
	return (way) => way.split(/[\\/]/).some((name) => test(name));
}

function entriesOf(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		return [];
	}
}

/** Asks git itself about the one place found; without git, or outside of a repository, nothing is passed over. */
function passedOverByGit({ skips, real }: Touch, path: string): boolean {
	const ask = (...args: string[]) =>
		spawnSync("git", ["-C", real, ...args], { timeout: 1500, stdio: "ignore", windowsHide: true }).status;
	if (skips?.includes("untracked") && ask("ls-files", "--error-unmatch", "--", path) === 1) return true;
	return skips?.includes("ignored") === true && ask("check-ignore", "--quiet", "--", path) === 0;
}
