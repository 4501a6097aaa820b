// Files in the way of a rewind are saved first, completely, or the rewind stops with a list and changes nothing.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FilesStage, openFilesStage, rewind, value } from "./stage.ts";

interface Case {
	readonly what: string;
	/** The project when the visit begins. */
	readonly begin: (stage: FilesStage) => void;
	/** What the worker deleted. */
	readonly gone?: readonly string[];
	/** What the worker and the user did then. */
	readonly since: (stage: FilesStage) => void;
}

const ignore = (stage: FilesStage, ...patterns: string[]): void =>
	stage.write(".gitignore", `${patterns.join("\n")}\n`);

const kept: readonly Case[] = [
	{
		what: "an ignored file of the person",
		begin: (stage) => stage.write("settings.local", "first\n"),
		gone: ["settings.local"],
		since(stage) {
			ignore(stage, "settings.local");
			stage.write("settings.local", "the person's own\n");
		},
	},
	{
		what: "an ignored folder where a file comes back",
		begin: (stage) => stage.write("build", "a file\n"),
		gone: ["build"],
		since(stage) {
			ignore(stage, "build/");
			stage.write("build/out.js", "made\n");
			stage.write("build/deep/er/notes.txt", "mine\n");
			symlinkSync("nowhere", join(stage.root, "build/deep/link"));
		},
	},
	{
		what: "an ignored link where a file comes back",
		begin: (stage) => stage.write("config.ini", "a file\n"),
		gone: ["config.ini"],
		since(stage) {
			ignore(stage, "config.ini");
			symlinkSync("/somewhere/else", join(stage.root, "config.ini"));
		},
	},
	{
		what: "an ignored link where a folder was",
		begin: (stage) => stage.write("data/x.txt", "x\n"),
		gone: ["data"],
		since(stage) {
			ignore(stage, "data");
			stage.write("elsewhere/x.txt", "another\n");
			symlinkSync("elsewhere", join(stage.root, "data"));
		},
	},
	{
		what: "a link to the very folder that it replaced",
		begin: (stage) => stage.write("data/x.txt", "x\n"),
		since(stage) {
			ignore(stage, "data");
			spawnSync("sh", ["-c", "mv data moved && ln -s moved data && echo y > moved/x.txt"], { cwd: stage.root });
		},
	},
	{
		what: "an ignored file where a folder was",
		begin(stage) {
			stage.write("docs/a.md", "a\n");
			stage.write("docs/b/c.md", "c\n");
		},
		gone: ["docs"],
		since(stage) {
			ignore(stage, "docs");
			stage.write("docs", "a file now\n");
		},
	},
	{
		what: "an untracked file where a folder was, and a folder where a file was",
		begin(stage) {
			stage.write("one/a.txt", "a\n");
			stage.write("two", "two\n");
		},
		gone: ["one", "two"],
		since(stage) {
			stage.write("one", "file\n");
			stage.write("two/b.txt", "b\n");
		},
	},
	{
		what: "ignored files among files that are deleted",
		begin: (stage) => stage.write("keep.txt", "k\n"),
		since(stage) {
			ignore(stage, "*.log");
			stage.write("made/a.txt", "a\n");
			stage.write("made/b.log", "b\n");
		},
	},
	{
		what: "odd names",
		begin(stage) {
			stage.write("new\nline", "1\n");
			stage.write("ümläut 😀/a b", "1\n");
		},
		gone: ["new\nline", "ümläut 😀"],
		since(stage) {
			ignore(stage, "new*", "ümläut*");
			stage.write("new\nline/in it", "2\n");
			stage.write("ümläut 😀", "2\n");
		},
	},
];

describe.each([
	["a folder", () => {}],
	["a repository", (stage: FilesStage) => stage.repository(".")],
] as const)("in %s", (_, prepare) => {
	it.each(
		kept.flatMap((one) => [
			{ ...one, measured: "not measured" },
			{ ...one, measured: "measured" },
		]),
	)("a rewind saves $what, with the deletion $measured in between", async ({ begin, gone = [], since, measured }) => {
		const stage = openFilesStage();
		begin(stage);
		prepare(stage);
		const workspace = stage.open();
		const { tree } = await value(workspace.snapshot());
		const first = stage.look();
		for (const path of gone) rmSync(join(stage.root, path), { recursive: true });
		if (measured === "measured") await value(workspace.snapshot());
		since(stage);
		const second = stage.look();
		const preview = await value(workspace.preview(tree, 100));
		expect(preview).toMatchObject({ blocked: [], left: [] });
		expect(stage.look()).toEqual(second);
		const there = await rewind(workspace, tree);
		expect(there.left).toEqual([]);
		for (const [path, content] of first) expect(stage.look().get(path), path).toBe(content);
		const back = await rewind(stage.open(), there.before);
		expect(back.left).toEqual([]);
		expect(stage.look()).toEqual(second);
	});

	it.each<[string, (stage: FilesStage) => void, RegExp]>([
		["too large", (stage) => stage.write("file", "x".repeat(2000)), /file \(is too large/],
		["a repository of its own", (stage) => stage.repository("file"), /file \(is a nested repository/],
		[
			"no file",
			({ root }) => void spawnSync("sh", ["-c", "mkdir file && mkfifo file/pipe"], { cwd: root }),
			/file\/pipe \(is not a regular file/,
		],
		["secret by its name", (stage) => stage.write("file/.env", "TOKEN=1\n"), /file\/\.env \(is secret/],
	])("a rewind stops with a list if it would overwrite something that is %s", async (_what, make, listed) => {
		const stage = openFilesStage();
		stage.write("file", "small\n");
		stage.write("other", "1\n");
		prepare(stage);
		const workspace = stage.open({ limits: { fileBytes: 1000 } });
		const { tree } = await value(workspace.snapshot());
		rmSync(join(stage.root, "file"));
		await value(workspace.snapshot());
		ignore(stage, "file");
		make(stage);
		stage.write("other", "2\n");
		const before = stage.look();
		const snapshot = await workspace.snapshot({ towards: tree });
		expect(snapshot).toMatchObject({ ok: false, failure: { reason: "in_the_way" } });
		expect(!snapshot.ok && snapshot.failure.message).toMatch(listed);
		expect(await workspace.restore(tree)).toMatchObject({ ok: false, failure: { reason: "in_the_way" } });
		expect((await value(workspace.preview(tree, 10))).blocked.length).toBeGreaterThan(0);
		expect(stage.look()).toEqual(before);
	});
});

it("a rewind never writes into the folder of the runs", async () => {
	const stage = openFilesStage();
	const run = join(stage.root, ".pi", "chronicle", "run");
	stage.write("x", "1\n");
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	mkdirSync(join(run, "workers"), { recursive: true });
	stage.write(".pi/chronicle/run/workers/1.jsonl", "{}\n");
	stage.write("x", "2\n");
	await rewind(workspace, tree);
	expect(stage.read(".pi/chronicle/run/workers/1.jsonl")).toBe("{}\n");
});

it("files that change between the preview and the rewind stop it before anything is written", async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n");
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	stage.write("a.txt", "2\n");
	const { tree: before } = await value(workspace.snapshot({ towards: tree }));
	stage.write("a.txt", "3\n");
	expect(await workspace.restore(tree, { expected: before })).toMatchObject({
		ok: false,
		failure: { reason: "changed" },
	});
	expect(stage.read("a.txt")).toBe("3\n");
});
