// Words of a shell command as places: absolute paths where they are known, what can be said of them where they are not.
import type { Effect } from "./effects.ts";
import type { AccessKind } from "./footprint.ts";
import { pathRules, windowsDrivePath } from "./paths.ts";
import type { AccessDetail, FootprintRecord } from "./record.ts";
import { isKnown, SEARCH_RESULT, SOME_NAME, spell, UNKNOWN_VALUE, unknownSpan } from "./text.ts";

/** The possible working directories, or `undefined`. */
export type Directories = readonly string[] | undefined;

/** Paths that stand for no file of anyone: standard streams, sources of bytes, the sink. */
const streams = /^\/dev\/(null|zero|full|u?random|tty|std(in|out|err)|fd(\/.*)?)$|^\/proc\/self\/fd\//;
const fileDevices = /^\/dev\/(shm|mqueue|pts|hugepages)(\/|$)/;

export function isStream(path: string): boolean {
	return streams.test(path) && !path.includes("/..");
}

/** A device whose content is a disk's or the machine's memory, or any other node of `/dev`. */
export function isDevice(path: string): boolean {
	return path.startsWith("/dev/") && !isStream(path) && !fileDevices.test(path);
}

const history = /^\.?(?:\w+_)*(?:history|histfile|hist)$|^\.?lesshst$|^fish_history$|^ConsoleHost_history\.txt$/;
/** The machine's own logs, not those of programs under development in the same folders. */
const logs =
	/^(?:\/private)?\/var\/(?:log\/(?:syslog|messages|auth\.log|secure|kern\.log|daemon\.log|cron|maillog|mail\.log|boot\.log|dmesg|faillog|lastlog|[wbu]tmp|sudo\.log|system\.log|install\.log|audit|journal|asl)(?:[./].*)?|audit\/.*)$|^\/run\/(?:log\/journal|utmp)/;
const hooks = /\/\.git\/(?:modules\/.+\/)?(?:config(?:\.worktree)?|hooks(?:\/.*)?)$/;

/** The harm that writing or removing a place does by itself, whatever program it is. `adds`: what is there stays. */
export function harmOf(path: string, home: string, adds = false): Effect | undefined {
	if (isDevice(path)) return "device-write";
	if (/^\/proc\/sysrq-trigger$/.test(path)) return "power-off";
	if (hooks.test(path)) return "change-what-runs";
	if (adds) return undefined;
	const name = path.slice(path.lastIndexOf("/") + 1);
	if (logs.test(path)) return "clear-history";
	return path.startsWith(`${home}/`) && history.test(name) && isHistory(path.slice(home.length))
		? "clear-history"
		: undefined;
}

/** Below the home directory: hidden files, or files of a hidden folder, which is where programs keep what was typed. */
function isHistory(below: string): boolean {
	return below.startsWith("/.");
}

/**
 * Absolute spellings of a path word, not normalized (links are followed before `..`); `undefined` where the word has a placeholder or
 * is relative to an unknown directory. An empty word names nothing.
 */
export function absolutePaths(
	word: string,
	directories: Directories,
	record: FootprintRecord,
): readonly string[] | undefined {
	if (word === "") return [];
	const named = withNames(word);
	if (!isKnown(named)) return undefined;
	const { host } = record;
	const rules = pathRules(host);
	const path = host.platform === "win32" ? windowsDrivePath(named) : named;
	if (rules.isAbsolute(path)) return [path];
	return directories?.map((directory) =>
		directory.endsWith(rules.sep) ? directory + path : directory + rules.sep + path,
	);
}

/** A path in which made-up names are written out: which one it is makes no difference, it climbs nowhere and is no link of anyone. */
function withNames(word: string): string {
	return word.includes(SOME_NAME) && word !== SOME_NAME ? word.replaceAll(SOME_NAME, "0") : word;
}

/** Records what is done to a word's place, or that the place is unknown. Returns the absolute paths. */
export function accessWord(
	record: FootprintRecord,
	access: AccessKind,
	word: string,
	directories: Directories,
	by: string,
	detail?: AccessDetail,
): readonly string[] {
	const search = foundBelow(word, record);
	const paths = absolutePaths(search ? search.directory : word, directories, record);
	if (search && paths) {
		for (const path of paths) record.access(access, path, by, { ...detail, ...search.detail, recursive: true });
		return paths;
	}
	if (!paths) {
		unknownPlace(record, word, directories, [access]);
		return [];
	}
	for (const path of paths) if (!isStream(path)) record.access(access, path, by, detail);
	return paths;
}

/** A word that stands for what a search finds: the directory it looks below, and what it keeps to. */
export function foundBelow(
	word: string,
	record: FootprintRecord,
): { directory: string; detail: AccessDetail } | undefined {
	const at = word.indexOf(SEARCH_RESULT);
	if (at < 0 || at !== word.length - 2 || word.includes(UNKNOWN_VALUE)) return undefined;
	const detail = record.searchOf(word.slice(at));
	if (!detail) return undefined;
	const directory = word.slice(0, at).replace(/(.)\/+$/, "$1");
	return { directory: directory === "" ? "." : directory, detail };
}

/** Records that a word's place cannot be known, with what its known parts say. */
export function unknownPlace(
	record: FootprintRecord,
	word: string,
	directories: Directories,
	may: readonly AccessKind[],
): void {
	const rules = pathRules(record.host);
	const span = unknownSpan(word);
	const hole = span?.start ?? -1;
	const head = word.slice(0, span?.start ?? 0);
	const end = span ? word.slice(span.end) : word;
	const base = head.slice(0, head.lastIndexOf("/") + 1);
	const from = hole > 0 ? absolutePaths(base === "" ? "." : base, directories, record) : undefined;
	const tail = hole < 0 ? end : end.includes("/") ? end.slice(end.indexOf("/") + 1) : "";
	record.unknown({
		what: "operand",
		text: spell(word),
		may,
		...(from?.length === 1 && from[0] && { under: trim(rules.normalize(from[0])) }),
		...(tail !== "" && !tail.split("/").includes("..") && { tail }),
	});
}

function trim(path: string): string {
	return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
