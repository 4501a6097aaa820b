import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { type FilesStage, openFilesStage, value } from "./stage.ts";
import { unwrapGit, wrapGit } from "./wrapped-git.ts";

const names = { ours: "you", theirs: "the children" };
/** Takes the snapshots before and after `change`, and undoes it. */
async function openChange(stage: FilesStage, change: () => void) {
	const workspace = stage.open();
	const from = (await value(workspace.snapshot())).tree;
	change();
	const to = (await value(workspace.snapshot())).tree;
	await value(workspace.restore(from));
	return { workspace, from, to };
}

it("keeps what the user staged, edited, added and ignores, byte for byte", async () => {
	const stage = openFilesStage();
	for (const name of ["staged", "edited", "removed", "child"]) stage.write(`${name}.txt`, "1\n2\n3\n4\n5\n");
	stage.write(".gitignore", "ignored/\n");
	stage.repository(".");
	const { workspace, from, to } = await openChange(stage, () => {
		stage.write("child.txt", "of a child\n");
		stage.write("edited.txt", "1\n2\n3\n4\nof a child\n");
		stage.write("new/of a child.txt", "new\n");
	});
	stage.write("staged.txt", "staged\n");
	stage.git(".", "add", "staged.txt");
	stage.write("staged.txt", "edited after\n");
	stage.write("edited.txt", "of the user\n2\n3\n4\n5\n");
	stage.write("untracked.txt", "untracked\n");
	stage.write("ignored/a.txt", "ignored\n");
	rmSync(join(stage.root, "removed.txt"));
	const staged = stage.git(".", "ls-files", "--stage");
	const head = stage.git(".", "rev-parse", "HEAD");
	for (let times = 0; times < 2; times += 1) {
		expect(await value(workspace.join({ from, to, names }))).toMatchObject({ left: [], conflicts: [] });
		expect(Object.fromEntries([...stage.look().keys()].map((path) => [path, stage.read(path)]))).toEqual({
			".gitignore": "ignored/\n",
			"child.txt": "of a child\n",
			"edited.txt": "of the user\n2\n3\n4\nof a child\n",
			"ignored/a.txt": "ignored\n",
			"new/of a child.txt": "new\n",
			"staged.txt": "edited after\n",
			"untracked.txt": "untracked\n",
		});
		expect([stage.git(".", "ls-files", "--stage"), stage.git(".", "rev-parse", "HEAD")]).toEqual([staged, head]);
	}
});

describe("a user's file at the path of a new file is a conflict, and nothing is written", () => {
	it.each<[string, (stage: FilesStage) => void]>([
		["an untracked file", (stage) => stage.write("new.txt", "of the user\n")],
		["an ignored file", (stage) => stage.write("new.txt", "of the user\n")],
		["an ignored folder", (stage) => stage.write("new.txt/file", "of the user\n")],
		["a link", (stage) => symlinkSync("/nowhere", join(stage.root, "new.txt"))],
	])("%s", needsPosix, async (kind, put) => {
		const stage = openFilesStage();
		stage.write(".gitignore", kind.includes("ignored") ? "/new.txt\n" : "");
		stage.write("a.txt", "1\n");
		const { workspace, from, to } = await openChange(stage, () => {
			stage.write(".gitignore", "");
			stage.write("a.txt", "2\n");
			stage.write("new.txt", "of a child\n");
		});
		rmSync(join(stage.root, "new.txt"), { force: true });
		put(stage);
		const was = stage.look();
		const joined = await value(workspace.join({ from, to, names }));
		expect(joined.conflicts.map(({ path }) => path)).toEqual(["new.txt"]);
		expect(stage.look()).toEqual(was);
	});

	it("a secret file is not overwritten either", async () => {
		const stage = openFilesStage();
		const { from } = await openChange(stage, () => {});
		const { workspace, to } = await openChange(stage, () => stage.write(".env/file", "of a child\n"));
		stage.write(".env", "TOKEN=1\n");
		const was = stage.look();
		const joined = await workspace.join({ from, to, names });
		expect(joined.ok && joined.value.conflicts.length === 0 && joined.value.left.length === 0).toBe(false);
		expect(stage.look()).toEqual(was);
	});
});

deepIt("scans again the files that are edited while it joins", async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n2\n3\n");
	stage.write("b.txt", "1\n");
	const { workspace, from, to } = await openChange(stage, () => {
		stage.write("a.txt", "1\n2\nof a child\n");
	});
	const once = join(openFolder(), "once");
	// Right before the files are written.
	wrapGit(
		`case "$*" in *read-tree*-m*-u*) mkdir ${once} && printf 'of the user\\n2\\n3\\n' > ${stage.root}/a.txt;; esac`,
	);
	expect(await value(workspace.join({ from, to, names }))).toMatchObject({ conflicts: [] });
	expect(stage.read("a.txt")).toBe("of the user\n2\nof a child\n");
});

it("gives up if the files keep changing, and loses nothing", async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n2\n3\n");
	const { workspace, from, to } = await openChange(stage, () => stage.write("a.txt", "1\n2\nof a child\n"));
	wrapGit(`case "$*" in *read-tree*-m*-u*) echo x >> ${stage.root}/new.txt; echo y > ${stage.root}/a.txt;; esac`);
	const joined = await workspace.join({ from, to, names });
	unwrapGit();
	if (joined.ok) expect(joined.value.conflicts).not.toEqual([]);
	else expect(joined.failure.reason).toBe("changed");
	expect(stage.read("a.txt")).toBe("y\n");
});

it("finishes a rename of which only the deletion was done", async () => {
	const stage = openFilesStage();
	stage.write("old.txt", "1\n".repeat(30));
	const { workspace, from, to } = await openChange(stage, () => {
		mkdirSync(join(stage.root, "deep"));
		rmSync(join(stage.root, "old.txt"));
		stage.write("deep/new.txt", `${"1\n".repeat(30)}2\n`);
	});
	rmSync(join(stage.root, "old.txt"));
	expect(await value(workspace.join({ from, to, names }))).toMatchObject({ conflicts: [], left: [] });
	expect([...stage.look().keys()]).toEqual(["deep/new.txt"]);
});

it.each<[string, (stage: FilesStage) => void]>(
	sampled([
		["gone", (stage) => rmSync(join(stage.root, "a.txt"))],
		["empty", (stage) => stage.write("a.txt", "")],
		["cut short", (stage) => stage.write("a.txt", "of the user\n2\n3\n4\n5\nof")],
	]),
)("finishes a file that was interrupted by a kill and that is %s now", async (_, leave) => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n2\n3\n4\n5\n6\n");
	stage.write("b.txt", "1\n");
	const { workspace, from, to } = await openChange(stage, () => {
		stage.write("a.txt", "1\n2\n3\n4\n5\nof a child\n");
	});
	stage.write("a.txt", "of the user\n2\n3\n4\n5\n6\n");
	wrapGit(`case "$*" in *read-tree*-m*-u*) exit 1;; esac`);
	expect(await workspace.join({ from, to, names })).toMatchObject({ ok: false, failure: { reason: "io" } });
	unwrapGit();
	leave(stage);
	rmSync(join(stage.root, "b.txt"));
	expect(await value(stage.open().join({ from, to, names }))).toMatchObject({ conflicts: [] });
	expect([...stage.look().keys()]).toEqual(["a.txt"]);
	expect(stage.read("a.txt")).toBe("of the user\n2\n3\n4\n5\nof a child\n");
	// From now on it is the user's again.
	leave(stage);
	expect((await value(stage.open().join({ from, to, names }))).conflicts).toMatchObject([{ path: "a.txt" }]);
});

it("joins several children one after the other, with what the user changed meanwhile", async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
	const workspace = stage.open();
	const { tree: base } = await value(workspace.snapshot());
	let merged = base;
	for (const [line, name] of [
		["2", "one"],
		["5", "two"],
		["8", "three"],
	] as const) {
		await value(workspace.restore(base));
		stage.write("a.txt", stage.read("a.txt").replace(line, name));
		stage.write(`${name}.txt`, name);
		const { tree } = await value(workspace.snapshot());
		const next = await value(workspace.merge({ base, ours: merged, theirs: tree, names }));
		expect(next.conflicts).toEqual([]);
		merged = next.tree;
	}
	await value(workspace.restore(base));
	stage.write("user.txt", "user");
	const { tree: from } = await value(workspace.snapshot());
	const { tree: to } = await value(workspace.merge({ base, ours: from, theirs: merged, names }));
	await value(workspace.join({ from, to, names }));
	expect([...stage.look().keys()]).toEqual(["a.txt", "one.txt", "three.txt", "two.txt", "user.txt"]);
	expect(stage.read("a.txt")).toBe("1\none\n3\n4\ntwo\n6\n7\nthree\n9\n");
});
