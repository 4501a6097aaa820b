// The files of child runs: folders made from a snapshot, and the merge of what children changed.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Workspace } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { wrapGit } from "./wrapped-git.ts";

interface Place {
	readonly cwd: string;
	readonly folder: string;
	readonly workspace: Workspace;
	write(path: string, text: string): void;
}

function openPlace(repository: boolean): Place {
	const cwd = openFolder();
	const folder = join(cwd, ".pi", "chronicle", "sessions", "run");
	const git = (...args: string[]) => spawnSync("git", args, { cwd, env: { ...process.env, HOME: cwd } });
	if (repository) git("init", "-q");
	const write = (path: string, text: string): void => {
		mkdirSync(dirname(join(cwd, path)), { recursive: true });
		writeFileSync(join(cwd, path), text);
	};
	return { cwd, folder, write, workspace: openGitWorkspace({ cwd, folder, leftOut: [join(cwd, ".pi", "chronicle")] }) };
}

async function value<T>(
	result: Promise<{ ok: true; value: T } | { ok: false; failure: { message: string } }>,
): Promise<T> {
	const done = await result;
	if (!done.ok) throw new Error(done.failure.message);
	return done.value;
}

/** The workspace of child `id`, as its own run opens it. */
function childWorkspace({ folder }: Place, cwd: string, id: string): Workspace {
	return openGitWorkspace({ cwd, folder: join(dirname(folder), id), leftOut: [], childOf: folder });
}

const lines = (...all: string[]): string => `${all.join("\n")}\n`;

describe.each([["in a repository", true] as const, ["without a repository", false] as const])("%s", (_, repository) => {
	it("creates a folder with the files and a separate repository, and leaves an existing one unchanged", async () => {
		const place = openPlace(repository);
		place.write("a.txt", "1\n");
		place.write("deep/b.txt", "2\n");
		const { tree } = await value(place.workspace.snapshot());
		const made = await value(place.workspace.openChild("c1", tree));
		expect(made).toMatchObject({ tree, notes: [] });
		expect(readFileSync(join(made.cwd, "deep/b.txt"), "utf8")).toBe("2\n");
		const top = spawnSync("git", ["rev-parse", "--show-toplevel"], { cwd: made.cwd, encoding: "utf8" }).stdout.trim();
		expect(top.startsWith(place.folder)).toBe(true);
		const status = spawnSync("git", ["status", "--porcelain"], { cwd: made.cwd, encoding: "utf8" });
		expect([status.stdout, status.status]).toEqual(["", 0]);
		writeFileSync(join(made.cwd, "a.txt"), "changed\n");
		expect(await value(place.workspace.openChild("c1", tree))).toEqual({ ...made, isNew: false });
		expect(readFileSync(join(made.cwd, "a.txt"), "utf8")).toBe("changed\n");
		await place.workspace.removeChildren([]);
		expect(existsSync(join(place.folder, "children", "c1"))).toBe(false);
	});

	it("merges the changes of two children with the user's, and writes the result to the folder", async () => {
		const place = openPlace(repository);
		place.write("same.txt", lines("1", "2", "3", "4", "5", "6", "7", "8"));
		place.write("gone.txt", "x\n");
		const { tree: base } = await value(place.workspace.snapshot());
		const results: string[] = [];
		for (const [id, edit] of [
			["c1", (cwd: string) => writeFileSync(join(cwd, "same.txt"), lines("one", "2", "3", "4", "5", "6", "7", "8"))],
			["c2", (cwd: string) => writeFileSync(join(cwd, "new.txt"), "new\n")],
		] as const) {
			const { cwd } = await value(place.workspace.openChild(id, base));
			edit(cwd);
			results.push((await value(childWorkspace(place, cwd, id).snapshot())).tree);
		}
		place.write("same.txt", lines("1", "2", "3", "4", "5", "6", "7", "eight"));
		place.write("mine.txt", "mine\n");
		const { tree: before } = await value(place.workspace.snapshot());
		let ours = before;
		for (const theirs of results) {
			const merged = await value(
				place.workspace.merge({ base, ours, theirs, names: { ours: "your files", theirs: "c" } }),
			);
			expect(merged.conflicts).toEqual([]);
			ours = merged.tree;
		}
		await value(place.workspace.restore(ours, { expected: before }));
		expect(readFileSync(join(place.cwd, "same.txt"), "utf8")).toBe(lines("one", "2", "3", "4", "5", "6", "7", "eight"));
		expect(["new.txt", "mine.txt", "gone.txt"].map((name) => existsSync(join(place.cwd, name)))).toEqual([
			true,
			true,
			true,
		]);
	});
});

interface Side {
	readonly files?: Readonly<Record<string, string>>;
	readonly removed?: readonly string[];
}

describe("conflicts", () => {
	const before = { "a.txt": lines("1", "2", "3"), "dir/b.txt": "b\n", bin: "\0one" };

	it.each<[string, Side, Side, string, string]>([
		["the same lines", { files: { "a.txt": "ours\n" } }, { files: { "a.txt": "theirs\n" } }, "a.txt", "content"],
		["a file that both add", { files: { "n.txt": "1\n" } }, { files: { "n.txt": "2\n" } }, "n.txt", "add/add"],
		["a change of a removed file", { removed: ["a.txt"] }, { files: { "a.txt": "x\n" } }, "a.txt", "modify/delete"],
		["binary files", { files: { bin: "\0two" } }, { files: { bin: "\0three" } }, "bin", "binary"],
		[
			"a file at the path of the other's folder",
			{ files: { "dir/b.txt": "changed\n" } },
			{ removed: ["dir/b.txt"], files: { dir: "file\n" } },
			"dir",
			"file",
		],
	])("names %s with its kind, and uses the requested side", async (_, one, other, path, kind) => {
		const place = openPlace(false);
		for (const [name, text] of Object.entries(before)) place.write(name, text);
		const { tree: base } = await value(place.workspace.snapshot());
		const sides: string[] = [];
		for (const [index, side] of [one, other].entries()) {
			const { cwd } = await value(place.workspace.openChild(`c${index}`, base));
			for (const name of side.removed ?? []) spawnSync("rm", ["-r", name], { cwd });
			if (side.removed?.includes("dir/b.txt")) spawnSync("rm", ["-rf", "dir"], { cwd });
			for (const [name, text] of Object.entries(side.files ?? {})) writeFileSync(join(cwd, name), text);
			sides.push((await value(childWorkspace(place, cwd, `c${index}`).snapshot())).tree);
		}
		const [ours = "", theirs = ""] = sides;
		const trees = { base, ours, theirs, names: { ours: "first child", theirs: "second child" } };
		const merged = await value(place.workspace.merge(trees));
		expect(merged.conflicts.map((conflict) => conflict.path).join(" ")).toContain(path);
		expect(merged.conflicts.map((conflict) => conflict.kind).join(" ")).toContain(kind);
		const taken = await value(place.workspace.merge(trees, { take: "theirs" }));
		expect(taken.conflicts).toEqual([]);
		const { cwd } = await value(place.workspace.openChild("result", taken.tree));
		for (const [name, text] of Object.entries(other.files ?? {}))
			expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
	});

	it("labels the markers with the names of the sides, and detects remaining ones", async () => {
		const place = openPlace(false);
		place.write("a.txt", "1\n");
		const { tree: base } = await value(place.workspace.snapshot());
		place.write("a.txt", "ours\n");
		const { tree: ours } = await value(place.workspace.snapshot());
		place.write("a.txt", "theirs\n");
		const { tree: theirs } = await value(place.workspace.snapshot());
		const names = { ours: "your files", theirs: "build 2: fix the parser" };
		const merged = await value(place.workspace.merge({ base, ours, theirs, names }));
		const { cwd } = await value(place.workspace.openChild("hand", merged.tree));
		const text = readFileSync(join(cwd, "a.txt"), "utf8");
		expect(text).toMatch(
			/^<<<<<<< your files\nours\n(?:\|{7} .*\n1\n)?=======\ntheirs\n>>>>>>> build 2: fix the parser\n$/,
		);
		expect(await value(place.workspace.conflictMarkers(merged.tree, ["a.txt", "none.txt"]))).toEqual(["a.txt"]);
		writeFileSync(join(cwd, "a.txt"), "both\n");
		const kept = await value(place.workspace.keepChild("hand"));
		expect(await value(place.workspace.conflictMarkers(kept.tree, ["a.txt"]))).toEqual([]);
		expect(await place.workspace.conflictMarkers("1".repeat(40), ["a.txt"])).toMatchObject({
			failure: { reason: "unknown_tree" },
		});
	});
});

describe("ignored paths in a child's folder", () => {
	it("are copied if requested; missing and outside ones are refused, and none is in the result", async () => {
		const place = openPlace(true);
		place.write(".gitignore", "node_modules\n.env\n");
		place.write("a.txt", "1\n");
		place.write("node_modules/x/index.js", "x\n");
		place.write(".env", "KEY=1\n");
		const { tree } = await value(place.workspace.snapshot());
		const made = await value(place.workspace.openChild("c1", tree, { links: ["node_modules", ".env"] }));
		expect(readFileSync(join(made.cwd, "node_modules/x/index.js"), "utf8")).toBe("x\n");
		expect(readFileSync(join(made.cwd, ".env"), "utf8")).toBe("KEY=1\n");
		const absent = await place.workspace.openChild("c2", tree, { links: ["absent"] });
		expect(absent).toMatchObject({ ok: false, failure: { message: expect.stringContaining("absent") } });
		const outside = await place.workspace.openChild("c2", tree, { links: ["../outside"] });
		expect(outside).toMatchObject({ ok: false, failure: { message: expect.stringContaining("../outside") } });
		expect((await value(childWorkspace(place, made.cwd, "c1").snapshot())).tree).toBe(tree);
	});

	it("work below the root of a repository", async () => {
		const place = openPlace(true);
		place.write("sub/a.txt", "1\n");
		const cwd = join(place.cwd, "sub");
		const workspace = openGitWorkspace({ cwd, folder: place.folder, leftOut: [] });
		const { tree } = await value(workspace.snapshot());
		const made = await value(workspace.openChild("c1", tree));
		expect(readdirSync(made.cwd)).toEqual(["a.txt"]);
		writeFileSync(join(made.cwd, "a.txt"), "2\n");
		const { tree: changed } = await value(childWorkspace(place, made.cwd, "c1").snapshot());
		expect((await value(workspace.changes(tree, changed, 10))).changes).toMatchObject([{ path: "a.txt", change: "M" }]);
	});
});

it("is asked of each store whether it has a snapshot, whatever another has answered", async () => {
	const [one, other] = [openPlace(false), openPlace(false)];
	one.write("a.txt", "1\n");
	const { tree: from } = await value(one.workspace.snapshot());
	one.write("a.txt", randomUUID());
	const { tree } = await value(one.workspace.snapshot());
	for (const start of [from, tree]) {
		expect(await one.workspace.changes(start, tree, 10)).toMatchObject({ ok: true });
		expect(await other.workspace.changes(start, tree, 10)).toMatchObject({ failure: { reason: "unknown_tree" } });
	}
	rmSync(one.folder, { recursive: true });
	expect(await one.workspace.changes(from, from, 10)).toMatchObject({ ok: false });
});

describe("the repository in a child's folder", () => {
	it("costs few processes, from the folder's start to its end", async () => {
		const place = openPlace(true);
		// What changes from one tree to another is known if a test has asked before.
		place.write("a.txt", randomUUID());
		const { tree } = await value(place.workspace.snapshot());
		const log = join(openFolder(), "log");
		wrapGit(`echo "$@" >> ${log}`);
		const calls = (): number => readFileSync(log, "utf8").split("\n").length - 1;
		const { cwd } = await value(place.workspace.openChild("c1", tree));
		const made = calls();
		const child = childWorkspace(place, cwd, "c1");
		await value(child.snapshot());
		const begun = calls();
		writeFileSync(join(cwd, "b.txt"), "2\n");
		const ended = await value(child.snapshot());
		await value(child.changes(tree, ended.tree, 10));
		await value(place.workspace.endChild("c1", ended));
		await value(place.workspace.changes(tree, ended.tree, 10));
		expect([made, begun - made, calls() - begun]).toEqual([6, 5, 6]);
	});

	it("leaves its files to a damaged index made again, also those that are ignored", async () => {
		const place = openPlace(true);
		place.write(".gitignore", "dist/\n");
		place.write("dist/kept.js", "1\n");
		spawnSync("git", ["add", "-f", "dist/kept.js"], { cwd: place.cwd });
		const { tree } = await value(place.workspace.snapshot());
		const { cwd } = await value(place.workspace.openChild("c1", tree));
		const child = childWorkspace(place, cwd, "c1");
		await value(child.snapshot());
		writeFileSync(join(place.folder, "..", "c1", "files", "index"), "damaged");
		writeFileSync(join(cwd, "a.txt"), "1\n");
		const { tree: now } = await value(child.snapshot());
		expect((await value(place.workspace.changes(tree, now, 10))).changes).toMatchObject([{ path: "a.txt" }]);
	});

	it("decides what is part of the files, when its worker adds an ignored file to it", async () => {
		const place = openPlace(true);
		place.write(".gitignore", "dist/\n");
		const { tree } = await value(place.workspace.snapshot());
		const { cwd } = await value(place.workspace.openChild("c1", tree));
		mkdirSync(join(cwd, "dist"));
		writeFileSync(join(cwd, "dist", "kept.js"), "1\n");
		expect((await value(place.workspace.keepChild("c1"))).tree).toBe(tree);
		spawnSync("git", ["add", "-f", "dist/kept.js"], { cwd });
		const { tree: now } = await value(childWorkspace(place, cwd, "c1").snapshot());
		expect((await value(place.workspace.changes(tree, now, 10))).changes).toMatchObject([{ path: "dist/kept.js" }]);
	});
});
