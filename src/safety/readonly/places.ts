// Where a readonly session may still write: the system's folders for temporary files, and devices that keep nothing.
// T1 the project is never such a place, also where it lies in a temporary folder itself.
import type { Touch } from "../footprint/index.ts";
import { isWithin } from "../policy/index.ts";

export interface WritablePlaces {
	/** Absolute, by name and by real path. */
	readonly folders: readonly string[];
	readonly except: readonly string[];
}

const sinks = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|shm\/.+)$/;

/** The places of this machine. `temp`: the system's temporary folder; `cwd`: the project's folder. */
export function writablePlaces(
	temp: string,
	cwd: string,
	platform: NodeJS.Platform,
	real: (path: string) => string | undefined,
): WritablePlaces {
	const named = platform === "win32" ? [temp] : [temp, "/tmp", "/var/tmp"];
	const both = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => [path, real(path) ?? path]))];
	return { folders: both(named), except: both([cwd]) };
}

/** Whether the touch stays within the places, by name and in fact. */
export function isWritable({ path, real, recursive }: Touch, places: WritablePlaces): boolean {
	return [path, real].every((name) => {
		if (sinks.test(name)) return true;
		const inside = places.folders.some((folder) => isWithin(name, folder) && (name !== folder || !recursive));
		const project = places.except.some((folder) => isWithin(name, folder) || (recursive && isWithin(folder, name)));
		return inside && !project;
	});
}
