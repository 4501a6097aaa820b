// Searching: grep and its successors, find, fd, and what they run or delete on the way.
import { HOLE } from "../text.ts";
import type { Call, Programs } from "./program.ts";

/** Globs that a searching program is told to keep to or leave out, in the form of `Touch.only`. */
function globs(call: Call, only: string, except: string): readonly string[] {
	const plain = (glob: string) => glob.replace(/\/+$/, "");
	return [
		...call.values(only).map(plain),
		...call.values(except).map((glob) => (glob.startsWith("!") ? plain(glob.slice(1)) : `!${plain(glob)}`)),
	];
}

/** The first operand is the pattern, unless options give it or none is needed; the rest are where to search. */
function searchPaths(call: Call, role: "read" | "list", detail: Parameters<Call["play"]>[2]): void {
	const paths =
		call.has("-e --regexp -f --file --files --type-list") && !call.name.startsWith("fd")
			? call.operands
			: call.operands.slice(1);
	for (const path of paths.length > 0 ? paths : ["."]) call.play(role, path, detail);
}

function grep(call: Call): void {
	const recursive =
		call.has("-r -R --recursive --dereference-recursive") ||
		call.name === "rgrep" ||
		call.values("-d --directories").includes("recurse");
	const paths = call.has("-e --regexp -f --file") ? call.operands : call.operands.slice(1);
	const only = recursive ? globs(call, "--include", "--exclude --exclude-dir") : [];
	const detail = { ...(recursive && { recursive }), ...(only.length > 0 && { only }) };
	for (const path of paths.length === 0 && recursive ? ["."] : paths) call.play("read", path, detail);
}

function ripgrep(call: Call): void {
	if (call.has("--pre")) for (const command of call.values("--pre")) call.run([command, HOLE]);
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

function findFiles(call: Call): void {
	const skips: ("hidden" | "ignored")[] = [];
	if (!call.has("-H --hidden -u --unrestricted")) skips.push("hidden");
	if (!call.has("-I --no-ignore -u --unrestricted")) skips.push("ignored");
	searchPaths(call, "list", { recursive: true, skips });
	// The command after `-x` or `-X` runs on what is found.
	const at = call.args.findIndex((arg) => ["-x", "-X", "--exec", "--exec-batch"].includes(arg));
	if (at < 0) return;
	const words = call.args.slice(at + 1).filter((word) => word !== ";" && word !== "\\;");
	const root = call.args.slice(0, at).filter((arg) => !arg.startsWith("-"))[1] ?? ".";
	const found = `${root}/${HOLE}`;
	const placed = words.map((word) => word.replace(/\{[./]*\}/g, () => found));
	call.run(placed.some((word, index) => word !== words[index]) ? placed : [...words, found]);
}

const findTests = new Set(
	"-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype -printf -D -newermt -newerat -newerct".split(
		" ",
	),
);

/** `find`: roots first, then an expression whose actions may run, write or delete. */
function find(call: Call): void {
	const { args } = call;
	let at = 0;
	const roots: string[] = [];
	while (/^-([HLP]|O\d?)$/.test(args[at] ?? "")) at++;
	for (; at < args.length && !/^[-(!]/.test(args[at] ?? ""); at++) roots.push(args[at] ?? "");
	if (roots.length === 0) roots.push(".");
	const flat = args.includes("-maxdepth") && args[args.indexOf("-maxdepth") + 1] === "0";
	const only = namedOnly(args);
	for (const root of roots) call.touch("list", root, { recursive: !flat, ...only });
	for (; at < args.length; at++) {
		const word = args[at] ?? "";
		if (/^-(exec|execdir|ok|okdir)$/.test(word)) at = execute(call, at, roots);
		else if (word === "-delete") {
			call.effect("recursive-delete");
			for (const root of roots) call.touch("delete", root, { recursive: true, ...only });
		} else if (/^-(fprint|fprint0|fls)$/.test(word)) call.play("replace", args[++at] ?? "");
		else if (word === "-fprintf") {
			call.play("replace", args[++at] ?? "");
			at++;
		} else if (/^-(newer|anewer|cnewer|samefile|files0-from)$/.test(word)) call.play("list", args[++at] ?? "");
		else if (findTests.has(word)) at++;
	}
}

/** Runs the command of an `-exec` once per root, with what is found below it unknown; answers the index of its end. */
function execute(call: Call, start: number, roots: readonly string[]): number {
	const { args } = call;
	let end = start + 1;
	while (end < args.length && args[end] !== ";" && !(args[end] === "+" && args[end - 1] === "{}")) end++;
	const words = args.slice(start + 1, end);
	const deletes = words[0] === "rm" || words[0] === "unlink" || words[0] === "shred";
	for (const root of roots) {
		const found = `${root.replace(/\/+$/, "") || "/"}/${HOLE}`;
		call.run(words.map((word) => word.replaceAll("{}", found)));
		if (deletes) call.touch("delete", root, { recursive: true, ...namedOnly(args) });
	}
	if (deletes) call.effect("recursive-delete");
	return end;
}

/** The names that the expression keeps to, where it is a plain one: with `-o` or brackets, others may be found too. */
function namedOnly(args: readonly string[]): { only?: readonly string[] } {
	if (args.some((arg) => /^(-o|-or|,|\(|!|-not)$/.test(arg))) return {};
	const names = args.flatMap((arg, index) => (/^-i?name$/.test(arg) ? [args[index + 1] ?? ""] : []));
	return names.length > 0 && !names.some((name) => name.includes(HOLE)) ? { only: names } : {};
}

export const search: Programs = {
	"grep egrep fgrep rgrep ggrep zgrep": {
		options: {
			"-e --regexp -m --max-count -A --after-context -B --before-context -C --context -d --directories -D --devices --binary-files --label --color --include --exclude --exclude-dir":
				"text",
			"-f --file --exclude-from": "read",
		},
		attached: "--color --colour",
		also: grep,
	},
	"rg ripgrep": {
		options: {
			"-e --regexp -g --glob --iglob -m --max-count -A --after-context -B --before-context -C --context -t --type -T --type-not -j --threads -M --max-columns -d --max-depth --max-filesize --sort --sortr -r --replace -E --encoding --color --colors --type-add --type-clear --context-separator --engine --path-separator --pre-glob --pre":
				"text",
			"-f --file --ignore-file": "read",
		},
		also: ripgrep,
	},
	"ag ack pt ugrep ug": {
		options: {
			"-A -B -C -G -m --depth --ignore --ignore-dir --type --after --before --context -g": "text",
			"-p --path-to-ignore": "read",
		},
		also: (call) =>
			searchPaths(call, "read", {
				recursive: true,
				skips: call.has("-u -a --hidden --unrestricted") ? [] : ["hidden", "ignored"],
			}),
	},
	find: { dashes: "one", also: find },
	"fd fdfind": {
		options: {
			"-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S --size --changed-within --changed-before -c --color -j --threads --owner --max-results --base-directory --search-path":
				"text",
			"--ignore-file": "read",
		},
		also: findFiles,
	},
	"locate mlocate plocate mdfind": { operands: "text" },
	fzf: { options: { "--preview --bind": "script", "-q --query -f --filter -d -n": "text" } },
	"ctags etags": {
		operands: "read",
		alone: "list",
		options: { "-f -o": "replace" },
		when: { "-R --recurse": { recursive: true } },
	},
	"ast-grep sg comby": {
		operands: "text",
		options: { "-p --pattern -l --lang -r --rewrite": "text" },
		when: { "-U --update-all -i --interactive": { changes: ["worktree"] } },
	},
};
