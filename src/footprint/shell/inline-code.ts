// Program text of other languages inside a command (`python -c`, `node -e`): unknown, but for the paths that stand plainly in it.
// A courtesy, not an analysis: a path put together by the program is not seen.
import { accessWord, type Directories } from "../places.ts";
import { everyAccess, type FootprintRecord } from "../record.ts";
import { displayText, isKnown } from "../text.ts";

/** A call whose name speaks of files, with a literal as its first argument. */
const fileCall =
	/(?:open|read\w{0,20}|load\w{0,20}|file\w{0,20}|path|require|import|source|exists\w{0,20}|isfile|isdir|listdir|scandir|glob|stat|cat|slurp|Path|File)\s*\(\s*(?:[rfbu]{0,2})(["'])((?:(?!\1)[^\\\n]){1,300})\1/gi;

/** A value that is computed without calling anything: literals, data files, facts about the program that runs. */
const value = String.raw`(?:'[^'\\\n]*'|"[^"\\\n]*"|-?\d+(?:\.\d+)?|require\(\s*(?:'[./][^'\n]*\.json'|"[./][^"\n]*\.json")\s*\)(?:\.\w+|\[\d+\])*|process\.(?:versions?|platform|arch|execPath|argv|pid)(?:\.\w+)*|sys\.(?:version(?:_info)?|executable|path|platform|prefix|maxsize)(?:\[:?\d+\])?)`;
const shows = String.raw`(?:console\.(?:log|error)|print)\(\s*(?:${value}(?:\s*,\s*${value})*)?\s*\)`;
/** Programs that only show such values. */
const onlyShows = new RegExp(
	String.raw`^\s*(?:import sys\s*;\s*)?(?:${value}|${shows})(?:\s*;\s*${shows}){0,20}\s*;?\s*$`,
);

const MAX_TEXT = 20_000;
const MAX_PATHS = 50;

/** Records that code is run, and the file names that it opens by literal. */
export function recordInlineCode(record: FootprintRecord, text: string, directories: Directories, by: string): void {
	if (text.length > 2000 || !onlyShows.test(text))
		record.unknown({ what: "script", text: displayText(text).trim(), may: everyAccess });
	let found = 0;
	for (const match of text.slice(0, MAX_TEXT).matchAll(fileCall)) {
		const path = match[2] ?? "";
		if (++found > MAX_PATHS) return;
		// Modules have names, not paths.
		if (/^(require|import)\b/i.test(match[0]) && !/^[./~]/.test(path)) continue;
		if (!isKnown(path) || /[*?<>|]|:\/\//.test(path)) continue;
		const expanded = path.startsWith("~/") ? `${record.host.home}/${path.slice(2)}` : path;
		accessWord(record, "read", expanded, directories, by);
	}
}
