// Searching in files: grep and its successors. Searching for files is in `find.ts`.

import type { AccessDetail } from "../record.ts";
import { UNKNOWN_VALUE } from "../text.ts";
import { fd, find } from "./find.ts";
import { abbreviating, type Call, type ProgramSpecs } from "./program-spec.ts";

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

/** `sg` is also the program of shadow-utils that runs a command in another group: `sg group -c text`. */
function inGroup(call: Call): void {
	const [group = "help", first] = call.operands;
	const searches = call.has("-p --pattern") || /^(run|scan|test|new|lsp|completions|outline|help)$/.test(group);
	if (call.name !== "sg" || searches) return;
	const at = call.args.indexOf("-c");
	if (at >= 0) call.script(call.args[at + 1] ?? "");
	else if (first !== undefined) call.run(call.operands.slice(1));
}

export const search: ProgramSpecs = abbreviating({
	"grep egrep fgrep rgrep ggrep zgrep": {
		options: {
			"-e --regexp -m --max-count -A --after-context -B --before-context -C --context -d --directories -D --devices --binary-files --label --include --exclude --exclude-dir":
				"text",
			"-f --file --exclude-from": "read",
		},
		attached: "--color --colour",
		custom: grep,
	},
	"rg ripgrep": {
		options: {
			"-e --regexp -g --glob --iglob -m --max-count -A --after-context -B --before-context -C --context -t --type -T --type-not -j --threads -M --max-columns -d --max-depth --max-filesize --sort --sortr -r --replace -E --encoding --color --colors --type-add --type-clear --context-separator --engine --path-separator --pre-glob --pre --hostname-bin":
				"text",
			"-f --file --ignore-file": "read",
		},
		custom: ripgrep,
	},
	"ag ack pt ugrep ug": {
		options: {
			"-A -B -C -G -m --depth --ignore --ignore-dir --type --after --before --context": "text",
			"-p --path-to-ignore --ackrc": "read",
			"--pager --view": "script",
			"--save-config": "replace",
			"--filter": "text",
		},
		custom: (call) => {
			// `--filter=pdf:command %,…`
			for (const filter of call.values("--filter")) call.unknown("script", filter);
			// In a pipe they search standard input, unless paths follow the pattern.
			if (call.stdin !== "" && call.operands.length < 2 && !call.has("--nofilter --files --files-with-matches")) return;
			searchPaths(call, "read", {
				recursive: true,
				skips: call.has("-u -a --hidden --unrestricted") ? [] : ["hidden", "ignored"],
			});
		},
	},
	find,
	"fd fdfind": fd,
	"locate mlocate plocate mdfind": { operands: "text" },
	fzf: { options: { "--preview --bind": "script", "--history": "write", "-q --query -f --filter -d -n": "text" } },
	"ctags etags": {
		operands: "read",
		defaultRole: "list",
		options: {
			"-f -o --output": "replace",
			"-L --options --exclude-from": "read",
			"--languages --exclude --kinds --fields": "text",
		},
		when: { "-R --recurse": { recursive: true } },
		custom: (call) => {
			// The default output is `tags`, or `TAGS` for Emacs.
			if (call.has("-f -o --output -x --filter") || call.args.some((word) => /^--(list|print)-|^--_/.test(word)))
				return;
			call.applyRole("replace", call.name === "etags" || call.has("-e") ? "TAGS" : "tags");
		},
	},
	"ast-grep sg comby": {
		operands: "text",
		options: { "-p --pattern -l --lang -r --rewrite": "text" },
		when: { "-U --update-all -i --interactive": { changes: ["worktree"], changesIn: "operands" } },
		custom: inGroup,
	},
});
