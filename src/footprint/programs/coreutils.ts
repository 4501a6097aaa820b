// Files and text: GNU coreutils, their BSD and busybox variants, and small filters.
import { UNKNOWN_VALUE } from "../text.ts";
import { runEscapes } from "./escapes.ts";
import { abbreviating, type Call, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";

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
	if (call.has("-R --recursive")) call.effect("change-owner");
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

const reads = (values: string, more: ProgramSpec = {}): ProgramSpec => ({
	operands: "read",
	...more,
	options: { ...(values !== "" && { [values]: "text" as const }), ...more.options },
});

/** `compgen -F name`: a function is called. */
function completes(call: Call): void {
	if (call.name === "compgen") for (const name of call.values("-F")) call.run([name]);
}

/** `arch` prints the architecture on Linux; on macOS it runs a command for the one named. */
function onArchitecture(call: Call): void {
	if (call.operands.length > 0) call.run(call.operands);
}

export const coreutils: ProgramSpecs = abbreviating({
	"cat rev comm tsort sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum md5 zcat gzcat bzcat xzcat zstdcat lz4cat colordiff hd":
		reads(""),
	"head tail": reads("-n --lines -c --bytes --pid -s --sleep-interval --max-unchanged-stats"),
	tac: reads("-s --separator"),
	nl: reads(
		"-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --number-format --number-separator --number-width --starting-line-number",
	),
	od: reads("-A -j -N -t -S --address-radix --skip-bytes --read-bytes --format --strings", {
		attached: "-w --width",
		flags: "--output-duplicates",
	}),
	xxd: {
		operands: { first: ["read", "replace"] },
		options: { "-c -g -l -s -o -cols -groupsize -len -seek -name -n": "text" },
	},
	hexdump: reads("-e -n -s", { options: { "-f": "read" } }),
	strings: reads("-n --bytes -t --radix -e --encoding -T --target -s --output-separator"),
	fold: reads("-w --width"),
	fmt: reads("-w --width -p --prefix -g --goal"),
	pr: reads("-D --date-format -h --header -l --length -o --indent -w --width -W --page-width -N --first-line-number"),
	"expand unexpand": reads("-t --tabs"),
	cut: reads("-d --delimiter -f --fields -c --characters -b --bytes --output-delimiter"),
	paste: reads("-d --delimiters"),
	column: reads(
		"-s --separator -c --output-width -o --output-separator -N --table-columns -R --table-right -H --table-hide -O --table-order -n --table-name",
	),
	join: reads("-t -1 -2 -j -o -e -a -v"),
	wc: reads("", { options: { "--files0-from": "read" } }),
	shasum: reads("-a --algorithm"),
	"base32 base64 basenc": reads("-w --wrap -b --break", {
		options: { "-o --output": "replace", "-i --input": "read" },
	}),
	"bat batcat": reads(
		"-l --language -H --highlight-line -r --line-range --style --theme --paging -m --map-syntax --tabs --wrap --terminal-width --color --decorations --italic-text --file-name",
		{
			options: { "--pager": "script" },
		},
	),
	"less more most zless zmore bzless xzless zstdless pg": reads("-b -h -j -P -p -t -T -x -y -z -D --lesskey-content", {
		options: { "-o -O --log-file --LOG-FILE": "replace", "-k --lesskey-file --lesskey-src": "read" },
		custom: (call) => {
			// An initial command that does more than scroll: it may run, edit or save something.
			for (const word of call.args)
				if (/^\+[^\d/?gGFfbdupn<>%&]|^\+.*[!|]/.test(word)) {
					call.unknown("script", word);
					runEscapes(call, "pager", word);
				}
			if (call.has("--lesskey-content")) call.unknown("script", call.text);
		},
	}),
	diff: reads(
		"-U -C -W -I -x --exclude -L --label --width --ignore-matching-lines -F --show-function-line -S --starting-file --horizon-lines --tabsize",
		{
			options: { "-X --exclude-from --to-file --from-file": "read" },
			attached: "--color --unified --context",
			when: { "-r --recursive": { recursive: true } },
		},
	),
	"sdiff diff3 cmp": reads("-w --width -I -i --ignore-initial -n --bytes -L --label", {
		options: { "-o --output": "replace", "--diff-program": "script" },
	}),
	tr: {},
	sort: {
		operands: "read",
		options: {
			"-o --output": "replace",
			"-T --temporary-directory": "text",
			"-k --key -t --field-separator -S --buffer-size --parallel --sort": "text",
			"--files0-from --random-source": "read",
			"--compress-program": "script",
		},
	},
	uniq: {
		operands: { first: ["read", "replace"] },
		options: { "-f --skip-fields -s --skip-chars -w --check-chars": "text" },
		attached: "--group --all-repeated",
	},
	shuf: {
		operands: "read",
		options: { "-o --output": "replace", "-n --head-count -i --input-range": "text" },
		when: { "-e --echo": { operands: "text" } },
	},
	split: {
		operands: { first: ["read"] },
		options: {
			"-b -l -n -a -C --bytes --lines --number --suffix-length --additional-suffix": "text",
			"--filter": "script",
		},
		attached: "--numeric-suffixes --hex-suffixes",
		custom: (call) => {
			if (!call.has("--filter")) writePieces(call, call.operands[1] ?? "x");
		},
	},
	csplit: {
		operands: { first: ["read"] },
		options: { "-f --prefix -b --suffix-format -n --digits": "text" },
		custom: (call) => writePieces(call, call.values("-f --prefix")[0] ?? "xx"),
	},
	tee: { operands: "replace", when: { "-a --append": { operands: "write" } } },
	"ls dir vdir gls ll la l": {
		operands: "list",
		defaultRole: "list",
		options: {
			"-I --ignore --hide -w --width -T --tabsize --block-size --sort --time --time-style --format --indicator-style --quoting-style":
				"text",
		},
		attached: "--color --hyperlink --classify",
		when: { "-R --recursive": { recursive: true } },
	},
	"exa eza lsd": {
		operands: "list",
		defaultRole: "list",
		options: { "-L --level -s --sort -I --ignore-glob -t --time --time-style --depth --date --size": "text" },
		when: { "-R --recurse --recursive -T --tree": { recursive: true } },
	},
	tree: {
		options: {
			"-L -P -I --filelimit --charset -H -T --timefmt --sort": "text",
			"-o": "replace",
			"--fromfile --gitfile": "read",
		},
		// With -R, a page is written into every folder.
		when: { "-R": { changes: ["worktree"], changesIn: "operands" } },
		custom: listTree,
	},
	stat: { operands: "list", options: { "-c --format --printf": "text" } },
	file: {
		operands: "list",
		options: { "-e --exclude -F --separator -P --parameter -m --magic-file": "text", "-f --files-from": "read" },
		when: { "-C --compile": { changes: ["worktree"] } },
	},
	readlink: { operands: "list" },
	realpath: { operands: "list", options: { "--relative-to --relative-base": "text" } },
	du: {
		operands: "list",
		defaultRole: "list",
		options: {
			"-B --block-size -d --max-depth -t --threshold --exclude --time-style -I": "text",
			"-X --exclude-from --files0-from": "read",
		},
		attached: "--time",
	},
	df: { operands: "list", options: { "-t --type -x --exclude-type -B --block-size": "text" }, attached: "--output" },
	"basename dirname pwd echo printf true false yes seq expr factor sleep cal ncal nproc id whoami who w users groups logname tty uptime printenv locale getconf which whereis type hash numfmt tput clear reset stty dirs jobs bg fg disown compopt help caller logout suspend times apropos whatis cowsay figlet lolcat":
		{},
	man: {
		options: { "-P --pager": "script", "-S -s -M -C --config-file -r -e -L -m -p -R -E": "text" },
		// `-Hbrowser`, attached.
		attached: "-H --html -T -X -Z",
		custom: (call) => {
			for (const browser of call.values("-H --html")) call.run([...browser.split(" "), UNKNOWN_VALUE]);
		},
	},
	info: { options: { "-o --output --dribble": "replace", "--restore": "read", "-f --file -n --node -d -k": "text" } },
	tldr: { when: { "-u --update -c --clear-cache": { changes: ["system"] } } },
	// A completion may run a command.
	"compgen complete": { options: { "-C -W": "script", "-F -A -G -P -S -X -o": "text" }, custom: completes },
	bind: { options: { "-x": "script", "-f": "read", "-m -q -r -u": "text" } },
	arch: { options: { "-e -d": "text" }, optionsFirst: true, custom: onArchitecture },
	"test [": { custom: testFiles },
	enable: { when: { "-f": { opaque: "script" } } },
	history: {
		options: { "-d": "text" },
		when: { "-c -d": { effects: ["clear-history"], changes: ["system"] }, "-w -a": { changes: ["system"] } },
	},
	fc: { opaque: "script" },
	touch: { operands: "make", options: { "-d --date -t": "text", "-r --reference": "list" } },
	"mkdir mkfifo": { operands: "make", options: { "-m --mode": "text" }, custom: modeOfNew },
	mknod: { operands: { first: ["make"] }, options: { "-m --mode": "text" }, custom: modeOfNew },
	mktemp: { options: { "-p --suffix": "text" }, attached: "--tmpdir", custom: makeTemporary },
	rm: {
		operands: "delete",
		when: {
			"-r -R --recursive": { recursive: true, effects: ["recursive-delete"] },
			"-f --force": { effects: ["force-delete"] },
		},
	},
	"rmdir unlink": { operands: "delete" },
	"trash trash-put gio-trash rmtrash rip trash-cli": {
		operands: "delete",
		recursive: true,
		when: { "--empty --empty-all -e": { changes: ["system"] } },
	},
	"rimraf del-cli": { operands: "delete", recursive: true, effects: ["recursive-delete", "force-delete"] },
	"gio gvfs": {
		subcommands: {
			trash: { operands: "delete", recursive: true, options: { "--restore": "text" }, when: { "--list": {} } },
			"remove rm": { operands: "delete", when: { "-f --force": { effects: ["force-delete"] } } },
			"move mv": { operands: { rest: "move", last: "into" }, recursive: true },
			"copy cp": { operands: { rest: "read", last: "into" } },
			rename: { operands: { first: ["move", "text"] } },
			save: { operands: { first: ["replace"] } },
			mkdir: { operands: "make" },
			set: { operands: { first: ["write"] } },
			cat: { operands: "read" },
			"info list tree monitor": { operands: "list", defaultRole: "list" },
			"open launch mount": { operands: "read", opaque: "program" },
			"help version mime": {},
		},
	},
	shred: {
		operands: "replace",
		options: { "-n --iterations -s --size": "text", "--random-source": "read" },
		effects: ["destroy-content"],
		when: { "-u --remove": { operands: "delete" } },
	},
	"srm wipe scrub": { operands: "delete", recursive: true, effects: ["destroy-content"] },
	cp: {
		operands: { rest: "read", last: "into" },
		options: { "-t --target-directory": "into", "-S --suffix --sparse --no-preserve": "text" },
		when: {
			"-r -R -a --recursive --archive": { recursive: true },
			"-l --link -s --symbolic-link": { operands: { rest: "link", last: "into" } },
		},
		attached: "--backup --preserve --reflink --context",
	},
	mv: {
		operands: { rest: "move", last: "into" },
		options: { "-t --target-directory": "into", "-S --suffix": "text" },
		attached: "--backup",
		recursive: true,
	},
	rename: { operands: "text", changes: ["worktree"], changesIn: "operands" },
	install: {
		operands: { rest: "read", last: "into" },
		options: { "-t --target-directory": "into", "-m --mode -o --owner -g --group -S --suffix": "text" },
		when: { "-d --directory": { operands: "make" } },
		custom: modeOfNew,
	},
	ln: { options: { "-t --target-directory -S --suffix": "text" }, attached: "--backup", custom: copyNames },
	link: { operands: { first: ["link", "make"] } },
	chmod: { options: { "--reference": "list" }, custom: changeMode },
	"chown chgrp": { options: { "--reference": "list", "--from": "text" }, custom: changeOwner },
	chattr: {
		custom: (call) => call.operands.forEach((word) => void (/^[+=]/.test(word) || call.applyRole("write", word))),
	},
	setfacl: {
		operands: "write",
		options: { "-m --modify -x --remove -d": "text", "-M --modify-file -X --remove-file --restore --set-file": "read" },
		when: { "-R --recursive": { recursive: true } },
		custom: accessList,
	},
	setfattr: { operands: "write", options: { "-n --name -v --value -x --remove": "text" } },
	xattr: { operands: "text", when: { "-w -d -c": { changes: ["worktree"], changesIn: "operands" } } },
	"lsattr getfacl getfattr": { operands: "list" },
	dd: { custom: convertAndCopy },
	truncate: { options: { "-s --size": "text", "-r --reference": "list" }, custom: shortenOrGrow },
	fallocate: { operands: "write", options: { "-l -o --length --offset": "text" } },
	sync: {},
	"dos2unix unix2dos mac2unix": {
		operands: "write",
		when: { "-n --newfile": { operands: { first: ["read", "replace"] } } },
	},
	iconv: { operands: "read", options: { "-f -t --from-code --to-code": "text", "-o --output": "replace" } },
});

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
