// Records what program text of another language in a command (`python -c`, `node -e`) does with literal arguments.
// The text stays unknown: computed paths and commands are not seen.
import type { Effect } from "../effects.ts";
import { accessVerb } from "../places.ts";
import { displayText, isKnown, unescapeLiteral } from "../text.ts";
import { type CodeCall, callsIn } from "./code-calls.ts";
import { onlyReads } from "./reading-code.ts";
import { childState, type State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Records that a program text is run, the files that it opens, removes and writes, and the commands in it. `by` is the command that runs it. */
export function recordCode(walk: ShellWalk, text: string, state: State, by: string): void {
	if (!state.elsewhere) recordOpenedFiles(walk, text, state, by);
	recordCalls(walk, text, state, by);
}

const MAX_SEARCHED = 20_000;
const MAX_PATHS = 50;

const literals = /"((?:[^"\\\n]|\\.){1,500})"|'((?:[^'\\\n]|\\.){1,500})'|`((?:[^`\\]|\\.){1,500})`/g;

/** The program that runs a text, by its command. */
const languageOf = (by: string) => /^[\w.+-]+/.exec(by)?.[0] ?? "";

/** Words of a reading program that may open files, whose names may be computed. */
const openers = /\b(?:open|read\w*|walk|r?glob|iterdir|listdir|env(?:iron)?|getenv)\b/i;

/** Records the text as unknown, and as read what its literals name: most likely it opens these files. */
function recordOpenedFiles(walk: ShellWalk, text: string, state: State, by: string): void {
	const { record } = walk;
	const may = onlyReads(text, languageOf(by)) ? (["read", "list"] as const) : undefined;
	if (!may || openers.test(text)) record.unknown({ what: "script", text: displayText(text).trim(), may });
	const found = [...text.slice(0, MAX_SEARCHED).matchAll(literals)].slice(0, MAX_PATHS);
	for (const [, double, single, back] of found) {
		const path = unescapeLiteral(double ?? single ?? back ?? "");
		if (isPathText(path)) accessVerb(record, "read", withHome(walk, path), state.cwd, by);
	}
}

function isPathText(text: string): boolean {
	if (!isKnown(text) || /[\n\r*?<>|${}]|^[a-z][a-z\d+.-]+:\/\//i.test(text)) return false;
	return /^(?:~|\.{1,2})?[\\/][^\s]|^\.\w[\w.-]*$|^[\w.-]+(?:\/[\w.@ -]+)+$|^[\w-][\w.-]*\.[a-z]\w{0,11}$|^[A-Za-z]:[\\/]/.test(
		text,
	);
}

/** Walks the commands that a program text runs, and records the files that it removes and writes. */
export function recordCalls(walk: ShellWalk, text: string, state: State, by: string): void {
	const { record } = walk;
	if (!record.spend(text.length / 50)) return;
	const language = languageOf(by);
	const effects = new Set<Effect>();
	const calls = callsIn(text, language);
	if (hidesRemoval(text, calls)) effects.add("unseen-removal");
	for (const call of calls) {
		if (call.kind === "runs") runCall(walk, call.words, state);
		else if (!state.elsewhere && isScriptPath(call.path)) recordFileCall(walk, call, state, by, effects);
	}
	if (deletesAll.test(text.slice(0, MAX_LOOKED))) effects.add("sql-delete-all");
	if (fetchesAndRuns(`${by}\n${text}`)) effects.add("run-download");
	if (connecting.test(text.slice(0, MAX_LOOKED)) && shells.test(text.slice(0, MAX_LOOKED))) effects.add("remote-shell");
	if (effects.size > 0) record.run({ program: language, text: by, effects });
}

/** Whether a text removes something whose path is computed, or by a function under another name. */
function hidesRemoval(text: string, calls: readonly CodeCall[]): boolean {
	if (calls.length === 0) return removing.test(text);
	const isSeen = (call: CodeCall) =>
		call.kind === "runs" || (call.kind === "removes" ? isScriptPath(call.path) : call.empties);
	const seen = calls.filter(isSeen).length;
	return (text.slice(0, MAX_LOOKED).match(removalCalls)?.length ?? 0) > seen;
}

/** Names of functions that remove files, or run commands. */
const removers =
	"rmtree|unlink|rmdir|rmSync|removedirs|remove_tree|rm_rf?|rimraf|deleteDir|deleteRecursively|removeItem|FileUtils|deleteDirectory|deleteFile|delete_dir|removeDir|system2|passthru|deltree|delete-tree|delete-file|delete-directory|remove(?:File|Directory\\w*|PathForcibly)|removeSync|remove_dir_all|remove_file|os\\.RemoveAll|os\\.Remove|Files\\.delete\\w*|(?:File|Directory)\\.Delete|rm_f|nuke|syscmd|esyscmd|os\\.remove|os\\.system|Deno\\.remove|truncate";
const removing = new RegExp(
	`\\b(?:eval|exec|assert|system|loadstring|Function)\\b[^\\n]{0,200}(?:decode|b64|unhex|pack\\s*\\(|inflate|uncompress|atob)|\\b(?:${removers})\\b|\\brm\\s*\\(|\\bto delete\\b|\\b(?:eval|exec|compile)\\s*\\(\\s*(?:base64|b64decode|atob|Buffer|codecs|zlib|bytes|__import__|getattr)`,
);
/** Such functions as they are called, or given to another function by name. */
const removalCalls = new RegExp(`\\b(?:${removers})(?:\\s*\\(|["']\\s*,)`, "g");

/** Calls of database libraries that delete every row. */
const deletesAll = /\.(?:delete_all|destroy_all)\b|\.objects\.all\(\)\.delete\(|\.deleteMany\(\s*(?:\{\s*\})?\s*\)/;

/** Calls that fetch something from the network. */
const fetching =
	/\burlopen\s*\(|\burlretrieve\s*\(|\b(?:requests|httpx|axios|got|needle|superagent)\.?(?:get|post|request)?\s*\(|(?<![\w.])fetch\s*\(|\bhttps?['"]?\)?\.(?:get|request)\s*\(|\bURI\.(?:open|parse)|\bopen-uri\b|Net::HTTP|LWP::|HTTP::Tiny|\bfile_get_contents\s*\(\s*["']https?:|\bcurl_exec\s*\(|\bsocket\.http\b|\bHTTP\.get\b|\breadLines\s*\(\s*["']https?:|\bsource\s*\(\s*["']https?:/;
/** Calls that run a text as a program. */
const running =
	/(?<![\w.$])(?:exec|eval|execfile|loadstring|load|instance_eval|class_eval|source|system|Function)\s*\(|(?<![\w.$])eval\b|\bos\.(?:system|popen|exec\w*)\s*\(|\bsubprocess\.|\bchild_process\b|\brunIn(?:This|New)?Context\s*\(|\bvm\.(?:Script|run)/;
/** Calls that open a connection, and those that run a shell: together they give the shell to another machine. */
const connecting =
	/\bsocket\b|\bTCPSocket\b|\bfsockopen\b|\bnet['"]?\)?\.(?:connect|createConnection|Socket)\b|\bcreateConnection\s*\(|\bIO::Socket\b|\bDeno\.connect\b/i;
const shells =
	/["'`\s](?:\/(?:usr\/)?bin\/)?(?:ba|z|k|da)?sh(?:["'`]| -i\b)|\bcmd(?:\.exe)?["']|\bpty\.spawn\b|\bIO\.popen\(\s*[a-z_]\w*\s*,/;
const MAX_LOOKED = 70_000;

/** Whether a program text fetches something and runs text as a program, most likely the fetched text. */
function fetchesAndRuns(text: string): boolean {
	const looked = text.slice(0, MAX_LOOKED);
	return fetching.test(looked) && running.test(looked);
}

function runCall(walk: ShellWalk, words: readonly string[], state: State): void {
	const [first = ""] = words;
	const child = childState(state, walk.host);
	if (words.length === 1 || /\s/.test(first)) walk.runText(first, child, "");
	else walk.runWords(words, child, "");
}

/** A literal with the home folder in place of its `~`: most programs expand it. */
function withHome({ host }: ShellWalk, literal: string): string {
	return literal.startsWith("~/") ? `${host.home}/${literal.slice(2)}` : literal;
}

function isScriptPath(text: string): boolean {
	return isKnown(text) && text !== "" && text.length <= 4096 && !/[\n*?]|\($|^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function recordFileCall(
	walk: ShellWalk,
	call: Exclude<CodeCall, { kind: "runs" }>,
	state: State,
	by: string,
	effects: Set<Effect>,
): void {
	const path = withHome(walk, call.path);
	if (call.kind === "writes") {
		accessVerb(walk.record, "write", path, state.cwd, by, call.empties ? { replaces: true } : undefined);
		return;
	}
	if (call.recursive) effects.add("recursive-delete");
	accessVerb(walk.record, "delete", path, state.cwd, by, call.recursive ? { recursive: true } : undefined);
}
