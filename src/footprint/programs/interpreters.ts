// Interpreters: shells, whose scripts are analyzed, and languages, whose programs are mostly unknown.

import { baseName, isFileText, isKnown } from "../text.ts";
import { agentEntry, findAgentPackage } from "./agents.ts";
import { startsProject } from "./common-specs.ts";
import { runEscapes } from "./escapes.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";
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

/** How an interpreter is given its program. */
interface Language {
	/** Options whose value is program text. */
	readonly code: string;
	/** Options whose value is a module or task of the project. */
	readonly module?: string;
	/** Options that take another value. */
	readonly values?: string;
	/** Options after which nothing is run. */
	readonly looks?: string;
	/** The option that makes files change in place. */
	readonly inPlace?: string;
	/** Modules with a known effect, by name. */
	readonly modules?: { readonly [name: string]: (call: Call, args: readonly string[]) => void };
}

function language(description: Language): ProgramSpec {
	const { code, module, values, inPlace } = description;
	return {
		optionsFirst: true,
		...(inPlace !== undefined && { attached: inPlace }),
		options: {
			[code]: "code",
			...(module !== undefined && { [module]: "text" }),
			...(values !== undefined && values !== "" && { [values]: "text" }),
		},
		custom: (call) => runLanguage(call, description),
	};
}

function runLanguage(call: Call, { code, module, looks, modules, inPlace }: Language): void {
	if (looks !== undefined && call.has(looks)) return;
	const [named] = module === undefined ? [] : call.values(module);
	if (named !== undefined) runModule(call, named, modules ?? {});
	else if (!call.has(code)) runOperand(call);
	else
		for (const file of call.operands) {
			if (inPlace !== undefined && call.has(inPlace)) call.applyRole("write", file);
			readIfThere(call, file);
		}
}

/** Runs the first operand as a program file, or the program on standard input. */
function runOperand(call: Call): void {
	const [file, ...rest] = call.operands;
	if (file === undefined || file === "-") {
		runInput(call);
		return;
	}
	call.runProgramFile(file);
	// `php artisan migrate`, `ruby bin/rails db:drop`: the file is a launcher that the table of programs knows.
	const launcher = /(?:^|\/)(artisan|rails|rake|console|drush|wp)$/.exec(file)?.[1];
	if (launcher !== undefined && !call.name.startsWith("node")) call.run([launcher, ...rest]);
	if (agentEntry.test(file)) call.effect("nested-agent");
	if (taskEffects(baseName(file), rest).includes("sql-drop")) call.effect("sql-drop");
	for (const word of rest) readIfThere(call, word);
	call.unknown("script", call.text);
}

/** A module that deno or bun runs: a file, a URL, or standard input. */
export function runModuleFile(call: Call, word: string | undefined): void {
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

function runModule(call: Call, name: string, modules: Language["modules"] & object): void {
	const at = call.args.findIndex((arg) => arg === name || arg.endsWith(name));
	const args = call.args.slice(at + 1);
	if (Object.hasOwn(modules, name)) modules[name]?.(call, args);
	else call.unknown("project", `${call.name} -m ${name}`);
}

const asProgram =
	(program: string) =>
	(call: Call, args: readonly string[]): void =>
		call.run([program, ...args]);

const pythonModules: NonNullable<Language["modules"]> = {
	aider: asProgram("aider"),
	interpreter: asProgram("interpreter"),
	gptme: asProgram("gptme"),
	sgpt: asProgram("sgpt"),
	openhands: asProgram("openhands"),
	pip: asProgram("pip"),
	venv: (call, args) => {
		for (const word of args) if (!word.startsWith("-")) call.access("write", word, { recursive: true });
	},
	"json.tool": (call, args) => {
		const [input, output] = args.filter((word) => !word.startsWith("-"));
		if (input !== undefined) call.applyRole("read", input);
		if (output !== undefined) call.applyRole("replace", output);
	},
	// Everything in a folder that is named can be read by others.
	"http.server": (call, args) => {
		const at = args.findIndex((arg) => arg === "-d" || arg === "--directory");
		if (at >= 0) call.access("read", args[at + 1] ?? ".", { recursive: true });
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
	else if (at >= 0) call.foreignScript(rest.join(" "), "powershell");
	else {
		const words = call.args.filter((arg) => !arg.startsWith("-"));
		if (words.length > 0) call.foreignScript(words.join(" "), "powershell");
		else if (call.stdin !== "") call.foreignScript(call.stdin, "powershell");
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

const shells: ProgramSpec = { optionsFirst: true, custom: shell };

export const interpreters: ProgramSpecs = {
	"sh bash dash zsh ksh mksh ash rbash fish": shells,
	"python pypy ipython": language({
		code: "-c",
		module: "-m",
		values: "-W -X --check-hash-based-pycs -Q",
		looks: "-V --version -h --help",
		modules: pythonModules,
	}),
	"node nodejs": {
		optionsFirst: true,
		options: {
			[nodeCode]: "code",
			"-r --require --import --loader --experimental-loader": "read",
			"--env-file --env-file-if-exists": "text",
			"--input-type --conditions -C --stack-trace-limit --title --test-name-pattern --test-reporter --watch-path":
				"text",
		},
		custom(call) {
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
		},
	},
	deno: {
		custom: findAgentPackage,
		subcommands: {
			eval: { operands: { first: ["code"] } },
			"check info types help lint": { operands: "read" },
			init: startsProject,
			fmt: {
				operands: "write",
				changes: ["worktree"],
				changesIn: "operands",
				when: { "--check": { harmless: true, operands: "read" } },
			},
			"run serve": {
				opaque: "script",
				optionsFirst: true,
				options: {
					"-c --config --import-map --lock --cert --env-file": "read",
					"-L --log-level --v8-flags --seed --location": "text",
				},
				custom: (call) => runModuleFile(call, call.operands[0]),
			},
			"test bench task compile bundle": { opaque: "project" },
			"install add remove": {
				changes: ["packages"],
				changesIn: "directory",
				when: { "-g --global": { changesIn: "anywhere" } },
			},
			"cache upgrade publish uninstall": { changes: ["packages"] },
			"*": { opaque: "script", custom: (call) => runModuleFile(call, call.operands[0]) },
		},
	},
	"ts-node tsx": language({
		code: "-e --eval -p --print",
		values: "-P --project -O --compiler-options -r --require --tsconfig --import",
		looks: "-v --version -h --help",
	}),
	perl: {
		optionsFirst: true,
		options: { "-e -E": "code", "-I": "text" },
		attached: "-i -F -M -m -C -D -x -V",
		custom(call) {
			if (call.has("-v -V") && call.operands.length === 0) return;
			allowsOnly(call, /^-(?:[nplaweEi0FsWTtuUXCv]|\d)$/);
			const inline = call.has("-e -E");
			const files = inline ? call.operands : call.operands.slice(1);
			if (!inline) {
				const [file] = call.operands;
				if (file !== undefined) call.runProgramFile(file);
				if (call.has("-c")) return;
				if (file === undefined) runInput(call);
				else if (file !== undefined) call.unknown("script", call.text);
			}
			for (const file of files) {
				call.applyRole("read", file);
				if (call.has("-i")) call.applyRole("write", file);
			}
		},
	},
	ruby: language({ code: "-e", inPlace: "-i", values: "-r -I -C -E -x", looks: "-v --version -h --help -c" }),
	php: language({ code: "-r -B -R -E", values: "-d -c -S -t -z", looks: "-v --version -h -i -m -l --ini" }),
	"lua luajit": language({ code: "-e", values: "-l", looks: "-v" }),
	"Rscript R": language({ code: "-e", values: "", looks: "--version" }),
	julia: language({ code: "-e --eval -E --print", values: "-t --threads -p --project", looks: "-v --version" }),
	osascript: {
		...language({ code: "-e", values: "-l" }),
		custom(call) {
			for (const code of [...call.values("-e"), ...(call.stdin === "" ? [] : [call.stdin])])
				for (const [, text = ""] of code.matchAll(/do shell script "((?:[^"\\]|\\.){0,2000})"/g))
					call.script(text.replace(/\\(.)/g, "$1"));
			if (!call.has("-e")) runOperand(call);
		},
	},
	expect: {
		optionsFirst: true,
		options: { "-c": "text", "-f": "read" },
		opaque: "script",
		custom: (call) => {
			for (const text of [...call.values("-c"), call.stdin])
				for (const [, command = ""] of text.matchAll(/(?:^|[;\n{\s])(?:spawn|exec|system)\s+([^;\n]{1,2000})/g))
					call.script(command);
		},
	},
	"tclsh wish guile racket sbcl clisp ecl ghci runghc runhaskell scala scala-cli kotlin kscript groovy elixir iex erl escript octave maxima csi fsi irb pry janet hy nim-script bb clojure clj lein-exec swipl gforth ocaml utop":
		{
			...language({
				code: "-e --eval -eval -E --execute --expr -c --code -r -p --command -q",
				values: "-l --load -i --include -S -L -M --module -a -cp -classpath",
				looks: "--version -v -V -version --help -h",
			}),
			opaque: "script",
			when: { "--version -version --help": { harmless: true } },
		},
	java: {
		dashes: "one",
		optionsFirst: true,
		options: { "-jar": "text", "-cp -classpath --class-path -m --module -p --module-path --add-modules": "text" },
		opaque: "script",
		when: { "-version --version": { harmless: true } },
		custom: (call) => {
			for (const file of [...call.values("-jar"), ...call.operands.slice(0, 1)])
				if (call.content(file) !== undefined || /\.(?:jar|java)$/.test(file)) call.runProgramFile(file);
		},
	},
	bc: { operands: "read" },
	dc: {
		operands: "read",
		options: { "-e --expression": "text", "-f --file": "read" },
		custom: (call) => {
			for (const text of [...call.values("-e --expression"), call.stdin]) runEscapes(call, "calculator", text);
		},
	},
	"m4 gm4": {
		options: { "-D -U -I -s --define --include": "text" },
		custom: (call) => {
			const texts = call.operands.map((word) => call.content(word));
			if (call.operands.length === 0) texts.push(call.stdin);
			for (const text of texts)
				if (text !== undefined && /\be?syscmd\b/.test(isKnown(text) ? text : "syscmd")) call.applyRole("code", text);
			call.operands.forEach((word) => {
				if (call.exists(word)) call.applyRole("read", word);
			});
		},
	},
	"envsubst gettext mustache": {
		operands: "text",
		custom: (call) =>
			call.operands.forEach((word) => {
				if (call.exists(word)) call.applyRole("read", word);
			}),
	},
	"powershell pwsh": { custom: (call) => powerShell(call) },
	cmd: {
		custom(call) {
			const at = call.args.findIndex((arg) => /^\/\/?[ckr]$/i.test(arg));
			if (at >= 0) call.foreignScript(call.args.slice(at + 1).join(" "), "cmd");
			else if (call.stdin !== "") call.foreignScript(call.stdin, "cmd");
		},
	},
};
