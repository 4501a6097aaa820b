// The private folder of a run is deleted, as by `git clean -fdx`, while its children have folders outside the project: what the files still have is
// found again, and no child loses anything.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Workspace } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { openChildFolders } from "../../../src/local/project/lost-folder.ts";
import { openFolder } from "../../harness/folder.ts";
import { openFilesStage, value } from "./stage.ts";

/** A run without a repository whose child has written a file; then the run's private folder is deleted. */
async function openDeleted() {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n");
	const children = join(openFolder(), "work", "run");
	const open = () => stage.open({ children });
	const { tree } = await value(open().snapshot());
	const child = await value(open().openChild("first", tree));
	writeFileSync(join(child.cwd, "mine.txt"), "mine\n");
	const { tree: made } = await value(stage.openChild(child.cwd, "first").snapshot());
	const run = dirname(stage.store);
	rmSync(run, { recursive: true });
	const folders = openChildFolders({
		...{ parent: run, leftOut: [dirname(run)], places: [children] },
		privateFolder: (name) => join(dirname(run), name),
	});
	return { stage, open, child, tree, made, run, folders };
}

describe("after the run's private folder was deleted", () => {
	it.each<[string, (workspace: Workspace, tree: string) => Promise<{ readonly ok: boolean }>]>([
		["a child begins", (workspace, tree) => workspace.openChild("second", tree)],
		["files are restored", (workspace, tree) => workspace.restore(tree)],
		["files are compared", (workspace, tree) => workspace.changes(tree, tree, 10)],
		["a patch is drawn", (workspace, tree) => workspace.patch(tree, tree, 1000)],
		["a restore is previewed", (workspace, tree) => workspace.preview(tree, 10)],
	])("%s from a snapshot that the files still are", async (_what, work) => {
		const { open, tree } = await openDeleted();
		expect(await work(open(), tree)).toMatchObject({ ok: true });
	});

	it("a snapshot that the files are no more is unknown", async () => {
		const { stage, open, tree } = await openDeleted();
		stage.write("a.txt", "2\n");
		expect(await open().openChild("second", tree)).toMatchObject({ ok: false, failure: { reason: "unknown_tree" } });
	});

	it("the files of children are merged, with what they started from", async () => {
		const { stage, open, tree, made, run } = await openDeleted();
		const second = await value(open().openChild("second", tree));
		writeFileSync(join(second.cwd, "a.txt"), "2\n");
		const { tree: changed } = await value(open().keepChild("second"));
		stage.write("a.txt", "the user's\n");
		rmSync(run, { recursive: true });
		const workspace = open();
		await value(workspace.openChild("first", tree));
		const sides = { base: tree, ours: made, theirs: changed, names: { ours: "first", theirs: "second" } };
		const merged = await value(workspace.merge(sides));
		expect(merged.conflicts).toEqual([]);
		expect([...stage.entries(merged.tree).keys()]).toEqual(["a.txt", "mine.txt"]);
	});

	it("a child is found again where it works, with its files", async () => {
		const { open, child, tree, folders } = await openDeleted();
		// What is lost would be replaced by the last recorded files.
		expect(await folders.exists("first")).toBe(true);
		expect(await value(open().openChild("first", tree))).toEqual({ ...child, isNew: false });
		expect(readFileSync(join(child.cwd, "mine.txt"), "utf8")).toBe("mine\n");
		const other = await value(open().openChild("second", tree));
		expect(dirname(dirname(other.cwd))).toBe(dirname(dirname(child.cwd)));
	});

	it("the folder of a child that was deleted too gets its last snapshot again", async () => {
		const { stage, open, child, tree, made, run, folders } = await openDeleted();
		const kept = readFileSync(join(child.cwd, "mine.txt"), "utf8");
		rmSync(join(dirname(run), "first"), { recursive: true });
		await value(open().openChild("first", tree));
		await folders.expect("first");
		expect(await folders.exists("first")).toBe(false);
		await value(stage.openChild(child.cwd, "first").snapshot());
		expect(await folders.restore("first", child.cwd, made)).toMatchObject({ ok: true });
		expect(await folders.exists("first")).toBe(true);
		expect(readFileSync(join(child.cwd, "mine.txt"), "utf8")).toBe(kept);
	});
});
