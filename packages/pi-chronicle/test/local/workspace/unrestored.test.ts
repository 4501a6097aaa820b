// Files that a rewind cannot restore are reported and left unchanged; files that could not be compared are never deleted.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { needsNoRoot } from "../../harness/needs.ts";
import { openFilesStage, rewind, value } from "./stage.ts";

const limits = { fileBytes: 1000 };
const names = (left: readonly { path: string }[]) => left.map(({ path }) => path);

it("a rewind and its undo report large files and leave them unchanged", async () => {
	const stage = openFilesStage();
	stage.write("changed.bin", "a".repeat(2000));
	stage.write("grown.bin", "small\n");
	stage.write("shrunk.bin", "b".repeat(2000));
	stage.write("gone.bin", "c".repeat(2000));
	stage.write("a.txt", "1\n");
	const workspace = stage.open({ limits });
	const { tree } = await value(workspace.snapshot());
	stage.write("changed.bin", "A".repeat(3000));
	stage.write("grown.bin", "d".repeat(2000));
	stage.write("shrunk.bin", "small now\n");
	rmSync(join(stage.root, "gone.bin"));
	stage.write("new.bin", "e".repeat(2000));
	stage.write("a.txt", "2\n");
	const since = stage.look();
	const { left, before } = await rewind(workspace, tree);
	expect(names(left)).toEqual(["changed.bin", "gone.bin", "grown.bin", "new.bin", "shrunk.bin"]);
	for (const { why } of left) expect(why).toMatch(/over 0(\.0)? MB|kept/);
	expect(stage.read("a.txt")).toBe("1\n");
	for (const path of ["changed.bin", "grown.bin", "new.bin", "shrunk.bin"])
		expect(stage.look().get(path)).toBe(since.get(path));
	expect((await rewind(workspace, before)).left).toEqual([]);
	expect(stage.look()).toEqual(since);
});

deepIt(
	"a nested repository: its files are restored and its HEAD is reported; a removed or new one is reported and left unchanged",
	async () => {
		const stage = openFilesStage();
		stage.write("inner/file.txt", "1\n");
		stage.repository("inner");
		stage.write("doomed/x.txt", "1\n");
		stage.repository("doomed");
		stage.write("a.txt", "1\n");
		const workspace = stage.open();
		const { tree } = await value(workspace.snapshot());
		stage.write("inner/file.txt", "2\n");
		stage.git("inner", "commit", "-qam", "two");
		stage.write("inner/more.txt", "3\n");
		rmSync(join(stage.root, "doomed"), { recursive: true });
		stage.write("cloned/y.txt", "1\n");
		stage.repository("cloned");
		stage.write("a.txt", "2\n");
		const since = stage.look();
		const { left, before } = await rewind(workspace, tree);
		expect(names(left)).toEqual(["cloned", "doomed", "inner"]);
		expect([stage.read("a.txt"), stage.read("inner/file.txt"), stage.read("cloned/y.txt")]).toEqual([
			"1\n",
			"1\n",
			"1\n",
		]);
		expect(existsSync(join(stage.root, "inner/more.txt"))).toBe(false);
		expect((await rewind(workspace, before)).left).toEqual([]);
		expect(stage.look()).toEqual(since);
	},
);

it("a rewind deletes nothing when only a repository's .git was removed; files that became part of one stay files", async () => {
	const stage = openFilesStage();
	stage.write("was/file.txt", "1\n");
	stage.repository("was");
	stage.write("plain/file.txt", "1\n");
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	rmSync(join(stage.root, "was/.git"), { recursive: true });
	stage.write("was/mine.txt", "the person's\n");
	stage.write("plain/file.txt", "2\n");
	stage.repository("plain");
	const since = stage.look();
	const { left, before } = await rewind(workspace, tree);
	expect(names(left)).toContain("was");
	expect([stage.read("was/file.txt"), stage.read("was/mine.txt")]).toEqual(["1\n", "the person's\n"]);
	expect(stage.read("plain/file.txt")).toBe("1\n");
	await rewind(workspace, before);
	expect(stage.look()).toEqual(since);
});

it("a submodule whose commit has moved is reported", async () => {
	const stage = openFilesStage();
	stage.write("library/l.txt", "1\n");
	stage.repository("library");
	stage.write("project/a.txt", "1\n");
	stage.repository("project");
	stage.git("project", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib");
	const cwd = join(stage.root, "project");
	const workspace = stage.open({ cwd });
	const { tree } = await value(workspace.snapshot());
	stage.write("project/lib/l.txt", "2\n");
	stage.git("project/lib", "commit", "-qam", "two");
	const { left } = await rewind(workspace, tree);
	expect(left).toEqual([{ path: "lib", why: expect.stringContaining("HEAD stays") }]);
	expect(stage.read("project/lib/l.txt")).toBe("1\n");
});

it("files that are secret by name are not stored, and a rewind reports and leaves them, unless they are requested", async () => {
	for (const secrets of ["left out", "kept"] as const) {
		const stage = openFilesStage();
		const token = "TOKEN=abcdefghijklmnop\n";
		stage.write(".env", token);
		stage.write("keys/server.pem", "first\n");
		stage.write(".env.example", "TOKEN=\n");
		const workspace = stage.open({ secrets });
		const { tree } = await value(workspace.snapshot());
		stage.write(".env", "TOKEN=other\n");
		rmSync(join(stage.root, "keys/server.pem"));
		stage.write(".env.example", "changed\n");
		const { left } = await rewind(workspace, tree);
		expect(stage.read(".env.example")).toBe("TOKEN=\n");
		if (secrets === "kept") {
			expect(left).toEqual([]);
			expect([stage.read(".env"), stage.read("keys/server.pem")]).toEqual([token, "first\n"]);
			continue;
		}
		expect(names(left)).toEqual([".env", "keys/server.pem"]);
		expect(stage.read(".env")).toBe("TOKEN=other\n");
		// No object of the store holds one of them.
		const env = { ...process.env, GIT_DIR: stage.store };
		const all = spawnSync("git", ["cat-file", "--batch-all-objects", "--batch"], { env, encoding: "latin1" }).stdout;
		expect(all).toContain("TOKEN=\n");
		expect(all).not.toMatch(/TOKEN=(?:abc|other)|first/);
	}
});

it("special files, and files that became special, are reported and block nothing else", async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n");
	stage.write("b.txt", "1\n");
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	rmSync(join(stage.root, "a.txt"));
	spawnSync("sh", ["-c", "mkfifo a.txt"], { cwd: stage.root });
	stage.write("b.txt", "2\n");
	const now = await value(workspace.snapshot());
	expect(now.unkept).toEqual([{ path: "a.txt", why: "is not a regular file" }]);
	const { left } = await rewind(workspace, tree);
	expect(names(left)).toEqual(["a.txt"]);
	expect(stage.read("b.txt")).toBe("1\n");
	expect(stage.look().get("a.txt")).toBe("special");
});

it("an unreadable file is reported, and neither deleted nor overwritten", needsNoRoot, async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n");
	stage.write("closed/x.txt", "1\n");
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	stage.write("a.txt", "2\n");
	stage.write("closed/x.txt", "2\n");
	chmodSync(join(stage.root, "a.txt"), 0);
	chmodSync(join(stage.root, "closed"), 0);
	const { left } = await rewind(workspace, tree);
	chmodSync(join(stage.root, "a.txt"), 0o600);
	chmodSync(join(stage.root, "closed"), 0o700);
	expect(names(left)).toEqual(["a.txt", "closed"]);
	expect([stage.read("a.txt"), stage.read("closed/x.txt")]).toEqual(["2\n", "2\n"]);
});

it("an incomplete snapshot has its own id, and repeating the rewind changes nothing", async () => {
	const stage = openFilesStage();
	stage.write("x.bin", "a".repeat(2000));
	stage.write("a.txt", "1\n");
	const workspace = stage.open({ limits });
	const { tree } = await value(workspace.snapshot());
	stage.write("x.bin", "b".repeat(2000));
	stage.write("a.txt", "2\n");
	await rewind(workspace, tree);
	const after = stage.look();
	expect(names((await rewind(workspace, tree)).left)).toEqual(["x.bin"]);
	expect(stage.look()).toEqual(after);
});

it("owner-only permissions stay owner-only when a file is restored", async () => {
	const stage = openFilesStage();
	writeFileSync(join(stage.root, "private.txt"), "1\n", { mode: 0o600 });
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	writeFileSync(join(stage.root, "private.txt"), "2\n");
	await rewind(workspace, tree);
	expect(readFileSync(join(stage.root, "private.txt"), "utf8")).toBe("1\n");
	expect(statSync(join(stage.root, "private.txt")).mode & 0o077).toBe(0);
});
