// Path containment, and how messages show paths. Text only: the disk is not read.

/** Whether `path` is `directory` or below it. Both absolute and normalized, with `/` or `\` between segments. */
export function isWithin(path: string, directory: string): boolean {
	if (path === directory) return true;
	if (!path.startsWith(directory)) return false;
	const last = directory.at(-1);
	if (last === "/" || last === "\\") return true;
	const next = path[directory.length];
	return next === "/" || next === "\\";
}

/**
 * `path` as a user would write it: relative to `cwd`, or from the home directory. All arguments are absolute; an empty `cwd` or `home` is
 * ignored.
 */
export function placeName(path: string, cwd: string, home: string): string {
	const below = (folder: string) => path.slice(folder.length).replace(/^[\\/]/, "");
	if (cwd !== "" && isWithin(path, cwd)) return below(cwd) || ".";
	if (home !== "" && home !== "/" && isWithin(path, home)) return `~/${below(home)}`.replace(/\/$/, "");
	return path;
}
