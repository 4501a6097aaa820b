// Searching in files: grep and its successors. Searching for files is in `find.ts`.
import type { AccessDetail } from "../record.ts";
import { UNKNOWN_VALUE } from "../text.ts";
import { fd, find } from "./find.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** Globs that a search includes and excludes, in the form of `FileAccess.only`. */
function globs(call: Call, only: string, except: string): readonly string[] {
	const plain = (glob: string) => glob.replace(/\/+$/, "");
	return [
		...call.values(only).map(plain),
		...call.values(except).map((glob) => (glob.startsWith("!") ? plain(glob.slice(1)) : `!${plain(glob)}`)),
	];
}

/** The first operand is the pattern, unless an option gives it or none is needed; the rest are paths to search. */
function searchPaths(call: Call, role: "read" | "list", detail: AccessDetail): void {
	const paths = call.has("-e --regexp -f --file --files --type-list") ? call.operands : call.operands.slice(1);
	const places = paths.length > 0 ? paths : ["."];
	for (const path of places) call.applyRole(role, path, detail);
	printFiles(call, places, "-l --files-with-matches --files --files-without-match", detail);
}

/** With options that print only file names, the output is names below the searched paths. */
function printFiles(call: Call, places: readonly string[], options: string, detail: AccessDetail): void {
	if (!call.has(options)) return;
	const { only, skips } = detail;
	const found = call.searchResult({ ...(only && { only }), ...(skips && { skips }) });
	const lines = places.map((place) => (call.isDirectory(place) ? `${place.replace(/\/+$/, "")}/${found}` : place));
	call.setOutput(lines.join("\n"));
}

/** Whether a glob that is a plain name, or `*` and an ending, matches a name. */
function fitsName(name: string, glob: string): boolean {
	return /^\*[^*?[]+$/.test(glob) ? name.endsWith(glob.slice(1)) : name === glob;
}

function grep(call: Call): void {
	const recursive =
		call.has("-r -R --recursive --dereference-recursive") ||
		call.name === "rgrep" ||
		call.values("-d --directories").includes("recurse");
	const paths = call.has("-e --regexp -f --file") ? call.operands : call.operands.slice(1);
	const only = recursive ? globs(call, "--include", "--exclude --exclude-dir") : [];
	const detail = { ...(recursive && { recursive }), ...(only.length > 0 && { only }) };
	// `--exclude` also applies to files that are named.
	const excluded = call.values("--exclude");
	const named = paths.filter((path) => !excluded.some((glob) => fitsName(path.replace(/^.*\//, ""), glob)));
	const places = paths.length === 0 && recursive ? ["."] : named;
	for (const path of places) call.applyRole("read", path, detail);
	printFiles(call, places, "-l --files-with-matches -L --files-without-match", detail);
}

function ripgrep(call: Call): void {
	for (const command of call.values("--pre --hostname-bin")) call.run([command, UNKNOWN_VALUE]);
	const everything = call.items.filter(
		(item) => item.kind === "option" && (item.name === "-u" || item.name === "--unrestricted"),
	).length;
	const skips: ("hidden" | "ignored")[] = [];
	if (everything < 2 && !call.has("-. --hidden")) skips.push("hidden");
	if (everything < 1 && !call.has("--no-ignore --no-ignore-vcs")) skips.push("ignored");
	const only = globs(call, "-g --glob --iglob", "");
	searchPaths(call, call.has("--files") ? "list" : "read", {
		recursive: true,
		skips,
		...(only.length > 0 && { only }),
	});
}

function searchCode(call: Call): void {
	// `--filter=pdf:command %,…`
	for (const filter of call.values("--filter")) call.unknown("script", filter);
	// In a pipe they search standard input, unless paths follow the pattern.
	if (call.stdin !== "" && call.operands.length < 2 && !call.has("--nofilter --files --files-with-matches")) return;
	const skips = call.has("-u -a --hidden --unrestricted") ? [] : (["hidden", "ignored"] as const);
	searchPaths(call, "read", { recursive: true, skips });
}

function tagSymbols(call: Call): void {
	// The default output is `tags`, or `TAGS` for Emacs.
	const isShown = call.args.some((word) => /^--(list|print)-|^--_/.test(word));
	if (call.has("-f -o --output -x --filter") || isShown) return;
	call.applyRole("replace", call.name === "etags" || call.has("-e") ? "TAGS" : "tags");
}

export const search = describe(
	`
grep egrep fgrep rgrep ggrep zgrep | @grep | -e --regexp -m --max-count -A --after-context -B --before-context -C --context -d \
		--directories -D --devices --binary-files --label --include --exclude --exclude-dir: text | -f --file --exclude-from: read \
		| --color --colour ?
rg ripgrep | @ripgrep | -e --regexp -g --glob --iglob -m --max-count -A --after-context -B --before-context -C --context -t --type -T \
		--type-not -j --threads -M --max-columns -d --max-depth --max-filesize --sort --sortr -r --replace -E --encoding --color \
		--colors --type-add --type-clear --context-separator --engine --path-separator --pre-glob --pre --hostname-bin: text \
		| -f --file --ignore-file: read
ag ack pt ugrep ug | @searchCode | -A -B -C -G -m --depth --ignore --ignore-dir --type --after --before --context: text \
		| -p --path-to-ignore: read | --ackrc: load | --pager --view: script | --save-config: replace | --filter: text
ctags etags | read* here:list @tagSymbols | -f -o --output: replace | -L --exclude-from: read | --options --options-maybe: load \
		| --languages --exclude --kinds --fields: text | -R --recurse > recursive
locate mdfind | text*
find | =find
fd fdfind | =fd
`,
	{ fd, find, grep, ripgrep, searchCode, tagSymbols },
	"abbreviating",
);
