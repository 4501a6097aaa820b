// Program text of other languages that only reads: every word of it is known, or a name of its own that it does not call.

/** Words of languages, their modules, functions and common fields that run, write and load nothing. */
const readingWords = new Set(
	(
		"and as await break case catch const continue each elif else end except false for foreach from if import in is lambda let None not null of or " +
		"our my pass return then True true False try undefined until var when while with ARGV ENV argv env print printf println puts p pp say echo " +
		"console log error info table JSON stringify parse Object keys values entries fromEntries Array isArray Map Set Number String Boolean Math " +
		"max min round floor ceil abs Date now toISOString toFixed length slice split join trim map filter find some every includes indexOf " +
		"startsWith endsWith sort reverse reduce flat flatMap concat test match toString toUpperCase toLowerCase padStart padEnd size has get forEach " +
		"push append extend require fs path os url util promises readFile readdir readFileSync readdirSync existsSync statSync lstatSync basename " +
		"dirname extname resolve relative sep cwd platform arch process exit pid version versions node execPath homedir File sys json re ast math " +
		"datetime time csv pathlib Path shutil which glob collections Counter loads dump dumps len str int float bool list dict set tuple range " +
		"enumerate zip sorted sum any all type isinstance repr chr ord hex bin read readlines readline splitlines strip lstrip rstrip items getenv " +
		"environ getcwd listdir walk exists isfile isdir getsize stat st_size st_mtime stem suffix parent parts rglob iterdir read_text read_bytes " +
		"is_file is_dir encode decode format count most_common stdin stdout strftime today findall search sub group groups literal_eval version_info " +
		"executable prefix startswith endswith upper lower name scripts dependencies devDependencies peerDependencies engines main bin workspaces " +
		"RUBY_VERSION"
	).split(" "),
);

const literalsAndComments = /([A-Za-z]{0,2})("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#[^\n]*/g;
/** Spellings that may hide code from a reader of words: escapes, texts over several lines, code within texts, other names of constructors. */
const hiding = /`|'''|"""|\\[xuU0-7]|[#@$]\{|\{\$|constructor|__/;
/** A call of anything but a name, a pattern that is assigned to, a computed subscript, and what only a language's grammar tells from text. */
const computing =
	/[\])"]\s*\(|[}\]]\s*=(?!=)|[\w)\]"]\s*\[(?!\s*(?:""|-?\d+|-?\d*:-?\d*)\s*\])|[/\\<>|&!%](?!=)|[^\t-~]/;
const loading =
	/\b(?:require\s*(?!\s*\()|require\s*\(\s*(?!["'])|(?:require\s*\(|from|import\s*\(?)\s*(["'])(?!(?:node:)?(?:fs|path|os|util|url)(?:\/promises)?\1|[./][\w./-]*\.json\1))/;
const ownNames =
	/([A-Za-z_]\w*)\s*=(?!=)|\b(?:const|let|var|my|as|lambda)\s+([A-Za-z_]\w*)|\bfor\s+([\w\s,]{1,80}?)\s+(?:in|of)\b/g;
/** `open` of Python for reading. */
const opening = /(?<![\w.])open\(\s*[^,()]+(?:,\s*(?:["']r[bt]?["']|encoding=["'][\w-]+["']))*\s*\)/g;

const MAX_TEXT = 2000;

/** Whether a program text only reads and shows something. `language`: the name of the program that runs it. */
export function onlyReads(text: string, language: string): boolean {
	if (text.length > MAX_TEXT || hiding.test(text) || loading.test(text)) return false;
	const opened = /^py/.test(language) ? text.replace(opening, " ").replace(/\bload\b/g, "loads") : text;
	const bare = opened.replace(literalsAndComments, (_all, prefix = "", literal = "") => shownOf(prefix, literal));
	if (computing.test(bare.replace(/=>/g, "="))) return false;
	const own = new Set(
		[...bare.matchAll(ownNames)].flatMap(([, set, bound, each]) => (set ?? bound ?? each ?? "").split(/[\s,]+/)),
	);
	return [...bare.matchAll(/(\.?\s*)(?<![\w$])\$?([A-Za-z_]\w*)(\s*\()?/g)].every(
		([, dot = "", word = "", call]) => readingWords.has(word) || (own.has(word) && dot.trim() === "" && !call),
	);
}

/** What a literal adds to the words of its text: the expressions of a formatted one. */
function shownOf(prefix: string, literal: string): string {
	if (/f/i.test(prefix)) return ` ${literal.replace(/^[^{]*|\}[^{]*/g, " ")} `;
	return literal === "" ? " " : '""';
}
