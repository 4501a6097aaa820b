// Merges of snapshots: every kind of conflict is named and can be resolved, nothing that is not named is lost, and neither the user's settings nor
// the project's attributes have an effect.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConflictKind, MergedFiles } from "@pi-chronicle/core/ports";
import { afterEach, describe, expect, it } from "vitest";
import { sampled } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { type FilesStage, openFilesStage, value } from "./stage.ts";

/** A file's text; `null`: none; otherwise what it is instead of a plain file. */
type Entry =
	| string
	| Buffer
	| null
	| { readonly link: string }
	| { readonly program: string }
	| { readonly repository: string };
type Side = Readonly<Record<string, Entry>>;

const names = { ours: "child one", theirs: "child two" };
const long = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join("");

function put(stage: FilesStage, side: Side): void {
	for (const [path, entry] of Object.entries(side)) {
		const place = join(stage.root, path);
		rmSync(place, { recursive: true, force: true });
		if (entry === null) continue;
		mkdirSync(dirname(place), { recursive: true });
		if (typeof entry === "string" || Buffer.isBuffer(entry)) writeFileSync(place, entry);
		else if ("link" in entry) symlinkSync(entry.link, place);
		else if ("program" in entry) {
			writeFileSync(place, entry.program);
			chmodSync(place, 0o755);
		} else {
			stage.write(`${path}/file`, entry.repository);
			stage.repository(path);
		}
	}
}

/** Three snapshots: the sides are written over the base one after the other. */
async function openSides(base: Side, ours: Side, theirs: Side, options: object = {}) {
	const stage = openFilesStage();
	const workspace = stage.open(options);
	const keep = async (side: Side): Promise<string> => {
		for (const path of new Set([...stage.look().keys(), ...[base, ours, theirs].flatMap((one) => Object.keys(one))]))
			rmSync(join(stage.root, path), { recursive: true, force: true });
		put(stage, base);
		put(stage, side);
		return (await value(workspace.snapshot())).tree;
	};
	const trees = { base: await keep({}), ours: await keep(ours), theirs: await keep(theirs) };
	return { stage, workspace, sides: { ...trees, names } };
}

/** The files of a tree: mode and text, by path. */
function filesOf(stage: FilesStage, tree: string): Record<string, string> {
	const env = { ...process.env, GIT_DIR: stage.store };
	const show = (...args: string[]) => spawnSync("git", args, { env, encoding: "latin1" }).stdout;
	const entries = show("ls-tree", "-r", "-z", tree).split("\0").filter(Boolean);
	return Object.fromEntries(
		entries.map((line): [string, string] => {
			const [mode = "", , object = ""] = line.split(/[ \t]/, 3);
			return [line.slice(line.indexOf("\t") + 1), `${mode} ${show("cat-file", "blob", object)}`];
		}),
	);
}

const table: [string, ConflictKind, Side, Side, Side][] = [
	["lines", "content", { "a.txt": "1\n2\n3\n" }, { "a.txt": "1\nO\n3\n" }, { "a.txt": "1\nT\n3\n" }],
	["two new files", "add/add", {}, { "a.txt": "ours\n" }, { "a.txt": "theirs\n" }],
	["an edit and a deletion", "modify/delete", { "a.txt": "1\n" }, { "a.txt": "2\n" }, { "a.txt": null }],
	["a deletion and an edit", "modify/delete", { "a.txt": "1\n" }, { "a.txt": null }, { "a.txt": "2\n" }],
	["a rename and a deletion", "rename/delete", { "a.txt": long }, { "a.txt": null, "b.txt": long }, { "a.txt": null }],
	[
		"two renames",
		"rename/rename",
		{ "a.txt": long },
		{ "a.txt": null, "b.txt": long },
		{ "a.txt": null, "c.txt": long },
	],
	[
		"two files renamed to one name",
		"add/add",
		{ "a.txt": long, "b.txt": long.toUpperCase() },
		{ "a.txt": null, "c.txt": long },
		{ "b.txt": null, "c.txt": long.toUpperCase() },
	],
	["a file and a folder", "file/folder", { a: "1\n" }, { a: "2\n" }, { a: null, "a/b": "other\n" }],
	["a new file and a new folder", "file/folder", {}, { "a/b": "1\n" }, { a: "2\n" }],
	["no text", "binary", { a: Buffer.from("a\0b") }, { a: Buffer.from("a\0o") }, { a: Buffer.from("a\0t") }],
	["permissions", "mode", {}, { a: { program: "1\n" } }, { a: "1\n" }],
	["links", "link", { a: { link: "x" } }, { a: { link: "y" } }, { a: { link: "z" } }],
	["a link and a file", "link", { a: "1\n" }, { a: { link: "y" } }, { a: "2\n" }],
	["a repository", "repository", {}, { a: { repository: "1\n" } }, { a: { repository: "2\n" } }],
	["a file that is not kept any more", "unkept", { a: "1\n" }, { a: "x".repeat(900) }, { a: "2\n" }],
];

describe.each(sampled(table))("a conflict over %s", needsPosix, (_, kind, base, ours, theirs) => {
	const limits = { fileBytes: 500 };

	it("is named, and all other changes are merged", async () => {
		const { stage, workspace, sides } = await openSides(
			{ ...base, "both.txt": "a\n".repeat(9) },
			{ ...ours, "both.txt": `ours\n${"a\n".repeat(9)}`, "o.txt": "o\n" },
			{ ...theirs, "both.txt": `${"a\n".repeat(9)}theirs\n`, "t.txt": "t\n" },
			{ limits },
		);
		const merged = await value(workspace.merge(sides));
		expect(merged.conflicts).toMatchObject([{ kind, why: expect.stringMatching(/child (one|two)/) }]);
		const [conflict] = merged.conflicts;
		expect(conflict?.paths).toContain(conflict?.path);
		const files = filesOf(stage, merged.tree);
		expect(files["both.txt"]).toBe(`100644 ours\n${"a\n".repeat(9)}theirs\n`);
		expect([files["o.txt"], files["t.txt"]]).toEqual(["100644 o\n", "100644 t\n"]);
		expect(Object.keys(files).filter((path) => /[0-9a-f]{40}/.test(path))).toEqual([]);
		expect(await value(workspace.merge(sides))).toEqual(merged);
	});

	it("can be resolved with either side", async () => {
		const { stage, workspace, sides } = await openSides(base, ours, theirs, { limits });
		for (const take of ["ours", "theirs"] as const) {
			const settled = await value(workspace.merge(sides, { take }));
			expect(settled.conflicts).toEqual([]);
			const wanted = filesOf(stage, sides[take]);
			const { conflicts } = await value(workspace.merge(sides));
			const got = filesOf(stage, settled.tree);
			for (const path of conflicts.flatMap(({ paths }) => paths)) expect(got[path]).toBe(wanted[path]);
			expect(Object.keys(got).filter((path) => path.includes("~"))).toEqual([]);
			const one = new Map([[conflicts[0]?.paths.at(-1) ?? "", take]]);
			expect(await value(workspace.merge(sides, { take: one }))).toEqual(settled);
		}
	});
});

describe("a conflict of lines", () => {
	it("is marked with the names of the sides and the base, and returned as hunks", async () => {
		const { stage, workspace, sides } = await openSides(
			{ "ü b.txt": `${long}1\n${long}`, "other.txt": "1\n" },
			{ "ü b.txt": `${long}O\n${long}` },
			{ "ü b.txt": `${long}T\n${long}`, "other.txt": "2\n" },
		);
		const merged = await value(workspace.merge({ ...sides, names: { ours: "ü one", theirs: "two\nlines" } }));
		const marked = "<<<<<<< ü one\nO\n||||||| base\n1\n=======\nT\n>>>>>>> two lines\n";
		await value(workspace.restore(merged.tree));
		expect(stage.read("ü b.txt")).toBe(`${long}${marked}${long}`);
		expect(merged.conflicts).toEqual([
			{
				path: "ü b.txt",
				paths: ["ü b.txt"],
				kind: "content",
				why: "ü one and two\nlines changed the same lines",
				hunks: `@@ line 18 @@\nline 17\nline 18\nline 19\n${marked}line 0\nline 1\nline 2\n`,
			},
		]);
	});

	it("has bounded hunks, regardless of the number and size of conflicts", async () => {
		const side = (text: string): Side =>
			Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}.txt`, `${text.repeat(3000)}\n`]));
		const { workspace, sides } = await openSides(side("a"), side("b"), side("ü"));
		const { conflicts } = await value(workspace.merge(sides));
		expect(conflicts).toHaveLength(40);
		const sizes = conflicts.map(({ hunks }) => Buffer.byteLength(hunks));
		expect(Math.max(...sizes)).toBeLessThanOrEqual(4000);
		expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(64_000);
		expect(conflicts.some(({ hunks }) => hunks.includes("\ufffd"))).toBe(false);
	});

	it("in a file that already contains markers keeps those", async () => {
		const own = "<<<<<<< mine\n||||||| 0123456\n=======\n>>>>>>> 0123456789012345678901234567890123456789\n";
		const { stage, workspace, sides } = await openSides(
			{ "a.txt": `${own}1\n` },
			{ "a.txt": `${own}O\n` },
			{ "a.txt": `${own}T\n` },
		);
		const { tree } = await value(workspace.merge(sides));
		expect(filesOf(stage, tree)["a.txt"]).toContain(own);
	});
});

describe("neither settings nor attributes change a merge", () => {
	const before = process.env.GIT_CONFIG_GLOBAL;
	afterEach(() => {
		if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL;
		else process.env.GIT_CONFIG_GLOBAL = before;
	});

	const merge = async (hostile: boolean): Promise<[MergedFiles, Record<string, string>]> => {
		const { stage, workspace, sides } = await openSides(
			{ "a.txt": "1\n2\n3\r\n", "b.txt": `${long}$Id$\n` },
			{ "a.txt": "1\nO\n3\r\n", "b.txt": `ours\n${long}$Id$\n` },
			{ "a.txt": "1\nT\n3\r\n", "b.txt": `${long}$Id$\ntheirs\n` },
		);
		if (hostile) {
			const home = openFolder();
			const driver = `[merge "evil"]\n\tdriver = touch ${home}/ran\n`;
			writeFileSync(
				join(home, "config"),
				`[core]\n\tautocrlf = true\n[merge]\n\tdefault = evil\n\tconflictStyle = merge\n${driver}`,
			);
			process.env.GIT_CONFIG_GLOBAL = join(home, "config");
			stage.repository(".");
			stage.git(".", "config", "merge.evil.driver", `touch ${home}/ran`);
			stage.git(".", "config", "merge.renames", "false");
			writeFileSync(join(stage.root, ".git", "info", "attributes"), "* merge=evil\n");
			stage.write(
				".gitattributes",
				"* text eol=crlf ident merge=ours conflict-marker-size=20\na.txt merge=union\nb.txt binary\n",
			);
			const merged = await value(stage.open().merge(sides));
			expect(spawnSync("ls", [home], { encoding: "utf8" }).stdout).toBe("config\n");
			return [merged, filesOf(stage, merged.tree)];
		}
		const merged = await value(workspace.merge(sides));
		return [merged, filesOf(stage, merged.tree)];
	};

	it("of the user, the repository or the project", async () => {
		expect(await merge(true)).toEqual(await merge(false));
	});
});

describe("a merge", () => {
	it("follows a file that one side renamed and the other edited", async () => {
		const { stage, workspace, sides } = await openSides(
			{ "a.txt": long },
			{ "a.txt": null, "deep/b.txt": long },
			{ "a.txt": `${long}more\n` },
		);
		const { tree, conflicts } = await value(workspace.merge(sides));
		expect(conflicts).toEqual([]);
		expect(filesOf(stage, tree)).toEqual({ "deep/b.txt": `100644 ${long}more\n` });
	});

	it.each([
		["snapshot", ""],
		["folder", "in"],
		["file", "in/o.txt"],
	])("has all files of a side whose %s only the user's repository has", async (_, path) => {
		const { stage, sides } = await openSides({ "in/a.txt": "1\n" }, { "in/o.txt": "o\n" }, { "in/t.txt": "t\n" });
		stage.repository(".");
		const name = stage.git(".", `--git-dir=${stage.store}`, "rev-parse", `${sides.ours}:${path}`);
		const object = join("objects", name.slice(0, 2), name.slice(2));
		mkdirSync(dirname(join(stage.root, ".git", object)), { recursive: true });
		renameSync(join(stage.store, object), join(stage.root, ".git", object));
		const { tree, conflicts } = await value(stage.open().merge(sides));
		expect(conflicts).toEqual([]);
		expect(stage.git(".", `--git-dir=${stage.store}`, "ls-tree", "-r", "--name-only", tree).split("\n")).toEqual([
			"in/a.txt",
			"in/o.txt",
			"in/t.txt",
		]);
	});

	it("changes no file, no index and no ref of the user's", async () => {
		const { stage, workspace, sides } = await openSides({ "a.txt": "1\n" }, { "a.txt": "2\n" }, { "a.txt": "3\n" });
		stage.repository(".");
		const was = stage.look();
		const head = stage.git(".", "rev-parse", "HEAD");
		const index = stage.git(".", "ls-files", "--stage");
		await value(workspace.merge(sides));
		expect(stage.look()).toEqual(was);
		expect([stage.git(".", "rev-parse", "HEAD"), stage.git(".", "ls-files", "--stage")]).toEqual([head, index]);
		expect(stage.git(".", "status", "--porcelain", "--", "a.txt")).toBe("");
	});

	it.each(["2.37.9", "2.30.2.windows.1", "1.9.0"])("needs a newer git than %s, and reports that", async (version) => {
		const { stage, sides } = await openSides({ "a.txt": "1\n" }, { "a.txt": "2\n" }, { "b.txt": "3\n" });
		const folder = openFolder();
		const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
		// Its `merge-tree` takes three trees.
		const script = `for word; do case $word in\nversion) echo git version ${version}; exit 0;;\nmerge-tree) echo "usage: git merge-tree <base-tree> <branch1> <branch2>" >&2; exit 129;;\nesac; done\nexec ${real} "$@"\n`;
		writeFileSync(join(folder, "git"), `#!/bin/sh\n${script}`);
		chmodSync(join(folder, "git"), 0o755);
		const { PATH } = process.env;
		process.env.PATH = `${folder}:${PATH}`;
		try {
			expect(await stage.open().merge(sides)).toEqual({
				ok: false,
				failure: {
					reason: "old_git",
					message: `Files cannot be merged: git is version ${version}, but merges need 2.38 or newer.`,
					remedy: "Install a newer git.",
				},
			});
		} finally {
			process.env.PATH = PATH;
		}
	});

	it.each<[string, Side]>([
		["without conflicts", { "b.txt": "now\n" }],
		["with a conflict", { "a.txt": "now\n" }],
	])("is the same again in a workspace that only reads the snapshots, %s", async (_, now) => {
		const { stage, workspace, sides } = await openSides({ "a.txt": "base\n" }, { "a.txt": "earlier\n" }, now);
		const turned = { ...sides, ours: sides.theirs, theirs: sides.ours };
		const merged = await value(workspace.merge(turned));
		const reader = stage.open({ folder: openFolder(), alternate: dirname(stage.store) });
		// It has the current files itself, and sees the rest in the other store.
		expect((await value(reader.snapshot())).tree).toBe(turned.ours);
		expect(await value(reader.merge(turned))).toEqual(merged);
	});
});
