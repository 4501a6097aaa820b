// Files and text: GNU coreutils, their BSD and busybox kin, and the small filters that live beside them.
import type { Call, Programs } from "./program.ts";

/** `dd if=… of=…` */
function convertAndCopy(call: Call): void {
	for (const word of call.operands) {
		const [, name, value] = /^(if|of)=(.*)$/s.exec(word) ?? [];
		if (name === "if") call.play("read", value ?? "");
		if (name === "of") call.play("replace", value ?? "");
	}
}

/** `test` and `[`: which operators look at files. */
function testFiles(call: Call): void {
	for (const [index, word] of call.args.entries()) {
		const next = call.args[index + 1];
		if (/^-[abcdefghkprsuwxGLNOS]$/.test(word) && next !== undefined && next !== "]") call.play("list", next);
		if (/^-(nt|ot|ef)$/.test(word)) for (const side of [call.args[index - 1], next]) if (side) call.play("list", side);
	}
}

/** A mode that lets everyone write: `777`, `0777`, `a+rwx`, `o+w`, `ugo=rwx`, `+w` for others. */
function opensToAll(mode: string): boolean {
	if (/^[-+=]?[0-7]{3,5}$/.test(mode)) return (Number(mode.at(-1)) & 2) !== 0;
	return mode.split(",").some((clause) => /^[ugoa]*[oa][ugoa]*[+=][rwxstX]*w/.test(clause));
}

function changeMode(call: Call): void {
	// A mode such as `-x` or `-rwx` looks like options.
	const symbolic = call.args.find((arg) => /^-[rwxXst]+$/.test(arg));
	const byReference = call.has("--reference");
	const [mode, ...paths] = byReference || symbolic ? [symbolic ?? "", ...call.operands] : call.operands;
	if (mode !== undefined && opensToAll(mode)) call.effect("open-permissions");
	for (const path of paths) call.play("write", path, call.has("-R --recursive") ? { recursive: true } : {});
}

function changeOwner(call: Call): void {
	const paths = call.has("--reference") ? call.operands : call.operands.slice(1);
	for (const path of paths) call.play("write", path, call.has("-R --recursive") ? { recursive: true } : {});
	if (call.has("-R --recursive")) call.effect("change-owner");
}

function shortenOrGrow(call: Call): void {
	const size = call.values("-s --size")[0] ?? "";
	for (const path of call.operands) call.play(/^[+>%/]/.test(size) ? "write" : "replace", path);
}

function copyNames(call: Call): void {
	const operands = call.operands;
	const symbolic = call.has("-s --symbolic");
	const into = call.values("-t --target-directory")[0];
	const alone = operands.length === 1 && into === undefined;
	const targets = into !== undefined || alone ? operands : operands.slice(0, -1);
	const place = into ?? (alone ? "." : (operands.at(-1) ?? "."));
	const directory =
		into !== undefined || alone || targets.length > 1 || (call.isDirectory(place) && !call.has("-n -T"));
	for (const target of targets) {
		const base = target.replace(/\/+$/, "").split("/").at(-1) ?? "";
		const name = directory ? `${place.replace(/\/+$/, "") || "/"}/${base}` : place;
		// What a symbolic link says is relative to where the link is.
		const from = name.includes("/") ? name.slice(0, name.lastIndexOf("/") + 1) : "";
		call.play("link", symbolic && !target.startsWith("/") ? from + target : target, { recursive: true });
		call.touch("write", name, call.has("-f --force") ? { replaces: true } : {});
	}
}

export const coreutils: Programs = {
	"cat tac nl rev head tail od xxd hexdump strings fold fmt pr expand unexpand cut paste column comm join tsort wc sum cksum md5 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum base32 base64 basenc zcat gzcat bzcat xzcat zstdcat lz4cat zless zmore bat batcat less more most colordiff":
		{
			operands: "read",
			options: {
				"-n --lines -c --bytes -w --width -s --skip -d --delimiter -f --fields -b --body-numbering -t -k -S -N -j --skip-bytes --max-count -l --language --style --theme --color --paging -m --map-syntax":
					"text",
				"--files0-from": "read",
			},
		},
	diff: {
		operands: "read",
		options: {
			"-U -C -W -I -x --exclude --unified --context --label -L --width --ignore-matching-lines -F --show-function-line --color --to-file --from-file":
				"text",
			"-X --exclude-from": "read",
		},
		when: { "-r --recursive": { recursive: true } },
	},
	"sdiff diff3 cmp": { operands: "read", options: { "-o --output": "replace" } },
	tr: {},
	sort: {
		operands: "read",
		options: {
			"-o --output": "replace",
			"-T --temporary-directory": "text",
			"-k --key -t --field-separator -S --buffer-size --parallel --sort": "text",
			"--files0-from --random-source": "read",
		},
	},
	uniq: {
		operands: { first: ["read", "replace"] },
		options: { "-f --skip-fields -s --skip-chars -w --check-chars --group": "text" },
	},
	shuf: {
		operands: "read",
		options: { "-o --output": "replace", "-n --head-count -i --input-range": "text" },
		when: { "-e --echo": { operands: "text" } },
	},
	split: {
		operands: { first: ["read", "replace"] },
		options: {
			"-b -l -n -a -C --bytes --lines --number --suffix-length --additional-suffix": "text",
			"--filter": "script",
		},
	},
	csplit: {
		operands: { first: ["read"] },
		options: { "-f --prefix": "replace", "-b -n": "text" },
		changes: ["worktree"],
	},
	tee: { operands: "replace", when: { "-a --append": { operands: "write" } } },
	"ls dir vdir exa eza lsd tree gls": {
		operands: "list",
		alone: "list",
		options: {
			"-I --ignore --hide -w --width -T --tabsize --block-size --color --sort --time --time-style --format --level -P --filelimit --charset -s --indicator-style -t":
				"text",
			"-o": "text",
		},
		attached: "-L",
		when: { "-R --recursive -T --tree": { recursive: true } },
		also: (call) => {
			if (call.name !== "tree") return;
			for (const file of call.values("-o")) call.play("replace", file);
			for (const path of call.operands.length > 0 ? call.operands : ["."])
				call.play("list", path, { recursive: true, skips: call.has("-a") ? [] : ["hidden"] });
		},
	},
	"stat file readlink realpath du": {
		operands: "list",
		alone: "list",
		options: {
			"-c --format --printf -f -m --magic-file -e --exclude --exclude-dir -d --max-depth -t --threshold --time-style --relative-to --relative-base -B --block-size -P --separator":
				"text",
			"-X --exclude-from --files-from --files0-from": "read",
		},
	},
	df: { operands: "list", options: { "-t --type -x --exclude-type -B --block-size --output": "text" } },
	"basename dirname pwd echo printf true false yes seq expr factor sleep date cal ncal uname hostname arch nproc id whoami who w users groups logname tty uptime printenv locale getconf which whereis type hash numfmt tput clear reset stty dirs jobs bg fg disown compgen complete compopt bind help caller logout suspend times":
		{},
	"test [": { also: testFiles },
	enable: { when: { "-f": { opaque: "script" } } },
	history: { when: { "-c -d -w -a -r": { effects: ["clear-history"], changes: ["system"] } } },
	fc: { opaque: "script" },
	touch: { operands: "make", options: { "-d --date -t": "text", "-r --reference": "list" } },
	"mkdir mkfifo": { operands: "make", options: { "-m --mode --context -Z": "text" } },
	mknod: { operands: { first: ["make"] }, options: { "-m --mode": "text" } },
	mktemp: { operands: "text", options: { "-p --tmpdir --suffix": "text" }, also: makeTemporary },
	rm: {
		operands: "delete",
		when: {
			"-r -R --recursive": { recursive: true, effects: ["recursive-delete"] },
			"-f --force": { effects: ["force-delete"] },
		},
	},
	"rmdir unlink": { operands: "delete" },
	"trash trash-put gio-trash": { operands: "delete", recursive: true },
	shred: {
		operands: "replace",
		options: { "-n --iterations -s --size": "text", "--random-source": "read" },
		effects: ["destroy-content"],
		when: { "-u --remove": { operands: "delete" } },
	},
	"srm wipe": { operands: "delete", recursive: true, effects: ["destroy-content"] },
	cp: {
		operands: { rest: "read", last: "into" },
		options: { "-t --target-directory": "into", "-S --suffix --sparse --context --no-preserve --preserve": "text" },
		when: {
			"-r -R -a --recursive --archive": { recursive: true },
			"-l --link -s --symbolic-link": { operands: { rest: "link", last: "into" } },
		},
		attached: "--backup --preserve --reflink --context",
	},
	mv: {
		operands: { rest: "move", last: "into" },
		options: { "-t --target-directory": "into", "-S --suffix": "text" },
		recursive: true,
	},
	rename: { operands: "text", changes: ["worktree"] },
	install: {
		operands: { rest: "read", last: "into" },
		options: { "-t --target-directory": "into", "-m --mode -o --owner -g --group -S --suffix": "text" },
		when: { "-d --directory": { operands: "make" } },
	},
	ln: { options: { "-t --target-directory": "text", "-S --suffix": "text" }, also: copyNames },
	link: { operands: { first: ["link", "make"] } },
	chmod: { options: { "--reference": "list" }, also: changeMode },
	"chown chgrp": { options: { "--reference": "list", "--from": "text" }, also: changeOwner },
	"chattr setfacl": { operands: { first: ["text"], rest: "write" }, options: { "-m -x -M -X --modify": "text" } },
	setfattr: { operands: "write", options: { "-n -v -x": "text" } },
	xattr: { operands: "text", when: { "-w -d -c": { changes: ["worktree"] } } },
	"lsattr getfacl getfattr": { operands: "list" },
	dd: { also: convertAndCopy },
	truncate: { options: { "-s --size": "text", "-r --reference": "list" }, also: shortenOrGrow },
	fallocate: { operands: "write", options: { "-l -o --length --offset": "text" } },
	sync: {},
	"dos2unix unix2dos mac2unix": {
		operands: "write",
		when: { "-n --newfile": { operands: { first: ["read", "replace"] } } },
	},
	iconv: { operands: "read", options: { "-f -t --from-code --to-code": "text", "-o --output": "replace" } },
	jq: {
		operands: { first: ["text"], rest: "read" },
		options: { "--tab-size --indent -L": "text", "-f --from-file": "read" },
		also: (call) => {
			// `--arg name value` takes two words, of which the second is text or, with `file`, a path.
			for (const [index, word] of call.args.entries())
				if (/^--(rawfile|slurpfile|argfile)$/.test(word)) call.play("read", call.args[index + 2] ?? "");
		},
	},
	"yq dasel": {
		operands: { first: ["text"], rest: "read" },
		when: { "-i --inplace --in-place": { operands: { first: ["text"], rest: "write" } } },
		options: { "-o -p --output-format --input-format -I --indent -f --file -w": "text" },
	},
	xmllint: { operands: "read", options: { "-o --output": "replace", "--xpath --schema --encode": "text" } },
	"csvcut csvlook csvgrep csvstat mlr xsv qsv": {
		operands: "text",
		also: (call) =>
			call.operands.forEach((word) => {
				if (call.exists(word)) call.play("read", word);
			}),
	},
	"gnuplot graph": { operands: "read", opaque: "script" },
	"cloc tokei scc loc": {
		operands: "read",
		alone: "read",
		recursive: true,
		skips: ["hidden", "ignored"],
		options: {
			"-e --exclude --exclude-dir --include-lang --exclude-lang -t --types -o --output --sort -s -f --format": "text",
		},
	},
};

function makeTemporary(call: Call): void {
	const template = call.operands[0];
	if (template === undefined || call.has("-u --dry-run")) return;
	const folder = call.values("-p --tmpdir")[0];
	if (call.has("-t --tmpdir") && folder === undefined) return;
	const name = template.replace(/X{3,}/, "X");
	call.touch("write", folder === undefined ? name : `${folder}/${name}`);
}
