// The end of children: a join loses nothing that a child has made, and a folder with files that are nowhere else stays.
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsPosix } from "../../harness/needs.ts";
import { joinChild, look, names, openCase, repository, write } from "./ending-child.ts";
import { value } from "./stage.ts";

/** What a child can make, by name; `nowhere`: no snapshot has it. */
const kinds: readonly (readonly [string, path: string, (root: string) => void, "kept" | "nowhere"])[] = [
	["a text", "new/text.txt", write("new/text.txt", "text\n"), "kept"],
	["a program", "run.sh", write("run.sh", "#!/bin/sh\n", 0o755), "kept"],
	["a link", "link", (root) => symlinkSync("a.txt", join(root, "link")), "kept"],
	["a binary file", "image.bin", write("image.bin", Buffer.from([0, 255, 0, 1])), "kept"],
	["a large file", "deep/large.bin", write("deep/large.bin", "x".repeat(2000)), "nowhere"],
	["a large program", "large.sh", write("large.sh", "x".repeat(2000), 0o755), "nowhere"],
	["a large private file", "private.bin", write("private.bin", "x".repeat(2000), 0o600), "nowhere"],
	["a file with a secret name", ".env.local", write(".env.local", "KEY=1\n", 0o600), "nowhere"],
	["a key", "certs/server.pem", write("certs/server.pem", "key\n"), "nowhere"],
	["a repository", "lib", (root) => repository(join(root, "lib")), "nowhere"],
	["a repository in a new folder", "vendor/x/lib", (root) => repository(join(root, "vendor/x/lib")), "nowhere"],
];

describe("what a child has made", needsPosix, () => {
	it("is in the project after the join, with its permissions, and nothing of the folder is left", async () => {
		const made = await openCase();
		for (const [, , make] of kinds) make(made.child.root);
		const expected = look(made.child.root);
		const { left, conflicts, kept } = await joinChild(made);
		expect({ left, conflicts, kept }).toEqual({ left: [], conflicts: [], kept: [] });
		for (const [path, text] of Object.entries(expected))
			expect([path, look(made.stage.root)[path]]).toEqual([path, text]);
		expect(await value(made.parent.removeChildren([]))).toEqual([]);
		expect(readdirSync(made.work)).toEqual([]);
	});

	it.each(["ended without a join", "dropped while it waited"])(
		"is not removed where it is nowhere else: %s",
		async (end) => {
			const made = await openCase();
			for (const [, , make] of kinds) make(made.child.root);
			const expected = look(made.child.root);
			if (end === "ended without a join") await value(made.parent.endChild("child"));
			const [kept, ...more] = await value(made.parent.removeChildren([]));
			expect(more).toEqual([]);
			expect(kept?.files.map(({ path }) => path).sort()).toEqual(
				kinds
					.filter(([, , , where]) => where === "nowhere")
					.map(([, path]) => path)
					.sort(),
			);
			expect(look(kept?.path ?? "")).toEqual(expected);
			// Asked again, the answer is the same.
			expect(await value(made.parent.removeChildren([]))).toEqual([kept]);
		},
	);

	it("is removed where a snapshot has all of it", async () => {
		const made = await openCase();
		for (const [, , make, where] of kinds) if (where === "kept") make(made.child.root);
		await value(made.parent.endChild("child"));
		expect(await value(made.parent.removeChildren([]))).toEqual([]);
		expect(existsSync(made.child.root)).toBe(false);
	});

	it.each(kinds.filter(([, , , where]) => where === "nowhere"))(
		"stays in its folder if something is in the way in the project: %s",
		async (_, path, make) => {
			const made = await openCase();
			make(made.child.root);
			write(path, "of the user\n".repeat(path === "lib" ? 1 : 200))(made.stage.root);
			const before = look(made.stage.root);
			const { kept } = await joinChild(made, { take: "theirs" });
			expect(kept).toMatchObject([{ child: "child", path: made.child.root, files: [{ path }] }]);
			expect(look(made.stage.root)).toMatchObject(before);
			expect(await value(made.parent.removeChildren([]))).toMatchObject([{ files: [{ path }] }]);
		},
	);

	it("has its empty folders, and its folders their permissions, after the join and in the copy", async () => {
		const made = await openCase((stage) => {
			stage.write("private/a.txt", "a\n");
			chmodSync(join(stage.root, "private"), 0o700);
		});
		const { root } = made.child;
		const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
		expect(modeOf(join(root, "private"))).toBe("700");
		for (const path of ["empty/deep", "dist/empty", "closed"]) mkdirSync(join(root, path), { recursive: true });
		write("closed/b.txt", "b\n")(root);
		chmodSync(join(root, "closed"), 0o750);
		await joinChild(made);
		expect(readdirSync(join(made.stage.root, "empty/deep"))).toEqual([]);
		expect([existsSync(join(made.stage.root, "dist")), modeOf(join(made.stage.root, "closed"))]).toEqual([
			false,
			"750",
		]);
		const { tree } = await value(made.parent.snapshot());
		rmSync(join(made.stage.root, "private"), { recursive: true });
		await value(made.parent.restore(tree));
		expect(modeOf(join(made.stage.root, "private"))).toBe("700");
	});

	it("is joined once, if the join is repeated after a crash", async () => {
		const made = await openCase();
		for (const [, , make] of kinds) make(made.child.root);
		await joinChild(made);
		// The folder has not been told.
		rmSync(join(dirname(made.child.root), "rest.json"));
		expect((await joinChild(made)).kept).toEqual([]);
	});
});

describe("ignored files of a child", () => {
	it("are named with their size, but not those of `link` and `setup`", async () => {
		const made = await openCase();
		write("node_modules/x/index.js", "x\n")(made.child.root);
		await value(made.parent.noteSetUp("child"));
		expect((await value(made.parent.endChild("child"))).ignored).toBeUndefined();
		write("dist/out.js", "x".repeat(3000))(made.child.root);
		write("node_modules/y/index.js", "y\n")(made.child.root);
		expect((await value(made.parent.endChild("child"))).ignored).toBe("ignored, not joined: dist/ (1 file, 3 kB)");
	});

	it("are joined where `keep` names them, over those that the project has", async () => {
		const made = await openCase((stage) => stage.write("dist/old.js", "old\n"));
		const keep = ["dist/**"];
		const { tree: base } = await value(made.parent.snapshot({ keep }));
		const child = await value(made.parent.openChild("two", base));
		expect(readFileSync(join(child.cwd, "dist/old.js"), "utf8")).toBe("old\n");
		write("dist/old.js", "new\n")(child.cwd);
		write("dist/deep/new.js", "new\n")(child.cwd);
		write("node_modules/x.js", "x\n")(child.cwd);
		const ended = await value(made.stage.openChild(child.cwd, "two").snapshot({ keep }));
		expect((await value(made.parent.endChild("two", ended))).ignored).toBe(
			"ignored, not joined: node_modules/ (1 file, 2 B)",
		);
		const { tree: before } = await value(made.parent.snapshot({ keep }));
		const merged = await value(made.parent.merge({ base, ours: before, theirs: ended.tree, names }));
		expect(merged.conflicts).toEqual([]);
		await value(made.parent.join({ from: before, to: merged.tree, names }));
		expect([made.stage.read("dist/old.js"), made.stage.read("dist/deep/new.js")]).toEqual(["new\n", "new\n"]);
	});
});
