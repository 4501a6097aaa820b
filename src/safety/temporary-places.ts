// Folders for temporary files, where writing and removing loses no work.
// Invariants: the project, its repository and the home directory never count as temporary, even inside a temporary folder; a path has to be
// temporary both by its name and by its real path.
import { dirname, join } from "node:path";
import type { FileAccess, HostEnvironment } from "../footprint/index.ts";
import { isWithin } from "./policy/index.ts";

export interface TemporaryPlaces {
	/** Absolute, by name and by real path. */
	readonly folders: readonly string[];
	readonly except: readonly string[];
}

type TemporaryHost = Pick<HostEnvironment, "temp" | "cwd" | "home" | "platform" | "realpath" | "kind">;

const sinks = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** The temporary folders of this machine, seen from a project. */
export function temporaryPlaces({ temp, cwd, home, platform, realpath, kind }: TemporaryHost): TemporaryPlaces {
	const named = platform === "win32" ? [temp] : [temp, "/tmp", "/var/tmp", "/dev/shm"];
	const both = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => [path, realpath(path) ?? path]))];
	return { folders: both(named), except: both([...projectRoots(cwd, kind), home]) };
}

/** The folder that pi works in, and the folders above it with a repository or settings of pi. */
function projectRoots(cwd: string, kind: HostEnvironment["kind"]): string[] {
	const roots = [cwd];
	for (let at = cwd; dirname(at) !== at; at = dirname(at)) {
		const marked = [".git", ".pi"].some((mark) => kind(join(at, mark)) !== undefined);
		if (marked && at !== cwd && dirname(at) !== dirname(dirname(at))) roots.push(at);
	}
	return roots;
}

/** Whether an access stays within temporary folders, or goes to a device that discards its input. */
export function isTemporary(
	{ path, real, recursive, only }: FileAccess,
	{ folders, except }: TemporaryPlaces,
): boolean {
	return [path, real].every((name) => {
		if (sinks.test(name)) return true;
		// Selecting by name within a whole temporary folder stays inside it.
		const picked = !recursive || (only?.some((glob) => !glob.startsWith("!")) ?? false);
		const inside = folders.some((folder) => isWithin(name, folder) && (name !== folder || picked));
		return inside && !except.some((place) => isWithin(name, place) || (recursive && isWithin(place, name)));
	});
}
