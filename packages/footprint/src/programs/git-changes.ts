// Subcommands of git whose effect depends on how options and operands combine.
// The table of all subcommands is `git.ts`.
import { isKnown } from "../text.ts";
import { agentFolders } from "./agents.ts";
import type { Call } from "./program-spec.ts";

/** A pathspec without its magic prefix (`:(top)`, `:/`); empty for an exclusion. */
function withoutMagic(pathspec: string): string {
	if (/^:(\(exclude|!|\^)/.test(pathspec)) return "";
	return pathspec.replace(/^:(\([^)]*\)|\/)/, "") || ".";
}

/** Paths after `--`, or operands that are files on disk. Of `revision:path`, the path. */
export function pathOperands(call: Call): readonly string[] {
	const dashes = call.args.indexOf("--");
	if (dashes >= 0) return call.args.slice(dashes + 1).map(withoutMagic);
	const root = call.findUp(".git");
	return call.operands.flatMap((word) => {
		const path = /^[^:/]*:([^:].*)$/s.exec(word)?.[1];
		if (path !== undefined && !/^[a-z+]+:\/\//.test(word))
			return [root === undefined || /^\.{0,2}\//.test(path) ? path : `${root}/${path}`];
		return isKnown(word) && call.exists(word) ? [word] : [];
	});
}

/** Reads or lists the named paths, in the working tree or in commits. */
export function readPathspecs(call: Call, role: "read" | "list" = "read"): void {
	for (const path of pathOperands(call)) call.applyRole(role, path);
	for (const word of call.operands)
		if (/^[^:]*:[^:/]*$/.test(word) && !isKnown(word)) call.unknown("operand", word, ["read"]);
}

/** Whether a pathspec names a whole tree. */
function isWholeTree(pathspec: string): boolean {
	return /^(\.|\.\/|:\/|:\(top\)|:|\*|\.\/\*|\.\.|\.\.\/)$/.test(pathspec);
}

function discard(call: Call, pathspecs: readonly string[]): void {
	call.effect("git-discard-changes");
	for (const pathspec of pathspecs) {
		const path = withoutMagic(pathspec);
		call.access("write", path, { replaces: true, recursive: isWholeTree(pathspec) || call.isDirectory(path) });
	}
}

/** `git checkout`: switches branches, or overwrites files with their committed contents. */
export function gitCheckout(call: Call): void {
	const dashes = call.args.indexOf("--");
	if (call.has("-f --force --ours --theirs")) call.effect("git-discard-changes");
	if (call.has("-B")) call.effect("git-branch-force-delete");
	if (dashes >= 0) {
		discard(call, call.args.slice(dashes + 1));
		return;
	}
	if (call.has("--pathspec-from-file -p --patch")) {
		discard(call, []);
		return;
	}
	call.change("worktree");
	if (call.has("-b -B --orphan -t --track")) return;
	const [first, ...others] = call.operands;
	if (first === undefined) return;
	// Several words: a revision and paths, or paths. One word: a branch, unless it can only be a path.
	if (others.length > 0) {
		discard(call, call.exists(first) ? call.operands : others);
		return;
	}
	if (isWholeTree(first) || call.exists(first)) discard(call, [first]);
	else if (/\/$|\.[a-z]\w{0,4}$/i.test(first) && !/^v?\d/.test(first)) discard(call, [first]);
}

export function gitRestore(call: Call): void {
	// `--staged` alone leaves the files unchanged.
	if (call.has("-S --staged") && !call.has("-W --worktree")) return;
	discard(call, call.operands);
}

export function gitReset(call: Call): void {
	const [target] = call.operands;
	const moves =
		target !== undefined && /[~^@]|^[0-9a-f]{7,40}$|^(origin|upstream)\//.test(target) && !call.exists(target);
	if (call.has("--hard")) {
		call.effect("git-reset-hard", "git-discard-changes");
		call.change("worktree");
	} else if (call.has("--merge --keep")) call.change("worktree");
	else if (moves && !call.args.includes("--")) call.effect("git-amend-history");
}

/** `git read-tree --reset -u` and `-m -u` overwrite the index and the working tree with a commit. */
export function gitReadTree(call: Call): void {
	if (!call.has("-u") || call.has("-n --dry-run")) return;
	call.change("worktree");
	if (call.has("--reset")) call.effect("git-reset-hard", "git-discard-changes");
}

/** `git checkout-index -f -a` overwrites files with the index. */
export function gitCheckoutIndex(call: Call): void {
	const [prefix] = call.values("--prefix");
	if (prefix !== undefined) {
		call.access("write", prefix.replace(/(.)\/+$/, "$1"), { recursive: true });
		return;
	}
	call.change("worktree");
	if (!call.has("-f --force")) return;
	discard(call, call.has("-a --all") ? ["."] : call.operands);
}

/** `git stash push -- path` removes the changes of the named files; with `-u` and `-a` those of untracked files too. */
export function gitStash(call: Call): void {
	const root = call.findUp(".git");
	// Untracked files go too, among them settings that bind agents. Other files come back with `git stash pop`.
	if (call.has("-u --include-untracked -a --all") && root !== undefined && pathOperands(call).length === 0)
		call.access("delete", root, {
			recursive: true,
			only: agentFolders,
			skips: call.has("-a --all") ? ["tracked"] : ["tracked", "ignored"],
		});
	for (const path of pathOperands(call)) {
		call.applyRole("read", path);
		call.access("write", path, call.isDirectory(path) ? { recursive: true } : {});
	}
}

/** `git stash` without a subcommand, which is a push of the paths after `--`. */
export function gitStashAlone(call: Call): void {
	const dashes = call.args.indexOf("--");
	const paths = dashes < 0 ? 0 : call.args.length - dashes - 1;
	if (call.operands.length === paths) gitStash(call);
}

export function gitClean(call: Call): void {
	if (call.has("-n --dry-run")) return;
	// Without `-f` git refuses by default; configuration may allow it.
	call.effect("git-clean");
	call.change("worktree");
	if (call.has("-d")) call.effect("recursive-delete");
	for (const path of call.operands) call.access("delete", path, { recursive: true });
}

export function gitPush(call: Call): void {
	if (call.has("-n --dry-run")) return;
	changeTarget(call, call.values("--repo")[0] ?? call.operands[0] ?? "");
	if (call.has("-f --force --mirror")) call.effect("git-force-push");
	else if (call.has("--force-with-lease")) call.effect("git-force-push-with-lease");
	if (call.has("-d --delete --prune")) call.effect("git-remote-delete");
	for (const refspec of call.operands.slice(call.has("--repo") ? 0 : 1)) {
		if (refspec.startsWith("+")) call.effect("git-force-push");
		if (/^\+?:./.test(refspec)) call.effect("git-remote-delete");
	}
}

/** `git submodule foreach …`: one word is a command line, several are a program and its arguments. */
export function eachSubmodule(call: Call): void {
	const [text, ...more] = call.operands;
	if (more.length > 0) call.run(call.operands);
	else if (text !== undefined) call.script(text);
}

/** A push changes a repository on another machine, or the one in a folder of this machine. */
function changeTarget(call: Call, target: string): void {
	const folder = target.replace(/^file:\/\//, "");
	const isFolder = /^(?:[~.]?\.?\/|\.{1,2}$)/.test(folder) || (folder !== "" && call.isDirectory(folder));
	if (isFolder) call.access("write", folder, { recursive: true });
	else call.change("remote");
}

const branchLists =
	"-l --list -a --all -r --remotes --show-current --contains --no-contains --merged --no-merged --points-at --format --sort";

export function gitBranch(call: Call): void {
	const deletes = call.has("-d -D --delete");
	if (call.has("-D") || (deletes && call.has("-f --force"))) call.effect("git-branch-force-delete");
	else if (call.has("-f --force -M -C")) {
		call.effect("git-amend-history");
		// The last name may be that of another branch, which is then replaced. `-M main` alone renames the current branch.
		if (call.has("-M -C -m --move -c --copy") ? call.operands.length > 1 : call.operands.length > 0)
			call.effect("git-branch-force-delete");
	}
	const moves = call.has(
		"-m -M -c -C -u -f --move --copy --force --set-upstream-to --unset-upstream --edit-description",
	);
	if (deletes || moves || (call.operands.length > 0 && !call.has(branchLists))) call.change("repository");
}

const tagLists =
	"-l --list -n -v --verify --contains --no-contains --points-at --merged --no-merged --sort --format --column";

export function gitTag(call: Call): void {
	if (call.has("-d --delete") || (call.operands.length > 0 && !call.has(tagLists))) call.change("repository");
	if (call.has("-f --force")) call.effect("git-amend-history");
}

const configVerbs = ["list", "get", "set", "unset", "rename-section", "remove-section", "edit"];

export function gitConfig(call: Call): void {
	const [first = ""] = call.operands;
	const sets = call.has("--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit");
	const gets = call.has("--get --get-all --get-regexp --get-urlmatch -l --list --get-color --get-colorbool");
	const byVerb = configVerbs.includes(first) ? first !== "list" && first !== "get" : !gets && call.operands.length > 1;
	const changing = sets || byVerb;
	for (const file of call.values("-f --file")) call.applyRole(changing ? "write" : "read", file);
	if (!changing) return;
	if (call.has("--global")) call.access("write", `${call.home}/.gitconfig`);
	if (call.has("--global --system")) call.change("system");
	else if (!call.has("-f --file")) call.change("repository");
	// A command that git will run because of a setting is judged now.
	const [name = "", value = ""] = call.operands.slice(-2);
	runFromSetting(call, name, value);
	const [program = ""] = value.replace(/^!\s*/, "").split(/\s/);
	const isCommand = commandSettings.test(name)
		? !harmlessSetting.test(value)
		: /^alias\..*\n!/is.test(`${name}\n${value}`);
	if (isCommand && !call.isKnownProgram(program) && !program.startsWith("git-")) call.effect("change-what-runs");
}

export function gitAdd(call: Call): void {
	if (call.has("-n --dry-run")) return;
	call.change("repository");
	for (const path of pathOperands(call)) if (!call.isDirectory(path)) call.applyRole("read", path);
}

export function gitRemove(call: Call): void {
	if (call.has("-n --dry-run")) return;
	call.change("repository");
	if (call.has("--cached")) return;
	if (call.has("-r")) call.effect("recursive-delete");
	if (call.has("-f --force")) call.effect("force-delete");
	for (const path of call.operands) call.access("delete", path, call.has("-r") ? { recursive: true } : {});
}

export function gitClone(call: Call): void {
	const [from, to] = call.operands;
	const name =
		to ??
		from
			?.replace(/\/+$/, "")
			.replace(/\.git$/, "")
			.split(/[/:]/)
			.at(-1);
	if (name) call.access("write", name, { recursive: true });
	for (const setting of call.values("-c --config")) {
		const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
		runFromSetting(call, key, value);
	}
	// The clone itself runs the hooks of a template.
	for (const folder of call.values("--template")) if (folder !== "") call.unknown("script", `--template=${folder}`);
}

/** `ext::command` as a repository: git runs the command as its transport. */
function runTransport(call: Call): void {
	for (const word of call.operands) {
		const command = /^ext::(.+)/s.exec(word)?.[1];
		if (command === undefined) continue;
		const signs: { readonly [sign: string]: string } = { "%": "%", " ": " " };
		call.script(command.replace(/%(.)/g, (_all, sign: string) => signs[sign] ?? ""));
	}
}

export function gitInit(call: Call): void {
	call.access("write", `${(call.operands[0] ?? ".").replace(/\/$/, "")}/.git`, { recursive: true });
}

/** Settings whose value is a command line. */
const commandSettings =
	/^(core\.(pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|diff\..*\.(command|textconv)|(difftool|mergetool|browser|man|guitool|instaweb)\..*(cmd|path|browser)|interactive\.difffilter|pager\..*|credential\.(.*\.)?helper|filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?(program|defaultkeycommand)|merge\..*\.driver|trailer\..*\.(cmd|command)|sendemail\..*(cmd|smtpserver|command)|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack)|tar\..*\.command|submodule\..*\.update|gc\.recentobjectshook|hook\..*\.command|web\.browser)$/i;
/** Settings that name a folder of hooks, a file of settings, or a program that replaces one of git's own. */
const codeSettings =
	/^(core\.(hookspath|fsmonitor|worktree|attributesfile)|init\.templatedir|include\.path|includeif\..*\.path|protocol\.(ext\.)?allow|url\.ext::.*|remote\..*\.vcs|extensions\.\w+)$/i;

/** Pagers, editors and helpers that run nothing else. */
const harmlessSetting =
	/^(|cat|less( -\w+)*|more|true|false|:|delta|bat|diff-so-fancy|vim?|nvim|nano|emacs|code --wait|cursor --wait|store|cache( --timeout[= ]\d+)?|osxkeychain|manager(-core)?|wincred|libsecret|ssh( -[a-zA-Z]+| -o \w+=\w+| -i [\w~/.-]+)*)$/;

/** Settings given by `-c`, and repositories, that make git run a command. */
export function runFromSettings(call: Call): void {
	runTransport(call);
	for (const setting of call.values("-c")) {
		const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
		runFromSetting(call, name, value);
	}
}

function runFromSetting(call: Call, name: string, value: string): void {
	if (codeSettings.test(name) && !/^(|true|false|yes|no|0|1|on|off|never|user)$/i.test(value)) {
		call.effect("change-what-runs");
		call.unknown("script", `${name}=${value}`);
		if (/\s/.test(value)) call.script(value);
	} else if (/^alias\./i.test(name)) call.script(value.startsWith("!") ? value.slice(1) : `git ${value}`);
	else if (commandSettings.test(name) && !harmlessSetting.test(value)) call.script(value.replace(/^!/, ""));
}
