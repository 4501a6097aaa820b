// Which path lies in which. Text only; the disk is not asked.

/** Whether `path` is `directory` or lies below it. Both absolute and lexically normal, with `/` or `\` between segments. */
export function isWithin(path: string, directory: string): boolean {
	if (path === directory) return true;
	if (!path.startsWith(directory)) return false;
	const last = directory.at(-1);
	if (last === "/" || last === "\\") return true;
	const next = path[directory.length];
	return next === "/" || next === "\\";
}
