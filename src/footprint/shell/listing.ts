// The output of `ls` and similar programs in a pipe: the names on disk, one per line. Long formats are not modeled.
// L1 the order of the names is unknown: a command that takes some of the lines may get any of them.
import { isDirectory } from "../paths.ts";
import { absolutePaths } from "../places.ts";
import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import type { State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Letters that change the order, or hide and show names, and leave a name a line. */
const plainLetters = /^-[1aAdtrSUcuXvhHLpBfNG]+$/;
const plainLongs =
	/^--(all|almost-all|directory|reverse|ignore-backups|group-directories-first|literal|sort=.*|time=.*|color(=.*)?|icons(=.*)?|oneline|indicator-style=(none|slash)|ignore=.*|hide=.*)$/;

/** More names than these are not listed one by one. */
const MAX_NAMES = 300;

/** The names that a listing prints; a placeholder if they are unknown. */
export function listed(walk: ShellWalk, args: readonly string[], state: State): string {
	const dashes = args.indexOf("--");
	const end = dashes < 0 ? args.length : dashes;
	const options = args.slice(0, end).filter((arg) => /^-./.test(arg));
	if (state.elsewhere || !options.every((option) => plainLetters.test(option) || plainLongs.test(option)))
		return UNKNOWN_VALUE;
	const operands = args.filter((arg, index) => index > end || (index < end && !/^-./.test(arg)));
	const has = (letter: string, long: string) =>
		options.some((option) => option === long || (!option.startsWith("--") && option.includes(letter)));
	const itself = has("d", "--directory");
	const hidden = has("a", "--all") || has("A", "--almost-all") || has("f", "--all");
	const given = operands.length > 0 ? operands : ["."];
	const lines = given.flatMap((operand): readonly string[] => {
		const directory = itself ? undefined : directoryOf(walk, operand, state);
		if (directory === undefined) return [operand];
		const names = namesIn(walk, directory, hidden);
		// At least the location is known: the output is below the current directory.
		return names ?? [operands.length > 0 ? UNKNOWN_VALUE : walk.record.found(hidden ? {} : { skips: ["hidden"] })];
	});
	return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** The directory that an operand surely names. */
function directoryOf(walk: ShellWalk, operand: string, state: State): string | undefined {
	const [path, ...others] = (isKnown(operand) ? absolutePaths(operand, state.cwd, walk.record) : undefined) ?? [];
	return path !== undefined && others.length === 0 && isDirectory(path, walk.host) ? path : undefined;
}

function namesIn({ host, record }: ShellWalk, directory: string, hidden: boolean): readonly string[] | undefined {
	const names = record.changed(directory) ? undefined : host.names(directory);
	if (!names || !record.spend(names.length / 4)) return undefined;
	const shown = hidden ? names : names.filter((name) => !name.startsWith("."));
	return shown.length > MAX_NAMES || shown.some((name) => name.includes("\n")) ? undefined : [...shown].sort();
}
