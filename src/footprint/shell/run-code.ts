// What program text of another language does by calls whose arguments stand there as literals: carried out on the record.
import type { Effect } from "../effects.ts";
import { accessWord } from "../places.ts";
import { isKnown } from "../text.ts";
import { type CodeCall, callsIn } from "./code-calls.ts";
import { childState, type State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Walks the commands that a program text runs, and touches the files that it removes and writes. `by` is the command that runs it. */
export function recordCodeCalls(walk: ShellWalk, text: string, state: State, by: string): void {
	const { record } = walk;
	if (!record.spend(text.length / 50)) return;
	const language = /^[\w.+-]+/.exec(by)?.[0] ?? "";
	const effects = new Set<Effect>();
	for (const call of callsIn(text, language)) {
		if (call.kind === "runs") runCall(walk, call.words, state);
		else if (!state.elsewhere && isPath(call.path)) touchCall(walk, call, state, by, effects);
	}
	if (fetchesAndRuns(`${by}\n${text}`)) effects.add("run-download");
	if (effects.size > 0) record.run({ program: language, args: [], text: by, effects: [...effects], changes: [] });
}

/** Calls that get something from the network. */
const fetching =
	/\burlopen\s*\(|\burlretrieve\s*\(|\b(?:requests|httpx|axios|got|needle|superagent)\.?(?:get|post|request)?\s*\(|(?<![\w.])fetch\s*\(|\bhttps?['"]?\)?\.(?:get|request)\s*\(|\bURI\.(?:open|parse)|\bopen-uri\b|Net::HTTP|LWP::|HTTP::Tiny|\bfile_get_contents\s*\(\s*["']https?:|\bcurl_exec\s*\(|\bsocket\.http\b|\bHTTP\.get\b|\breadLines\s*\(\s*["']https?:|\bsource\s*\(\s*["']https?:/;
/** Calls that run a text as a program. */
const running =
	/(?<![\w.$])(?:exec|eval|execfile|loadstring|load|instance_eval|class_eval|source|system|Function)\s*\(|(?<![\w.$])eval\b|\bos\.(?:system|popen|exec\w*)\s*\(|\bsubprocess\.|\bchild_process\b|\brunIn(?:This|New)?Context\s*\(|\bvm\.(?:Script|run)/;
const MAX_LOOKED = 70_000;

/** Whether a program text gets something from the network and runs text as a program: most likely that. */
function fetchesAndRuns(text: string): boolean {
	const looked = text.slice(0, MAX_LOOKED);
	return fetching.test(looked) && running.test(looked);
}

function runCall(walk: ShellWalk, words: readonly string[], state: State): void {
	const [first = ""] = words;
	const child = childState(state, walk.host);
	if (words.length === 1 || /\s/.test(first)) walk.runText(first, child, "", new Set());
	else walk.runWords(words, child, "");
}

function isPath(text: string): boolean {
	return isKnown(text) && text !== "" && text.length <= 4096 && !/[\n*?]|^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function touchCall(
	walk: ShellWalk,
	call: Exclude<CodeCall, { kind: "runs" }>,
	state: State,
	by: string,
	effects: Set<Effect>,
): void {
	const path = call.path.startsWith("~/") ? `${walk.host.home}/${call.path.slice(2)}` : call.path;
	if (call.kind === "writes") {
		accessWord(walk.record, "write", path, state.cwd, by, call.empties ? { replaces: true } : undefined);
		return;
	}
	if (call.recursive) effects.add("recursive-delete");
	accessWord(walk.record, "delete", path, state.cwd, by, call.recursive ? { recursive: true } : undefined);
}
