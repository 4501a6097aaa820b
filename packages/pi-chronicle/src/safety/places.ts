// The folders that decide whether a change matters: those of the project, and those for temporary files, where it does not.
// A project is what it is wherever it lies: neither it nor the home directory ever counts as temporary; a path has to be temporary both
// by its name and by its real path, and is in the project by either.
import { dirname, join } from "node:path";
import type { ChangedPlace, FileAccess, HostEnvironment } from "@pi-chronicle/footprint";
import { linkedRepository } from "../disk/index.ts";
import { isWithin } from "./containment.ts";

/** Absolute paths, by name and by real path. */
export interface ProjectPlaces {
	/** The working folder, the folders above it with a repository or settings of pi, and the repository of a linked working tree. */
	readonly project: readonly string[];
	readonly temporary: TemporaryPlaces;
}

export interface TemporaryPlaces {
	/** Absolute, by name and by real path. */
	readonly folders: readonly string[];
	readonly except: readonly string[];
}

type PlacedHost = Pick<HostEnvironment, "temp" | "cwd" | "home" | "platform" | "realpath" | "kind">;

const sinks = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** The folders of the project that `host` works in, and the temporary folders seen from it. */
export function projectPlaces(host: PlacedHost): ProjectPlaces {
	return { project: namesOfPlaces(projectRoots(host), host), temporary: temporaryPlaces(host) };
}

/** The temporary folders of this machine, seen from a project. */
export function temporaryPlaces(host: PlacedHost): TemporaryPlaces {
	const { temp, platform, home } = host;
	const named = platform === "win32" ? [temp] : [temp, "/tmp", "/var/tmp", "/dev/shm"];
	return { folders: namesOfPlaces(named, host), except: namesOfPlaces([...projectRoots(host), home], host) };
}

function namesOfPlaces(paths: readonly string[], { realpath }: PlacedHost): string[] {
	return [...new Set(paths.flatMap((path) => [path, realpath(path) ?? path]))];
}

function projectRoots({ cwd, home, kind, realpath }: PlacedHost): string[] {
	const roots = [cwd];
	const homes = [home, realpath(home) ?? home];
	let nearest: string | undefined;
	// The folders above the real one: the working folder may be named by a link.
	for (let at = realpath(cwd) ?? cwd; dirname(at) !== at; at = dirname(at)) {
		const isRepository = kind(join(at, ".git")) !== undefined;
		const isMarked = isRepository || kind(join(at, ".pi")) !== undefined;
		const isNearest = isRepository && nearest === undefined;
		if (isNearest) nearest = at;
		// Settings of pi in the home directory are the user's.
		const isOwn = dirname(at) !== dirname(dirname(at)) && !homes.some((one) => isWithin(one, at));
		if (isNearest || (isMarked && isOwn)) roots.push(at);
	}
	const linked = nearest === undefined ? undefined : linkedRepository(nearest);
	return linked ? [...roots, linked.gitFolder, linked.common] : roots;
}

/** Whether a change reaches the project: inside it or, with everything below it, above it. */
export function isInProject(
	{ path, real, recursive }: ChangedPlace & { readonly recursive?: boolean },
	{ project }: Pick<ProjectPlaces, "project">,
): boolean {
	return [path, real].some((name) =>
		project.some((root) => isWithin(name, root) || (recursive === true && isWithin(root, name))),
	);
}

/** Whether an access stays within temporary folders, or goes to a device that discards its input. */
export function isTemporary(
	{ path, real, recursive, only }: ChangedPlace & Partial<Pick<FileAccess, "recursive" | "only">>,
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
