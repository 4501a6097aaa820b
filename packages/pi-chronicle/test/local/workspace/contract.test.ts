// The contract of every workspace, run against each implementation. Only git's handles links, modes, ignored files and the user's repository: see
// git-workspace.test.ts.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Workspace } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { openSharedWorkspace } from "../../../src/local/remote/index.ts";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { sampled } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/folder.ts";
import { openCopiedWorkspace } from "../supervisor/copied-workspace.ts";
import { value } from "./stage.ts";

const withGit = (cwd: string): Workspace =>
	openGitWorkspace({ cwd, folder: join(cwd, ".pi", "run"), leftOut: [join(cwd, ".pi")] });

const makes: [string, (cwd: string) => Workspace][] = [
	["git in a folder", withGit],
	[
		"git in a repository",
		(cwd) => {
			spawnSync("git", ["init", "-q"], { cwd });
			return withGit(cwd);
		},
	],
	[
		"git refs of a remote",
		(cwd) => {
			const remote = join(openFolder(), "shared.git");
			spawnSync("git", ["init", "-q", "--bare", remote]);
			spawnSync("git", ["init", "-q"], { cwd });
			const own = join(cwd, ".pi");
			return openSharedWorkspace({ run: randomUUID(), remote, cwd, folder: join(own, "run"), leftOut: [own] });
		},
	],
	["copies in memory", openCopiedWorkspace],
];

describe.each(sampled(makes))("a workspace of %s", (_, open) => {
	const stage = () => {
		const cwd = openFolder();
		const workspace = open(cwd);
		return {
			cwd,
			workspace,
			keep: async () => (await value(workspace.snapshot())).tree,
			write(path: string, text: string) {
				mkdirSync(dirname(join(cwd, path)), { recursive: true });
				writeFileSync(join(cwd, path), text);
			},
			read: (path: string) => readFileSync(join(cwd, path), "utf8"),
			remove: (path: string) => rmSync(join(cwd, path)),
		};
	};
	it("gives an attempt its working folder, or the reason why it is missing", async () => {
		const { workspace, cwd } = stage();
		expect(await value(workspace.open())).toEqual({ cwd });
		rmSync(cwd, { recursive: true });
		expect(await workspace.open()).toMatchObject({
			ok: false,
			failure: { reason: "io", message: expect.stringContaining(cwd), remedy: expect.stringMatching(/\w/) },
		});
	});
	it("gives equal files equal ids and different files different ids, also an empty folder", async () => {
		const { keep, write, remove } = stage();
		const empty = await keep();
		expect(await keep()).toBe(empty);
		write("a.txt", "1\n");
		const one = await keep();
		expect(one).not.toBe(empty);
		write("a.txt", "2\n");
		expect(await keep()).not.toBe(one);
		write("a.txt", "1\n");
		expect(await keep()).toBe(one);
		remove("a.txt");
		expect(await keep()).toBe(empty);
	});
	it("lists what differs between two snapshots, sorted and limited, with the rest counted", async () => {
		const { workspace, keep, write, remove } = stage();
		write("b.txt", "1\n");
		write("gone.txt", "1\n2\n");
		const from = await keep();
		write("b.txt", "one\ntwo\n");
		write("a/new.txt", "x\n");
		remove("gone.txt");
		const to = await keep();
		expect(await value(workspace.changes(from, to, 10))).toMatchObject({
			changes: [
				{ path: "a/new.txt", change: "A", added: 1, removed: 0 },
				{ path: "b.txt", change: "M", added: 2, removed: 1 },
				{ path: "gone.txt", change: "D", added: 0, removed: 2 },
			],
			more: 0,
			total: { files: 3, added: 3, removed: 3 },
		});
		expect(await value(workspace.changes(from, to, 1))).toMatchObject({ changes: [{ path: "a/new.txt" }], more: 2 });
		expect(await value(workspace.changes(to, to, 10))).toMatchObject({ changes: [], more: 0 });
		expect(await value(workspace.changes(to, from, 10))).toMatchObject({
			changes: [{ change: "D" }, { change: "M" }, { change: "A" }],
		});
	});
	it("shows the diff, of one file if asked, within a limit", async () => {
		const { workspace, keep, write } = stage();
		const from = await keep();
		write("a.txt", "alpha\n");
		write("b.txt", "beta\n");
		const to = await keep();
		const all = await value(workspace.patch(from, to, 10_000));
		expect(all).toContain("+alpha");
		expect(all).toContain("+beta");
		expect(await value(workspace.patch(from, to, 10_000, "b.txt"))).not.toContain("alpha");
		expect(Buffer.byteLength(await value(workspace.patch(from, to, 12)))).toBeLessThanOrEqual(12);
	});
	it("restores files to any snapshot, and forward again", async () => {
		const { workspace, cwd, keep, write, read, remove } = stage();
		write("a.txt", "first\n");
		write("deep/er/b.txt", "first\n");
		const first = await keep();
		write("a.txt", "second\n");
		write("new.txt", "second\n");
		remove("deep/er/b.txt");
		const second = await keep();
		await value(workspace.restore(first));
		expect([read("a.txt"), read("deep/er/b.txt"), existsSync(join(cwd, "new.txt"))]).toEqual([
			"first\n",
			"first\n",
			false,
		]);
		expect(await keep()).toBe(first);
		await value(workspace.restore(second));
		expect([read("a.txt"), read("new.txt"), existsSync(join(cwd, "deep/er/b.txt"))]).toEqual([
			"second\n",
			"second\n",
			false,
		]);
		await value(workspace.restore(second));
		expect(await keep()).toBe(second);
	});
	it("reports an unknown snapshot, and changes nothing", async () => {
		const { workspace, keep, write, read } = stage();
		write("a.txt", "mine\n");
		const known = await keep();
		const strange = "e".repeat(40);
		for (const result of [
			await workspace.changes(known, strange, 10),
			await workspace.patch(strange, known, 1000),
			await workspace.restore(strange),
		])
			expect(result).toMatchObject({
				ok: false,
				failure: { reason: "unknown_tree", remedy: expect.stringMatching(/\w/) },
			});
		expect(read("a.txt")).toBe("mine\n");
	});
	it("runs concurrent operations one after another", async () => {
		const { workspace, keep, write } = stage();
		write("a.txt", "1\n");
		const first = await keep();
		write("a.txt", "2\n");
		const [one, other, changes, restored] = await Promise.all([
			workspace.snapshot(),
			workspace.snapshot(),
			workspace.changes(first, first, 10),
			workspace.restore(first),
		]);
		expect(one).toEqual(other);
		expect([changes.ok, restored.ok]).toEqual([true, true]);
		expect(await keep()).toBe(first);
	});
	it("gives each child a folder of its own with the files of a snapshot, once", async () => {
		const { workspace, keep, write, read } = stage();
		write("a/b.txt", "first\n");
		const tree = await keep();
		write("a/b.txt", "second\n");
		const child = await value(workspace.openChild("run-1", tree));
		expect(child).toMatchObject({ tree, notes: [] });
		expect(readFileSync(join(child.cwd, "a/b.txt"), "utf8")).toBe("first\n");
		writeFileSync(join(child.cwd, "a/b.txt"), "of the child\n");
		expect(await value(workspace.openChild("run-1", tree))).toEqual({ ...child, isNew: false });
		expect(readFileSync(join(child.cwd, "a/b.txt"), "utf8")).toBe("of the child\n");
		const other = await value(workspace.openChild("run-2", tree));
		expect(other.cwd).not.toBe(child.cwd);
		expect(read("a/b.txt")).toBe("second\n");
		await value(workspace.removeChildren(["run-2"]));
		await value(workspace.removeChildren(["run-2"]));
		expect([existsSync(child.cwd), existsSync(other.cwd)]).toEqual([false, true]);
		expect(await workspace.openChild("run-3", "e".repeat(40))).toMatchObject({
			ok: false,
			failure: { reason: "unknown_tree" },
		});
	});
	it("takes snapshots of a child's folder without writing to it", async () => {
		const { workspace, keep, write } = stage();
		write("a.txt", "1\n");
		const { cwd, tree } = await value(workspace.openChild("run-1", await keep()));
		expect((await value(workspace.keepChild("run-1"))).tree).toBe(tree);
		const before = readdirSync(cwd);
		writeFileSync(join(cwd, "b.txt"), "2\n");
		const kept = await value(workspace.keepChild("run-1"));
		expect(await value(workspace.changes(tree, kept.tree, 10))).toMatchObject({
			changes: [{ path: "b.txt", change: "A" }],
			more: 0,
		});
		expect(readdirSync(cwd)).toEqual([...before, "b.txt"].sort());
		expect((await workspace.keepChild("run-2")).ok).toBe(false);
	});
	it("merges the changes of two children; what both changed is a conflict that either side resolves", async () => {
		const { workspace, cwd, keep, write, remove } = stage();
		write("both.txt", "base\n");
		write("gone.txt", "base\n");
		const base = await keep();
		write("both.txt", "ours\n");
		write("ours.txt", "1\n");
		const ours = await keep();
		remove("ours.txt");
		write("both.txt", "theirs\n");
		write("theirs.txt", "2\n");
		remove("gone.txt");
		const theirs = await keep();
		const sides = { base, ours, theirs, names: { ours: "one", theirs: "two" } };
		const merged = await value(workspace.merge(sides));
		expect(merged.conflicts).toMatchObject([
			{ path: "both.txt", paths: ["both.txt"], kind: "content", why: expect.stringContaining("one and two") },
		]);
		for (const take of ["ours", "theirs"] as const) {
			const settled = await value(workspace.merge(sides, { take: new Map([["both.txt", take]]) }));
			expect(settled.conflicts).toEqual([]);
			expect(await value(workspace.merge(sides, { take }))).toEqual(settled);
			await value(workspace.restore(settled.tree));
			const at = (path: string) => (existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), "utf8") : undefined);
			expect(["both.txt", "ours.txt", "theirs.txt", "gone.txt"].map(at)).toEqual([
				`${take}\n`,
				"1\n",
				"2\n",
				undefined,
			]);
		}
		expect(await workspace.merge({ ...sides, theirs: "e".repeat(40) })).toMatchObject({
			ok: false,
			failure: { reason: "unknown_tree" },
		});
	});
	it("joins a snapshot into the files, keeps what changed meanwhile, and may be repeated", async () => {
		const { workspace, keep, write, read } = stage();
		write("a.txt", "1\n");
		write("b.txt", "1\n");
		const from = await keep();
		write("b.txt", "2\n");
		const to = await keep();
		await value(workspace.restore(from));
		write("a.txt", "of the person\n");
		const names = { ours: "you", theirs: "the children" };
		for (let times = 0; times < 2; times += 1) {
			const joined = await value(workspace.join({ from, to, names }));
			expect(joined).toMatchObject({ left: [], conflicts: [] });
			expect(joined.tree).toBe(await keep());
			expect([read("a.txt"), read("b.txt")]).toEqual(["of the person\n", "2\n"]);
		}
	});
	it("joins nothing if that conflicts with what changed meanwhile", async () => {
		const { workspace, keep, write, read } = stage();
		write("a.txt", "1\n");
		const from = await keep();
		write("a.txt", "2\n");
		write("new.txt", "2\n");
		const to = await keep();
		await value(workspace.restore(from));
		write("a.txt", "of the person\n");
		const joined = await value(workspace.join({ from, to, names: { ours: "you", theirs: "the children" } }));
		expect(joined.conflicts).toMatchObject([{ path: "a.txt", kind: "content" }]);
		expect(joined.tree).toBe(await keep());
		expect(read("a.txt")).toBe("of the person\n");
	});
});
