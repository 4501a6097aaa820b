// Structured data and counts: JSON, YAML, XML, lines. Most only print; some edit their files.
import { describe, describeFields } from "./notation.ts";
import type { Call } from "./program-spec.ts";

const jqPairs = new Set(["--arg", "--argjson"]);
const jqFiles = new Set(["--slurpfile", "--rawfile", "--argfile"]);

const jqWords = describeFields(
	"text read* | --indent -L --library-path: text | -f --from-file: read | -f --from-file > read*",
);

/** `jq`: some options take two values, which are removed before the words are parsed; `jaq -i` writes its files. */
function queryJson(call: Call): void {
	const isInPlace = call.args.some((word) => /^(-i|--in-place)$/.test(word));
	for (const file of isInPlace ? call.operands.filter(call.exists) : []) call.applyRole("write", file);
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

export const dataFilters = describe(
	`
jq jaq | @queryJson
yq | text read* | -o --output-format -p --input-format -I --indent -w --write: text | --from-file: read \
		| -i --inplace --in-place > text write* | -s --split-exp --split-exp-file > ~worktree
xmllint | read* | -o --output: replace | --xpath --schema --encode --pattern --dtdvalid --relaxng: text | --shell > ?script
cloc scc | read* recursive skips:hidden,ignored here:read | -e --exclude --exclude-dir --format -t --types -s --sort -i: text \
		| -o --out --output --report-file: replace | --extract-with: script
`,
	{ queryJson },
	"abbreviating",
);
