// Resolves words of a shell command to absolute paths if they are known, otherwise to the facts known about them.
import type { Effect } from "./effects.ts";
import type { AccessKind, HostEnvironment } from "./footprint.ts";
import { isTooLong, pathRules, windowsDrivePath } from "./paths.ts";
import type { AccessDetail, FootprintRecord } from "./record.ts";
import { baseName, isKnown, SEARCH_RESULT, SOME_NAME, spell, UNKNOWN_VALUE, unknownSpan } from "./text.ts";

/** The possible working directories; `undefined` if unknown. */
export type Directories = readonly string[] | undefined;

/** Paths that are no user's files: standard streams, byte sources, the null device. */
const streams = /^\/dev\/(null|zero|full|u?random|tty|std(in|out|err)|fd(\/.*)?)$|^\/proc\/self\/fd\//;
const fileDevices = /^\/dev\/(shm|mqueue|pts|hugepages)(\/|$)/;

export function isStream(path: string): boolean {
	return streams.test(path) && !path.includes("/..");
}

/** Whether the path is a device that holds a disk or the machine's memory, or any other node of `/dev`. */
function isDevice(path: string): boolean {
	return path.startsWith("/dev/") && !isStream(path) && !fileDevices.test(path);
}

const history = /^\.?(?:\w+_)*(?:history|histfile|hist)$|^\.?lesshst$|^fish_history$|^ConsoleHost_history\.txt$/;
/** The machine's own logs, excluding those of programs under development in the same folders. */
const logs =
	/^(?:\/private)?\/var\/(?:log\/(?:syslog|messages|auth\.log|secure|kern\.log|daemon\.log|cron|maillog|mail\.log|boot\.log|dmesg|faillog|lastlog|[wbu]tmp|sudo\.log|system\.log|install\.log|audit|journal|asl)(?:[./].*)?|audit\/.*)$|^\/run\/(?:log\/journal|utmp)/;
const hooks = /\/\.git\/(?:modules\/.+\/)?(?:config(?:\.worktree)?|hooks(?:\/.*)?)$/;

/** Below the home folder: what shells, terminals and the session read when they start. */
const startups =
	/^\.(?:\w*(?:rc|profile|env|aliases|login|logout)|tmux\.conf)$|^\.config\/(?:autostart|systemd\/user|environment\.d|fish\/(?:conf|functions)|powershell\/|(?:[\w-]+\/)+mcp\w*\.json$)|^Documents\/(?:Windows)?PowerShell\/\w*profile\.ps1$|^\.claude(?:\.json|\/(?:settings|commands|agents|hooks|skills|plugins)\b)|^\.(?:codex|gemini|cursor|continue|codeium|aider|goose|opencode|qwen|kiro)\/(?:config|settings|mcp|hooks|rules|agents|commands|extensions)|^\.config\/(?:opencode|goose|zed|amp)\/|^\.aider\.conf|^Library\/LaunchAgents\//;

/** The harm of writing or removing a path, whichever program does it. `adds`: existing content stays. */
export function harmOf(path: string, { home, cwd }: HostEnvironment, adds = false): Effect | undefined {
	if (isDevice(path)) return "device-write";
	if (/^\/proc\/sysrq-trigger$/.test(path)) return "power-off";
	const isOfUser = path.startsWith(`${home}/`);
	if (hooks.test(path) || (isOfUser && startups.test(path.slice(home.length + 1)))) return "change-what-runs";
	if (adds) return undefined;
	if (logs.test(path)) return "clear-history";
	if (!isOfUser || !history.test(baseName(path))) return undefined;
	// Hidden or in a hidden folder, the usual location of input history. The project itself may be in such a folder.
	const folder = cwd !== home && path.startsWith(`${cwd}/`) ? cwd : home;
	return path.slice(folder.length).startsWith("/.") ? "clear-history" : undefined;
}

/**
 * Absolute spellings of a path word, not normalized, because links are followed before `..`. `undefined` if the word has a placeholder or
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

/** Replaces generated names in a path with a literal: the actual name makes no difference, because it contains no `..` and is no link. */
function withNames(word: string): string {
	return word.includes(SOME_NAME) && word !== SOME_NAME ? word.replaceAll(SOME_NAME, "0") : word;
}

/** Records the access to a word's path, or that the path is unknown. Returns the absolute paths. */
export function accessVerb(
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

/** Resolves a placeholder for search results to the searched directory and the search's filters. */
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

/** Records that a word's path is unknown, with its known parts. */
export function unknownPlace(
	record: FootprintRecord,
	word: string,
	directories: Directories,
	may: readonly AccessKind[],
): void {
	if (isTooLong(word)) {
		record.overflow("a path longer than can be judged");
		return;
	}
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
		...(from?.length === 1 && from[0] && { under: withoutSlash(rules.normalize(from[0])) }),
		...(tail !== "" && !tail.split("/").includes("..") && { tail }),
	});
}

/** The path without a slash at its end. */
export function withoutSlash(path: string): string {
	return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
