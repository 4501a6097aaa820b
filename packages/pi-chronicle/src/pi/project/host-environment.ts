// The real disk and environment, as footprints read them. Read-only; follows no links unless asked.
// No method throws; anything unreadable counts as absent; `cachedEnvironment` reads each fact from disk once: use it for one call
// only.
import { lstatSync, opendirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import type { HostEnvironment } from "@pi-chronicle/footprint";
import { attempt, realPathOf } from "../../disk/index.ts";

/** A directory with more names than this counts as unreadable: nothing is matched against it. */
const MAX_NAMES = 20_000;

/** In bytes. */
const MAX_TEXT = 256 * 1024;

/** The real disk and environment, seen from `cwd` (absolute), without a cache. */
export function hostEnvironment(cwd: string): HostEnvironment {
	return {
		cwd,
		home: homedir(),
		temp: tmpdir(),
		platform: process.platform,
		env: (name) => process.env[name],
		// pi sets these for each command.
		isVolatile: (name) => /^PI_\w+$/.test(name),
		kind,
		realpath: realPathOf,
		readlink: (path) => attempt(() => readlinkSync(path)),
		text: (path) => attempt(() => (statSync(path).size > MAX_TEXT ? undefined : readFileSync(path, "utf8"))),
		names,
		homeOf: homeOfUser,
	};
}

/** The same environment with a cache: each fact is read at most once. */
export function cachedEnvironment(host: HostEnvironment): HostEnvironment {
	return {
		...host,
		kind: oncePerQuestion(host.kind),
		realpath: oncePerQuestion(host.realpath),
		readlink: oncePerQuestion(host.readlink),
		names: oncePerQuestion(host.names),
		homeOf: oncePerQuestion(host.homeOf),
	};
}

function oncePerQuestion<T>(ask: (question: string) => T): (question: string) => T {
	const answers = new Map<string, { readonly answer: T }>();
	return (question) => {
		let known = answers.get(question);
		if (!known) {
			known = { answer: ask(question) };
			answers.set(question, known);
		}
		return known.answer;
	};
}

function kind(path: string): ReturnType<HostEnvironment["kind"]> {
	const stat = attempt(() => lstatSync(path, { throwIfNoEntry: false }));
	if (!stat) return undefined;
	if (stat.isSymbolicLink()) return "link";
	if (stat.isDirectory()) return "directory";
	return stat.isFile() ? "file" : "other";
}

function names(path: string): readonly string[] | undefined {
	return attempt(() => {
		const directory = opendirSync(path);
		try {
			const found: string[] = [];
			for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
				if (found.length >= MAX_NAMES) return undefined;
				found.push(entry.name);
			}
			return found;
		} finally {
			directory.closeSync();
		}
	});
}

/** The home directory of a user according to `/etc/passwd`. */
function homeOfUser(user: string): string | undefined {
	const accounts = attempt(() => readFileSync("/etc/passwd", "utf8").split("\n")) ?? [];
	return accounts.find((account) => account.startsWith(`${user}:`))?.split(":")[5] || undefined;
}
