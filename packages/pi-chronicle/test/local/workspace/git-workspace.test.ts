// Snapshots of any folder in a separate git store: what is measured, excluded and restored.
import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Workspace } from "@pi-chronicle/core/ports";
import { readPatch } from "@pi-chronicle/core/snapshot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCheckedOut, readUncommitted } from "../../../src/disk/index.ts";
import { gitFailure, toResult } from "../../../src/local/workspace/failures.ts";
import { runGit } from "../../../src/local/workspace/git.ts";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { gitAuthor, openFilesStage, value } from "./stage.ts";

it("git asked about a folder that is a file fails instead of throwing", async () => {
	const file = join(openFolder({ "a.txt": "" }), "a.txt");
	expect(await runGit({ args: ["version"], cwd: file })).toMatchObject({ kind: "failed" });
	expect([await readCheckedOut(file), await readUncommitted(file)]).toEqual([undefined, { paths: [], added: [] }]);
});

it.each([
	["EROFS", /its file system is read-only\. Mount it writable/],
	["ENOSPC", /no space left .* Free some space/],
	["EACCES", /cannot be used: .* (?:chmod|chown)/],
])("a disk error %s is said in words, with what helps", async (code, said) => {
	const error = Object.assign(new Error(`${code}: open`), { code, path: openFolder() });
	const failed = await toResult(() => Promise.reject(error));
	expect(failed.ok ? "" : `${failed.failure.message} ${failed.failure.remedy}`).toMatch(said);
	const git = gitFailure({
		kind: "failed",
		code: 128,
		message: "error: unable to create: Read-only file system",
		raw: "",
	});
	expect(git.failure.remedy).toContain("Mount it writable");
});

let base: string;
let project: string;
let sessions: string;

beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")));
	project = join(base, "project");
	sessions = join(project, ".pi", "chronicle", "sessions");
	mkdirSync(project);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): string {
	const done = spawnSync("git", args, { cwd, encoding: "utf8", env: { ...process.env, ...gitAuthor } });
	if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
	return done.stdout.trim();
}
function write(path: string, text: string | Buffer): void {
	const file = join(project, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}
const read = (path: string) => readFileSync(join(project, path), "utf8");
function open(more: { cwd?: string; limits?: object; scope?: "folder" | "repository"; run?: string } = {}): Workspace {
	return openGitWorkspace({
		cwd: more.cwd ?? project,
		folder: join(sessions, more.run ?? "run"),
		leftOut: [sessions],
		...(more.scope ? { scope: more.scope } : {}),
		...(more.limits ? { limits: more.limits } : {}),
	});
}
async function changed(workspace: Workspace, from: string, to?: string): Promise<string[]> {
	const { changes } = await value(workspace.changes(from, to ?? (await value(workspace.snapshot())).tree, 1000));
	return changes.map(
		({ change, path, from: was, added, removed }) =>
			`${change} ${was === undefined ? "" : `${was} > `}${path}${added === undefined ? "" : ` +${added} -${removed}`}`,
	);
}
/** Everything of the user's repository that must never change. */
function repository(cwd = project): object {
	const folder = join(cwd, ".git");
	const files: Record<string, string> = {};
	const walk = (path: string) => {
		for (const name of readdirSync(join(folder, path))) {
			const below = path === "" ? name : `${path}/${name}`;
			if (statSync(join(folder, below)).isDirectory()) walk(below);
			else files[below] = readFileSync(join(folder, below)).toString("base64");
		}
	};
	walk("");
	return files;
}

describe.each([
	["a folder without a repository", () => {}],
	[
		"a repository",
		() => {
			git(project, "init", "-q");
			write("base.txt", "base\n");
			git(project, "add", "-A");
			git(project, "commit", "-qm", "base");
		},
	],
] as const)("in %s", (_, prepare) => {
	it("lists files added, changed, deleted and renamed since a snapshot, with line counts, regardless of what changed them", async () => {
		prepare();
		write("keep.txt", "1\n2\n3\n");
		write("old.txt", "a\nb\nc\nd\ne\nf\n");
		write("gone.txt", "x\n");
		write("dir/deep.txt", "1\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		appendFileSync(join(project, "keep.txt"), "4\n");
		renameSync(join(project, "old.txt"), join(project, "dir/new.txt"));
		unlinkSync(join(project, "gone.txt"));
		spawnSync("sh", ["-c", "printf 'one\\ntwo\\n' > 'by bash.txt'"], { cwd: project });
		expect(await changed(workspace, before)).toEqual([
			"A by bash.txt +2 -0",
			"R old.txt > dir/new.txt +0 -0",
			"D gone.txt +0 -1",
			"M keep.txt +1 -0",
		]);
		expect(await changed(workspace, before, before)).toEqual([]);
	});
	it("gives equal files equal ids, and lists no unchanged file", async () => {
		prepare();
		write("a.txt", "1\n");
		const workspace = open();
		const first = (await value(workspace.snapshot())).tree;
		write("b.txt", "2\n");
		const second = (await value(workspace.snapshot())).tree;
		unlinkSync(join(project, "b.txt"));
		expect((await value(workspace.snapshot())).tree).toBe(first);
		expect(second).not.toBe(first);
		expect((await value(open().snapshot())).tree).toBe(first);
	});
	it("leaves out ignored files and the chronicle's own files", async () => {
		prepare();
		write(".gitignore", "build/\n*.log\n!keep.log\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("build/out.js", "x");
		write("a.log", "x");
		write("keep.log", "x\n");
		write(".pi/chronicle/sessions/x.json", "{}");
		write(".pi/chronicle/workflows/t.json", "{}\n");
		expect(await changed(workspace, before)).toEqual(["A .pi/chronicle/workflows/t.json +1 -0", "A keep.log +1 -0"]);
	});
	it.each([[["one.txt"]], [["one.txt", "two.txt"]], [["deep/one.txt", "deep/two.txt", "deeper/er/three.txt"]]])(
		"replaces a link by the folder with %s, and leaves what the link leads to",
		async (names) => {
			const workspace = open();
			for (const name of names) write(`folder/${name}`, "in the folder\n");
			const { tree } = await value(workspace.snapshot());
			rmSync(join(project, "folder"), { recursive: true });
			for (const name of names) write(`target/${name}`, "in the target\n");
			symlinkSync("target", join(project, "folder"));
			const { tree: before } = await value(workspace.snapshot());
			const kept = await value(workspace.snapshot({ towards: tree }));
			expect(kept.tree).toBe(before);
			await value(workspace.restore(tree, { expected: kept.tree }));
			for (const name of names) expect(readFileSync(join(project, "folder", name), "utf8")).toBe("in the folder\n");
			await value(workspace.restore(before));
			for (const name of names) expect(readFileSync(join(project, "target", name), "utf8")).toBe("in the target\n");
			expect(readlinkSync(join(project, "folder"))).toBe("target");
		},
	);

	it("handles binary files, modes, links and unusual names", async () => {
		prepare();
		write("program.sh", "#!/bin/sh\n");
		write("image.png", Buffer.from([0, 1, 2, 3]));
		write("target.txt", "t\n");
		symlinkSync("target.txt", join(project, "link"));
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		chmodSync(join(project, "program.sh"), 0o755);
		write("image.png", Buffer.from([0, 9, 9, 9]));
		rmSync(join(project, "link"));
		symlinkSync("elsewhere", join(project, "link"));
		const odd = [
			"ümläut 😀.txt",
			"tab\there.txt",
			'quo"te.txt',
			"new\nline.txt",
			"-dash.txt",
			":colon.txt",
			"star*.txt",
		];
		for (const name of odd) write(name, "x\n");
		expect(await changed(workspace, before)).toEqual(
			[...odd.map((name) => `A ${name} +1 -0`), "M image.png", "M link", "M program.sh +0 -0"].sort((a, b) =>
				a.slice(2) < b.slice(2) ? -1 : 1,
			),
		);
	});
	it("restores everything byte for byte, and the state before is a snapshot too", async () => {
		prepare();
		write(".gitignore", "ignored.txt\n");
		write(".gitattributes", "*.txt text=auto eol=crlf ident\n*.bin filter=lfs diff=lfs merge=lfs -text\n");
		write("crlf.txt", "one\r\ntwo\r\n$Id$\r\n");
		write("mixed.txt", "one\r\ntwo\n");
		write("big.bin", Buffer.from([0, 255, 13, 10, 10]));
		write("dir/a.txt", "a\n");
		write("program.sh", "#!/bin/sh\n");
		chmodSync(join(project, "program.sh"), 0o755);
		symlinkSync("crlf.txt", join(project, "link"));
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("crlf.txt", "changed\n");
		write("mixed.txt", "changed\r\n");
		write("big.bin", "small");
		rmSync(join(project, "dir"), { recursive: true });
		write("dir", "a file now\n");
		write("new/deep/file.txt", "new\n");
		chmodSync(join(project, "program.sh"), 0o644);
		unlinkSync(join(project, "link"));
		write("ignored.txt", "stays\n");
		const after = (await value(workspace.snapshot())).tree;
		await value(workspace.restore(before));
		expect(read("crlf.txt")).toBe("one\r\ntwo\r\n$Id$\r\n");
		expect(read("mixed.txt")).toBe("one\r\ntwo\n");
		expect(readFileSync(join(project, "big.bin"))).toEqual(Buffer.from([0, 255, 13, 10, 10]));
		expect(read("dir/a.txt")).toBe("a\n");
		expect(existsSync(join(project, "new"))).toBe(false);
		expect(statSync(join(project, "program.sh")).mode & 0o111).toBeGreaterThan(0);
		expect(readlinkSync(join(project, "link"))).toBe("crlf.txt");
		expect(read("ignored.txt")).toBe("stays\n");
		expect((await value(workspace.snapshot())).tree).toBe(before);
		await value(workspace.restore(after));
		expect(read("dir")).toBe("a file now\n");
		expect(read("new/deep/file.txt")).toBe("new\n");
		expect(existsSync(join(project, "link"))).toBe(false);
		expect((await value(workspace.snapshot())).tree).toBe(after);
	});
	it("restores files whose inode and times changed since the snapshot, as after a copy of the project", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const { tree } = await value(stage.open().snapshot());
		stage.write("a.txt", "2\n");
		const { tree: before } = await value(stage.open().snapshot());
		const copy = openFolder();
		cpSync(stage.root, copy, { recursive: true, preserveTimestamps: true });
		const copied = openFilesStage(copy);
		expect(await value(copied.open().restore(tree, { expected: before }))).toMatchObject({ left: [] });
		expect(copied.read("a.txt")).toBe("1\n");
	});

	it("shows a bounded diff, of one file if asked", async () => {
		prepare();
		write("a.txt", "1\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("a.txt", "1\n2\n");
		write("b.txt", "x\n".repeat(5000));
		const after = (await value(workspace.snapshot())).tree;
		const whole = await value(workspace.patch(before, after, 1_000_000));
		expect(whole).toContain("+2");
		expect(whole).toContain("b.txt");
		expect(await value(workspace.patch(before, after, 1_000_000, "a.txt"))).not.toContain("b.txt");
		expect(Buffer.byteLength(await value(workspace.patch(before, after, 500)))).toBeLessThanOrEqual(500);
	});
	it("reports large files without storing them, and a restore leaves them unchanged", async () => {
		prepare();
		write("large.bin", "x".repeat(3000));
		write("small.txt", "1\n");
		const workspace = open({ limits: { fileBytes: 1000 } });
		const before = (await value(workspace.snapshot())).tree;
		expect((await value(workspace.snapshot())).tree).toBe(before);
		write("large.bin", "y".repeat(4000));
		write("small.txt", "2\n");
		expect(await changed(workspace, before)).toEqual(["M large.bin", "M small.txt +1 -1"]);
		await value(workspace.restore(before));
		expect(read("small.txt")).toBe("1\n");
		expect(read("large.bin")).toBe("y".repeat(4000));
		// It may shrink and be kept, grow again, and vanish; another process sees the same.
		write("large.bin", "tiny\n");
		const tiny = (await value(workspace.snapshot())).tree;
		expect(await changed(workspace, before)).toEqual(["M large.bin"]);
		write("large.bin", "z".repeat(5000));
		const again = open({ limits: { fileBytes: 1000 } });
		expect(await changed(again, tiny)).toEqual(["M large.bin"]);
		unlinkSync(join(project, "large.bin"));
		expect(await changed(again, tiny)).toEqual(["D large.bin +0 -1"]);
		const kept = spawnSync("du", ["-sk", join(sessions, "run", "files", "objects")], { encoding: "utf8" }).stdout;
		expect(Number.parseInt(kept, 10)).toBeLessThan(400);
	});
	it("draws, counts and renames none of the files whose contents it does not keep", async () => {
		prepare();
		const large = "a line of text\n".repeat(100);
		write("same.sql", large);
		write(".env", "KEY=1\n");
		write("moved.sql", large.toUpperCase());
		write("shrinks.sql", large);
		write("grows.sql", "small\n");
		const limits = { fileBytes: 1000 };
		const workspace = open({ limits });
		const before = (await value(workspace.snapshot())).tree;
		write("same.sql", large.replace("a", "b"));
		unlinkSync(join(project, ".env"));
		write(".env.local", "KEY=2\n");
		renameSync(join(project, "moved.sql"), join(project, "name.sql"));
		write("shrinks.sql", "small\n");
		write("grows.sql", large);
		const after = (await value(workspace.snapshot())).tree;
		const expected = ["D .env", "A .env.local", "M grows.sql", "R moved.sql > name.sql", "M same.sql", "M shrinks.sql"];
		for (const store of [workspace, open({ limits })]) expect(await changed(store, before, after)).toEqual(expected);
		const patch = await value(workspace.patch(before, after, 100_000));
		expect(patch).not.toMatch(/^[-+ ]pi-chronicle|^[-+ ](?:size|modified) /m);
		expect(readPatch(patch, (text) => text).map(({ path, added, removed }) => [path, added, removed])).toEqual(
			[".env", ".env.local", "grows.sql", "name.sql", "same.sql", "shrinks.sql"].map((path) => [path, 0, 0]),
		);
	});
	it("keeps the placeholders of earlier versions for files that have not changed", async () => {
		prepare();
		write("large.bin", "x".repeat(3000));
		const limits = { fileBytes: 1000 };
		await value(open({ limits }).snapshot());
		const store = join(sessions, "run", "files");
		const { mtimeMs } = statSync(join(project, "large.bin"));
		const text = `pi-chronicle: too large to keep\nsize 3000\nmodified ${mtimeMs}\n`;
		writeFileSync(join(base, "earlier"), text);
		const earlier = git(base, "--git-dir", store, "hash-object", "-w", join(base, "earlier"));
		writeFileSync(join(store, "large"), `${earlier}\n`);
		const again = open({ limits });
		const { tree } = await value(again.snapshot());
		expect(git(base, "--git-dir", store, "ls-tree", tree)).toContain(earlier);
		write("large.bin", "y".repeat(3001));
		expect(await changed(again, tree)).toEqual(["M large.bin"]);
	});
	it("fails with a reason when there is too much", async () => {
		prepare();
		for (let n = 0; n < 12; n += 1) write(`f${n}.txt`, "x".repeat(900));
		for (const limits of [{ files: 10 }, { totalBytes: 5000 }]) {
			const kept = await open({ limits }).snapshot();
			expect(!kept.ok && kept.failure.reason).toBe("too_big");
		}
	});
	it("reports an unknown snapshot, and changes nothing", async () => {
		prepare();
		write("a.txt", "1\n");
		const workspace = open();
		const now = (await value(workspace.snapshot())).tree;
		for (const tree of ["f".repeat(40), "0".repeat(40), "", "nonsense", "HEAD"]) {
			const restored = await workspace.restore(tree);
			expect(restored.ok, tree).toBe(false);
			expect((await workspace.changes(tree, now, 10)).ok, tree).toBe(false);
			expect((await workspace.patch(tree, now, 10)).ok, tree).toBe(false);
		}
		expect(read("a.txt")).toBe("1\n");
	});
	it("treats a nested repository as one entry, detects edits and commits in it, and restores its files", async () => {
		prepare();
		const inner = join(project, "inner");
		mkdirSync(inner);
		git(inner, "init", "-q");
		writeFileSync(join(inner, "file.txt"), "1\n");
		git(inner, "add", "-A");
		git(inner, "commit", "-qm", "one");
		write("outer.txt", "1\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		expect((await value(open().snapshot())).tree).toBe(before);
		const untouched = repository(inner);
		writeFileSync(join(inner, "file.txt"), "2\n");
		expect(await changed(workspace, before)).toEqual(["M inner"]);
		expect(repository(inner)).toEqual(untouched);
		const shown = async () => {
			const { tree } = await value(workspace.snapshot());
			const patch = await value(workspace.patch(before, tree, 10_000));
			expect(readPatch(patch, (text) => text)).toMatchObject([{ path: "inner", added: 0, removed: 0 }]);
			return patch.match(/^[-+]Subproject.*/gm);
		};
		const first = git(inner, "rev-parse", "HEAD");
		expect(await shown()).toEqual([`-Subproject commit ${first}`, `+Subproject commit ${first}-dirty`]);
		git(inner, "commit", "-qam", "two");
		const head = git(inner, "rev-parse", "HEAD");
		expect(await changed(workspace, before)).toEqual(["M inner"]);
		expect(await shown()).toEqual([`-Subproject commit ${first}`, `+Subproject commit ${head}`]);
		await value(workspace.restore(before));
		expect(readFileSync(join(inner, "file.txt"), "utf8")).toBe("1\n");
		expect(git(inner, "rev-parse", "HEAD")).toBe(head);
		// It becomes a plain folder, and is looked into.
		rmSync(join(inner, ".git"), { recursive: true });
		expect(await changed(workspace, before)).toEqual(["D inner", "A inner/file.txt +1 -0"]);
	});
	it("skips unreadable files", async () => {
		prepare();
		write("a.txt", "1\n");
		spawnSync("sh", ["-c", "mkfifo pipe"], { cwd: project });
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("b.txt", "1\n");
		expect(await changed(workspace, before)).toEqual(["A b.txt +1 -0"]);
	});
	it("survives a damaged index and a lock that a dead process left", async () => {
		prepare();
		write("a.txt", "1\n");
		const before = (await value(open().snapshot())).tree;
		const files = join(sessions, "run", "files");
		writeFileSync(join(files, "index"), "garbage");
		writeFileSync(join(files, "index.lock"), "");
		expect((await value(open().snapshot())).tree).toBe(before);
	});
});

describe("the user's repository", () => {
	beforeEach(() => {
		git(project, "init", "-q", "-b", "main");
		write("a.txt", "1\n");
		write("b.txt", "1\n");
		git(project, "add", "-A");
		git(project, "commit", "-qm", "base");
		for (const hook of ["post-index-change", "post-checkout", "pre-commit", "reference-transaction", "post-rewrite"]) {
			writeFileSync(join(project, ".git", "hooks", hook), `#!/bin/sh\ntouch ${join(base, "hooked")}\n`);
			chmodSync(join(project, ".git", "hooks", hook), 0o755);
		}
	});
	it("is never touched: index, HEAD, refs, stash, hooks and configuration stay byte for byte", async () => {
		write("staged.txt", "s\n");
		git(project, "add", "staged.txt");
		write("a.txt", "stashed\n");
		git(project, "stash", "-q", "--keep-index");
		write("b.txt", "dirty\n");
		rmSync(join(base, "hooked"), { force: true });
		const before = repository();
		const workspace = open();
		const tree = (await value(workspace.snapshot())).tree;
		write("c.txt", "new\n");
		const after = (await value(workspace.snapshot())).tree;
		await value(workspace.changes(tree, after, 10));
		await value(workspace.patch(tree, after, 1000));
		await value(workspace.restore(tree));
		expect(repository()).toEqual(before);
		expect(existsSync(join(base, "hooked"))).toBe(false);
		expect(git(project, "stash", "list")).toContain("stash@{0}");
	});
	it("may be at a path with line breaks, as may the copies of children", async () => {
		const stage = openFilesStage(join(openFolder(), "a\nb"));
		stage.write("inner/c.txt", "1\n");
		stage.repository("inner");
		stage.write("a.txt", "1\n");
		stage.write("ignored.txt", "1\n");
		stage.write(".gitignore", "ignored.txt\n");
		stage.repository(".");
		const workspace = stage.open();
		const { tree } = await value(workspace.snapshot());
		expect([...stage.entries(tree).keys()].sort()).toEqual([".gitignore", "a.txt", "inner"]);
		stage.write("a.txt", "2\n");
		const { tree: now } = await value(workspace.snapshot());
		const child = await value(workspace.openChild("child", now));
		expect(readFileSync(join(child.cwd, "a.txt"), "utf8")).toBe("2\n");
		expect(await value(workspace.restore(tree, { expected: now }))).toMatchObject({ left: [] });
		expect(stage.read("a.txt")).toBe("1\n");
	});

	it("lists only later changes in a dirty tree", async () => {
		write("b.txt", "dirty before\n");
		write("untracked.txt", "before\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("a.txt", "1\n2\n");
		expect(await changed(workspace, before)).toEqual(["M a.txt +1 -0"]);
	});
	it("lists the same changes whether the worker commits, stages, stashes, resets or switches the branch", async () => {
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("a.txt", "1\n2\n");
		write("new.txt", "n\n");
		const expected = ["M a.txt +1 -0", "A new.txt +1 -0"];
		expect(await changed(workspace, before)).toEqual(expected);
		git(project, "add", "-A");
		expect(await changed(workspace, before)).toEqual(expected);
		git(project, "commit", "-qm", "work");
		expect(await changed(workspace, before)).toEqual(expected);
		git(project, "checkout", "-q", "-b", "other");
		expect(await changed(workspace, before)).toEqual(expected);
		git(project, "reset", "-q", "--hard", "HEAD~1");
		expect(await changed(workspace, before)).toEqual([]);
		git(project, "merge", "-q", "main");
		expect(await changed(workspace, before)).toEqual(expected);
		git(project, "rm", "-q", "--cached", "new.txt");
		expect(await changed(workspace, before)).toEqual(expected);
		await value(workspace.restore(before));
		expect(existsSync(join(project, "new.txt"))).toBe(false);
		expect(git(project, "rev-parse", "--abbrev-ref", "HEAD")).toBe("other");
	});
	it("counts files that are tracked although a pattern ignores them", async () => {
		write(".gitignore", "dist/\n");
		write("dist/kept.js", "1\n");
		git(project, "add", "-f", "dist/kept.js");
		git(project, "commit", "-qm", "forced");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("dist/kept.js", "2\n");
		write("dist/other.js", "2\n");
		expect(await changed(workspace, before)).toEqual(["M dist/kept.js +1 -1"]);
	});
	it("respects the repository's own exclude file", async () => {
		appendFileSync(join(project, ".git", "info", "exclude"), "private/\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("private/x", "x");
		expect(await changed(workspace, before)).toEqual([]);
	});
	it("in a folder below the root covers that folder, or the whole repository if asked, with paths relative to the folder", async () => {
		write("packages/app/x.ts", "1\n");
		const cwd = join(project, "packages", "app");
		const narrow = open({ cwd });
		const start = (await value(narrow.snapshot())).tree;
		const workspace = open({ cwd, scope: "repository", run: "wide" });
		const before = (await value(workspace.snapshot())).tree;
		write("packages/app/x.ts", "2\n");
		write("packages/other/y.ts", "1\n");
		write("a.txt", "2\n");
		expect(await changed(narrow, start)).toEqual(["M x.ts +1 -1"]);
		expect(await changed(workspace, before)).toEqual(["M ../../a.txt +1 -1", "A ../other/y.ts +1 -0", "M x.ts +1 -1"]);
		const after = (await value(workspace.snapshot())).tree;
		expect(await value(workspace.patch(before, after, 10_000, "../other/y.ts"))).toContain("y.ts");
		expect(await value(workspace.patch(before, after, 10_000, "x.ts"))).not.toContain("y.ts");
		await value(narrow.restore(start));
		expect([read("packages/app/x.ts"), read("packages/other/y.ts"), read("a.txt")]).toEqual(["1\n", "1\n", "2\n"]);
		// A state of the whole repository, kept by an earlier version, brings back no more than the folder.
		write("packages/app/x.ts", "3\n");
		await value(narrow.restore(before)).catch(() => {});
		expect([read("packages/other/y.ts"), read("a.txt")]).toEqual(["1\n", "2\n"]);
		await value(workspace.restore(before));
		expect([read("packages/app/x.ts"), read("a.txt"), existsSync(join(project, "packages/other"))]).toEqual([
			"1\n",
			"1\n",
			false,
		]);
	});
	it("a folder that its repository ignores is treated as outside of it", async () => {
		write(".gitignore", "scratch/\n");
		write("scratch/x.txt", "1\n");
		const workspace = open({ cwd: join(project, "scratch") });
		const before = (await value(workspace.snapshot())).tree;
		write("scratch/x.txt", "2\n");
		expect(await changed(workspace, before)).toEqual(["M x.txt +1 -1"]);
	});
	it("works in a linked worktree, and with a submodule", async () => {
		const library = join(base, "library");
		mkdirSync(library);
		git(library, "init", "-q");
		writeFileSync(join(library, "l.txt"), "1\n");
		git(library, "add", "-A");
		git(library, "commit", "-qm", "lib");
		git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
		git(project, "commit", "-qm", "sub");
		git(project, "worktree", "add", "-q", join(base, "linked"));
		const linked = open({ cwd: join(base, "linked") });
		const there = (await value(linked.snapshot())).tree;
		writeFileSync(join(base, "linked", "a.txt"), "2\n");
		expect(await changed(linked, there)).toEqual(["M a.txt +1 -1"]);
		rmSync(join(sessions, "run"), { recursive: true });
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("lib/l.txt", "2\n");
		expect(await changed(workspace, before)).toEqual(["M lib"]);
	});
	it("runs nothing that the project's git configuration names: filters, monitors, textconv", async () => {
		const trap = join(base, "trapped");
		for (const [key, command] of [
			["core.fsmonitor", `touch ${trap}`],
			["filter.evil.clean", `touch ${trap}; cat`],
			["filter.evil.smudge", `touch ${trap}; cat`],
			["filter.evil.process", `touch ${trap}`],
			["diff.evil.textconv", `touch ${trap}; cat`],
			["diff.external", `touch ${trap}`],
		] as const)
			git(project, "config", key, command);
		write(".gitattributes", "* filter=evil diff=evil\n");
		const workspace = open();
		const before = (await value(workspace.snapshot())).tree;
		write("a.txt", "2\n");
		const after = (await value(workspace.snapshot())).tree;
		await value(workspace.patch(before, after, 1000));
		await value(workspace.restore(before));
		expect(existsSync(trap)).toBe(false);
	});
});

describe("without git", () => {
	it("fails with a reason and a remedy, and works once git is installed", async () => {
		write("a.txt", "1\n");
		const workspace = open();
		const { PATH } = process.env;
		process.env.PATH = join(base, "nothing");
		try {
			const kept = await workspace.snapshot();
			expect(!kept.ok && kept.failure).toMatchObject({
				reason: "no_git",
				remedy: expect.stringContaining("Install git"),
			});
			expect(existsSync(join(sessions, "run"))).toBe(false);
		} finally {
			process.env.PATH = PATH;
		}
		expect((await workspace.snapshot()).ok).toBe(true);
	});
	it("also reports a missing folder", async () => {
		const workspace = open({ cwd: join(base, "missing") });
		expect((await workspace.open()).ok).toBe(false);
		const kept = await workspace.snapshot();
		expect(!kept.ok && kept.failure.reason).toBe("io");
	});
});
