// Arguments that a program only searches for, prints or stores: text that is never run. A table of programs and its reader.
// A rule about a dangerous command does not apply to them: a search for `rm -rf` removes nothing.

interface LiteralArguments {
	/** Every operand, or only the first one (a pattern, a script, a filter). */
	readonly operands?: "all" | "first";
	/** Options whose value is a literal, long and short, with their dashes. */
	readonly options?: readonly string[];
	/** Options that replace the first operand: with one of them every operand is a file. */
	readonly instead?: readonly string[];
}

const grep: LiteralArguments = {
	operands: "first",
	options: ["-e", "--regexp", "--include", "--exclude"],
	instead: ["-e", "--regexp", "-f", "--file"],
};
const search: LiteralArguments = {
	operands: "first",
	options: ["-e", "--regexp", "-g", "--glob", "-r", "--replace"],
	instead: ["-e", "--regexp", "-f", "--file"],
};
const message: readonly string[] = "-m --message --author --grep -S -G --trailer --date --format --pretty".split(" ");

/** Programs whose operands or options are literals. */
const programs: Readonly<Record<string, LiteralArguments>> = {
	echo: { operands: "all" },
	printf: { operands: "all" },
	print: { operands: "all" },
	say: { operands: "all" },
	logger: { operands: "all" },
	":": { operands: "all" },
	true: { operands: "all" },
	test: { operands: "all" },
	"[": { operands: "all" },
	"[[": { operands: "all" },
	expr: { operands: "all" },
	"notify-send": { operands: "all" },
	"write-output": { operands: "all" },
	"write-host": { operands: "all" },
	"write-error": { operands: "all" },
	"write-warning": { operands: "all" },
	grep,
	egrep: grep,
	fgrep: grep,
	zgrep: grep,
	rg: search,
	ag: search,
	ack: search,
	"select-string": { operands: "first", options: ["-pattern", "-Pattern"], instead: ["-pattern", "-Pattern"] },
	sls: { operands: "first", options: ["-pattern", "-Pattern"], instead: ["-pattern", "-Pattern"] },
	sed: { operands: "first", options: ["-e", "--expression"], instead: ["-e", "--expression", "-f", "--file"] },
	awk: { operands: "first", options: ["-v"], instead: ["-f", "--file"] },
	gawk: { operands: "first", options: ["-v"], instead: ["-f", "--file"] },
	mawk: { operands: "first", options: ["-v"], instead: ["-f", "--file"] },
	jq: { operands: "first", options: ["--arg"], instead: ["-f", "--from-file"] },
	yq: { operands: "first", options: ["--arg"], instead: ["--from-file"] },
	tr: { operands: "all" },
	man: { operands: "all" },
	which: { operands: "all" },
	type: { operands: "all" },
	help: { operands: "all" },
	apropos: { operands: "all" },
	find: { options: ["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-printf", "-not"] },
	fd: { operands: "first", options: ["-E", "--exclude", "-g"] },
	git: { options: message },
	hg: { options: message },
	jj: { options: message },
	gh: {
		options: "-t --title -b --body -m --message -n --notes --search -S -q --jq --subject".split(" "),
	},
	glab: { options: ["-t", "--title", "-d", "--description", "-m", "--message"] },
};

/** For every word after the program: whether it is a literal. `null` words are unknown. */
export function literalArguments(program: string, args: readonly (string | null)[]): boolean[] {
	const search = program === "git" ? args.indexOf("grep") : -1;
	if (search !== -1 && args.slice(0, search).every((word, index) => isLeading(word, args[index - 1]))) {
		return [...args.slice(0, search + 1).map(() => false), ...literalArguments("grep", args.slice(search + 1))];
	}
	const known = programs[program];
	if (!known) return args.map(() => false);
	const options = known.options ?? [];
	let first =
		known.operands === "first" && !(known.instead ?? []).some((option) => args.some((word) => isOption(word, option)));
	let value = false;
	let literal = false;
	return args.map((word) => {
		if (value) {
			value = false;
			return true;
		}
		if (word === "--" && !literal) {
			literal = true;
			return false;
		}
		if (!literal && word !== null && word.length > 1 && word.startsWith("-") && known.operands !== "all") {
			const option = options.find((name) => isOption(word, name));
			if (option === undefined) return false;
			value = takesNext(word, option);
			return !value;
		}
		if (known.operands === "all") return true;
		if (!first) return false;
		first = false;
		return true;
	});
}

/** Whether a word is an option before a subcommand, or the value of one. */
function isLeading(word: string | null, before: string | null | undefined): boolean {
	return word?.startsWith("-") === true || before?.startsWith("-") === true;
}

/** `-m`, `-am`, `-mtext`, `--message`, `--message=text`. */
function isOption(word: string | null, name: string): boolean {
	if (word === null) return false;
	if (name.startsWith("--") || name.length > 2) return word === name || word.startsWith(`${name}=`);
	return word.startsWith("-") && !word.startsWith("--") && word.slice(1).includes(name.slice(1));
}

/** Whether the option's value is the next word. */
function takesNext(word: string, name: string): boolean {
	if (name.startsWith("--") || name.length > 2) return word === name;
	return word.endsWith(name.slice(1));
}
