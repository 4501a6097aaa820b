// Disk errors as sentences: what is so, and the remedy.
import files from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { diskFailure, refusedWrite } from "../../../src/local/ledger/failures.ts";
import { openFolder } from "../../harness/folder.ts";

const { accessSync } = files;
afterEach(() => {
	files.accessSync = accessSync;
	syncBuiltinESMExports();
});

it.each([
	["EROFS", /its file system is read-only.*Mount it writable/s],
	["EACCES", /cannot be used.*(?:chmod|chown)/s],
	[undefined, /no longer exists.*moved/s],
])("a folder that cannot be created below one that is %s", (code, sentence) => {
	files.accessSync = (path) => {
		if (code) throw Object.assign(new Error(code), { code, path });
	};
	syncBuiltinESMExports();
	// Node reports a missing folder where the file system is read-only.
	const path = join(openFolder(), ".pi", "chronicle", "sessions", "a.events.jsonl");
	const { message, remedy } = diskFailure(Object.assign(new Error("missing"), { code: "ENOENT" }), path);
	expect(`${message} ${remedy}`).toMatch(sentence);
});

it.each([
	["ENOTDIR", "not a directory"],
	["ELOOP", "too many symbolic links encountered"],
	["ENAMETOOLONG", "name too long"],
	["EIO", "i/o error"],
])("%s is told in words", (code, words) => {
	const { message } = diskFailure(Object.assign(new Error(`${code}: raw`), { code }), "/a/b");
	expect(message).toBe(`/a/b could not be read or written: ${words}.`);
});

it.each([
	["the folder itself", ""],
	["a folder below it that is not there yet", "agent/chronicle"],
])("a folder that may not be written, asked about %s", (_what, below) => {
	const folder = openFolder();
	expect(refusedWrite(join(folder, below))).toBeUndefined();
	files.accessSync = (path) => {
		throw Object.assign(new Error("EACCES"), { code: "EACCES", path });
	};
	syncBuiltinESMExports();
	expect(refusedWrite(join(folder, below))).toEqual({
		reason: "io",
		message: `${folder} cannot be used: its permissions do not allow it.`,
		// Of no folder above it.
		remedy: `Give yourself permission: chmod -R u+rwX ${JSON.stringify(folder)}`,
	});
});
