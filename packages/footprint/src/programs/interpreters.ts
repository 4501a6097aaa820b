// Interpreters: shells, whose scripts are analyzed, and languages, whose programs are mostly unknown.
import { baseName, isFileText, isKnown } from "../text.ts";
import { agentEntry, findAgentPackage } from "./agents.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";
import { taskEffects } from "./tasks.ts";

/** `sh -c text name args…`, `sh file args…`, or text on standard input. */
function shell(call: Call): void {
	const { letters, words } = shellOptions(call);
	const [first, ...rest] = words;
	const dialect = /^(bash|zsh|ksh)$/.test(call.name) ? "bash" : "any";
	if (/-[A-Za-z]*c/.test(letters)) {
		const [self, ...parameters] = rest;
		if (first !== undefined) call.script(first, { parameters, dialect, ...(self !== undefined && { self }) });
	} else if (letters.includes("n")) {
		if (first !== undefined) call.applyRole("read", first);
	} else if (first !== undefined && !letters.includes("s")) call.runShellFile(first, { parameters: rest, dialect });
	else call.script(call.stdin, { parameters: words, dialect, from: "input" });
}

/** A shell's short options as written, concatenated, and the words after its options. */
function shellOptions({ args, runShellFile }: Call): { letters: string; words: readonly string[] } {
	let letters = "";
	for (let at = 0; at < args.length; at++) {
		const word = args[at] ?? "";
		if (word === "--" || word === "-") return { letters, words: args.slice(at + 1) };
		if (/^--(rcfile|init-file)$/.test(word)) runShellFile(args[++at] ?? "");
		else if (/^[-+][A-Za-z]+$/.test(word)) {
			letters += word;
			if (/[oO]$/.test(word)) at++;
		} else if (!word.startsWith("--")) return { letters, words: args.slice(at) };
	}
	return { letters, words: [] };
}

/** Runs the first operand as a program file, or the program on standard input. */
function runOperand(call: Call): void {
	const [file, ...rest] = call.operands;
	if (file === undefined || file === "-") {
		runInput(call);
		return;
	}
	if (/^https?:/.test(file)) call.effect("run-download");
	call.runProgramFile(file);
	// `php artisan migrate`, `ruby bin/rails db:drop`: the file is a launcher that the table of programs knows.
	const launcher = /(?:^|\/)(artisan|rails|rake|console|drush|wp)$/.exec(file)?.[1];
	if (launcher !== undefined && !call.name.startsWith("node")) call.run([launcher, ...rest]);
	if (agentEntry.test(file)) call.effect("nested-agent");
	if (taskEffects(baseName(file), rest).includes("sql-drop")) call.effect("sql-drop");
	for (const word of rest) readIfThere(call, word);
	call.unknown("file", call.text);
}

/** A module that deno or bun runs: a file, a URL, or standard input. */
export function runModuleFile(call: Call, word = call.operands[0]): void {
	if (word === undefined) return;
	const name = /^npm:\/?((?:@[\w.-]+\/)?[\w.-]+)/.exec(word)?.[1];
	if (name !== undefined) call.run([name, ...call.operands.slice(1)]);
	else if (/^https?:\/\//i.test(word)) call.effect("run-download");
	else if (word === "-") runInput(call);
	else call.runProgramFile(word);
}

/** Program text on standard input. */
function runInput(call: Call): void {
	if (call.stdin === "") return;
	if (isFileText(call.stdin)) {
		call.unknown("script", call.text);
		return;
	}
	if (!isKnown(call.stdin)) call.effect("run-unknown-text");
	call.applyRole("code", call.stdin);
}

function readIfThere(call: Call, word: string): void {
	if (isKnown(word) && !word.startsWith("-") && call.exists(word)) call.access("read", word);
}

const pythonModules: Modules = {
	venv: (call, args) => {
		for (const word of args) if (!word.startsWith("-")) call.access("write", word, { recursive: true });
	},
	"json.tool": (call, args) => {
		const [input, output] = args.filter((word) => !word.startsWith("-"));
		if (input !== undefined) call.applyRole("read", input);
		if (output !== undefined) call.applyRole("replace", output);
	},
	// Everything in the folder can be read by others.
	"http.server": (call, args) => {
		const at = args.findIndex((arg) => arg === "-d" || arg === "--directory");
		if (at >= 0) call.access("read", args[at + 1] ?? ".", { recursive: true });
		call.change("remote");
	},
	py_compile: (call, args) => {
		for (const word of args) call.applyRole("read", word);
	},
	compileall: (call) => call.change("worktree"),
};

/** `pwsh -Command text`, `-File file`, `-EncodedCommand …`. */
function powerShell(call: Call): void {
	const at = call.args.findIndex((arg) =>
		/^[-/](c|command|commandwithargs|e|ec|enc|encodedcommand|f|file|v|version|h|help|\?)$/i.test(arg),
	);
	const option = (call.args[at] ?? "").slice(1).toLowerCase();
	const rest = call.args.slice(at + 1);
	if (/^(v|version|h|help|\?)$/.test(option)) return;
	if (option.startsWith("e")) {
		call.effect("run-unknown-text");
		call.unknown("script", call.text);
	} else if (option.startsWith("f")) call.runShellFile(rest[0] ?? "");
	else {
		const words = at >= 0 ? rest : call.args.filter((arg) => !arg.startsWith("-"));
		call.foreignScript(words.length > 0 ? words.join(" ") : call.stdin, "powershell");
	}
}

/** Modules that run before the program: each is program text. */
function loadModules(call: Call, options: string): void {
	const modules = call.values(options);
	if (modules.length > 0) call.unknown("script", call.text);
	if (modules.some((name) => /^dotenv\b/.test(name))) call.applyRole("read", ".env");
}

/** Options of an interpreter that are known to load nothing; any other with an unknown effect makes the run unknown. */
function allowsOnly(call: Call, known: RegExp): void {
	if (call.items.some((item) => item.kind === "option" && !known.test(item.name))) call.unknown("script", call.text);
}

const nodeCode = "-e --eval -p --print -pe";

/** Modules with a known effect, by name. */
type Modules = { readonly [name: string]: (call: Call, args: readonly string[]) => void };

/** How an interpreter is given its program. */
interface Language {
	/** Options whose value is program text. */
	readonly code: string;
	/** Options after which nothing is run. */
	readonly looks: string;
	/** Options whose value is a module or task of the project. */
	readonly module?: string;
	/** The option that makes files change in place. */
	readonly inPlace?: string;
}

/** `ruby -rx -c`, `php -d auto_prepend_file=x -l`: they load code although they only look at the program. */
function loadsCode(call: Call): void {
	if (call.has("-r --require -d -z --import --loader")) call.unknown("script", call.text);
}

const runsLanguage =
	(language: Language) =>
	(call: Call): void => {
		if (call.has(language.looks)) loadsCode(call);
		else runProgram(call, language);
	};

function runProgram(call: Call, { code, module, inPlace }: Language): void {
	const [named] = module === undefined ? [] : call.values(module);
	if (named !== undefined) runModule(call, named);
	else if (!call.has(code)) runOperand(call);
	else for (const file of call.operands) readIfThere(call, file);
	const changed = inPlace !== undefined && call.has(inPlace) ? call.operands : [];
	for (const file of changed) call.applyRole("write", file);
}

function runModule(call: Call, name: string): void {
	const at = call.args.findIndex((arg) => arg === name || arg.endsWith(name));
	if (Object.hasOwn(pythonModules, name)) pythonModules[name]?.(call, call.args.slice(at + 1));
	else if (call.isKnownProgram(name)) call.run([name, ...call.args.slice(at + 1)]);
	else call.unknown("project", `${call.name} -m ${name}`);
}

function node(call: Call): void {
	loadModules(call, "-r --require --import --loader --experimental-loader");
	// A program reads its own settings; text on the command line could print them.
	if (call.has(nodeCode))
		for (const file of call.values("--env-file --env-file-if-exists")) call.applyRole("read", file);
	const installed = /(?:^|\/)node_modules\/\.bin\/([\w.-]+)$/.exec(call.operands[0] ?? "")?.[1];
	if (call.has("-v --version -h --help")) return;
	if (call.has("-c --check")) for (const file of call.operands) call.applyRole("read", file);
	else if (call.has("--test")) call.unknown("project", call.text);
	else if (call.has(nodeCode)) for (const word of call.operands) readIfThere(call, word);
	else if (installed !== undefined) call.run([installed, ...call.operands.slice(1)]);
	else runOperand(call);
}

function perl(call: Call): void {
	allowsOnly(call, /^-(?:[nplaweEi0FsWTtuUXCvV]|\d)$/);
	const [file, ...others] = call.operands;
	const inline = call.has("-e -E");
	if (!inline && (file !== undefined || !call.has("-v -V"))) {
		if (file !== undefined) call.runProgramFile(file);
		if (call.has("-c")) return;
		if (file === undefined) runInput(call);
		else call.unknown("file", call.text);
	}
	for (const each of inline ? call.operands : others) {
		call.applyRole("read", each);
		if (call.has("-i")) call.applyRole("write", each);
	}
}

function java(call: Call): void {
	if (call.args.some((arg) => /^(?:-(?:javaagent|agent(?:lib|path)|Xbootclasspath|XX):|@)/.test(arg)))
		call.unknown("script", call.text);
	for (const file of [...call.values("-jar"), ...call.operands.slice(0, 1)])
		if (call.content(file) !== undefined || /\.(?:jar|java)$/.test(file)) call.runProgramFile(file);
}

function macros(call: Call): void {
	const texts = call.operands.length === 0 ? [call.stdin] : call.operands.map((word) => call.content(word));
	for (const text of texts) {
		if (text === undefined) call.unknown("script", call.text);
		else if (/\be?syscmd\b/.test(isKnown(text) ? text : "syscmd")) call.applyRole("code", text);
	}
	for (const word of call.operands) if (call.exists(word)) call.applyRole("read", word);
}

function cmd(call: Call): void {
	const at = call.args.findIndex((arg) => /^\/\/?[ckr]$/i.test(arg));
	if (at >= 0) call.foreignScript(call.args.slice(at + 1).join(" "), "cmd");
	else if (call.stdin !== "") call.foreignScript(call.stdin, "cmd");
}

export const interpreters = describe(
	`
sh bash dash zsh ksh mksh ash fish | first @shell
python pypy ipython | first @python | -c: code | -m: text | -W -X --check-hash-based-pycs -Q: text
node nodejs | first @node | -e --eval -p --print -pe: code | -r --require --import --loader --experimental-loader: read \
		| --env-file --env-file-if-exists: text \
		| --input-type --conditions -C --stack-trace-limit --title --test-name-pattern --test-reporter --watch-path: text
deno | @findAgentPackage
	eval | code
	check info types help lint | read* | --fix > ~worktree
	init | ~worktree in:operands
	fmt | write* ~worktree in:operands | --check > read* harmless
	run serve | ?file first @deno | -c --config --import-map --lock --cert --env-file: read \
			| -L --log-level --v8-flags --seed --location: text
	test bench task compile bundle | ?project
	install add remove | ~packages in:directory | -g --global > in:anywhere
	cache upgrade publish uninstall | ~packages
	* | ?file @deno
ts-node tsx | first @typescript | -e --eval -p --print: code | -P --project -O --compiler-options -r --require --tsconfig --import: text
perl | first @perl | -e -E: code | -I: text | -i -F -M -m -C -D -x -V ?
ruby | first @ruby | -e: code | -r -I -C -E -x: text | -i ?
php | first @php | -r -B -R -E: code | -c: load | -d -S -z: text | -S > ~remote ?project | -t: read
lua luajit | first @lua | -e: code | -l: load
Rscript R | first @r | -e: code
julia | first @julia | -e --eval -E --print: code | -t --threads -p --project: text
osascript | first @other | -e: code | -l: text
expect | ?file first @other | -c: code | -f: read
tclsh guile racket sbcl ghci scala kotlin groovy elixir iex erl escript octave irb pry clojure ocaml \
		| ?file first @other | -e --eval -eval -E --execute --expr -c --code -r -p --command -q: code \
		| -l --load -i --include -S -L -M --module -a -cp -classpath: text | --version -version --help > harmless
java | ?file first dash @java | -jar: text | -cp -classpath --class-path -m --module -p --module-path --add-modules: text \
		| -version --version > harmless
m4 gm4 | @macros | -D -U -I -s --define --include: text
powershell pwsh | @powerShell
cmd | @cmd
`,
	{
		cmd,
		deno: runModuleFile,
		findAgentPackage,
		java,
		julia: runsLanguage({ code: "-e --eval -E --print", looks: "-v --version" }),
		// With `-v`, Lua and Ruby show their version, and run the program.
		lua: runsLanguage({ code: "-e", looks: "" }),
		macros,
		node,
		other: runsLanguage({
			code: "-e --eval -eval -E --execute --expr -c --code -r -p --command -q",
			looks: "--version -V -version --help -h",
		}),
		perl,
		php: runsLanguage({ code: "-r -B -R -E", looks: "-v --version -h -i -m -l --ini" }),
		powerShell,
		python: runsLanguage({ code: "-c", looks: "-V --version -h --help", module: "-m" }),
		r: runsLanguage({ code: "-e", looks: "--version" }),
		ruby: runsLanguage({ code: "-e", looks: "--version -h --help -c", inPlace: "-i" }),
		shell,
		typescript: runsLanguage({ code: "-e --eval -p --print", looks: "-v --version -h --help" }),
	},
);
