// Requirements of tests that a machine may not meet. Such a test is skipped, and the end of the run names the reason.
// It starts nothing, so that pure tests can use it.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

declare module "vitest" {
	interface TaskMeta {
		/** Why the test does not run here, as {@link needs} says it. */
		lacks?: string;
	}
}

/** Options for `it` and `describe`, between name and function. */
export interface Needs {
	readonly skip: boolean;
	readonly meta: { readonly lacks?: string };
}

/** What the reason of a missing program begins with; `skipped.ts` looks for it. */
export const missingProgram = "no program ";

/** Options of a test or a group that runs only where `present` holds: `it("…", needs("Linux", process.platform === "linux"), …)`. */
export function needs(what: string, present: unknown): Needs {
	return present ? { skip: false, meta: {} } : { skip: true, meta: { lacks: `needs ${what}` } };
}

/** Options of a test or a group that runs a program; `works` says more than that it is there. */
export function needsProgram(name: string, works: unknown = findProgram(name)): Needs {
	return works
		? { skip: false, meta: {} }
		: { skip: true, meta: { lacks: `${missingProgram}${name} that works here` } };
}

/** For what Windows has no equivalent of: permissions, links, pipes, signals. */
export const needsPosix: Needs = needs("a POSIX system", process.platform !== "win32");

/** For tests of what only Linux has: /proc and the kernel's own interfaces. */
export const needsLinux: Needs = needs("Linux", process.platform === "linux");

/** For permissions that root is not held by. */
export const needsNoRoot: Needs = needs(
	"a POSIX user other than root",
	process.platform !== "win32" && process.getuid?.() !== 0,
);

/** The path of the first of these programs that the PATH has. */
export function findProgram(...names: string[]): string | undefined {
	const folders = (process.env.PATH ?? "").split(delimiter);
	return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
