// git: global options and all common subcommands. Those whose options and operands interact are in `git-changes.ts`.
import { changesUnless } from "./common-specs.ts";
import {
	eachSubmodule,
	gitAdd,
	gitBranch,
	gitCheckout,
	gitCheckoutIndex,
	gitClean,
	gitClone,
	gitConfig,
	gitInit,
	gitPush,
	gitReadTree,
	gitRemove,
	gitReset,
	gitRestore,
	gitStash,
	gitStashAlone,
	gitTag,
	pathOperands,
	readPathspecs,
	runFromSettings,
} from "./git-changes.ts";
import { abbreviating, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";

const changesRepository: ProgramSpec = { changes: ["repository"] };
const changesBoth: ProgramSpec = { changes: ["repository", "worktree"] };

/** Options that limit `git show` and `git diff` to names, and those that make `git log` show file contents. */
const namesOnly = "--name-only --name-status --stat --numstat --shortstat --dirstat --summary --raw -s --no-patch";
const contents =
	"-p -u --patch -c --cc -L -U --unified --word-diff --color-words --ext-diff --patch-with-stat --patch-with-raw -m";

const shows: ProgramSpec = {
	options: {
		"--output": "replace",
		"-n --max-count --skip --since --after --until --before --author --committer --grep -S -G -L -U --unified --format --date --diff-filter -O -l --inter-hunk-context --word-diff-regex --glob --exclude":
			"text",
	},
	attached: "--pretty --decorate --color --stat --word-diff --abbrev",
	custom: (call) => {
		readPathspecs(call, call.has(namesOnly) ? "list" : "read");
		if (call.has("--name-only"))
			call.setOutput(`${call.findUp(".git") ?? "."}/${call.searchResult({ skips: ["untracked"] })}`);
	},
};

/** `git log` shows commits, and file contents only with an option. */
const logs: ProgramSpec = {
	...shows,
	custom: (call) => {
		readPathspecs(call, call.has(contents) ? "read" : "list");
		if (call.has("--name-only"))
			call.setOutput(`${call.findUp(".git") ?? "."}/${call.searchResult({ skips: ["untracked"] })}`);
	},
};

/** Commands that show names and states of files, not their contents. */
const names: ProgramSpec = {
	options: { "--format --sort --count --exclude --since --until --author": "text" },
	attached: "--porcelain --untracked-files -u --ignored --color --column",
	custom: (call) => readPathspecs(call, "list"),
};

const inspects: ProgramSpec = {
	options: { "--format --sort --count --points-at --exclude --since --until --author --group": "text" },
	attached: "--abbrev --contains --porcelain --untracked-files -u --ignored --color --column",
	custom: readPathspecs,
};

const integrates: ProgramSpec = {
	...changesBoth,
	options: {
		"-m -s -X --strategy --strategy-option --onto --message --cleanup": "text",
		"-F --file": "read",
		"-x --exec": "script",
	},
	attached: "-S --gpg-sign --log --rebase --autosquash",
};

const largeFiles: ProgramSpec = {
	subcommands: {
		"ls-files status env version locks logs pointer": {},
		"prune push": { ...changesBoth, when: { "-n --dry-run -d": { harmless: true } } },
		"*": changesBoth,
	},
};

const subcommands: { readonly [names: string]: ProgramSpec } = {
	"log whatchanged": logs,
	"check-ignore check-attr rev-list shortlog": names,
	status: {
		...names,
		when: { "-v --verbose": {} },
		custom: (call) => readPathspecs(call, call.has("-v --verbose") ? "read" : "list"),
	},
	"show diff diff-tree diff-index diff-files range-diff": shows,
	"rev-parse describe ls-tree ls-remote cat-file name-rev merge-base for-each-ref show-ref show-branch count-objects check-ref-format check-mailmap var version help fsck verify-commit verify-tag verify-pack cherry patch-id stripspace column merge-tree get-tar-commit-id fmt-merge-msg request-pull fast-export":
		{
			...inspects,
			options: {
				...inspects.options,
				"--upload-pack --exec": "script",
				"--export-marks": "replace",
				"--import-marks": "read",
			},
			when: { "--lost-found": { changes: ["repository"] } },
			custom: (call) => {
				readPathspecs(call);
				for (const word of call.operands) if (word.startsWith("ext::")) call.script(word.slice(5));
			},
		},
	grep: {
		options: {
			"-e -m --max-count --max-depth --threads -A -B -C --after-context --before-context --context": "text",
			"-f": "read",
		},
		attached: "-O --open-files-in-pager --color",
		custom: (call) => {
			const pager = call.values("-O --open-files-in-pager")[0];
			if (pager !== undefined) call.script(pager);
			const paths = pathOperands(call);
			const skips: readonly ("ignored" | "untracked")[] = call.has("--no-index")
				? []
				: [call.has("--untracked") ? "ignored" : "untracked"];
			for (const path of paths.length > 0 ? paths : ["."]) call.applyRole("read", path, { recursive: true, skips });
			if (call.has("-l --files-with-matches --name-only -L --files-without-match"))
				call.setOutput(call.searchResult({ skips }));
		},
	},
	"blame annotate": {
		options: { "-L -S --since --date --ignore-rev --abbrev": "text", "--contents --ignore-revs-file": "read" },
		attached: "-C -M",
		custom: readPathspecs,
	},
	"ls-files": {
		options: {
			"-x --exclude --exclude-per-directory --format": "text",
			"-X --exclude-from --pathspec-from-file": "read",
		},
		custom: (call) => {
			readPathspecs(call, "list");
			const paths = pathOperands(call).filter((path) => call.isDirectory(path));
			const found = call.searchResult(
				call.has("-o --others -d --deleted -i --ignored") ? {} : { skips: ["untracked"] },
			);
			call.setOutput(
				(paths.length > 0 ? paths.map((path) => `${path.replace(/\/+$/, "")}/${found}`) : [found]).join("\n"),
			);
		},
	},
	"format-patch": {
		options: {
			"-o --output-directory": "make",
			"--output": "replace",
			"-n --start-number --subject-prefix --to --cc --in-reply-to": "text",
		},
		custom: (call) => {
			if (!call.has("-o --output-directory --output --stdout")) call.change("worktree");
		},
	},
	"difftool mergetool": { opaque: "program", options: { "-t --tool": "text", "-x --extcmd": "script" } },
	archive: {
		options: {
			"-o --output": "replace",
			"--prefix --format --remote": "text",
			"--exec": "script",
			"--add-file": "read",
		},
		custom: (call) => {
			for (const path of call.operands.slice(1)) call.applyRole("read", path, { recursive: true });
		},
	},
	bundle: {
		subcommands: {
			create: { operands: { first: ["replace"] } },
			"verify list-heads": { operands: { first: ["read"] } },
			unbundle: changesRepository,
		},
	},
	"add stage": { options: { "--pathspec-from-file": "read", "--chmod": "text" }, custom: gitAdd },
	mv: {
		operands: { rest: "move", last: "into" },
		changes: ["repository"],
		recursive: true,
		when: { "-n --dry-run": { harmless: true, operands: "list" } },
	},
	rm: { options: { "--pathspec-from-file": "read" }, custom: gitRemove },
	commit: {
		...changesRepository,
		options: {
			"-m --message -C -c --reuse-message --reedit-message --fixup --squash --author --date --cleanup --trailer":
				"text",
			"-F --file -t --template --pathspec-from-file": "read",
		},
		attached: "-S --gpg-sign -u --untracked-files",
		when: { "--amend": { effects: ["git-amend-history"] }, "--dry-run": { harmless: true } },
	},
	checkout: {
		options: { "-b -B --orphan --conflict": "text", "--pathspec-from-file": "read" },
		changes: ["repository"],
		custom: gitCheckout,
	},
	switch: {
		...changesBoth,
		options: { "-c -C --create --force-create --orphan --conflict": "text" },
		when: {
			"-f --force --discard-changes": { effects: ["git-discard-changes"] },
			"-C --force-create": { effects: ["git-branch-force-delete"] },
		},
	},
	restore: {
		options: { "-s --source --conflict": "text", "--pathspec-from-file": "read" },
		changes: ["repository"],
		custom: gitRestore,
	},
	reset: { changes: ["repository"], options: { "--pathspec-from-file": "read" }, custom: gitReset },
	clean: { options: { "-e --exclude": "text" }, custom: gitClean },
	stash: {
		options: { "-m --message --pathspec-from-file": "text" },
		withoutSubcommand: changesBoth,
		custom: gitStashAlone,
		subcommands: {
			"list show": shows,
			"push save": {
				...changesBoth,
				options: { "-m --message": "text", "--pathspec-from-file": "read" },
				custom: gitStash,
			},
			drop: { ...changesRepository, effects: ["git-stash-drop"] },
			clear: { ...changesRepository, effects: ["git-stash-drop", "git-stash-clear"] },
			"*": { ...changesBoth, options: { "-m --message": "text" } },
		},
	},
	push: {
		flags: "--force",
		options: { "-o --push-option --repo": "text", "--receive-pack --exec": "script" },
		attached: "--force-with-lease --signed --recurse-submodules",
		custom: gitPush,
	},
	fetch: {
		...changesRepository,
		options: {
			"--upload-pack": "script",
			"--depth --deepen --shallow-since -j --jobs -o --server-option --refmap": "text",
		},
		when: { "--dry-run": { harmless: true } },
	},
	"pull merge cherry-pick revert am": integrates,
	rebase: { ...integrates, effects: ["git-amend-history"] },
	apply: {
		operands: "read",
		options: { "-p -C --directory --exclude --include --whitespace": "text", "--build-fake-ancestor": "replace" },
		changes: ["worktree"],
		when: { "--check --stat --numstat --summary": { harmless: true } },
	},
	branch: {
		options: { "-u --set-upstream-to --sort --format --points-at": "text" },
		attached: "--contains --no-contains --merged --no-merged --abbrev --color --column",
		custom: gitBranch,
	},
	tag: {
		options: { "-m -u --message --local-user --sort --format --points-at": "text", "-F --file": "read" },
		attached: "--contains --no-contains --merged --no-merged -n --column",
		custom: gitTag,
	},
	config: { options: { "-f --file --blob -t --type --default --value --comment": "text" }, custom: gitConfig },
	clone: {
		fetches: true,
		options: {
			"-b --branch -o --origin --depth -j --jobs --reference --template -c --config --filter --shallow-since --server-option":
				"text",
			"--separate-git-dir": "make",
			"-u --upload-pack": "script",
		},
		attached: "--recurse-submodules",
		custom: gitClone,
	},
	init: {
		options: { "--template -b --initial-branch --object-format": "text", "--separate-git-dir": "make" },
		attached: "--shared",
		custom: gitInit,
	},
	remote: {
		subcommands: {
			"show get-url": {},
			"prune update": { ...changesRepository, when: { "-n --dry-run": { harmless: true } } },
			"*": changesRepository,
		},
	},
	worktree: {
		subcommands: {
			list: {},
			add: {
				...changesRepository,
				operands: { first: ["make"] },
				recursive: true,
				options: { "-b -B --reason --orphan": "text" },
			},
			remove: {
				...changesRepository,
				operands: "delete",
				recursive: true,
				when: { "-f --force": { effects: ["git-discard-changes", "recursive-delete"] } },
			},
			move: { ...changesRepository, operands: { first: ["move", "make"] } },
			prune: { ...changesRepository, when: { "-n --dry-run": { harmless: true } } },
			"*": changesRepository,
		},
	},
	submodule: {
		subcommands: {
			"status summary": {},
			foreach: { optionsFirst: true, custom: eachSubmodule },
			update: {
				...changesBoth,
				options: { "--depth --reference -j --jobs": "text" },
				when: { "-f --force": { effects: ["git-discard-changes"] } },
			},
			deinit: { ...changesBoth, when: { "-f --force --all": { effects: ["git-discard-changes"] } } },
			"*": changesBoth,
		},
	},
	reflog: {
		subcommands: { "expire delete drop write": { ...changesRepository, effects: ["git-lose-objects"] }, "*": shows },
	},
	notes: changesUnless("list show get-ref", "repository"),
	bisect: {
		subcommands: {
			"log view visualize terms": {},
			run: { ...changesBoth, optionsFirst: true, operands: { first: ["command"] } },
			"*": changesBoth,
		},
	},
	prune: {
		...changesRepository,
		options: { "--expire": "text" },
		when: { "-n --dry-run": { harmless: true } },
		custom: (call) => {
			const when = call.values("--expire").at(-1) ?? "now";
			if (!call.has("-n --dry-run") && /^(now|all)$/.test(when)) call.effect("git-lose-objects");
		},
	},
	"gc repack maintenance pack-refs prune-packed": {
		...changesRepository,
		options: { "--prune --expire": "text" },
		custom: (call) => {
			if (call.values("--prune --expire").some((when) => when === "now" || when === "all"))
				call.effect("git-lose-objects");
		},
	},
	"filter-branch filter-repo": { ...changesBoth, effects: ["git-rewrite-history"] },
	replace: { ...changesRepository, effects: ["git-rewrite-history"], when: { "-l --list": { harmless: true } } },
	"update-ref": { ...changesRepository, when: { "-d --stdin": { effects: ["git-branch-force-delete"] } } },
	"symbolic-ref": {
		custom: (call) => {
			if (call.operands.length > 1 || call.has("-d --delete")) call.change("repository");
		},
	},
	"read-tree": {
		...changesRepository,
		options: { "--prefix --index-output --exclude-per-directory": "text" },
		custom: gitReadTree,
	},
	"checkout-index": { options: { "--prefix --stage": "text" }, custom: gitCheckoutIndex },
	"hash-object": {
		options: { "-t --path": "text" },
		operands: "read",
		when: { "-w": { changes: ["repository"] } },
	},
	"update-index write-tree commit-tree mktag mktree index-pack pack-objects unpack-objects fast-import rerere subtree svn p4 send-pack fetch-pack merge-file merge-index credential flow annex interpret-trailers bugreport diagnose":
		changesBoth,
	"sparse-checkout": { subcommands: { "list check-rules": {}, "*": changesBoth } },
	lfs: largeFiles,
	"for-each-repo daemon instaweb": { opaque: "program" },
};

export const git: ProgramSpecs = abbreviating({
	git: {
		options: {
			"-C --work-tree": "directory",
			"--git-dir": "list",
			"-c --namespace --super-prefix --config-env --attr-source --list-cmds": "text",
		},
		attached: "--exec-path",
		changesIn: "repository",
		subcommands,
		custom: runFromSettings,
	},
	"git-lfs": { ...largeFiles, changesIn: "repository" },
	"git-filter-repo": { ...changesBoth, changesIn: "repository", effects: ["git-rewrite-history"] },
});
