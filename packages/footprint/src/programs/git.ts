// git: global options and all common subcommands. Those whose options and operands interact are in `git-changes.ts`.
import * as changes from "./git-changes.ts";
import { pathOperands, readPathspecs } from "./git-changes.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** Options that limit `git show` and `git diff` to names, and those that make `git log` show file contents. */
const namesOnly = "--name-only --name-status --stat --numstat --shortstat --dirstat --summary --raw -s --no-patch";
const contents =
	"-p -u --patch -c --cc -L -U --unified --word-diff --color-words --ext-diff --patch-with-stat --patch-with-raw -m";

function showContents(call: Call): void {
	show(call, call.has(namesOnly) ? "list" : "read");
}

/** `git log` shows commits, and file contents only with an option. */
function showLog(call: Call): void {
	show(call, call.has(contents) ? "read" : "list");
}

function show(call: Call, role: "read" | "list"): void {
	readPathspecs(call, role);
	if (call.has("--name-only"))
		call.setOutput(`${call.findUp(".git") ?? "."}/${call.searchResult({ skips: ["untracked"] })}`);
}

function listPaths(call: Call): void {
	readPathspecs(call, "list");
}

function readStatus(call: Call): void {
	readPathspecs(call, call.has("-v --verbose") ? "read" : "list");
}

function searchTracked(call: Call): void {
	const pager = call.values("-O --open-files-in-pager")[0];
	if (pager !== undefined) call.script(pager);
	const paths = pathOperands(call);
	const skips: readonly ("ignored" | "untracked")[] = call.has("--no-index")
		? []
		: [call.has("--untracked") ? "ignored" : "untracked"];
	for (const path of paths.length > 0 ? paths : ["."]) call.applyRole("read", path, { recursive: true, skips });
	if (call.has("-l --files-with-matches --name-only -L --files-without-match"))
		call.setOutput(call.searchResult({ skips }));
}

function listFiles(call: Call): void {
	readPathspecs(call, "list");
	const folders = pathOperands(call).filter((path) => call.isDirectory(path));
	const isOther = call.has("-o --others -d --deleted -i --ignored");
	const found = call.searchResult(isOther ? {} : { skips: ["untracked"] });
	const lines = folders.map((path) => `${path.replace(/\/+$/, "")}/${found}`);
	call.setOutput(lines.length > 0 ? lines.join("\n") : found);
}

function writePatches(call: Call): void {
	if (!call.has("-o --output-directory --output --stdout")) call.change("worktree");
}

function packTree(call: Call): void {
	for (const path of call.operands.slice(1)) call.applyRole("read", path, { recursive: true });
}

function pruneObjects(call: Call): void {
	const when = call.values("--expire").at(-1) ?? "now";
	if (!call.has("-n --dry-run") && /^(now|all)$/.test(when)) call.effect("git-lose-objects");
}

function collectGarbage(call: Call): void {
	if (call.values("--prune --expire").some((when) => when === "now" || when === "all")) call.effect("git-lose-objects");
}

function setSymbolicRef(call: Call): void {
	if (call.operands.length > 1 || call.has("-d --delete")) call.change("repository");
	if (call.has("-d --delete")) call.effect("git-branch-force-delete");
}

export const git = describe(
	`
$shows | --output: replace | -n --max-count --skip --since --after --until --before --author --committer --grep -S -G -L -U --unified \
		--format --date --diff-filter -O -l --inter-hunk-context --word-diff-regex --glob --exclude: text \
		| --pretty --decorate --color --stat --word-diff --abbrev ?
# Commands that show names and states of files, not their contents.
$names | --format --sort --count --exclude --since --until --author: text \
		| --porcelain --untracked-files -u --ignored --color --column ?
$integrates | ~repository ~worktree | -m -s -X --strategy --strategy-option --onto --message --cleanup: text | -F --file: read \
		| -x --exec: script | -S --gpg-sign --log --rebase --autosquash ?
git | in:repository @runFromSettings | -C --work-tree: directory | --git-dir: list \
		| -c --namespace --super-prefix --attr-source --list-cmds: text
	log whatchanged | =shows @showLog
	check-ignore check-attr rev-list shortlog | =names @listPaths
	status | =names @showStatus | -v --verbose >
	show diff diff-tree diff-index diff-files range-diff | =shows @showContents
	rev-parse describe ls-tree ls-remote cat-file name-rev merge-base for-each-ref show-ref show-branch count-objects check-ref-format \
			check-mailmap var version help fsck verify-commit verify-tag verify-pack cherry patch-id stripspace column merge-tree \
			get-tar-commit-id fmt-merge-msg request-pull fast-export | @readPathspecs \
			| --format --sort --count --points-at --exclude --since --until --author --group: text | --upload-pack --exec: script \
			| --export-marks: replace | --import-marks: read \
			| --abbrev --contains --porcelain --untracked-files -u --ignored --color --column ? | --lost-found > ~repository
	grep | @searchTracked | -e -m --max-count --max-depth --threads -A -B -C --after-context --before-context --context: text \
			| -f: read | -O --open-files-in-pager --color ?
	blame annotate | @readPathspecs | -L -S --since --date --ignore-rev --abbrev: text | --contents --ignore-revs-file: read | -C -M ?
	ls-files | @listFiles | -x --exclude --exclude-per-directory --format: text | -X --exclude-from --pathspec-from-file: read
	format-patch | @writePatches | -o --output-directory: make | --output: replace \
			| -n --start-number --subject-prefix --to --cc --in-reply-to: text
	difftool mergetool | ?program | -t --tool: text | -x --extcmd: script
	archive | @packTree | -o --output: replace | --prefix --format --remote: text | --exec: script | --add-file: read
	bundle
		create | replace
		unbundle | ~repository
	add stage | @gitAdd | --pathspec-from-file: read | --chmod: text
	mv | move* into recursive ~repository | -n --dry-run > list* harmless
	rm | @gitRemove | --pathspec-from-file: read
	commit | ~repository \
			| -m --message -C -c --reuse-message --reedit-message --fixup --squash --author --date --cleanup --trailer: text \
			| -F --file -t --template --pathspec-from-file: read | -S --gpg-sign -u --untracked-files ? | --amend > +git-amend-history \
			| --dry-run > harmless
	checkout | ~repository @gitCheckout | -b -B --orphan --conflict: text | --pathspec-from-file: read
	switch | ~repository ~worktree | -c -C --create --force-create --orphan --conflict: text \
			| -f --force --discard-changes > +git-discard-changes | -C --force-create > +git-branch-force-delete
	restore | ~repository @gitRestore | -s --source --conflict: text | --pathspec-from-file: read
	reset | ~repository @gitReset | --pathspec-from-file: read
	clean | @gitClean | -e --exclude: text
	stash | @gitStashAlone | -m --message --pathspec-from-file: text | bare > ~repository ~worktree
		list show | =shows @showContents
		push save | ~repository ~worktree @gitStash | -m --message: text | --pathspec-from-file: read
		drop | ~repository +git-stash-drop
		clear | ~repository +git-stash-drop +git-stash-clear
		* | ~repository ~worktree | -m --message: text
	push send-pack | @gitPush | -o --push-option --repo: text | --receive-pack --exec: script \
			| --force-with-lease --signed --recurse-submodules ? | --force !
	fetch | ~repository | --upload-pack: script | --depth --deepen --shallow-since -j --jobs -o --server-option --refmap: text \
			| --dry-run > harmless
	pull merge cherry-pick revert am | =integrates
	rebase | =integrates +git-amend-history
	apply | read* ~worktree | -p -C --directory --exclude --include --whitespace: text | --build-fake-ancestor: replace \
			| --check --stat --numstat --summary > harmless
	branch | @gitBranch | -u --set-upstream-to --sort --format --points-at: text \
			| --contains --no-contains --merged --no-merged --abbrev --color --column ?
	tag | @gitTag | -m -u --message --local-user --sort --format --points-at: text | -F --file: read \
			| --contains --no-contains --merged --no-merged -n --column ?
	config | @gitConfig | -f --file --blob -t --type --default --value --comment: text
	clone | fetches @gitClone \
			| -b --branch -o --origin --depth -j --jobs --reference --template -c --config --filter --shallow-since --server-option: text \
			| --separate-git-dir: make | -u --upload-pack: script | --recurse-submodules ?
	init | @gitInit | --template -b --initial-branch --object-format: text | --separate-git-dir: make | --shared ?
	remote
		show get-url
		prune update | ~repository | -n --dry-run > harmless
		* | ~repository
	worktree
		list
		add | make recursive ~repository | -b -B --reason --orphan: text
		remove | delete* recursive ~repository | -f --force > +git-discard-changes +recursive-delete
		move | move make ~repository
		prune | ~repository | -n --dry-run > harmless
		* | ~repository
	submodule
		status summary
		foreach | first @eachSubmodule
		update | ~repository ~worktree | --depth --reference -j --jobs: text | -f --force > +git-discard-changes
		deinit | ~repository ~worktree | -f --force --all > +git-discard-changes
		* | ~repository ~worktree
	reflog
		expire delete drop write | ~repository +git-lose-objects
		* | =shows @showContents
	notes
		list show get-ref
		* | ~repository
	bisect
		log view visualize terms
		run | command ~repository ~worktree first
		* | ~repository ~worktree
	prune | ~repository @pruneObjects | --expire: text | -n --dry-run > harmless
	gc repack maintenance pack-refs prune-packed | ~repository @collectGarbage | --prune --expire: text
	filter-branch filter-repo | ~repository ~worktree +git-rewrite-history
	replace | ~repository +git-rewrite-history | -l --list > harmless
	update-ref | ~repository | -d --stdin > +git-branch-force-delete
	symbolic-ref | @setSymbolicRef
	read-tree | ~repository @gitReadTree | --prefix --index-output --exclude-per-directory: text
	checkout-index | @gitCheckoutIndex | --prefix --stage: text
	hash-object | read* | -t --path: text | -w > ~repository
	update-index write-tree commit-tree mktag mktree index-pack pack-objects unpack-objects fast-import rerere subtree svn p4 send-pack \
			fetch-pack merge-file merge-index credential flow annex interpret-trailers bugreport diagnose | ~repository ~worktree
	sparse-checkout
		list check-rules
		* | ~repository ~worktree
	lfs
		ls-files status env version locks pointer
		* | ~repository ~worktree
git-filter-repo | ~repository ~worktree +git-rewrite-history in:repository
`,
	{
		...changes,
		collectGarbage,
		listFiles,
		listPaths,
		packTree,
		pruneObjects,
		searchTracked,
		setSymbolicRef,
		showContents,
		showLog,
		showStatus: readStatus,
		writePatches,
	},
	"abbreviating",
);
