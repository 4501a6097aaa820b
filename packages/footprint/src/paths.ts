// Resolves the words of a call to paths on disk. Reads the disk only through `HostEnvironment`.
// P1 paths of file tools resolve as in the agent's own tools (`@`, `~`, `file://`, unusual spaces); P2 nothing here throws.
import { posix, win32 } from "node:path";
import type { HostEnvironment } from "./footprint.ts";

/** The path rules of the platform that the call would run on. */
export function pathRules(host: HostEnvironment): typeof posix {
	return host.platform === "win32" ? win32 : posix;
}

const unicodeBlanks = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** Converts Git Bash, MSYS, Cygwin and WSL spellings of a drive (`/c/x`, `/mnt/c/x`) to Windows form. */
export function windowsDrivePath(path: string): string {
	if (!path.startsWith("/") || path.startsWith("//") || path.includes("\\")) return path;
	const drive = /^\/(?:mnt\/|cygdrive\/)?([a-z])(?:\/(.*))?$/i.exec(path);
	return drive ? `${drive[1]?.toUpperCase()}:\\${drive[2]?.replaceAll("/", "\\") ?? ""}` : path;
}

/** The absolute path that a file tool derives from an argument; `undefined` if the tool would refuse it. */
export function resolveToolPath(argument: string, host: HostEnvironment): string | undefined {
	const rules = pathRules(host);
	let path = argument.replace(unicodeBlanks, " ");
	if (path.startsWith("@")) path = path.slice(1);
	if (host.platform === "win32") path = windowsDrivePath(path);
	if (path === "~") return rules.resolve(host.cwd, host.home);
	if (path.startsWith("~/") || (host.platform === "win32" && path.startsWith("~\\")))
		path = rules.join(host.home, path.slice(2));
	else if (path.startsWith("file://")) {
		const local = fromFileUrl(path, host);
		if (local === undefined) return undefined;
		path = local;
	}
	return rules.resolve(host.cwd, path);
}

function fromFileUrl(text: string, host: HostEnvironment): string | undefined {
	try {
		const url = new URL(text);
		if (url.protocol !== "file:") return undefined;
		const windows = host.platform === "win32";
		if (url.hostname !== "" && !windows) return undefined;
		if (windows ? /%2f|%5c/i.test(url.pathname) : /%2f/i.test(url.pathname)) return undefined;
		const path = decodeURIComponent(url.pathname);
		if (!windows) return path;
		if (url.hostname !== "") return `\\\\${url.hostname}${path.replaceAll("/", "\\")}`;
		return /^\/[a-z]:/i.test(path) ? path.slice(1).replaceAll("/", "\\") : undefined;
	} catch {
		return undefined;
	}
}

/** The file that the tool `read` opens. If it does not exist, other spellings are tried (macOS screenshots, NFD, curly quotes). */
export function resolveReadPath(argument: string, host: HostEnvironment): string | undefined {
	const path = resolveToolPath(argument, host);
	if (path === undefined || exists(path, host)) return path;
	const decomposed = path.normalize("NFD");
	const spellings = [
		path.replace(/ (AM|PM)\./gi, "\u202F$1."),
		decomposed,
		path.replaceAll("'", "\u2019"),
		decomposed.replaceAll("'", "\u2019"),
	];
	return spellings.find((spelling) => spelling !== path && exists(spelling, host)) ?? path;
}

/** Whether the path exists, following links. */
function exists(path: string, host: HostEnvironment): boolean {
	const kind = host.kind(path);
	return kind === "link" ? host.realpath(path) !== undefined : kind !== undefined;
}

/** Whether the path is a directory, following links. */
export function isDirectory(path: string, host: HostEnvironment): boolean {
	const kind = host.kind(path);
	if (kind !== "link") return kind === "directory";
	const real = host.realpath(path);
	return real !== undefined && host.kind(real) === "directory";
}

const MAX_LINKS = 40;
/** Every kernel refuses longer paths. */
const MAX_PATH = 4096;
/** Deeper paths are not looked up: every segment is a question to the disk. */
const MAX_SEGMENTS = 256;

/** Whether a path is longer or deeper than is judged. */
export function isTooLong(path: string): boolean {
	if (path.length > MAX_PATH) return true;
	let segments = 0;
	for (let at = 0; at < path.length; at++)
		if (isSeparator(path.charCodeAt(at)) && ++segments > MAX_SEGMENTS) return true;
	return false;
}

function isSeparator(code: number): boolean {
	return code === 47 || code === 92;
}

/**
 * Follows a path as the kernel does, link by link and `..` by `..`, as far as it exists; the rest is appended unchanged. `path` is absolute
 * and may contain `.` and `..`. A dangling link resolves to its target. `known` caches answers for one call.
 */
export function followLinks(path: string, host: HostEnvironment, known: Map<string, string>): string {
	const found = known.get(path);
	if (found !== undefined) return found;
	const rules = pathRules(host);
	if (isTooLong(path)) return rules.normalize(path);
	const { root } = rules.parse(path);
	const parts = path.slice(root.length).split(host.platform === "win32" ? /[\\/]+/ : /\/+/);
	// The parent's result is shared by all its children, because most accesses of a command share a directory.
	const last = parts.pop();
	const plain = last !== undefined && last !== "" && last !== "." && last !== ".." && parts.length > 0;
	const real = plain
		? step(followLinks(root + parts.join(rules.sep), host, known), last, host, known, 0)
		: walkPath(root, last === undefined ? parts : [...parts, last], host, known, 0);
	known.set(path, real);
	return real;
}

function walkPath(
	from: string,
	parts: readonly string[],
	host: HostEnvironment,
	known: Map<string, string>,
	links: number,
) {
	let at = from;
	for (const part of parts) at = step(at, part, host, known, links);
	return at;
}

function step(at: string, part: string, host: HostEnvironment, known: Map<string, string>, links: number): string {
	const rules = pathRules(host);
	if (part === "" || part === ".") return at;
	if (part === "..") return rules.dirname(at);
	const next = rules.join(at, part);
	const key = `${next}\0`;
	const found = known.get(key);
	if (found !== undefined) return found;
	const real = host.kind(next) === "link" ? linkTarget(next, at, host, known, links) : next;
	known.set(key, real);
	return real;
}

/** The target of the link `path` in the directory `at`; the link itself beyond the bound on links. */
function linkTarget(
	path: string,
	at: string,
	host: HostEnvironment,
	known: Map<string, string>,
	links: number,
): string {
	const target = host.realpath(path);
	if (target !== undefined) return target;
	const written = host.readlink(path);
	if (written === undefined || links >= MAX_LINKS) return path;
	const { root } = pathRules(host).parse(written);
	const parts = written.slice(root.length).split(host.platform === "win32" ? /[\\/]+/ : "/");
	return walkPath(root || at, parts, host, known, links + 1);
}
