// Files and text: GNU coreutils, their BSD and busybox variants, and small filters.
import { UNKNOWN_VALUE } from "../text.ts";
import { runEscapes } from "./escapes.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** `dd if=… of=…` */
function convertAndCopy(call: Call): void {
	for (const word of call.operands) {
		const [, name, value] = /^(if|of)=(.*)$/s.exec(word) ?? [];
		if (name === "if") call.applyRole("read", value ?? "");
		if (name === "of") call.applyRole("replace", value ?? "");
	}
}

/** `test` and `[`: the operators that inspect files. */
function testFiles(call: Call): void {
	for (const [index, word] of call.args.entries()) {
		const next = call.args[index + 1];
		if (/^-[abcdefghkprsuwxGLNOS]$/.test(word) && next !== undefined && next !== "]") call.applyRole("list", next);
		if (/^-(nt|ot|ef)$/.test(word))
			for (const side of [call.args[index - 1], next]) if (side) call.applyRole("list", side);
	}
}

/** A mode that lets everyone write: `777`, `0777`, `a+rwx`, `o+w`, `ugo=rwx`, `+w` for others. */
export function opensToAll(mode: string): boolean {
	if (/^[-+=]?[0-7]{3,5}$/.test(mode)) return (Number(mode.at(-1)) & 2) !== 0;
	return mode.split(",").some((clause) => /^[ugoa]*[oa][ugoa]*[+=][rwxstX]*w/.test(clause));
}

/** `mkdir -m`, `install -m`: the mode of new files. */
function modeOfNew(call: Call): void {
	if (call.values("-m --mode").some(opensToAll)) call.effect("open-permissions");
}

/** `setfacl -m o::rwx` */
function accessList(call: Call): void {
	const entries = call.values("-m --modify --set").flatMap((list) => list.split(","));
	if (entries.some((entry) => /^(?:d(?:efault)?:)?o(?:ther)?s?:[^:]*:?[rxX-]*w/.test(entry)))
		call.effect("open-permissions");
}

function changeMode(call: Call): void {
	// A mode such as `-x` or `-rwx` looks like options.
	const symbolic = call.args.find((arg) => /^-[rwxXst]+$/.test(arg));
	const byReference = call.has("--reference");
	const [mode, ...paths] = byReference || symbolic ? [symbolic ?? "", ...call.operands] : call.operands;
	if (mode !== undefined && opensToAll(mode)) call.effect("open-permissions");
	for (const path of paths) call.applyRole("write", path, call.has("-R --recursive") ? { recursive: true } : {});
}

function changeOwner(call: Call): void {
	const paths = call.has("--reference") ? call.operands : call.operands.slice(1);
	for (const path of paths) call.applyRole("write", path, call.has("-R --recursive") ? { recursive: true } : {});
}

function shortenOrGrow(call: Call): void {
	const size = call.values("-s --size")[0] ?? "";
	for (const path of call.operands) call.applyRole(/^[+>%/]/.test(size) ? "write" : "replace", path);
}

function copyNames(call: Call): void {
	const symbolic = call.has("-s --symbolic");
	const [into] = call.values("-t --target-directory");
	const alone = call.operands.length === 1 && into === undefined;
	const targets = into !== undefined || alone ? call.operands : call.operands.slice(0, -1);
	const place = into ?? (alone ? "." : (call.operands.at(-1) ?? "."));
	const isFolder = into !== undefined || alone || targets.length > 1 || (call.isDirectory(place) && !call.has("-n -T"));
	for (const target of targets) {
		const base = target.replace(/\/+$/, "").split("/").at(-1) ?? "";
		nameAgain(call, target, isFolder ? `${place.replace(/\/+$/, "") || "/"}/${base}` : place, symbolic);
	}
}

function nameAgain(call: Call, target: string, name: string, symbolic: boolean): void {
	const isAbsolute = target.startsWith("/");
	// The target of a symbolic link is relative to the link's folder.
	const from = name.includes("/") ? name.slice(0, name.lastIndexOf("/") + 1) : "";
	call.applyRole("link", symbolic && !isAbsolute ? from + target : target, { recursive: true });
	call.access("write", name, call.has("-f --force") ? { replaces: true } : {});
	call.addLink(name, symbolic || isAbsolute ? target : relativeTo(from, target));
}

/** Rewrites a path relative to the working directory into one relative to `folder`. */
function relativeTo(folder: string, path: string): string {
	const up = folder.split("/").filter((part) => part !== "" && part !== ".");
	return folder.startsWith("/") || up.includes("..") ? path : "../".repeat(up.length) + path;
}

/** `compgen -F name`: a function is called. */
function completes(call: Call): void {
	if (call.name === "compgen") for (const name of call.values("-F")) call.run([name]);
}

/** Writes files whose names begin with a prefix. */
function writePieces(call: Call, prefix: string): void {
	const slash = prefix.lastIndexOf("/") + 1;
	call.access("write", prefix.slice(0, slash) + call.searchResult({ only: [`${prefix.slice(slash)}*`] }), {
		replaces: true,
	});
}

function listTree(call: Call): void {
	const skips = call.has("-a") ? [] : (["hidden"] as const);
	for (const path of call.operands.length > 0 ? call.operands : ["."])
		call.applyRole("list", path, { recursive: true, skips });
}

/** The folder in which `mktemp` creates a file: by `-p`, `TMPDIR` or the template. */
function makeTemporary(call: Call): void {
	if (call.has("-u --dry-run")) return;
	const named = call.values("-p --tmpdir")[0];
	const inTemp = call.has("-t --tmpdir -p") || call.operands.length === 0;
	const folder = named ?? (inTemp ? call.variable("TMPDIR") : undefined);
	if (inTemp && folder === undefined) return;
	const name = (call.operands[0] ?? "tmp.XXX").replace(/X{3,}/, `X${call.unique}`);
	call.access("write", folder === undefined ? name : `${folder}/${name}`);
}

/** A pager with an initial command that does more than scroll: it may run, edit or save something. */
function page(call: Call): void {
	for (const word of call.args)
		if (/^\+[^\d/?gGFfbdupn<>%&]|^\+.*[!|]/.test(word)) {
			call.unknown("script", word);
			runEscapes(call, "pager", word);
		}
	if (call.has("--lesskey-content")) call.unknown("script", call.text);
}

function splitFile(call: Call): void {
	// Each piece of the file is the input of the filter.
	for (const filter of call.values("--filter")) call.script(filter, { input: UNKNOWN_VALUE });
	if (!call.has("--filter")) writePieces(call, call.operands[1] ?? "x");
}

function splitAtContext(call: Call): void {
	writePieces(call, call.values("-f --prefix")[0] ?? "xx");
}

function showManual(call: Call): void {
	for (const browser of call.values("-H --html")) call.run([...browser.split(" "), UNKNOWN_VALUE]);
}

function changeAttributes(call: Call): void {
	for (const word of call.operands) if (!/^[+=]/.test(word)) call.applyRole("write", word);
}

export const coreutils = describe(
	`
cat bc rev comm tsort sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum md5 zcat bzcat xzcat zipinfo | read*
zstdcat | read* | -o --trace: replace | --output-dir-flat --output-dir-mirror: make
head tail | read* | -n --lines -c --bytes --pid -s --sleep-interval --max-unchanged-stats: text
tac | read* | -s --separator: text
nl | read* | -b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --number-format --number-separator --number-width \
		--starting-line-number: text
od | read* | -A -j -N -t -S --address-radix --skip-bytes --read-bytes --format --strings: text | -w --width ? | --output-duplicates !
xxd | read replace dash | -c -g -l -s -o -cols -groupsize -len -seek -name -n: text
hexdump | read* | -e -n -s: text | -f: read
strings | read* | -n --bytes -t --radix -e --encoding -T --target -s --output-separator: text
fmt fold | read* | -w --width -p --prefix -g --goal: text
pr | read* | -D --date-format -h --header -l --length -o --indent -w --width -W --page-width -N --first-line-number: text
expand unexpand | read* | -t --tabs: text
cut | read* | -d --delimiter -f --fields -c --characters -b --bytes --output-delimiter: text
paste | read* | -d --delimiters: text
column | read* | -s --separator -c --output-width -o --output-separator -N --table-columns -R --table-right -H --table-hide -O \
		--table-order -n --table-name: text
join | read* | -t -1 -2 -j -o -e -a -v: text
wc | read* | --files0-from: names
shasum | read* | -a --algorithm: text
base32 base64 basenc | read* | -w --wrap -b --break: text | -o --output: replace | -i --input: read
bat batcat | read* | -l --language -H --highlight-line -r --line-range --style --theme --paging -m --map-syntax --tabs --wrap \
		--terminal-width --color --decorations --italic-text --file-name: text | --pager: script
less more most zless | read* @page | -b -h -j -P -p -t -T -x -y -z -D: text | -o -O --log-file --LOG-FILE: replace \
		| -k --lesskey-file --lesskey-src --lesskey-content: load
diff | read* | -U -C -W -I -x --exclude -L --label --width --ignore-matching-lines -F --show-function-line -S --starting-file \
		--horizon-lines --tabsize: text | -X --exclude-from --to-file --from-file: read | --color --unified --context ? \
		| -r --recursive > recursive
sdiff diff3 cmp | read* | -w --width -I -i --ignore-initial -n --bytes -L --label: text | -o --output: replace | --diff-program: script
sort | read* | -o --output: replace | -T --temporary-directory: text \
		| -k --key -t --field-separator -S --buffer-size --parallel --sort: text | --random-source: read | --files0-from: names \
		| --compress-program: script
uniq | read replace | -f --skip-fields -s --skip-chars -w --check-chars: text | --group --all-repeated ?
shuf | read* | -o --output: replace | -n --head-count -i --input-range: text | -e --echo > text*
split | read @splitFile | -b -l -n -a -C --bytes --lines --number --suffix-length --additional-suffix --filter: text \
		| --numeric-suffixes --hex-suffixes ?
csplit | read @splitAtContext | -f --prefix -b --suffix-format -n --digits: text
tee | replace* | -a --append > write*
ls dir gls ll la l exa eza lsd | list* here:list | -I --ignore --ignore-glob --hide --level -w --width -T --tabsize --block-size \
		--sort --time --time-style --format --indicator-style --quoting-style: text | --color --hyperlink --classify ? \
		| -R --recursive --tree > recursive
tree | @listTree | -L -P -I --filelimit --charset -H -T --timefmt --sort: text | -o: replace | --fromfile --gitfile: read \
		| -R > ~worktree in:operands
stat | list* | -c --format --printf: text
file | list* | -e --exclude -F --separator -P --parameter -m --magic-file: text | -f --files-from: names | -C --compile > ~worktree
readlink realpath lsattr getfacl | list* | --relative-to --relative-base: text
du | list* here:list | -B --block-size -d --max-depth -t --threshold --exclude --time-style -I: text \
		| -X --exclude-from: read | --files0-from: names | --time ?
df | list* | -t --type -x --exclude-type -B --block-size: text | --output ?
basename dirname pwd echo printf true false yes seq expr factor sleep cal nproc id whoami who w users groups logname tty uptime \
		printenv locale getconf which whereis type hash numfmt tput clear reset stty dirs jobs bg fg disown compopt help caller logout \
		suspend times apropos whatis tr sync xclip pbcopy
man | @showManual | -P --pager: script | -C --config-file: load | -S -s -M -r -e -L -m -p -R -E: text | -H --html -T -X -Z ?
compgen complete | @completes | -C -W: script | -F -A -G -P -S -X -o: text
bind | -x: script | -f: read | -m -q -r -u: text
test [ | @testFiles
enable | -f > ?script
history | -d: text | -c -d > ~system +clear-history | -w -a > write* ~system
touch | make* | -d --date -t: text | -r --reference: list
mkdir mkfifo | make* @modeOfNew | -m --mode: text
mknod | make @modeOfNew | -m --mode: text
mktemp | @makeTemporary | -p --suffix: text | --tmpdir ?
rm | delete* | -r -R --recursive > recursive +recursive-delete | -f --force > +force-delete
rmdir unlink | delete*
trash trash-put gio-trash trash-cli | delete* recursive | --empty --empty-all -e > ~system +destroy-content
rimraf del-cli | delete* recursive +recursive-delete +force-delete
gio
	trash remove rm move mv rename | delete* recursive | --empty > ~system +destroy-content
shred | replace* +destroy-content | -n --iterations -s --size: text | --random-source: read | -u --remove > delete*
srm wipe scrub trash-empty | delete* recursive ~system +destroy-content
cp | read* into | -t --target-directory: into | -S --suffix --sparse --no-preserve: text | --backup --preserve --reflink --context ? \
		| -r -R -a --recursive --archive > recursive | -l --link -s --symbolic-link > link* into
mv | move* into recursive | -t --target-directory: into | -S --suffix: text | --backup ?
install | read* into @modeOfNew | -t --target-directory: into | -m --mode -o --owner -g --group -S --suffix: text \
		| -d --directory > make*
ln | @copyNames | -t --target-directory -S --suffix: text | --backup ?
link | link make
chmod | @changeMode | --reference: list
chown chgrp | @changeOwner | -R --recursive > +change-owner | --reference: list | --from: text
chattr | @changeAttributes
setfacl | write* @accessList | -m --modify --set -x --remove -d: text | -M -X --restore: read | -R --recursive > recursive
xattr | text* | -w -d -c > ~worktree in:operands
dd | @convertAndCopy
truncate | @shortenOrGrow | -s --size: text | -r --reference: list
fallocate | write* | -l -o --length --offset: text
dos2unix unix2dos mac2unix indent stylua addlicense | write* | -n --newfile > read replace
iconv | read* | -f -t --from-code --to-code: text | -o --output: replace
`,
	{
		accessList,
		changeAttributes,
		changeMode,
		changeOwner,
		completes,
		convertAndCopy,
		copyNames,
		listTree,
		makeTemporary,
		modeOfNew,
		page,
		shortenOrGrow,
		showManual,
		splitAtContext,
		splitFile,
		testFiles,
	},
	"abbreviating",
);
