// The output of simple commands, if it follows from their words alone. All other output is a placeholder.
// A filter passes at least what it is given; the names that `ls` prints are any names in its directory.
import { isDirectory, pathRules } from "../paths.ts";
import { absolutePaths } from "../places.ts";
import { findProgram } from "../programs/index.ts";
import { bounded, FILE_TEXT, isKnown, PROCESS_IDS, SHELL_SETUP, SOME_NAME, UNKNOWN_VALUE, unmarked } from "../text.ts";
import type { ActiveCommand } from "./active-command.ts";
import { contentOf, onDisk } from "./contents.ts";
import { compileGlob } from "./globs.ts";
import { lookUp, type State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Programs that print nothing when they succeed. */
const silent = new Set(
	"true false test [ mkdir rmdir rm mv cp ln touch chmod chown sleep kill install truncate unlink mkfifo sync".split(
		" ",
	),
);

/** One command whose output is needed. */
type Printing = Pick<ActiveCommand, "walk" | "name" | "args" | "state" | "stdin">;

/** Commands that print one name or number, by the whole command. */
const oneName =
	/^(?:date \+(?:[\w:.-]|%[-_0]?[YmdHMSsjyFTNuVwUWGgbBaApZze])+|nproc|uuidgen|uname(?: -[smrn])?|id -(?:u|g|un|gn)|git rev-parse (?:--verify |--short(?:=\d+)? )*HEAD)$/;

/** Programs that print program text made of the project's files. */
const compilers = /^(?:esbuild|swc|tsc|babel|sucrase|rollup)$/;

/** Filters that pass some or all lines unchanged, in any order. */
const passing: { readonly [name: string]: RegExp } = {
	head: /^(-\d+|-n|-n-?\d+|--lines(=-?\d+)?|-q|-?\d+)$/,
	tail: /^(-\d+|-n|-n[-+]?\d+|--lines(=[-+]?\d+)?|-q|-r|[-+]?\d+)$/,
	sort: /^(-[bdfghinMrRsuVz]+|--(unique|reverse|numeric-sort|version-sort|ignore-case|random-sort))$/,
	uniq: /^(-[udiz]+|--unique|--repeated|--ignore-case)$/,
	tac: /^$/,
	shuf: /^(-n|-n\d+|\d+)$/,
};

/** What each program prints, by its name. */
const printers: { readonly [name: string]: (printing: Printing) => string } = {
	echo: ({ args }) => echo(args),
	printf: ({ args }) => format(args),
	pwd: ({ state }) => (state.cwd?.length === 1 && !state.elsewhere ? `${state.cwd[0]}\n` : UNKNOWN_VALUE),
	cat: concatenate,
	tee: ({ stdin }) => stdin,
	basename: partOfPath,
	dirname: partOfPath,
	mktemp: temporaryName,
	ls: listText,
	which: ({ args }) => args.map((arg) => `${findProgram(arg) ? "/usr/bin" : UNKNOWN_VALUE}/${arg}\n`).join(""),
	tr: exchange,
	grep: search,
	egrep: search,
	fgrep: search,
	rg: search,
	git: topLevel,
	pidof: () => PROCESS_IDS,
	pgrep: ({ args }) => (args.some((arg) => /^-\w*P|^--parent/.test(arg)) ? UNKNOWN_VALUE : PROCESS_IDS),
};

/** The standard output of a command; a placeholder if it is unknown. */
export function printed(walk: ShellWalk, name: string, args: readonly string[], state: State, stdin: string): string {
	const words = [name, ...args].join(" ");
	if (silent.has(name)) return args.some((arg) => /^-\w*v|^--verbose/.test(arg)) ? UNKNOWN_VALUE : "";
	if (words.length < 200 && oneName.test(words)) return `${SOME_NAME}\n`;
	const printer = Object.hasOwn(printers, name) ? printers[name] : undefined;
	if (printer) return printer({ walk, name, args, state, stdin });
	if (words.length < 200 && setups.some((setup) => setup.test(words))) return SHELL_SETUP;
	if (compilers.test(name)) return FILE_TEXT;
	const plain = Object.hasOwn(passing, name) ? passing[name] : undefined;
	return plain && args.every((arg) => plain.test(arg)) ? stdin : UNKNOWN_VALUE;
}

/** Commands that print shell text which sets up the shell for their program. */
const setups: readonly RegExp[] = [
	/^[\w.-]+ (?:\S+ )?(?:generate-shell-)?completions?(?: --?[\w-]+)*(?: (?:(?:ba|z|fi)sh|script))?$/,
	/^(?:ssh-agent|gpg-agent|dircolors|lesspipe|resize)(?: --?\w+)*$/,
	/^(?:keychain|dbus-launch|luarocks path|getopt|register-python-argcomplete)(?: \S+)*$/,
	/^(?:brew shellenv|direnv (?:hook|export)|opam (?:config )?env|docker-machine env|minikube (?:-p \w+ )?(?:docker|podman)-env)(?: --?[\w=./-]+| [\w.-]+)*$/,
	/^(?:pyenv|rbenv|nodenv|goenv|jenv|phpenv|tfenv|starship|zoxide|atuin|oh-my-posh|thefuck|fzf|mise|rtx|fnm|conda|mamba|micromamba|poetry|pdm)(?: (?:init|hook|activate|env|shell(?:\.\w+)?|venv|virtualenv-init|--(?:alias|bash|zsh)))+(?: --?\S*| \w+)*$/,
];

/** `basename` and `dirname` */
function partOfPath({ walk, name, args }: Printing): string {
	const [path, ending] = args;
	if (path === undefined || !isKnown(path) || path.startsWith("-")) return UNKNOWN_VALUE;
	const rules = pathRules(walk.host);
	if (name === "basename") return `${rules.basename(path, ending)}\n`;
	return args.length === 1 ? `${rules.dirname(path)}\n` : UNKNOWN_VALUE;
}

/** The path that `mktemp` prints: the generated name is unique, so a placeholder is equivalent. */
function temporaryName({ walk, args, state }: Printing): string {
	const line = args.join(" ");
	const [, folder, below, template] =
		/^(?:-[dqu]+ ?|--directory ?|--quiet ?)*(?:(?:-[dqu]*p |--tmpdir=)(\S*) ?)?(-[dqu]*t ?|--tmpdir ?)?(?:-[dqu]+ ?)*([^\s-]\S*)?$/.exec(
			line,
		) ?? [undefined, "-"];
	if (folder === "-" || (!isKnown(line) && !isKnown(template ?? ""))) return UNKNOWN_VALUE;
	const name = (template ?? "tmp.XXXXXXXXXX").replace(/X{3,}(?=[^X/]*$)/, SOME_NAME + (walk.host.unique ?? ""));
	if (folder === undefined && template !== undefined && below === undefined) return `${name}\n`;
	const variable = lookUp(state, "TMPDIR", walk.host);
	const [own = "", ...others] = variable?.kind === "text" ? variable.options : [];
	const place = folder || own || walk.host.temp;
	return others.length > 0 || !isKnown(place) ? UNKNOWN_VALUE : `${place.replace(/\/+$/, "")}/${name}\n`;
}

/** `ls` in a format with one name a line. */
function listText({ walk, args, state }: Printing): string {
	const options = args.filter((arg) => arg.startsWith("-"));
	const isPlain = options.every((option) =>
		/^-[1aAtrSUcuvhd]+$|^--(all|almost-all|reverse|color\S*|sort=\S*)$/.test(option),
	);
	const operands = args.filter((arg) => !arg.startsWith("-"));
	const isName = (word: string) =>
		!absolutePaths(word, state.cwd, walk.record)?.some((path) => isDirectory(path, walk.host));
	if (!isPlain || !(options.some((option) => /^-\w*d/.test(option)) || operands.every(isName))) return UNKNOWN_VALUE;
	if (operands.length > 0) return `${operands.join("\n")}\n`;
	const isHidden = options.some((option) => /^-\w*[aAf]|^--al/.test(option));
	const names = namesHere(walk, state)?.filter((name) => isHidden || !name.startsWith("."));
	return names ? `${names.join("\n")}\n` : `${walk.record.found(isHidden ? {} : { skips: ["hidden"] })}\n`;
}

/** More names than these are not listed one by one. */
const MAX_NAMES = 300;

/** The names in the working directory; `undefined` if they are not known. */
function namesHere({ host, record }: ShellWalk, { cwd, elsewhere }: State): readonly string[] | undefined {
	const [directory, ...others] = cwd ?? [];
	if (directory === undefined || others.length > 0 || elsewhere || record.changed(directory)) return undefined;
	const names = host.names(directory);
	const isShort = names && names.length <= MAX_NAMES && record.spend(names.length / 4);
	return isShort && !names.some((name) => name.includes("\n")) ? [...names].sort() : undefined;
}

function echo(args: readonly string[]): string {
	const at = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
	const options = args.slice(0, at < 0 ? undefined : at).join("");
	const text = at < 0 ? "" : args.slice(at).join(" ");
	const shown = options.includes("e") && text.includes("\\") ? unescaped(text) : text;
	return bounded(shown + (options.includes("n") ? "" : "\n"));
}

const escapes: { readonly [letter: string]: string } = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };

/** The text with its escapes; one that is not known here makes it unknown. */
function unescaped(text: string): string {
	return unmarked(
		text.replace(
			/\\(?:(0[0-7]{0,3}|[1-7][0-7]{0,2})|x([0-9a-fA-F]{1,2})|(.?))/gs,
			(_all, octal?: string, hex?: string, letter?: string) => {
				if (letter !== undefined) return escapes[letter] ?? UNKNOWN_VALUE;
				return String.fromCharCode(
					octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8) & 255,
				);
			},
		),
	);
}

const MAX_VALUES = 200;

/** `printf` with the directives `%s` and `%d`: the pattern repeats while there are values. */
function format(args: readonly string[]): string {
	const [pattern, ...values] = args[0] === "--" ? args.slice(1) : args;
	if (pattern === undefined) return "";
	const literal = unescaped(pattern);
	const directives = literal.match(/%./gs) ?? [];
	if (!isKnown(literal) || values.length > MAX_VALUES || directives.some((each) => !/^%[sdb%]$/.test(each)))
		return UNKNOWN_VALUE;
	const perRound = directives.filter((each) => each !== "%%").length;
	let text = "";
	let at = 0;
	do
		text += literal.replace(/%(.)/gs, (_all, letter: string) => {
			const value = letter === "%" ? "%" : (values[at++] ?? "");
			return letter === "b" ? unescaped(value) : value;
		});
	while (perRound > 0 && at < values.length);
	return bounded(text);
}

function concatenate({ walk, args, state, stdin }: Printing): string {
	if (args.some((arg) => /^-\w/.test(arg))) return UNKNOWN_VALUE;
	if (args.length === 0) return stdin;
	const texts = args.map((arg) => contentOf(walk, arg, state.cwd, stdin) ?? onDisk(walk, arg, state));
	return bounded(texts.join(""));
}

const characters: { readonly [written: string]: string } = { "\\n": "\n", "\\t": "\t", "\\0": "\0", "\\r": "\r" };

/** `tr a b` of single characters that separate, as in `tr '\n' ' '`. */
function exchange({ args, stdin }: Printing): string {
	const [from = "", to = ""] = args.map((arg) => characters[arg] ?? arg);
	const isPlain = args.length === 2 && [from, to].every((char) => /^\s$|^[\0,:;]$/.test(char));
	return isPlain ? stdin.replaceAll(from, to) : UNKNOWN_VALUE;
}

/** `grep expression` on standard input passes at most the lines with the longest name in the expression; with `-v`, any line. */
function search({ walk, args, stdin }: Printing): string {
	const options = args.filter((arg) => arg.startsWith("-"));
	const isPlain = options.every((option) =>
		/^-[vixEFPashGwe]+$|^--colou?r(=.*)?$|^--(invert-match|ignore-case|line-buffered)$/.test(option),
	);
	const [expression = "", ...others] = args.filter((arg) => !arg.startsWith("-"));
	if (!isPlain || others.length > 0 || expression === "") return UNKNOWN_VALUE;
	const has = (letter: string, long: string) =>
		options.some((each) => (each.startsWith("--") ? each === long : each.includes(letter)));
	const [only, ...more] = expression.replace(/\[[^\]]*\]|\\\w/g, " ").match(/[\w-]{2,}/g) ?? [];
	// Alternatives, and names of which one part may be missing.
	const isOneName = only !== undefined && more.length === 0 && !/[|*?{]/.test(expression);
	if (has("v", "--invert-match") || !isOneName) return stdin;
	const letters = has("i", "--ignore-case")
		? [...only].map((letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
		: [only];
	const glob = `*${letters.join("")}*`;
	const fits = compileGlob(glob);
	const lines = stdin.split("\n").filter((line) => !isKnown(line) || line === "" || fits(line));
	return lines.map((line) => walk.record.narrowed(line, glob)).join("\n");
}

/** `git rev-parse --show-toplevel` */
function topLevel({ walk, args, state }: Printing): string {
	const rules = pathRules(walk.host);
	const isAsked = args.join(" ") === "rev-parse --show-toplevel" && !state.elsewhere;
	for (let at = isAsked && state.cwd?.length === 1 ? state.cwd[0] : undefined; at !== undefined; ) {
		if (walk.host.kind(rules.join(at, ".git")) !== undefined) return `${walk.record.real(at)}\n`;
		at = rules.dirname(at) === at ? undefined : rules.dirname(at);
	}
	return UNKNOWN_VALUE;
}
