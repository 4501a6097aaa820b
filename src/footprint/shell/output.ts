// The output of simple commands, if it follows from their words alone. All other output is a placeholder.
import { pathRules } from "../paths.ts";
import { bounded, FILE_TEXT, isKnown, SHELL_SETUP, SOME_NAME, UNKNOWN_VALUE, unmarked } from "../text.ts";
import { contentOf, onDisk } from "./contents.ts";
import { findOnPath } from "./environment.ts";
import { filtered } from "./filters.ts";
import { listed } from "./listing.ts";
import { lookUp, type State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Programs that print nothing when they succeed. */
const silent = new Set(
	"true false test [ mkdir rmdir rm mv cp ln touch chmod chown sleep kill install truncate unlink mkfifo sync".split(
		" ",
	),
);

/** One command whose output is needed. */
interface Printing {
	readonly walk: ShellWalk;
	readonly name: string;
	readonly args: readonly string[];
	readonly state: State;
	readonly stdin: string;
}

/** A placeholder for one name if the arguments, joined by blanks, match; otherwise one for any text. */
const nameFor =
	(pattern: RegExp) =>
	({ args }: Printing): string =>
		pattern.test(args.join(" ")) ? `${SOME_NAME}\n` : UNKNOWN_VALUE;

const printList = ({ walk, args, state }: Printing) => listed(walk, args, state);

/** Programs that print program text made of the project's files. */
const compilers = /^(?:esbuild|swc|tsc|babel|sucrase|rollup)$/;

/** What each program prints, by its name. */
const printers: { readonly [name: string]: (printing: Printing) => string } = {
	echo: ({ args }) => echo(args),
	printf: ({ args }) => format(args),
	pwd: ({ state }) => (state.cwd?.length === 1 && !state.elsewhere ? `${state.cwd[0]}\n` : UNKNOWN_VALUE),
	cat: concatenate,
	tee: ({ stdin }) => stdin,
	basename: partOfPath,
	dirname: partOfPath,
	mktemp: ({ walk, args, state }) => temporaryName(args, temporaryFolder(walk, state), walk.host.unique),
	ls: printList,
	dir: printList,
	gls: printList,
	exa: printList,
	eza: printList,
	lsd: printList,
	which: ({ walk, args, state }) => onPath(walk, args, state),
	git: ({ walk, args, state }) => gitRevision(walk, args, state),
	date: nameFor(/^\+(?:[\w:.-]|%[-_0]?[YmdHMSsjyFTNuVwUWGgbBaApZze])+$/),
	nproc: nameFor(/^$/),
	uuidgen: nameFor(/^$/),
	uname: nameFor(/^(?:-[smrn])?$/),
	id: nameFor(/^-(?:u|g|un|gn)$/),
};

/** The standard output of a command; a placeholder if it is unknown. */
export function printed(walk: ShellWalk, name: string, args: readonly string[], state: State, stdin: string): string {
	if (silent.has(name)) return args.some((arg) => /^-\w*v|^--verbose/.test(arg)) ? UNKNOWN_VALUE : "";
	const printer = Object.hasOwn(printers, name) ? printers[name] : undefined;
	if (printer) return printer({ walk, name, args, state, stdin });
	if (printsShellSetup(name, args)) return SHELL_SETUP;
	if (compilers.test(name)) return FILE_TEXT;
	return filtered(name, args, stdin, walk.record) ?? UNKNOWN_VALUE;
}

/** `basename` and `dirname` */
function partOfPath({ walk, name, args }: Printing): string {
	const [path, ending] = args;
	if (path === undefined || !isKnown(path) || path.startsWith("-")) return UNKNOWN_VALUE;
	const rules = pathRules(walk.host);
	if (name === "basename") return `${rules.basename(path, ending)}\n`;
	return args.length === 1 ? `${rules.dirname(path)}\n` : UNKNOWN_VALUE;
}

function gitRevision(walk: ShellWalk, args: readonly string[], state: State): string {
	const words = args.join(" ");
	if (/^rev-parse (?:--verify |--short(?:=\d+)? )*HEAD$/.test(words)) return `${SOME_NAME}\n`;
	return words === "rev-parse --show-toplevel" ? topLevel(walk, state) : UNKNOWN_VALUE;
}

/** The folder for temporary files; `undefined` if it is unknown. */
function temporaryFolder(walk: ShellWalk, state: State): string | undefined {
	const value = lookUp(state, "TMPDIR", walk.host);
	if (!value) return walk.host.temp;
	const only = value.kind === "text" && value.options.length === 1 ? value.options[0] : undefined;
	return only === "" ? walk.host.temp : only !== undefined && isKnown(only) ? only : undefined;
}

/** The path that `mktemp` prints: the generated name is unique, so a placeholder is equivalent. */
function temporaryName(args: readonly string[], temp: string | undefined, unique = ""): string {
	const options = readTemporaryOptions(args);
	if (!options) return UNKNOWN_VALUE;
	const { folder, below, template } = options;
	if (!args.every(isKnown) && !isKnown(template ?? "")) return UNKNOWN_VALUE;
	const name = (template ?? "tmp.XXXXXXXXXX").replace(/X{3,}(?=[^X/]*$)/, SOME_NAME + unique);
	if (folder === undefined && template !== undefined && !below) return `${name}\n`;
	const place = folder || temp;
	return place === undefined ? UNKNOWN_VALUE : `${place.replace(/\/+$/, "")}/${name}\n`;
}

interface TemporaryOptions {
	/** The value of `-p` or `--tmpdir`. */
	folder?: string;
	/** `-t`: the template is below the folder for temporary files. */
	below?: true;
	template?: string;
}

/** The options of `mktemp`; `undefined` if they are not supported. */
function readTemporaryOptions(args: readonly string[]): TemporaryOptions | undefined {
	const options: TemporaryOptions = {};
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? "";
		if (/^-[dqu]+$|^--(?:directory|quiet|dry-run)$/.test(arg)) continue;
		if (/^-[dqu]*p$/.test(arg)) options.folder = args[++at] ?? "";
		else if (arg.startsWith("--tmpdir=")) options.folder = arg.slice(9);
		else if (/^-[dqu]*t$|^--tmpdir$/.test(arg)) options.below = true;
		else if (arg.startsWith("-") || options.template !== undefined) return undefined;
		else options.template = arg;
	}
	return options;
}

/** `which name` prints the path of a program; if that is unknown, the result at least ends with its name. */
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
	// Placeholders stay; an escape must not create one.
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
			if (code) return characterOf(code);
			return (letter !== undefined && Object.hasOwn(escapesOfLetters, letter) && escapesOfLetters[letter]) || whole;
		},
	);
}

/** The character of a code point in hexadecimal digits. */
function characterOf(code: string): string {
	const point = Number.parseInt(code, 16);
	return point <= 0x10ffff ? String.fromCodePoint(point) : UNKNOWN_VALUE;
}

const MAX_VALUES = 200;
const MAX_FORMATTED = 20_000;

/** `printf`: the pattern repeats while there are values. */
function format(args: readonly string[]): string {
	const [pattern, ...values] = args[0] === "--" ? args.slice(1) : args;
	if (pattern === undefined) return "";
	if (!isKnown(pattern) || values.length > MAX_VALUES) return UNKNOWN_VALUE;
	const literal = unescapeText(pattern);
	let text = "";
	let at = 0;
	do {
		const start = at;
		text += literal.replace(/%(%|[-+ #0]*\d*(?:\.\d+)?([a-zA-Z]))/g, (directive, rest: string, letter?: string) =>
			rest === "%" ? "%" : formatValue(directive, letter, values[at++] ?? ""),
		);
		if (at === start) break;
		if (text.length > MAX_FORMATTED) return UNKNOWN_VALUE;
	} while (at < values.length);
	return bounded(text);
}

function formatValue(directive: string, letter: string | undefined, value: string): string {
	switch (letter) {
		case "s":
			return directive === "%s" ? value : UNKNOWN_VALUE;
		case "b":
			return unescapeText(value);
		case "d":
		case "i":
			if (value === "") return "0";
			return directive.length === 2 && /^-?\d+$/.test(value) ? value : UNKNOWN_VALUE;
		default:
			return UNKNOWN_VALUE;
	}
}

function concatenate({ walk, args, state, stdin }: Printing): string {
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

/** Expressions over the arguments, joined by blanks. */
const setups: { readonly [programs: string]: RegExp } = {
	"ssh-agent gpg-agent": /^(?:-[sckD]+|--daemon|--sh)?(?: -[sc])?$/,
	keychain: /^(?:--(?:eval|quiet|agents|inherit)\b\S* ?|-q ?)+(?:[\w.@-]+ ?)*$/,
	"dbus-launch": /^--sh-syntax\b/,
	brew: /^shellenv(?: \w+)?$/,
	direnv: /^(?:hook|export) \w+$/,
	"pyenv rbenv nodenv goenv jenv plenv phpenv swiftenv tfenv luaenv anyenv ndenv exenv crenv":
		/^(?:virtualenv-)?init(?: -)?(?: --\S+)*(?: \w+)?$/,
	"starship zoxide atuin mcfly oh-my-posh vfox thefuck navi fzf broot carapace":
		/^(?:init|hook|widget|activate|--(?:alias|bash|zsh|fish))(?: [\w.-]+)*$/,
	"mise rtx": /^(?:activate|env|hook-env|completion)(?: -s)?(?: --?\w+)*(?: \w+)*$/,
	fnm: /^(?:env|completions)(?: --?[\w=-]+)*(?: \w+)?$/,
	opam: /^(?:config )?env(?: --?[\w=./-]+)*$/,
	"conda mamba micromamba": /^(?:shell\.\w+ hook|shell hook(?: (?:--shell|-s))?[ =]\w+)$/,
	poetry: /^env activate(?: \w+)?$/,
	pdm: /^venv activate(?: \w+)?$/,
	"hatch uv": /^(?:generate-shell-completion|--generate-shell-completion) \w+$/,
	"dircolors gdircolors": /^(?:-b|-c|--sh|--csh|--bourne-shell|--c-shell)?$/,
	"lesspipe lessfile lesspipe.sh resize": /^$/,
	tset: /^-s(?: \S+)?$/,
	luarocks: /^path(?: --\S+)*$/,
	getopt: /^(?!.*(?:^| )-\w*u)(?!.*--unquoted)/,
	"register-python-argcomplete register-python-argcomplete3 activate-global-python-argcomplete":
		/^[\w.@/-]+(?: [\w.@/-]+)*$/,
	"docker-machine": /^env(?: [\w.-]+)*$/,
	minikube: /^(?:-p \w+ )?(?:docker|podman)-env(?: --?[\w=-]+)*(?: \w+)?$/,
	"podman-machine": /^env(?: [\w.-]+)*$/,
	guix: /^package .*--search-paths\b/,
	perl: /^-I\S+ -Mlocal::lib(?:=\S+)?$/,
	"npm pip pip3 gh glab kubectl oc helm docker podman minikube kind k3d k9s flux argocd istioctl eksctl kustomize skaffold tilt stern crictl nerdctl cilium terraform-docs hugo golangci-lint goreleaser task just deno bun rustup cargo-nextest pnpm poetry pipx uv uvx ruff rye pixi doctl flyctl fly heroku vercel netlify supabase gcloud az aws velero kubebuilder operator-sdk buf cosign syft grype trivy chezmoi lefthook bosh cf jira-cli glow gum vhs yq step temporal nats talosctl tkn kn clusterctl cobra-cli dagger earthly devspace okteto telepresence linkerd consul nomad vault packer sops age bat rg fd delta procs watchexec dust eza tokei hyperfine zellij nu tmuxinator ng":
		/^(?:completions?|generate-shell-completion|gen-completions|--completions?|--generate(?:-shell-completion)?|completion-script|shell-completion)(?:[ =]--?[\w-]+)*(?:[ =](?:-s |--shell[ =])?(?:bash|zsh|sh|fish|script|complete-bash|--bash|--zsh))?(?: --[\w-]+)*$/,
};

const byName: ReadonlyMap<string, readonly RegExp[]> = Object.entries(setups).reduce((known, [names, words]) => {
	for (const name of names.split(" ")) known.set(name, [...(known.get(name) ?? []), words]);
	return known;
}, new Map<string, RegExp[]>());

/** Whether a command prints shell text that sets up its program. */
function printsShellSetup(name: string, args: readonly string[]): boolean {
	const words = args.join(" ");
	if (words.length > 200) return false;
	// `eval "$(tool completion bash)"`, with a tool of any name.
	if (/^(?:\S+ )?completions?(?: (?:-s|--shell))?(?: (?:ba|z|fi)sh)?$/.test(words)) return true;
	return byName.get(name)?.some((spelling) => spelling.test(words)) ?? false;
}
