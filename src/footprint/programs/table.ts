// All programs by name. To add a program, add a row to the group it belongs to.
import { byName } from "../by-name.ts";
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
import { storage } from "./storage.ts";
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
	storage,
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

/** All programs whose base name matches. */
export function findPrograms(matches: (name: string) => boolean): readonly (readonly [name: string, ProgramSpec])[] {
	return [...table].filter(([name]) => matches(name));
}

const gnuPrograms = new Set(
	"cat head tail tac nl od fold fmt pr expand unexpand cut paste join wc sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum base32 base64 basenc diff sdiff diff3 cmp sort uniq shuf split csplit tee ls dir vdir stat readlink realpath du df touch mkdir mkfifo mknod mktemp rm rmdir unlink shred cp mv install ln link chmod chown chgrp dd truncate sync date hostname uname nice env nohup stdbuf timeout xargs find locate updatedb grep egrep fgrep sed awk tar time which test kill uptime id who users printenv printf echo seq tr tsort comm ptx numfmt expr factor yes dircolors basename dirname pwd true false sleep nproc arch chroot chcon runcon make m4 indent patch".split(
		" ",
	),
);

/** Programs that are installed under names with a version. */
const versioned = new Set(
	"python pypy pip node nodejs ruby perl php lua luajit gcc g++ c++ clang clang++ clang-format clang-tidy java go psql pg_dump pg_restore bash zsh tclsh wish Rscript guile emacs vim sqlite gem bundle irb erb rake automake autoconf npm yarn bzip gpg wget curl".split(
		" ",
	),
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
