// The folders of children: complete or absent, with a repository and a store of their own, and nothing of the user's is written.
import { spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { findChildPlace } from "../../../src/local/workspace/index.ts";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { type FilesStage, openFilesStage, value } from "./stage.ts";

/** A child's folder and its workspace. */
async function openChild(stage: FilesStage, workspace: Workspace, name = "child", links: readonly string[] = []) {
	const { tree } = await value(workspace.snapshot());
	const child = await value(workspace.openChild(name, tree, { links }));
	return { ...child, asked: tree, workspace: stage.openChild(child.cwd, name) };
}

/** Runs git as an agent does: with whatever settings apply in the folder. */
function git(cwd: string, ...args: string[]): string {
	const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@x" };
	const ran = spawnSync("git", args, { cwd, encoding: "utf8", env: { ...process.env, ...who } });
	if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
	return ran.stdout.trim();
}

/** Every file of a folder with its content. */
function everything(folder: string): Record<string, string> {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return Object.fromEntries(
		entries
			.map((entry) => join(entry.parentPath, entry.name))
			.sort()
			.map((path) => [path, readFileSync(path, "latin1")]),
	);
}

describe("the store of a child", () => {
	it.each<[string, (store: string) => void]>([
		["its refs are deleted", (store) => rmSync(join(store, "refs"), { recursive: true })],
		["its link is deleted", (store) => rmSync(join(store, "objects"))],
	])("is made again where it is when %s: its objects are its parent's", async (_, damage) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const { cwd, asked, workspace } = await openChild(stage, stage.open());
		writeFileSync(join(cwd, "a.txt"), "2\n");
		const { tree } = await value(workspace.snapshot());
		const folder = dirname(stage.store).replace(/run$/, "child");
		damage(join(folder, "files"));
		expect(await value(stage.openChild(cwd).snapshot())).toMatchObject({ tree, notes: [] });
		expect(await value(stage.openChild(cwd).changes(asked, tree, 10))).toMatchObject({ total: { files: 1 } });
		expect(readdirSync(folder)).toEqual(["files"]);
	});
});

describe("the repository of a child's folder", () => {
	it("is clean at the start, has the project's history, and takes what the child commits", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "committed\n");
		stage.repository(".");
		stage.write("a.txt", "staged\n");
		stage.git(".", "add", "a.txt");
		stage.write("a.txt", "uncommitted\n");
		stage.write("new.txt", "untracked\n");
		const users = everything(join(stage.root, ".git"));
		const { cwd, workspace } = await openChild(stage, stage.open());
		expect(git(cwd, "status", "--porcelain")).toBe("");
		expect(git(cwd, "log", "--format=%s")).toBe("Start of child\none");
		writeFileSync(join(cwd, "a.txt"), "of the child\n");
		expect(git(cwd, "diff", "--stat")).toContain("a.txt");
		git(cwd, "add", "-A");
		git(cwd, "commit", "-qm", "by the child");
		git(cwd, "checkout", "-qb", "other");
		writeFileSync(join(cwd, "a.txt"), "stashed\n");
		git(cwd, "stash");
		git(cwd, "gc", "-q");
		expect(git(cwd, "remote")).toBe("");
		expect(everything(join(stage.root, ".git"))).toEqual(users);
		expect(stage.read("a.txt")).toBe("uncommitted\n");
		const { tree } = await value(workspace.snapshot());
		expect(await value(workspace.patch((await value(stage.open().snapshot())).tree, tree, 10_000))).toContain(
			"+of the child",
		);
	});

	it.each<[string, (cwd: string) => void]>(
		sampled([
			["removed", (cwd) => rmSync(join(cwd, ".git"), { recursive: true })],
			["broken", (cwd) => writeFileSync(join(cwd, ".git", "HEAD"), "")],
			[
				"made anew",
				(cwd) => {
					rmSync(join(cwd, ".git"), { recursive: true });
					git(cwd, "init", "-q");
				},
			],
		]),
	)("may be %s: the child's files are separate in any case", async (_, change) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		stage.write("node_modules/x/index.js", "x\n");
		stage.write(".gitignore", "node_modules/\n");
		stage.repository(".");
		const parent = stage.open();
		const { cwd, asked, workspace } = await openChild(stage, parent, "child", ["node_modules"]);
		change(cwd);
		writeFileSync(join(cwd, "b.txt"), "2\n");
		const { tree } = await value(workspace.snapshot());
		expect(await value(parent.changes(asked, tree, 10))).toMatchObject({
			changes: [{ path: "b.txt", change: "A", added: 1, removed: 0 }],
			more: 0,
			total: { files: 1, added: 1, removed: 0 },
		});
	});

	it("names the store by its real path, which a sandbox can show and no link can change", needsPosix, async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const outside = join(openFolder(), "saved");
		for (const folder of [outside, dirname(stage.store)]) mkdirSync(folder, { recursive: true });
		symlinkSync(outside, stage.store);
		const { cwd } = await openChild(stage, stage.open());
		const alternates = readFileSync(join(cwd, ".git/objects/info/alternates"), "utf8");
		expect(alternates.split("\n")[0]).toBe(realpathSync(join(outside, "objects")));
		rmSync(stage.store);
		expect(git(cwd, "status", "--porcelain")).toBe("");
	});

	it("exists also if the user has no repository", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const { cwd } = await openChild(stage, stage.open());
		expect(git(cwd, "rev-parse", "--show-toplevel")).toBe(realpathSync(cwd));
		expect(git(cwd, "log", "--format=%s")).toBe("Start of child");
	});

	it("of a run in a subfolder has the files at the same place", async () => {
		const stage = openFilesStage();
		stage.write("packages/a/one.txt", "1\n");
		stage.write("other.txt", "outside\n");
		stage.repository(".");
		const parent = stage.open({ cwd: join(stage.root, "packages/a") });
		const { cwd, asked, tree, workspace } = await openChild(stage, parent);
		expect(readdirSync(cwd)).toEqual(["one.txt"]);
		expect(tree).toBe(asked);
		writeFileSync(join(cwd, "one.txt"), "2\n");
		const last = await value(workspace.snapshot());
		expect(await value(parent.changes(tree, last.tree, 10))).toMatchObject({ changes: [{ path: "one.txt" }] });
		await value(parent.restore(last.tree));
		expect(stage.read("packages/a/one.txt")).toBe("2\n");
	});

	it("notices a change made in the same second in which the files were written", async () => {
		const second = (ms: number): number => Math.floor(ms / 1000);
		// On a busy machine the second may be over before the file is changed.
		for (let tries = 0; ; tries += 1) {
			const stage = openFilesStage();
			stage.write("one.txt", "1\n");
			const parent = stage.open();
			await sleep(1000 - (Date.now() % 1000));
			const { cwd, tree, workspace } = await openChild(stage, parent);
			const written = statSync(join(cwd, "one.txt")).ctimeMs;
			writeFileSync(join(cwd, "one.txt"), "2\n");
			const changed = statSync(join(cwd, "one.txt")).ctimeMs;
			if (second(changed) !== second(written) && tries < 10) continue;
			await sleep(1000 - (Date.now() % 1000));
			const last = await value(workspace.snapshot());
			expect(await value(parent.changes(tree, last.tree, 10))).toMatchObject({ changes: [{ path: "one.txt" }] });
			return;
		}
	});

	it("keeps contents byte for byte, regardless of attributes, filters and hooks", async () => {
		const stage = openFilesStage();
		const home = openFolder();
		const config = join(home, "config");
		writeFileSync(
			config,
			`[core]\n\tautocrlf = true\n\thooksPath = ${home}\n[filter "up"]\n\tclean = tr a-z A-Z\n\tsmudge = tr a-z A-Z\n\trequired = true\n`,
		);
		writeFileSync(join(home, "post-checkout"), `#!/bin/sh\ntouch ${home}/ran\n`);
		chmodSync(join(home, "post-checkout"), 0o755);
		stage.write(".gitattributes", "* text=auto eol=crlf filter=up ident\n");
		stage.write("a.txt", "one\ntwo\r\n$Id$\n");
		stage.write("large.txt", "line\n".repeat(30_000));
		stage.repository(".");
		const before = process.env.GIT_CONFIG_GLOBAL;
		process.env.GIT_CONFIG_GLOBAL = config;
		try {
			const { cwd, workspace, asked } = await openChild(stage, stage.open());
			for (const path of ["a.txt", "large.txt"]) expect(readFileSync(join(cwd, path), "utf8")).toBe(stage.read(path));
			expect(git(cwd, "status", "--porcelain")).toBe("");
			expect((await value(workspace.snapshot())).tree).toBe(asked);
			expect(existsSync(join(home, "ran"))).toBe(false);
		} finally {
			if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL;
			else process.env.GIT_CONFIG_GLOBAL = before;
		}
	});
});

describe("the files of a child", () => {
	it("are the snapshot's under every name, with links and permissions", needsPosix, async () => {
		const stage = openFilesStage();
		for (const name of ["new\nline", 'quo"te', "ü 😀", "-dash", "a b", "#hash", "back\\slash"])
			stage.write(`${name}/${name}`, `${name}\n`);
		stage.write("program", "#!/bin/sh\n");
		chmodSync(join(stage.root, "program"), 0o755);
		symlinkSync("program", join(stage.root, "link"));
		symlinkSync("/nowhere", join(stage.root, "dangling"));
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		const was = stage.look();
		for (const path of was.keys()) rmSync(join(stage.root, path));
		const child = await value(parent.openChild("child", tree));
		const found = [...was.keys()].filter((path) => {
			const stats = lstatSync(join(child.cwd, path));
			return stats.isSymbolicLink() || readFileSync(join(child.cwd, path), "utf8") !== "";
		});
		expect(found).toEqual([...was.keys()]);
		expect(lstatSync(join(child.cwd, "program")).mode & 0o100).toBe(0o100);
		expect((await value(stage.openChild(child.cwd).snapshot())).tree).toBe(tree);
	});

	it("that are large are copied from the user's unchanged files, otherwise from the store", async () => {
		const stage = openFilesStage();
		for (let n = 0; n < 12; n += 1) stage.write(`large/${n}.bin`, Buffer.alloc(1_000_000, n));
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		stage.write("large/1.bin", Buffer.alloc(1_000_000, 77));
		rmSync(join(stage.root, "large/2.bin"));
		const child = await value(parent.openChild("child", tree));
		for (let n = 0; n < 12; n += 1) expect(readFileSync(join(child.cwd, `large/${n}.bin`))[500]).toBe(n);
		expect((await value(stage.openChild(child.cwd).snapshot())).tree).toBe(tree);
	});

	it("that no snapshot stores are copied, and their changes are reported by name only", async () => {
		const stage = openFilesStage();
		const limits = { fileBytes: 500 };
		stage.write(".env", "TOKEN=1\n");
		stage.write("large.txt", "x".repeat(1000));
		stage.write("large2.txt", "x".repeat(1000));
		const parent = stage.open({ limits });
		const { tree } = await value(parent.snapshot());
		rmSync(join(stage.root, "large2.txt"));
		const child = await value(parent.openChild("child", tree));
		expect(child.notes).toEqual(["large2.txt is not part of snapshots and could not be copied."]);
		expect(readFileSync(join(child.cwd, ".env"), "utf8")).toBe("TOKEN=1\n");
		const workspace = stage.openChild(child.cwd, "child", { limits });
		expect((await value(workspace.snapshot())).tree).toBe(child.tree);
		writeFileSync(join(child.cwd, ".env"), "TOKEN=other\n");
		writeFileSync(join(child.cwd, "a.txt"), "1\n");
		const names = { ours: "you", theirs: "child" };
		const last = await value(workspace.snapshot());
		const merged = await value(parent.merge({ base: child.tree, ours: tree, theirs: last.tree, names }));
		expect(merged.conflicts).toEqual([]);
		const now = await value(parent.snapshot());
		const joined = await value(parent.join({ from: now.tree, to: merged.tree, names }));
		expect(joined.left.map(({ path }) => path)).toContain(".env");
		expect([stage.read(".env"), stage.read("a.txt")]).toEqual(["TOKEN=1\n", "1\n"]);
	});

	it("have nested repositories apart from their files, so that a merge leaves those of the project unchanged", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		stage.write("lib/lib.txt", "lib\n");
		stage.repository("lib");
		const parent = stage.open();
		const child = await openChild(stage, parent);
		expect(child.notes).toEqual([expect.stringContaining("`lib` is a repository of its own, copied")]);
		expect(existsSync(join(child.cwd, "lib/lib.txt"))).toBe(true);
		writeFileSync(join(child.cwd, "a.txt"), "2\n");
		const last = await value(child.workspace.snapshot());
		const names = { ours: "you", theirs: "child" };
		const merged = await value(parent.merge({ base: child.tree, ours: child.asked, theirs: last.tree, names }));
		expect(merged.conflicts).toEqual([]);
		expect(await value(parent.join({ from: child.asked, to: merged.tree, names }))).toMatchObject({
			left: [],
			conflicts: [],
		});
		expect([stage.read("a.txt"), stage.read("lib/lib.txt")]).toEqual(["2\n", "lib\n"]);
	});

	it("of a child's child are in the same store", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const parent = stage.open();
		const child = await openChild(stage, parent, "child");
		writeFileSync(join(child.cwd, "b.txt"), "2\n");
		const { tree } = await value(child.workspace.snapshot());
		const inner = await value(child.workspace.openChild("inner", tree));
		expect(readFileSync(join(inner.cwd, "b.txt"), "utf8")).toBe("2\n");
		writeFileSync(join(inner.cwd, "c.txt"), "3\n");
		const sessions = dirname(dirname(stage.store));
		const innermost = stage.openChild(inner.cwd, "inner", { childOf: join(sessions, "child") });
		const last = await value(innermost.snapshot());
		expect(await value(parent.changes(child.asked, last.tree, 10))).toMatchObject({
			changes: [{ path: "b.txt" }, { path: "c.txt" }],
		});
	});

	deepIt("can be kept by several children and the parent at one time", async () => {
		const stage = openFilesStage();
		for (let n = 0; n < 50; n += 1) stage.write(`f${n}.txt`, `${n}\n`);
		const parent = stage.open();
		const children = [];
		for (const name of ["one", "two", "three"]) children.push(await openChild(stage, parent, name));
		for (const [n, { cwd }] of children.entries()) writeFileSync(join(cwd, `f${n}.txt`), "changed\n");
		stage.write("f40.txt", "changed\n");
		const kept = await Promise.all(
			[parent, ...children.map(({ workspace }) => workspace)].map((one) => one.snapshot()),
		);
		const trees = kept.map((one) => (one.ok ? one.value.tree : one.failure.message));
		for (const tree of trees)
			expect(await value(parent.changes(children[0]?.asked ?? "", tree, 10))).toMatchObject({
				changes: [{ change: "M" }],
				more: 0,
			});
	});
});

describe("what is linked into a child's folder", () => {
	it("is a copy or a link, and no part of the child's files", async () => {
		const stage = openFilesStage();
		stage.write(".gitignore", "node_modules/\n/cache.db\n/deep/er/\n");
		stage.write("node_modules/x/index.js", "x\n");
		stage.write("cache.db", "db\n");
		stage.write("deep/er/file", "1\n");
		stage.write("tracked.txt", "1\n");
		const parent = stage.open();
		const links = ["node_modules", "cache.db", "deep/er/", "tracked.txt"];
		const { cwd, asked, tree, notes, workspace } = await openChild(stage, parent, "child", links);
		expect(["node_modules/x/index.js", "cache.db", "deep/er/file"].map((path) => existsSync(join(cwd, path)))).toEqual([
			true,
			true,
			true,
		]);
		expect(lstatSync(join(cwd, "cache.db")).isSymbolicLink()).toBe(false);
		expect(notes).toEqual(["tracked.txt is already part of the files and was not linked."]);
		writeFileSync(join(cwd, "node_modules/x/index.js"), "of the child\n");
		writeFileSync(join(cwd, "cache.db"), "of the child\n");
		expect(tree).toBe(asked);
		expect((await value(workspace.snapshot())).tree).toBe(asked);
		expect(git(cwd, "status", "--porcelain")).toBe("");
		await value(parent.removeChildren([]));
		expect([stage.read("node_modules/x/index.js"), stage.read("cache.db")]).toEqual(["x\n", "db\n"]);
	});

	it("keeps the links of a workspace: those into the project lead into the copy", needsPosix, async () => {
		const stage = openFilesStage();
		const outside = openFolder({ "shared.txt": "shared\n" });
		stage.write(".gitignore", "node_modules/\n");
		stage.write("packages/lib/index.js", "lib\n");
		stage.write("node_modules/tool/bin.js", "tool\n");
		const link = (target: string, path: string): void => {
			mkdirSync(dirname(join(stage.root, path)), { recursive: true });
			symlinkSync(target, join(stage.root, path));
		};
		link("../../packages/lib", "node_modules/@scope/lib");
		link(join(stage.root, "packages/lib"), "node_modules/absolute");
		link("../tool/bin.js", "node_modules/.bin/tool");
		link(outside, "node_modules/outside");
		link(join(stage.root, "packages/lib"), "packages/app/node_modules/lib");
		link(join(stage.root, "packages/lib/index.js"), "tracked-link");
		link("../../elsewhere/x", "packages/out");
		stage.repository(".");
		const parent = stage.open();
		const { cwd, workspace, tree } = await openChild(stage, parent, "child", ["**/node_modules"]);
		const real = (path: string): string => realpathSync(join(cwd, path));
		const lib = join(cwd, "packages/lib");
		expect(["node_modules/@scope/lib", "node_modules/absolute", "packages/app/node_modules/lib"].map(real)).toEqual([
			lib,
			lib,
			lib,
		]);
		expect(real("node_modules/.bin/tool")).toBe(join(cwd, "node_modules/tool/bin.js"));
		expect(real("node_modules/outside")).toBe(realpathSync(outside));
		expect(real("tracked-link")).toBe(join(lib, "index.js"));
		expect(readlinkSync(join(cwd, "packages/out"))).toBe(join(stage.root, "../elsewhere/x"));
		expect(git(cwd, "status", "--porcelain")).toBe("");
		// None of it is a change of the child.
		const last = await value(workspace.snapshot());
		expect(last.tree).toBe(tree);
	});

	it.each(["none", "none/deeper", "**/none", "*.none"])("must exist: %s", async (link) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		const opened = await parent.openChild("child", tree, { links: [link] });
		expect(opened).toMatchObject({ ok: false, failure: { message: expect.stringContaining(`\`link\``) } });
		expect(opened).toMatchObject({ ok: false, failure: { message: expect.stringContaining(link) } });
	});

	it("may be named by patterns; nothing inside of what fits is named again", async () => {
		const stage = openFilesStage();
		stage.write(".gitignore", "node_modules/\n.env*\n");
		for (const path of [
			"node_modules/x/node_modules/y/i.js",
			"packages/a/node_modules/z/i.js",
			"packages/a/.env.local",
		])
			stage.write(path, "1\n");
		const parent = stage.open();
		const { cwd } = await openChild(stage, parent, "child", ["**/node_modules", "packages/*/.env*"]);
		expect(everything(cwd)).toMatchObject({
			[join(cwd, "node_modules/x/node_modules/y/i.js")]: "1\n",
			[join(cwd, "packages/a/node_modules/z/i.js")]: "1\n",
			[join(cwd, "packages/a/.env.local")]: "1\n",
		});
	});

	it.each(["../outside", "/etc/hosts", ".", "a/../../outside", "out/file", ".git/config"])(
		"never leads out of the project: %s",
		async (link) => {
			const stage = openFilesStage();
			const outside = openFolder({ file: "secret\n" });
			stage.write(".gitignore", "out\n");
			symlinkSync(outside, join(stage.root, "out"));
			stage.repository(".");
			const parent = stage.open();
			const { tree } = await value(parent.snapshot());
			expect(await parent.openChild("child", tree, { links: [link] })).toMatchObject({
				ok: false,
				failure: { reason: "io", message: expect.stringContaining("leads out of the project") },
			});
			expect(readdirSync(join(dirname(stage.store), "children"))).toEqual([".gitignore"]);
		},
	);
});

describe("children's folders", () => {
	it("are removed with their contents, including incomplete ones, and no link is followed", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const outside = openFolder({ "kept.txt": "kept\n" });
		const parent = stage.open();
		const { cwd } = await openChild(stage, parent, "one");
		await openChild(stage, parent, "two");
		symlinkSync(outside, join(cwd, "link"));
		mkdirSync(join(cwd, "closed"));
		writeFileSync(join(cwd, "closed", "file"), "x\n");
		chmodSync(join(cwd, "closed"), 0o500);
		const children = join(dirname(stage.store), "children");
		for (const rest of [".making-three", ".removing-four"])
			mkdirSync(join(children, rest, "files"), { recursive: true });
		symlinkSync(outside, join(children, "five"));
		await value(parent.removeChildren(["two"]));
		expect(readdirSync(children).sort()).toEqual([".gitignore", "two"]);
		expect(readFileSync(join(outside, "kept.txt"), "utf8")).toBe("kept\n");
	});

	it("that are incomplete are created again", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		const child = await value(parent.openChild("child", tree));
		const folder = dirname(child.cwd);
		renameSync(folder, join(dirname(folder), ".making-child"));
		rmSync(join(dirname(folder), ".making-child", "files", "a.txt"));
		expect(await value(parent.openChild("child", tree))).toEqual(child);
		expect(readFileSync(join(child.cwd, "a.txt"), "utf8")).toBe("1\n");
	});

	it.each<[string, (files: string, outside: string) => void]>([
		["are gone", () => {}],
		["are gone, and only their folder is there", (files) => mkdirSync(files)],
		["are gone, and a file is there", (files) => writeFileSync(files, "")],
		["are gone, and a link leads elsewhere", (files, outside) => symlinkSync(outside, files)],
		["were moved, and a link leads to them", (files, outside) => symlinkSync(join(outside, "moved"), files)],
	])("whose files %s count as absent, and are created again", needsPosix, async (_, replace) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		const child = await value(parent.openChild("child", tree));
		const own = stage.openChild(child.cwd);
		await value(own.snapshot());
		const outside = openFolder({ "kept.txt": "kept\n" });
		renameSync(child.cwd, join(outside, "moved"));
		replace(child.cwd, outside);
		const before = everything(outside);
		expect(await findChildPlace(dirname(stage.store), "child")).toBeUndefined();
		expect(await own.snapshot()).toMatchObject({ ok: false, failure: { reason: "io" } });
		expect(await value(parent.openChild("child", tree))).toEqual({ ...child, isNew: true });
		expect([lstatSync(child.cwd).isDirectory(), readFileSync(join(child.cwd, "a.txt"), "utf8")]).toEqual([true, "1\n"]);
		expect(everything(outside)).toEqual(before);
	});

	it.each<[string, (place: string) => void]>([
		["without its record", (place) => rmSync(join(place, "child.json"))],
		["with a torn record", (place) => writeFileSync(join(place, "child.json"), '{"tree":')],
		["with a record of another shape", (place) => writeFileSync(join(place, "child.json"), '{"tree":1}')],
		["without its working folder", (place) => rmSync(join(place, "files", "pkg"), { recursive: true })],
	])("%s is moved aside with its files, which no snapshot may have, and is named at the end", async (_, damage) => {
		const stage = openFilesStage();
		stage.write("pkg/a.txt", "1\n");
		stage.repository(".");
		const parent = stage.open({ cwd: join(stage.root, "pkg") });
		const { tree } = await value(parent.snapshot());
		const child = await value(parent.openChild("child", tree));
		const root = dirname(child.cwd);
		const place = dirname(root);
		writeFileSync(join(root, "mine.txt"), "mine\n");
		damage(place);
		expect(await value(parent.openChild("child", tree))).toEqual({ ...child, isNew: true });
		expect(existsSync(join(root, "mine.txt"))).toBe(false);
		const [kept, ...more] = await value(parent.removeChildren([]));
		expect([kept?.child, kept?.files, more]).toEqual(["child", [expect.objectContaining({ path: "." })], []]);
		expect(readFileSync(join(kept?.path ?? "", "mine.txt"), "utf8")).toBe("mine\n");
	});

	it("leave what finds them alone while further children begin", async () => {
		const stage = openFilesStage();
		const children = join(openFolder(), "work", "run");
		const parent = stage.open({ children });
		const { tree } = await value(parent.snapshot());
		await value(parent.openChild("first", tree));
		const files = [join(children, "owner.json"), join(dirname(stage.store), "children.path")];
		const written = () => files.map((file) => [statSync(file).ino, statSync(file).mtimeMs]);
		const before = written();
		await value(parent.openChild("second", tree));
		expect(written()).toEqual(before);
	});

	it.each([
		["torn, as a full disk leaves them", "", '{"child":'],
		["of another shape", "7", '{"child":"child","tree":7}'],
	])("with a record that is %s count as absent; so do other notes", async (_what, note, record) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		const child = await value(parent.openChild("child", tree));
		const place = dirname(child.cwd);
		writeFileSync(join(child.cwd, "b.txt"), "2\n");
		const kept = await value(parent.keepChild("child"));
		await value(parent.endChild("child", kept));
		for (const name of ["rest.json", "ignored.json"]) writeFileSync(join(place, name), note);
		const joined = parent.join({
			from: tree,
			to: kept.tree,
			names: { ours: "mine", theirs: "its" },
			children: [{ child: "child", tree: kept.tree }],
		});
		expect(await value(joined)).toMatchObject({ conflicts: [], kept: [] });
		expect(stage.read("b.txt")).toBe("2\n");
		writeFileSync(join(place, "child.json"), record);
		expect((await value(parent.openChild("child", tree))).isNew).toBe(true);
	});

	it("cannot have a name that leads elsewhere", async () => {
		const stage = openFilesStage();
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		for (const name of ["..", ".", "", "a/b", ".making-x", "../x"])
			expect(await parent.openChild(name, tree)).toMatchObject({ ok: false, failure: { reason: "io" } });
	});

	it("are removed after an aborted or failed operation", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const parent = stage.open();
		const { tree } = await value(parent.snapshot());
		const children = join(dirname(stage.store), "children");
		expect(await parent.openChild("child", "e".repeat(40))).toMatchObject({
			ok: false,
			failure: { reason: "unknown_tree" },
		});
		const control = new AbortController();
		const opening = parent.openChild("child", tree, { signal: control.signal });
		setTimeout(() => control.abort(), 30);
		const opened = await opening;
		if (!opened.ok) expect(opened.failure.reason).toBe("stopped");
		expect(readdirSync(children).filter((name) => name.startsWith(".making"))).toEqual([]);
	});

	it("are not part of the user's files, and the user's git commands ignore them", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		stage.repository(".");
		const parent = stage.open();
		const { asked } = await openChild(stage, parent);
		expect((await value(parent.snapshot())).tree).toBe(asked);
		expect(stage.git(".", "status", "--porcelain", "--untracked-files=all")).toBe("");
	});

	it("cannot be opened if they do not exist", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		await value(stage.open().snapshot());
		const cwd = openFolder();
		expect(await stage.openChild(cwd).snapshot()).toMatchObject({
			ok: false,
			failure: { reason: "io", message: expect.stringContaining(cwd) },
		});
	});
});
