// The objects of the user's repository: a run reads them, and changes neither them nor their times, by which git and backups decide.
import { lstatSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { openFilesStage, value } from "./stage.ts";

function times(root: string): Record<string, number> {
	const names = readdirSync(root, { recursive: true }).map(String).sort();
	return Object.fromEntries(names.map((name) => [name, lstatSync(join(root, name)).mtimeMs]));
}

/** Number of loose objects of a store. */
function looseObjects(store: string): number {
	const folders = readdirSync(join(store, "objects")).filter((name) => name.length === 2);
	return folders.reduce((sum, name) => sum + readdirSync(join(store, "objects", name)).length, 0);
}

it("the user's repository is unchanged by snapshots, children, merges, joins and rewinds", needsPosix, async () => {
	const stage = openFilesStage();
	const paths = Array.from({ length: 600 }, (_, index) => `src/${index % 20}/${index}.txt`);
	for (const path of paths) stage.write(path, `${path}\n`);
	stage.write(".gitignore", ".pi/\n");
	stage.git("", "init", "-q");
	stage.git("", "add", "-A");
	stage.git("", "commit", "-qm", "packed");
	stage.git("", "gc", "-q");
	stage.write("loose.txt", "loose\n");
	stage.git("", "add", "-A");
	stage.git("", "commit", "-qm", "loose");
	const repository = join(stage.root, ".git");
	for (const name of readdirSync(repository, { recursive: true }).map(String))
		utimesSync(join(repository, name), 1_500_000_000, 1_500_000_000);
	utimesSync(repository, 1_500_000_000, 1_500_000_000);
	const before = times(repository);

	// More files are new than the repository has, and some are again what they were.
	stage.write("new.txt", "new\n");
	const children = join(openFolder(), "work");
	const parent = stage.open({ children });
	const first = await value(parent.snapshot());
	stage.write("src/0/0.txt", "changed\n");
	rmSync(join(stage.root, "src/1"), { recursive: true });
	const second = await value(parent.snapshot());
	stage.write("src/0/0.txt", "src/0/0.txt\n");
	stage.write("copy.txt", "loose\n");
	const third = await value(parent.snapshot());
	const child = await value(parent.openChild("child", first.tree));
	rmSync(join(child.cwd, "src/2"), { recursive: true });
	const ended = await value(stage.openChild(child.cwd).snapshot());
	const names = { ours: "yours", theirs: "theirs" };
	const merged = await value(parent.merge({ base: first.tree, ours: third.tree, theirs: ended.tree, names }));
	expect(merged.conflicts).toEqual([]);
	await value(parent.join({ from: third.tree, to: merged.tree, names }));
	await value(parent.restore(first.tree));
	await value(parent.restore(second.tree));

	expect(times(repository)).toEqual(before);
	expect(lstatSync(repository).mtimeMs).toBe(1_500_000_000_000);
	// The contents of the repository are in the store as a pack, not as copies one by one.
	expect(looseObjects(stage.store)).toBeLessThan(100);
	// They are all there.
	rmSync(join(repository, "objects"), { recursive: true });
	expect((await value(stage.open({ children }).changes(first.tree, second.tree, 100))).total.files).toBe(31);
});
