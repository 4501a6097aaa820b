// What is known of the content of files while a script runs: what it wrote, copied, or fetched into them.
// F1 a file that came from the network keeps that mark under every name it gets; F2 a content that is not known is a hole, not nothing.
import { absolutePaths, type Directories, isStream } from "../places.ts";
import { HOLE, isKnown } from "../text.ts";
import type { Walk } from "./walk.ts";

/** Whether a path stands for standard input. */
export function isInput(path: string): boolean {
	return /^\/dev\/(?:stdin|fd\/0)$|^\/proc\/self\/fd\/0$/.test(path);
}

/** The text behind a word: a process substitution, an open descriptor, standard input (`-` too), a file that was written; `undefined` where nothing of it is known. */
export function contentOf(walk: Walk, word: string, directories: Directories, stdin: string): string | undefined {
	if (word === "-" || isInput(word)) return stdin;
	return walk.connected(word) ?? writtenIn(walk, word, directories);
}

/** What the script has written into a file. */
export function writtenIn(walk: Walk, word: string, directories: Directories): string | undefined {
	const paths = absolutePaths(word, directories, walk.record);
	return paths?.length === 1 && paths[0] !== undefined ? walk.written(paths[0]) : undefined;
}

/** Whether a file came from the network by this script: it was fetched, or it is not there yet and something was. */
export function isDownloaded(walk: Walk, paths: readonly string[]): boolean {
	const { record } = walk;
	if (!record.wasFetched()) return false;
	return paths.some(
		(path) =>
			record.wasFetched(path) ||
			(!isStream(path) && walk.around.kind(path) === undefined && walk.written(path) === undefined),
	);
}

/** Programs that write their standard input into the files they are given. */
const keepers = /^(?:tee|gtee|sponge|dd)$/;

/** Remembers what a program writes of its input. */
export function keepInput(walk: Walk, path: string, name: string, args: readonly string[], stdin: string): void {
	if (!keepers.test(name)) return;
	const other = name === "dd" && args.some((arg) => arg.startsWith("if="));
	const appends = name !== "dd" && args.some((arg) => /^-\w*a|^--append/.test(arg));
	const before = appends ? (walk.written(path) ?? (walk.around.kind(path) === undefined ? "" : HOLE)) : "";
	walk.remember(path, before + (other ? HOLE : stdin));
}

/** A copy, move or link of a file has its content. */
export function copyContent(walk: Walk, source: string, target: string, directories: Directories, stdin: string): void {
	const { record } = walk;
	const [to] = absolutePaths(target, directories, record) ?? [];
	if (to === undefined || !isKnown(source)) return;
	const content = contentOf(walk, source, directories, stdin);
	if (content !== undefined) walk.remember(to, content);
	if (absolutePaths(source, directories, record)?.some((path) => record.wasFetched(path))) record.fetched(to);
}
