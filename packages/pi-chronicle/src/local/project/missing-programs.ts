// Names the commands of states whose program is not on this machine.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { quoted } from "@pi-chronicle/core/definition";
import type { StatePlan } from "@pi-chronicle/core/template";

interface MissingProgram {
	readonly state: string;
	readonly message: string;
	readonly remedy: string;
}

/** Words with which a line of `sh` begins although no program has their name. */
const shellWords = new Set(
	". : [ { ( alias bg break builtin case cd command continue declare eval exec exit export for function getopts hash if local read return set shift source test time times trap type ulimit umask unset until wait while !".split(
		" ",
	),
);

/** The commands whose first word names a program that no folder of `path` has. Words with a slash, variables or quotes are not judged. */
export function missingPrograms(states: readonly StatePlan[], path = ""): readonly MissingProgram[] {
	return states.flatMap(({ name, command }) => {
		const [, first = ""] = /^\s*(?:[A-Za-z_]\w*=\S*\s+)*([\w.+-]+)(?=\s|;|$)/.exec(command?.line ?? "") ?? [];
		if (first === "" || shellWords.has(first) || isOnPath(first, path)) return [];
		const message = `The program ${quoted(first)} of its command was not found on this machine.`;
		return [{ state: name, message, remedy: "Install it, or correct the command." }];
	});
}

function isOnPath(program: string, path: string): boolean {
	const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
	return path.split(delimiter).some((folder) =>
		endings.some((ending) => {
			try {
				accessSync(join(folder || ".", `${program}${ending}`), constants.X_OK);
				return true;
			} catch {
				return false;
			}
		}),
	);
}
