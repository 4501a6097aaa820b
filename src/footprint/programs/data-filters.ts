// Structured data and counts: JSON, YAML, XML, tables. Most only print; some edit their files or write others.
import { abbreviating, type Call, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";

/** Counts lines of whole directory trees. */
const counts: ProgramSpec = { operands: "read", defaultRole: "read", recursive: true, skips: ["hidden", "ignored"] };

/** Operands that are files are read; the others are columns, verbs or expressions. */
function readsExisting(call: Call): void {
	for (const word of call.operands) if (call.exists(word)) call.applyRole("read", word);
}

/** `mlr`: `-I` writes its files, some verbs and functions write others or run commands. */
function miller(call: Call): void {
	readsExisting(call);
	if (call.has("-I")) for (const word of call.operands) if (call.exists(word)) call.applyRole("write", word);
	const verbs = call.args.filter(
		(word, index) => /^(tee|split|case)$/.test(word) && (index < 8 || call.args[index - 1] === "then"),
	);
	if (verbs.some((verb) => verb !== "case")) call.change("worktree");
	for (const text of call.args)
		if (/\b(system|exec|os\.)\s*\(|\b(tee|dump|print|printn|emit\w*)\b[^;]*[>|]/.test(text))
			call.unknown("script", text);
}

/** `dasel put` and `dasel delete` change the file that they read, unless an output is given. */
function selectData(call: Call): void {
	const files = call.values("-f --file");
	for (const file of files) call.applyRole("read", file);
	const out = call.values("-o --out")[0];
	if (out !== undefined && !/^(-|stdout)$/.test(out)) call.applyRole("replace", out);
	if (/^(put|delete)$/.test(call.operands[0] ?? "") && out === undefined)
		for (const file of files) call.applyRole("write", file);
}

const jqPairs = new Set(["--arg", "--argjson"]);
const jqFiles = new Set(["--slurpfile", "--rawfile", "--argfile"]);

/** `jq`: some options take two values, which are removed before the words are parsed. */
function queryJson(call: Call): void {
	const words: string[] = [];
	for (let at = 0; at < call.args.length; at++) {
		const word = call.args[at] ?? "";
		if (word === "--args" || word === "--jsonargs") break;
		if (jqFiles.has(word)) call.applyRole("read", call.args[at + 2] ?? "");
		if (jqFiles.has(word) || jqPairs.has(word)) at += 2;
		else words.push(word);
	}
	call.delegate(jqWords, words);
}

/** `jaq -i` writes its files. */
function queryInPlace(call: Call): void {
	if (call.args.some((word) => /^(-i|--in-place)$/.test(word)))
		for (const file of call.operands) if (call.exists(file)) call.applyRole("write", file);
	queryJson(call);
}

const jqWords: ProgramSpec = {
	operands: { first: ["text"], rest: "read" },
	options: { "--indent -L --library-path": "text", "-f --from-file": "read" },
	when: { "-f --from-file": { operands: "read" } },
};

export const dataFilters: ProgramSpecs = abbreviating({
	"jq gojq": { custom: queryJson },
	jaq: { custom: queryInPlace },
	dasel: {
		operands: "read",
		options: {
			"-f --file -o --out": "text",
			"-r --read -w --write -p --parser -s --selector -t --type -v --value": "text",
		},
		custom: selectData,
	},
	yq: {
		operands: { first: ["text"], rest: "read" },
		when: {
			"-i --inplace --in-place": { operands: { first: ["text"], rest: "write" } },
			// Writes each document to a separate file.
			"-s --split-exp --split-exp-file": { changes: ["worktree"] },
		},
		options: { "-o --output-format -p --input-format -I --indent -w --write": "text", "--from-file": "read" },
	},
	xmllint: {
		operands: "read",
		options: { "-o --output": "replace", "--xpath --schema --encode --pattern --dtdvalid --relaxng": "text" },
		when: { "--shell": { opaque: "script" } },
	},
	"csvcut csvlook csvgrep csvstat csvjson csvsort csvjoin csvstack in2csv": { custom: readsExisting },
	"xsv qsv": {
		options: { "-o --output": "replace" },
		custom: (call) => {
			readsExisting(call);
			if (
				/^(index|split|partition|extdedup|extsort|to|snappy|fetch|fetchpost|lua|luau|py|apply)$/.test(
					call.operands[0] ?? "",
				)
			) {
				call.change("worktree");
				for (const word of call.operands.slice(1))
					if (call.isDirectory(word)) call.access("write", word, { recursive: true });
			}
		},
	},
	mlr: { custom: miller },
	gnuplot: { operands: "read", options: { "-e": "code" }, opaque: "script" },
	tokei: { ...counts, options: { "-e --exclude -t --types -s --sort -o --output -i --input": "text" } },
	scc: {
		...counts,
		options: { "-o --output --format-multi": "replace", "-f --format -s --sort -i -x --exclude-dir": "text" },
	},
	"cloc loc": {
		...counts,
		options: {
			"--exclude-dir --include-lang --exclude-lang --exclude-ext --include-ext --match-f --not-match-f --sort --format":
				"text",
			"--out --report-file --sql --ignored --counted --found --categorized --write-lang-def --write-lang-def-incl-dup --diff-alignment":
				"replace",
			"--list-file --read-lang-def --exclude-list-file": "read",
			"--extract-with": "script",
		},
	},
});
