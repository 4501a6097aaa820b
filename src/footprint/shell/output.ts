// What simple commands print, where it follows from their words alone. Everything else is a hole.
import { pathRules } from "../paths.ts";
import { bounded, isKnown, SHELL_SETUP, SOME_NAME, UNKNOWN_VALUE, unmarked } from "../text.ts";
import { contentOf, onDisk } from "./contents.ts";
import { findOnPath } from "./environment.ts";
import { filtered } from "./filters.ts";
import { listed } from "./listing.ts";
import { printsShellSetup } from "./shell-setup.ts";
import { lookUp, type State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Programs that print nothing when they succeed. */
const silent = new Set(
	"true false test [ mkdir rmdir rm mv cp ln touch chmod chown sleep kill install truncate unlink mkfifo sync".split(
		" ",
	),
);

/** The standard output of a command; a hole where it cannot be told. */
export function printed(walk: ShellWalk, name: string, args: readonly string[], state: State, stdin: string): string {
	if (silent.has(name)) return args.some((arg) => /^-\w*v|^--verbose/.test(arg)) ? UNKNOWN_VALUE : "";
	switch (name) {
		case "echo":
			return echo(args);
		case "printf":
			return format(args);
		case "pwd":
			return state.cwd?.length === 1 && !state.elsewhere ? `${state.cwd[0]}\n` : UNKNOWN_VALUE;
		case "cat":
			return concatenate(walk, args, state, stdin);
		case "tee":
			return stdin;
		case "basename":
		case "dirname": {
			const [path, ending] = args;
			if (path === undefined || !isKnown(path) || path.startsWith("-")) return UNKNOWN_VALUE;
			if (name === "dirname") return args.length === 1 ? `${pathRules(walk.host).dirname(path)}\n` : UNKNOWN_VALUE;
			return `${pathRules(walk.host).basename(path, ending)}\n`;
		}
		case "mktemp":
			return temporaryName(args, temporaryFolder(walk, state));
		case "ls":
		case "dir":
		case "gls":
		case "exa":
		case "eza":
		case "lsd":
			return listed(walk, args, state);
		case "which":
			return onPath(walk, args, state);
		case "git":
			if (/^rev-parse (?:--verify |--short(?:=\d+)? )*HEAD$/.test(args.join(" "))) return `${SOME_NAME}\n`;
			return args.join(" ") === "rev-parse --show-toplevel" ? topLevel(walk, state) : UNKNOWN_VALUE;
		case "date":
			return args.length === 1 && /^\+(?:[\w:.-]|%[-_0]?[YmdHMSsjyFTNuVwUWGgbBaApZze])+$/.test(args[0] ?? "")
				? `${SOME_NAME}\n`
				: UNKNOWN_VALUE;
		case "nproc":
		case "uuidgen":
			return args.length === 0 ? `${SOME_NAME}\n` : UNKNOWN_VALUE;
		case "uname":
			return args.length <= 1 && /^(?:-[smrn])?$/.test(args[0] ?? "") ? `${SOME_NAME}\n` : UNKNOWN_VALUE;
		case "id":
			return /^-(?:u|g|un|gn)$/.test(args.join(" ")) ? `${SOME_NAME}\n` : UNKNOWN_VALUE;
		default:
			if (printsShellSetup(name, args)) return SHELL_SETUP;
			return filtered(name, args, stdin, walk.record) ?? UNKNOWN_VALUE;
	}
}

/** Where `mktemp` puts what it makes; `undefined` where that cannot be told. */
function temporaryFolder(walk: ShellWalk, state: State): string | undefined {
	const value = lookUp(state, "TMPDIR", walk.host);
	if (!value) return walk.host.temp;
	const only = value.kind === "text" && value.options.length === 1 ? value.options[0] : undefined;
	return only === "" ? walk.host.temp : only !== undefined && isKnown(only) ? only : undefined;
}

/** The path that `mktemp` prints: the name that is made up is nobody else's, so a stand-in serves as well. */
function temporaryName(args: readonly string[], temp: string | undefined): string {
	let folder: string | undefined;
	let below = false;
	let template: string | undefined;
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? "";
		if (/^-[dqu]+$|^--(?:directory|quiet|dry-run)$/.test(arg)) continue;
		if (/^-[dqu]*p$/.test(arg)) folder = args[++at] ?? "";
		else if (arg.startsWith("--tmpdir=")) folder = arg.slice(9);
		else if (/^-[dqu]*t$|^--tmpdir$/.test(arg)) below = true;
		else if (arg.startsWith("-") || template !== undefined) return UNKNOWN_VALUE;
		else template = arg;
	}
	if (!args.every(isKnown) && !isKnown(template ?? "")) return UNKNOWN_VALUE;
	const name = (template ?? "tmp.XXXXXXXXXX").replace(/X{3,}(?=[^X/]*$)/, SOME_NAME);
	if (folder === undefined && template !== undefined && !below) return `${name}\n`;
	const place = folder || temp;
	return place === undefined ? UNKNOWN_VALUE : `${place.replace(/\/+$/, "")}/${name}\n`;
}

/** `which name` prints where a program is found; where that is not to be seen, at least its name. */
export function onPath(walk: ShellWalk, names: readonly string[], state: State): string {
	if (names.length === 0 || names.some((name) => !isKnown(name) || /^-|\//.test(name))) return UNKNOWN_VALUE;
	const lines = names.map((name) => `${findOnPath(walk, name, state) ?? `${UNKNOWN_VALUE}/${name}`}\n`);
	return lines.join("");
}

function echo(args: readonly string[]): string {
	let newline = "\n";
	let escapes = false;
	let at = 0;
	for (; /^-[neE]+$/.test(args[at] ?? ""); at++) {
		const option = args[at] ?? "";
		if (option.includes("n")) newline = "";
		if (/[eE]/.test(option)) escapes = option.lastIndexOf("e") > option.lastIndexOf("E");
	}
	const text = args.slice(at).join(" ");
	return bounded((escapes ? unescapeText(text) : text) + newline);
}

const escapesOfLetters: { readonly [letter: string]: string } = {
	n: "\n",
	t: "\t",
	r: "\r",
	a: "\u0007",
	b: "\b",
	f: "\f",
	v: "\v",
	e: "\u001b",
	"\\": "\\",
	'"': '"',
	"'": "'",
};

function unescapeText(text: string): string {
	// What was made up before stays so; what an escape writes is text from outside.
	return text
		.split(SOME_NAME)
		.map((part) => unmarked(unescaped(part)))
		.join(SOME_NAME);
}

function unescaped(text: string): string {
	const stop = /(?<!\\)(?:\\\\)*\\c/.exec(text);
	const source = stop ? text.slice(0, stop.index + stop[0].length - 2) : text;
	return source.replace(
		/\\(?:0([0-7]{0,3})|([1-7][0-7]{0,2})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|(.))/gs,
		(whole, zero?: string, octal?: string, hex?: string, short?: string, long?: string, letter?: string) => {
			const digits = zero ?? octal;
			if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits || "0", 8) & 255);
			const code = hex ?? short ?? long;
			if (code) {
				const point = Number.parseInt(code, 16);
				return point <= 0x10ffff ? String.fromCodePoint(point) : UNKNOWN_VALUE;
			}
			return (
				(letter !== undefined && Object.hasOwn(escapesOfLetters, letter) ? escapesOfLetters[letter] : undefined) ??
				whole
			);
		},
	);
}

function format(args: readonly string[]): string {
	const [pattern, ...values] = args[0] === "--" ? args.slice(1) : args;
	if (pattern === undefined) return "";
	if (!isKnown(pattern) || values.length > 200) return UNKNOWN_VALUE;
	let text = "";
	let at = 0;
	do {
		const start = at;
		text += unescapeText(pattern).replace(
			/%(%|[-+ #0]*\d*(?:\.\d+)?([a-zA-Z]))/g,
			(whole, rest: string, letter?: string) => {
				if (rest === "%") return "%";
				const value = values[at++] ?? "";
				switch (letter) {
					case "s":
						return whole === "%s" ? value : UNKNOWN_VALUE;
					case "b":
						return unescapeText(value);
					case "d":
					case "i":
						return whole.length === 2 && /^-?\d+$/.test(value) ? value : value === "" ? "0" : UNKNOWN_VALUE;
					default:
						return UNKNOWN_VALUE;
				}
			},
		);
		if (at === start) break;
		if (text.length > 20_000) return UNKNOWN_VALUE;
	} while (at < values.length);
	return bounded(text);
}

function concatenate(walk: ShellWalk, args: readonly string[], state: State, stdin: string): string {
	const operands = args.filter((arg) => !/^-\w/.test(arg));
	if (operands.length !== args.length) return UNKNOWN_VALUE;
	if (operands.length === 0) return stdin;
	return bounded(
		operands
			.map((operand) =>
				operand === "-" || operand === "/dev/stdin"
					? stdin
					: (contentOf(walk, operand, state.cwd, stdin) ?? onDisk(walk, operand, state)),
			)
			.join(""),
	);
}

function topLevel(walk: ShellWalk, state: State): string {
	const rules = pathRules(walk.host);
	const start = state.cwd?.length === 1 && !state.elsewhere ? state.cwd[0] : undefined;
	for (let at = start; at !== undefined; at = rules.dirname(at)) {
		if (walk.host.kind(rules.join(at, ".git")) !== undefined) return `${walk.record.real(at)}\n`;
		if (rules.dirname(at) === at) break;
	}
	return UNKNOWN_VALUE;
}
