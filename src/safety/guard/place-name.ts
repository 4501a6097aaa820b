// A path as people write it: relative to the project, or from the home directory.
import { isWithin } from "../policy/index.ts";

/** `path` as seen from `cwd`; both absolute. An empty `cwd` or `home` is none. */
export function placeName(path: string, cwd: string, home: string): string {
	const below = (folder: string) => path.slice(folder.length).replace(/^[\\/]/, "");
	if (cwd !== "" && isWithin(path, cwd)) return below(cwd) || ".";
	if (home !== "" && home !== "/" && isWithin(path, home)) return `~/${below(home)}`.replace(/\/$/, "");
	return path;
}
