// Calls in program text of other languages whose arguments are literals: commands that it runs, files that it removes or writes.
// Best effort: computed values are not seen, and the text stays unknown in any case.
// Finding nothing in a text proves nothing; the work is linear in the text.
import { isCommandLine } from "../programs/index.ts";
import { unescapeLiteral } from "../text.ts";
import { onlyReads } from "./reading-code.ts";

export type CodeCall =
	/** Shell text, or the words of a command. */
	| { readonly kind: "runs"; readonly words: readonly string[] }
	| { readonly kind: "removes"; readonly path: string; readonly recursive: boolean }
	/** `empties`: the previous content is lost. */
	| { readonly kind: "writes"; readonly path: string; readonly empties: boolean };

const MAX_TEXT = 70_000;
const MAX_CALLS = 200;
const MAX_LITERALS = 100;

/** Functions of any language that run a command, up to their first argument. */
const runners =
	/(?<![\w$-])(?:system2?|p?open[234]?|exec(?:[lv]p?e?|Sync|File|FileSync|Command(?:Sync)?|a|aSync|aCommand)?|spawn(?:Sync|[lv]p?e?)?|posix_spawn|shell_exec|passthru|proc_open|pcntl_exec|run|call|check_call|check_output|Popen|getoutput|getstatusoutput|create_subprocess_(?:exec|shell)|execute|cmd|[cC]ommand|CommandContext|sh|shell|capture[23]e?|pipeline|(?:async-)?shell-command(?:-to-string)?|call-process(?:-shell-command)?|start-process|run-program|process\*?|Process|ProcessBuilder|callCommand|callProcess|readProcess|rawSystem|shellCommand|e?syscmd|launch-program|run-shell-command|do shell script|!)(?![\w$-])\s*!?\s*[([]*\s*\[?\s*(?=["'`]|[rbfu]["']|qw?\(|%w\[)/g;
/** Quoted text that runs as a command. */
const quotedCommands = /(?:\bqx|%x)\s*(?:\{([^}]{1,500})\}|\(([^)]{1,500})\)|\[([^\]]{1,500})\]|([/!|])(.{1,500}?)\4)/g;
const backquoted = /`((?:[^`\\]|\\.){1,2000})`/g;
const backquoteLanguages = /^(?:perl|ruby|php|irb|julia|gnuplot)/;
/** zx, Bun: a template that runs as a command. */
const template = /\$`((?:[^`\\]|\\.){1,2000})`/g;
/** `"text".execute()`, `Process("text").!` */
const methods = /(["'])((?:(?!\1)[^\\\n]){1,2000})\1\s*\.\s*(?:execute\s*\(|!|lazyLines)/g;
/** Tcl. */
const tclRuns = /(?:^|[;[{\n])\s*(?:exec|spawn|system)\s+(?:--?\w+\s+)*([^;\]\n}]{1,2000})/g;
const tclRemoves = /\bfile\s+delete\s+((?:-\w+\s+)*)([\w./~-]+)/g;

const removers =
	/(?<![\w$-])((?:[\w$]{1,40}\.){0,3})(rmtree|remove_tree|rm_rf?!?|rm_f|remove_(?:dir(?:_all)?|file|entry(?:_secure)?)|removeAll|RemoveAll|rimraf|unlink(?:Sync)?|rmdir(?:Sync)?|rm(?:Sync)?!?|removedirs|remove(?:Sync)?|delete|del|emptyDir(?:Sync)?|delete-(?:directory|file)(?:-and-contents)?)(?![\w$-])\s*[([]?\s*(?=["'`]|[rbfu]["']|qw?\(|%w\[)/g;
/** Lists, sets and elements have methods of these names as well: they count only after something file-related. */
const ambiguous = /^(?:remove|delete|del|rm_f|rm!?|rmdir)$/;
const ofFiles =
	/(?:^|\.)(?:os|fs|fsp|fse|fsPromises|promises|path|Deno|Files?|FileUtils|Dir|IO|io|file|std|Bun|Pathname|unlink)\.$/;
const alwaysWhole = /tree|rf|rm_r|_all|All$|rimraf|emptyDir|delete-directory|removedirs|entry/;
const whole = /^[^;\n]{0,200}\b(?:recursive|force)\b\W{1,4}(?:true|TRUE|True|1|T)\b|^\s*["'][^"']*["']\s+t\b/;

/** Calls that list a folder, with the folder. */
const listings =
	/(?<![\w$-])(?:listdir|scandir|os\.walk|i?glob(?:Sync)?|readdir(?:Sync)?|readDir(?:Sync)?|opendir|Dir(?:\.(?:glob|children|entries|each_child|foreach))?)\s*[([]\s*(["'])([\w./~-]{1,300}(?:\/\*{1,2})?)\1|\bPath\s*\(\s*(["'])([^"'\n]{1,300})\3\s*\)\s*\.\s*(?:iterdir|r?glob\s*\(\s*["']\*{1,2}["'])/g;
/** Calls that remove the path in a variable. */
const removesFound =
	/(?:\bos\.(?:remove|unlink|rmdir)|\bunlink(?:Sync)?|\brm(?:dir)?Sync|\brmtree|\bFile\.delete|\bFileUtils\.rm\w*|\bDeno\.remove(?:Sync)?)\s*\(?\s*[A-Za-z_$]|\.\s*unlink\s*\(\s*\)/;

const writers =
	/(?<![\w$-])(?:writeFile(?:Sync)?|write_file|appendFile(?:Sync)?|outputFile(?:Sync)?|outputJson(?:Sync)?|writeJson(?:Sync)?|writeTextFile(?:Sync)?|createWriteStream|truncate(?:Sync)?|file_put_contents|(?:File|Bun|IO)\.write|write\.(?:csv|table)|writeLines)\s*\(?\s*(?=["'`]|[rbfu]["'])/g;
const opened =
	/(?<![\w$-])f?open\s*\(\s*(?:[\w$]{1,30}\s*,\s*)?[rbfu]?(["'])([^"'\n]{1,500})\1\s*,\s*(?:mode\s*=\s*)?(["'])[wax][bt+]{0,2}\3/gi;
const perlOpened =
	/\bopen\s*\(?\s*(?:my\s+)?[$\w]{1,40}\s*,\s*(["'])\s*(>>?|\|)\s*(?:\1\s*,\s*(["']))?\s*([^"'\n]{1,500})["']/g;
const pathMethods =
	/\b(?:Path|PurePath|PosixPath|Pathname\.new|File\.new|Paths\.get)\s*\(\s*[rbfu]?(["'])([^"'\n]{1,500})\1\s*\)\s*\.\s*(unlink|rmdir|rmtree|delete|write_text|write_bytes|write|touch|open\s*\(\s*["'][wax])/g;

const literal = /"((?:[^"\\\n]|\\.){3,500})"|'((?:[^'\\\n]|\\.){3,500})'/g;

/** The calls in a program text. `language` is the name of the program that runs it. */
export function callsIn(source: string, language: string): readonly CodeCall[] {
	const text = source.slice(0, MAX_TEXT);
	const calls: CodeCall[] = [];
	const add = (call: CodeCall) => void (calls.length < MAX_CALLS && calls.push(call));
	const runs = (command: string | undefined) => {
		if (command !== undefined && command.trim() !== "") add({ kind: "runs", words: [unescapeLiteral(command)] });
	};
	for (const match of text.matchAll(runners)) {
		const words = literalsAt(text, match.index + match[0].length);
		// A mode is not a command: `open("file", "w")`.
		if (words.length > 0 && !/^open/.test(match[0])) add({ kind: "runs", words });
	}
	for (const match of text.matchAll(quotedCommands)) runs(match[1] ?? match[2] ?? match[3] ?? match[5]);
	for (const match of text.matchAll(backquoteLanguages.test(language) ? backquoted : template)) runs(match[1]);
	for (const match of text.matchAll(methods)) runs(match[2]);
	if (/^(?:tclsh|wish|expect)/.test(language)) tcl(text, runs, add);
	// What a text only shows is data.
	const literals = onlyReads(text, language)
		? []
		: [...text.matchAll(literal)].map((match) => match[1] ?? match[2] ?? "");
	for (const text of literals.filter(isCommandLine)) runs(text);
	removals(text, add);
	writings(text, runs, add);
	return calls;
}

function tcl(text: string, runs: (command: string | undefined) => void, add: (call: CodeCall) => void): void {
	for (const match of text.matchAll(tclRuns)) runs(match[1]);
	for (const [, , path = ""] of text.matchAll(tclRemoves)) add({ kind: "removes", path, recursive: true });
}

function removals(text: string, add: (call: CodeCall) => void): void {
	for (const match of text.matchAll(removers)) {
		const [head, before = "", name = ""] = match;
		if (ambiguous.test(name) && !ofFiles.test(before)) continue;
		const at = match.index + head.length;
		const [path] = literalsAt(text, at);
		const recursive = alwaysWhole.test(name) || whole.test(text.slice(at, at + 400));
		if (path !== undefined) add({ kind: "removes", path, recursive });
	}
	if (!removesFound.test(text)) return;
	for (const [, , called = "", , method = ""] of text.matchAll(listings)) {
		const path = called || method;
		if (path !== "") add({ kind: "removes", path: path.replace(/\/\*{1,2}$/, ""), recursive: true });
	}
}

function writings(text: string, runs: (command: string | undefined) => void, add: (call: CodeCall) => void): void {
	for (const match of text.matchAll(writers)) {
		const [path, content] = literalsAt(text, match.index + match[0].length);
		if (path !== undefined) add({ kind: "writes", path, empties: content === "" || /truncate/.test(match[0]) });
	}
	for (const [, , path = ""] of text.matchAll(opened)) add({ kind: "writes", path, empties: false });
	for (const [, , sign = "", , path = ""] of text.matchAll(perlOpened))
		if (sign === "|") runs(path);
		else add({ kind: "writes", path, empties: false });
	for (const [, , path = "", method = ""] of text.matchAll(pathMethods))
		if (/^(?:unlink|rmdir|rmtree|delete)/.test(method)) add({ kind: "removes", path, recursive: method === "rmtree" });
		else add({ kind: "writes", path, empties: false });
}

/** The string literals at an offset, up to anything other than literals, brackets and commas; literals joined by an operator are one. */
function literalsAt(text: string, from: number): readonly string[] {
	const found: string[] = [];
	let at = from;
	let joined = false;
	while (found.length < MAX_LITERALS) {
		const gap = /(?:[\s,[\](]|nil\b|args\s*:|\{\s*args\s*:|~w|\+|\.{1,2}(?=\s*["'])|<>)*/y;
		gap.lastIndex = at;
		const between = gap.exec(text)?.[0] ?? "";
		joined = found.length > 0 && /^\s*(?:\+|\.{1,2}|<>)\s*$/.test(between);
		const one =
			/[rbfu]?(?:"((?:[^"\\]|\\.){0,4000})"|'((?:[^'\\]|\\.){0,4000})'|`((?:[^`\\]|\\.){0,4000})[`']|qw?\(([^)]{0,4000})\)|%w\[([^\]]{0,4000})\])/suy;
		one.lastIndex = at + between.length;
		const match = one.exec(text);
		if (!match) return found;
		const value = unescapeLiteral(match.slice(1).find((each) => each !== undefined) ?? "");
		if (joined) found.push((found.pop() ?? "") + value);
		else found.push(value);
		at = one.lastIndex;
		if (/^\s*\)/.test(text.slice(at, at + 20))) return found;
	}
	return found;
}
