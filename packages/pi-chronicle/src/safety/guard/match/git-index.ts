// Reads from a repository's index which files git tracks, without starting a process. The format is documented in `gitformat-index`.
// Invariant: nothing is concluded from an index that cannot be fully parsed (split, sparse, too large, another hash).
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../../disk/index.ts";

export interface GitIndex {
	/** Whether a file is tracked, by its path from the repository's root, with `/`. */
	has(path: string): boolean;
	/** Whether anything below a directory is tracked. */
	hasBelow(path: string): boolean;
	/** The tracked files below a directory, by their paths from the root; `""` is the root. */
	below(path: string): readonly string[];
}

/** In bytes: some 300,000 files. */
const MAX_INDEX = 32 * 1024 * 1024;
const entryHead = 62;

/** Reads the index in a repository's own folder (`.git`, or a worktree's). `common` is the folder with the repository's settings. */
export function readGitIndex(gitFolder: string, common: string): GitIndex | undefined {
	return attempt(() => {
		if (/^\s*objectformat\s*=\s*(?!sha1\b)/im.test(readFileSync(join(common, "config"), "utf8"))) return undefined;
		const file = join(gitFolder, "index");
		if (statSync(file).size > MAX_INDEX) return undefined;
		return parseGitIndex(readFileSync(file));
	});
}

/** Parses an index of version 2 to 4. */
export function parseGitIndex(bytes: Buffer): GitIndex | undefined {
	if (bytes.length < 32 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
	const version = bytes.readUInt32BE(4);
	if (version < 2 || version > 4) return undefined;
	const names = new Set<string>();
	let at = 12;
	let name: Buffer<ArrayBufferLike> = Buffer.alloc(0);
	for (let left = bytes.readUInt32BE(8); left > 0; left--) {
		if (at + entryHead > bytes.length) return undefined;
		const extended = (bytes.readUInt16BE(at + 60) & 0x4000) !== 0;
		const start = at + entryHead + (extended ? 2 : 0);
		const read = version === 4 ? compressedName(bytes, start, name) : plainName(bytes, at, start);
		if (!read) return undefined;
		({ name, end: at } = read);
		names.add(name.toString("utf8"));
	}
	return isWhole(bytes, at) ? openIndex(names) : undefined;
}

interface NameRead {
	readonly name: Buffer<ArrayBufferLike>;
	readonly end: number;
}

function plainName(bytes: Buffer, entry: number, start: number): NameRead | undefined {
	const zero = bytes.indexOf(0, start);
	if (zero < 0) return undefined;
	// Entries are padded with one to eight zero bytes to a multiple of eight.
	return { name: bytes.subarray(start, zero), end: entry + (Math.floor((zero - entry) / 8) + 1) * 8 };
}

/** A name of version 4: the number of bytes to remove from the previous name, and the bytes to append. */
function compressedName(bytes: Buffer, start: number, before: Uint8Array): NameRead | undefined {
	let at = start;
	let byte = bytes[at++] ?? 0;
	let cut = byte & 0x7f;
	while (byte & 0x80) {
		byte = bytes[at++] ?? 0;
		cut = ((cut + 1) << 7) | (byte & 0x7f);
		if (cut > 65_536) return undefined;
	}
	const zero = bytes.indexOf(0, at);
	if (zero < 0 || cut > before.length) return undefined;
	return { name: Buffer.concat([before.subarray(0, before.length - cut), bytes.subarray(at, zero)]), end: zero + 1 };
}

/** Whether the extensions after the entries show that the index is neither split nor sparse. */
function isWhole(bytes: Buffer, start: number): boolean {
	for (let at = start; at + 8 <= bytes.length - 20; ) {
		const kind = bytes.toString("latin1", at, at + 4);
		if (kind === "link" || kind === "sdir") return false;
		at += 8 + bytes.readUInt32BE(at + 4);
	}
	return true;
}

function openIndex(names: ReadonlySet<string>): GitIndex {
	let folders: Set<string> | undefined;
	return {
		has: (path) => names.has(path),
		below: (path) => (path === "" ? [...names] : [...names].filter((name) => name.startsWith(`${path}/`))),
		hasBelow(path) {
			if (!folders) {
				folders = new Set([""]);
				for (const name of names)
					for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
						const folder = name.slice(0, at);
						if (folders.has(folder)) break;
						folders.add(folder);
					}
			}
			return folders.has(path);
		},
	};
}
