// Archives and compression: which files are packed, unpacked and overwritten.
import { UNKNOWN_VALUE } from "../text.ts";
import { opensToAll } from "./coreutils.ts";
import { describe, describeFields } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** `tar`: the mode decides whether operands are read or written; `-C` changes the directory for the operands after it. */
function tar(call: Call): void {
	// The first word may be a cluster without its dash (`tar cf a.tar …`).
	const [first = "", ...rest] = call.args;
	if (/^[A-Za-z]+$/.test(first)) {
		call.delegate(tarProgram, spreadCluster(first, rest));
		return;
	}
	const creates = call.has("-c --create");
	const adds = creates || call.has("-r --append -u --update -A --catenate --concatenate");
	const [archive] = call.values("-f --file");
	const role = creates ? "replace" : adds || call.has("--delete") ? "write" : "read";
	if (archive !== undefined) call.applyRole(role, archive);
	walkTarWords(call, adds);
	for (const command of call.values(tarCommands)) call.script(command.replace(/^exec=/, ""));
	if (call.has("-x --extract --get") && !call.has("-t --list -d --diff --compare -O --to-stdout")) unpack(call);
}

/** Extracts all of an archive, or the members that are named. */
function unpack(call: Call): void {
	call.access("write", ".", { recursive: true });
	if (call.has("--recursive-unlink")) call.effect("recursive-delete");
	for (const member of call.operands) call.access("write", member, { recursive: true, replaces: true });
}

/** Options and operands in order: each `-C` applies to the operands after it. */
function walkTarWords(call: Call, adds: boolean): void {
	for (const item of call.items) {
		if (item.kind === "operand" && adds) packFile(call, item.word);
		if (item.kind === "option" && /^(-C|--directory|--cd)$/.test(item.name)) call.changeDirectory(item.value ?? "");
	}
}

function packFile(call: Call, file: string): void {
	call.applyRole("read", file, { recursive: true, ...excluded(call) });
	if (!call.has("--remove-files")) return;
	call.applyRole("move", file);
	// An archive that is no file keeps nothing.
	const [archive = "-"] = call.values("-f --file");
	if (archive === "-" || archive.startsWith("/dev/")) call.effect("recursive-delete");
}

/** Options of tar whose value is a command. */
const tarCommands =
	"--to-command --checkpoint-action -I --use-compress-program --info-script -F --new-volume-script --rsh-command";

function excluded(call: Call): { only?: readonly string[] } {
	// A leading slash means the copied folder, `*/` and `**/` any depth; the name alone excludes at least as much.
	const globs = call.values("--exclude").map((glob) => glob.replace(/^(?:\.?\/)+/, ""));
	return globs.length > 0 ? { only: globs.map((glob) => `!${glob}`) } : {};
}

/** `cvf a.tar b` as `-c -v -f a.tar b`: letters that take a value take the next words in turn. */
function spreadCluster(letters: string, words: readonly string[]): string[] {
	const rest = [...words];
	const spread: string[] = [];
	for (const letter of letters) {
		spread.push(`-${letter}`);
		if ("fCTXbgHKNVIF".includes(letter) && rest.length > 0) spread.push(rest.shift() ?? "");
	}
	return [...spread, ...rest];
}

/** Compressors replace each file with a compressed (or decompressed) one, unless they write to standard output. */
function compress(call: Call): void {
	if (call.has("-t --test -l --list")) {
		call.operands.forEach((file) => void call.applyRole("read", file));
		return;
	}
	const toOutput = call.has("-c --stdout --to-stdout");
	const keeps = call.has("-k --keep") || call.name.includes("zstd");
	const output = call.values("-o")[0];
	if (output !== undefined) call.applyRole("replace", output);
	const recursive = call.has("-r --recursive") ? { recursive: true } : {};
	for (const file of call.operands) {
		call.applyRole("read", file, recursive);
		if (toOutput || output !== undefined) continue;
		const plain = file.replace(/\.(gz|tgz|bz2|xz|lzma|zst)$/, "");
		call.access("write", plain === file ? `${file}${endings[call.name] ?? ".gz"}` : plain, {
			...recursive,
			replaces: true,
		});
		if (!keeps) call.access("delete", file, recursive);
	}
}

const endings: { readonly [name: string]: string } = { bzip2: ".bz2", xz: ".xz", zstd: ".zst" };

/** `rsync`: copies trees, and with `--delete` removes what is not in the source. */
function rsync(call: Call): void {
	const { operands } = call;
	const destination = operands.length < 2 ? undefined : operands.at(-1);
	const sources = (operands.length < 2 ? operands : operands.slice(0, -1)).filter((word) => !isRemotePath(word));
	const recursive = call.has("-r -a --recursive --archive") ? { recursive: true } : {};
	const keeps = call.has("--include -f --filter") ? {} : excluded(call);
	for (const source of sources) call.applyRole("read", source, { ...recursive, ...keeps });
	rsyncSettings(call);
	if (destination === undefined || call.has("-n --dry-run --list-only")) return;
	if (isRemotePath(destination)) call.change("remote");
	else call.access("write", destination, { ...recursive, replaces: true });
	if (call.has("--delete --del --delete-before --delete-after --delete-during --delete-delay --delete-excluded")) {
		call.effect("recursive-delete");
		if (!isRemotePath(destination)) call.access("delete", destination, { recursive: true });
	}
	if (call.has("--remove-source-files"))
		for (const source of sources) call.access("delete", source, { recursive: true });
}

/** Whether a word names a place on another machine (`host:path`), as rsync and scp read it. */
export function isRemotePath(word: string): boolean {
	return /^[^/]*:/.test(word);
}

/** Commands and modes in options of rsync. */
function rsyncSettings(call: Call): void {
	for (const command of call.values("-e --rsh --rsync-path")) call.script(command);
	for (const option of call.values("-M --remote-option"))
		if (/^--(?:rsync-path|rsh)=/.test(option)) call.script(option.slice(option.indexOf("=") + 1));
	const modes = call.values("--chmod").flatMap((list) => list.split(","));
	if (modes.some((mode) => opensToAll(mode.replace(/^[DF]/, "")))) call.effect("open-permissions");
}

/** `zip archive files… -x names…`: the names after `-x` are left out, up to the next option. */
function zip(call: Call): void {
	const at = call.args.findIndex((word) => word === "-x" || word === "--exclude");
	const after = at < 0 ? [] : call.args.slice(at + 1);
	const end = after.findIndex((word) => /^-|^@$/.test(word));
	const left = end < 0 ? after : after.slice(0, end);
	const keeps = left.length > 0 ? { only: left.map((glob) => `!${glob.replace(/^(?:\.?\/)+/, "")}`) } : {};
	const [archive, ...files] = call.operands.filter((word) => !left.slice(1).includes(word));
	if (archive !== undefined)
		call.applyRole("write", archive.includes(".") || archive.includes(UNKNOWN_VALUE) ? archive : `${archive}.zip`);
	const recursive = call.has("-r --recurse-paths -R") ? { recursive: true } : {};
	for (const file of files) {
		call.applyRole("read", file, { ...recursive, ...keeps });
		if (call.has("-m --move")) call.access("delete", file, recursive);
	}
	if (call.has("-T -TT --unzip-command"))
		for (const command of call.values("-TT --unzip-command")) call.script(command);
}

function unzip(call: Call): void {
	const archive = call.operands[0];
	if (archive !== undefined) call.applyRole("read", archive);
	if (call.has("-l -t -z -v -Z -p -c")) return;
	call.access("write", call.values("-d")[0] ?? ".", { recursive: true });
}

const tarProgram = describeFields(
	`@tar | -f --file -C --directory --cd --exclude --transform --xform --strip-components -b --blocking-factor --owner --group --mode \
		--mtime -H --format -V --label -K -N --newer --warning: text | ${tarCommands}: text | -T --files-from: names | -X --exclude-from: read \
		| -g --listed-incremental --index-file --volno-file: write`,
	{ tar },
	"abbreviating",
);

export const archives = describe(
	`
tar gtar bsdtar | =tarProgram
gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd | @compress \
		| -S --suffix -T --threads -o -b -p: text
ar
	t tv p | read*
	* | ~worktree in:operands
zip | @zip | -x --exclude -i --include -n --suffixes -b --temp-path -t --from-date -P --password -TT --unzip-command: text
unzip | @unzip | -d -x -P: text
7z 7za 7zr
	l t h b i | read*
	* | read* recursive ~worktree in:operands dash | -sdel > +recursive-delete
rsync | @rsync | -e --rsh --exclude --include -f --filter --max-size --min-size --bwlimit --port --chmod --chown --info --out-format \
		--timeout -M --remote-option --rsync-path --password-file: text | --exclude-from --include-from: read | --files-from: names \
		| --log-file --write-batch: replace | --daemon > ~remote ?program | --config: load | --backup-dir -T --temp-dir --partial-dir: make \
		| --compare-dest --copy-dest --link-dest: list
`,
	{ compress, rsync, tarProgram, unzip, zip },
	"abbreviating",
);
