import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { type Disk, realDisk, replaceFile, replaceFileSync } from "../../src/disk/index.ts";

const folders: string[] = [];
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "replace-"));
	folders.push(folder);
});
afterAll(() => {
	for (const path of folders) rmSync(path, { recursive: true, force: true });
});

const ways: readonly [string, (path: string, text: string) => Promise<void>][] = [
	["a text", (path, text) => replaceFile(path, text)],
	["a writer", (path, text) => replaceFile(path, async (draft) => draft.writeFile(text))],
	["a text, synchronously", async (path, text) => replaceFileSync(path, text)],
];

describe.each(ways)("a file replaced by %s", (_, replace) => {
	it("has the new content, is private to its owner, and leaves no draft", async () => {
		const path = join(folder, "file");
		writeFileSync(path, "old", { mode: 0o644 });
		await replace(path, "new");
		expect(readFileSync(path, "utf8")).toBe("new");
		expect(statSync(path).mode & 0o077).toBe(0);
		expect(readdirSync(folder)).toEqual(["file"]);
	});

	it("is unchanged when it cannot be replaced, without a draft", async () => {
		const path = join(folder, "taken");
		mkdirSync(join(path, "inside"), { recursive: true });
		await expect(replace(path, "new")).rejects.toThrow();
		expect(readdirSync(folder)).toEqual(["taken"]);
	});
});

it("a disk that fills up while the draft is written leaves the old file and no draft", async () => {
	const path = join(folder, "file");
	writeFileSync(path, "old");
	const full: Disk = {
		async open(...args) {
			const file = await realDisk.open(...args);
			file.sync = async () => {
				throw Object.assign(new Error("no space"), { code: "ENOSPC" });
			};
			return file;
		},
	};
	await expect(replaceFile(path, "new", full)).rejects.toMatchObject({ code: "ENOSPC" });
	expect(readFileSync(path, "utf8")).toBe("old");
	expect(readdirSync(folder)).toEqual(["file"]);
});
