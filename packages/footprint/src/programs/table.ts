// All programs by name. To add a program, add a row to the group it belongs to.
import { byName } from "../by-name.ts";
import { baseName } from "../text.ts";
import { agents } from "./agents.ts";
import { archives } from "./archives.ts";
import { builds } from "./builds.ts";
import { cloud } from "./cloud.ts";
import { containers } from "./containers.ts";
import { coreutils } from "./coreutils.ts";
import { dataFilters } from "./data-filters.ts";
import { databases } from "./databases.ts";
import { downloads } from "./downloads.ts";
import { editors } from "./editors.ts";
import { git } from "./git.ts";
import { hosts } from "./hosts.ts";
import { interpreters } from "./interpreters.ts";
import { packages } from "./packages.ts";
import type { ProgramSpec, ProgramSpecs } from "./program-spec.ts";
import { search } from "./search.ts";
import { settings } from "./settings.ts";
import { system } from "./system.ts";
import { versioning } from "./versioning.ts";
import { wrappers } from "./wrappers.ts";

/** The groups of the table. */
export const programGroups: readonly ProgramSpecs[] = [
	coreutils,
	dataFilters,
	search,
	editors,
	git,
	versioning,
	archives,
	downloads,
	interpreters,
	wrappers,
	hosts,
	packages,
	builds,
	containers,
	cloud,
	databases,
	system,
	settings,
	agents,
];

const table = byName(programGroups.flatMap((group) => Object.entries(group)));

const subcommandNames = (programs: ProgramSpecs): string[] =>
	Object.entries(programs).flatMap(([names, { subcommands = {} }]) => [
		...names.split(" "),
		...subcommandNames(subcommands),
	]);

/** Words that are subcommands of some program: `test` of npm, `tree` of uv. */
const subcommands = new Set(
	programGroups.flatMap((group) =>
		Object.values(group).flatMap((program) => subcommandNames(program.subcommands ?? {})),
	),
);

/** Programs that a command's first word means even though others have subcommands of these names. */
const plain = new Set("rm mv cp ln rmdir unlink find grep git node python diff".split(" "));

/** Whether a word most likely names a program, not a subcommand (`npm start`) or a task. */
export function isProgramName(word: string): boolean {
	return table.has(word) && (plain.has(word) || !subcommands.has(word));
}

/** Whether a text reads as a command that is passed to a shell: a known program and at least one argument. */
export function isCommandLine(text: string): boolean {
	const word = /^\s*(?:sudo\s+)?([\w./-]+)\s+\S/.exec(text)?.[1];
	return word !== undefined && isProgramName(baseName(word));
}

/** All programs whose base name matches. */
export function findPrograms(matches: (name: string) => boolean): readonly (readonly [name: string, ProgramSpec])[] {
	return [...table].filter(([name]) => matches(name));
}

/** GNU programs that have a prefix on macOS. */
const gnuPrograms = new Set(
	(
		"awk base64 cat chmod chown cp cut date dd df du egrep env fgrep find grep head install ln ls make md5sum mkdir mv nice readlink " +
		"realpath rm rmdir sed sha256sum shred sort split stat stdbuf tac tail tar tee time timeout touch tr truncate uniq unlink wc xargs"
	).split(" "),
);

/** Programs that are installed under names with a version. */
const versioned = new Set(
	(
		"python pypy pip node ruby perl php lua luajit gcc g++ c++ clang clang++ clang-format clang-tidy java go psql pg_dump bash zsh " +
		"tclsh emacs vim sqlite gem bundle irb rake automake autoconf npm yarn gpg wget curl"
	).split(" "),
);

/** The description of a program by its base name; a version in it (`python3.12`, `gcc-13`) is ignored. */
export function findProgram(name: string): ProgramSpec | undefined {
	const exact = table.get(name);
	if (exact) return exact;
	// GNU programs on macOS have a prefix: `grm`, `gdate`.
	const gnu = /^g(.+)$/.exec(name)?.[1];
	if (gnu !== undefined && gnuPrograms.has(gnu)) return table.get(gnu);
	const plain = /^([a-z+]+?)-?\d[\d.]*$/i.exec(name)?.[1];
	return plain === undefined || !versioned.has(plain) ? undefined : table.get(plain);
}
