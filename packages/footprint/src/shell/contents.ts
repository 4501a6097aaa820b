// The known contents of files while a script runs: text that the script wrote, copied, or fetched into them.
// A file that came from the network keeps that mark under every name it gets; unknown content is a placeholder, not empty.
import { absolutePaths, type Directories, isStream } from "../places.ts";
import { FILE_TEXT, isKnown, UNKNOWN_VALUE } from "../text.ts";
import type { State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Whether a path refers to standard input. */
export function isInput(path: string): boolean {
	return /^\/dev\/(?:stdin|fd\/0)$|^\/proc\/self\/fd\/0$/.test(path);
}

/**
 * The text that a word refers to: a process substitution, an open descriptor, standard input (also `-`), a written file; `undefined` if it is
 * unknown.
 */
export function contentOf(walk: ShellWalk, word: string, directories: Directories, stdin: string): string | undefined {
	if (word === "-" || isInput(word)) return stdin;
	return walk.connected(word) ?? writtenIn(walk, word, directories);
}

/** What the script has written into a file. */
export function writtenIn(walk: ShellWalk, word: string, directories: Directories): string | undefined {
	const paths = absolutePaths(word, directories, walk.record);
	return paths?.length === 1 && paths[0] !== undefined ? walk.written(paths[0]) : undefined;
}

/** Whether this script downloaded a file: it fetched the file, or it fetched something and the file does not exist yet. */
export function isDownloaded(walk: ShellWalk, paths: readonly string[]): boolean {
	const { record } = walk;
	if (!record.wasFetched()) return false;
	return paths.some(
		(path) =>
			record.wasFetched(path) ||
			(!isStream(path) && walk.host.kind(path) === undefined && walk.written(path) === undefined),
	);
}

/** The text of a file that the script has neither written nor fetched. */
export function onDisk(walk: ShellWalk, word: string, state: State): string {
	if (word === "/dev/null") return "";
	if (state.elsewhere) return UNKNOWN_VALUE;
	const paths = absolutePaths(word, state.cwd, walk.record) ?? [];
	const [path] = paths;
	if (paths.length !== 1 || path === undefined) return UNKNOWN_VALUE;
	const kind = walk.host.kind(path);
	// A file that is not there yet is no text of the command either, unless the script puts one there.
	const isOutside = kind === "file" || (kind === undefined && !walk.record.wasPut(path, () => true));
	return isOutside && !isDownloaded(walk, paths) && !walk.record.removed(path) ? FILE_TEXT : UNKNOWN_VALUE;
}

const programFolders =
	/^(\/usr(\/local)?|\/opt\/\w+|\/opt\/homebrew(\/opt\/[\w@.-]+)?|\/snap|\/run\/current-system\/sw|\/nix\/[^ ]*)?\/(s?bin|libexec|games)\/[^/]+$/;

/** Whether a path (absolute, normalized) is that of a program of the system. */
export function isProgramFile(path: string): boolean {
	return programFolders.test(path);
}

/** Programs that write their standard input to the files that they name. */
const keepers = /^(?:tee|gtee|sponge|dd)$/;

/** Remembers the input that a program writes to a file. */
export function keepInput(walk: ShellWalk, path: string, name: string, args: readonly string[], stdin: string): void {
	if (!keepers.test(name)) return;
	const other = name === "dd" && args.some((arg) => arg.startsWith("if="));
	const appends = name !== "dd" && args.some((arg) => /^-\w*a|^--append/.test(arg));
	const before = appends ? (walk.written(path) ?? (walk.host.kind(path) === undefined ? "" : UNKNOWN_VALUE)) : "";
	walk.remember(path, before + (other ? UNKNOWN_VALUE : stdin));
	if (!other && !appends && stdin.trim() === "") walk.record.emptied(path);
}

/** Gives a copy, move or link of a file its content. */
export function copyContent(
	walk: ShellWalk,
	source: string,
	target: string,
	directories: Directories,
	stdin: string,
): void {
	const { record } = walk;
	const [to] = absolutePaths(target, directories, record) ?? [];
	if (to === undefined || !isKnown(source)) return;
	const content = contentOf(walk, source, directories, stdin);
	if (content !== undefined) {
		walk.remember(to, content);
		if (content === "") record.emptied(to);
	}
	const paths = absolutePaths(source, directories, record) ?? [];
	if (paths.some((path) => record.wasFetched(path))) record.fetched(to);
	// A copy of an installed program does the same as the program.
	const [path] = paths;
	if (content === undefined && path !== undefined && isProgramFile(path)) walk.remember(to, `${path} "$@"\n`);
}
