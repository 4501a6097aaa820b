// The index of a git repository: the tracked files, and forms of the index that are not trusted.
import { describe, expect, it } from "vitest";
import { parseGitIndex } from "../../../src/safety/guard/match/git-index.ts";

describe("the index of a repository", () => {
	/** An index as git writes it: version 2, these files, these extensions. */
	const index = (files: readonly string[], extensions: readonly [kind: string, size: number][] = [], version = 2) => {
		const head = Buffer.alloc(12);
		head.write("DIRC");
		head.writeUInt32BE(version, 4);
		head.writeUInt32BE(files.length, 8);
		const entries = files.map((name) => {
			const length = (Math.floor((62 + Buffer.byteLength(name)) / 8) + 1) * 8;
			const entry = Buffer.alloc(length, 0);
			entry.writeUInt16BE(Buffer.byteLength(name), 60);
			entry.write(name, 62);
			return entry;
		});
		const more = extensions.map(([kind, size]) => {
			const extension = Buffer.alloc(8 + size, 1);
			extension.write(kind);
			extension.writeUInt32BE(size, 4);
			return extension;
		});
		return Buffer.concat([head, ...entries, ...more, Buffer.alloc(20)]);
	};
	const files = ["a", "b/c", "b/d/eeeeeee", "b/d/ffffffff", "ü"];

	it("lists the tracked files and folders", () => {
		const read = parseGitIndex(
			index(files, [
				["TREE", 3],
				["REUC", 0],
			]),
		);
		expect(["a", "b/c", "b/d/ffffffff", "ü", "b", "c", "b/d"].map((name) => read?.has(name))).toEqual([
			...[true, true, true, true, false, false, false],
		]);
		expect(["", "b", "b/d", "a", "c"].map((name) => read?.hasBelow(name))).toEqual([true, true, true, false, false]);
	});

	it.each<[what: string, bytes: Buffer]>([
		["a split index", index(files, [["link", 20]])],
		["a sparse index", index(files, [["sdir", 0]])],
		[
			"a split index after other extensions",
			index(files, [
				["TREE", 3],
				["REUC", 5],
				["link", 20],
			]),
		],
		["version 1", index(files, [], 1)],
		["version 5", index(files, [], 5)],
		["another file", Buffer.alloc(64)],
		[
			"more entries than there are",
			Buffer.concat([index(files).subarray(0, 11), Buffer.from([9]), index(files).subarray(12)]),
		],
		["nothing", Buffer.alloc(0)],
	])("is not trusted with %s", (_what, bytes) => {
		expect(parseGitIndex(bytes)).toBeUndefined();
	});

	it("is ignored if it is truncated anywhere within its entries", () => {
		const whole = index(files);
		for (let length = 0; length < whole.length - 40; length += 1)
			expect(parseGitIndex(whole.subarray(0, length)), `${length} bytes`).toBeUndefined();
	});
});
