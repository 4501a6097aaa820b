// A process that is killed while it creates a child's folder, merges or joins leaves nothing incomplete and loses nothing.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { openFolder } from "../../harness/folder.ts";
import { patient } from "../../harness/patience.ts";
import { seed } from "../../harness/runs.ts";
import { copyStage, type FilesStage, openFilesStage, value } from "./stage.ts";

const { PATH = "" } = process.env;
afterEach(() => {
	process.env.PATH = PATH;
});

const names = { ours: "one", theirs: "two" };

describe("a process that is killed at each git command that it starts", () => {
	const script = fileURLToPath(new URL("./files-process.ts", import.meta.url));

	/** Puts a `git` before the real one; the one with number `$FATAL` kills its parent, and works when the next process does. */
	function wrapGit(calls: string): void {
		const folder = openFolder();
		const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
		const fatal = `[ "$FATAL" ] && { echo x >> ${calls}; [ $(wc -l < ${calls}) = "$FATAL" ] && { kill -9 $PPID; sleep 0.1; }; }`;
		writeFileSync(join(folder, "git"), `#!/bin/sh\n${fatal}\nexec ${real} "$@"\n`);
		chmodSync(join(folder, "git"), 0o755);
		process.env.PATH = `${folder}:${PATH}`;
	}

	/** Whether the process was killed, rather than having finished before its git number `fatal`. */
	async function isKilled(stage: FilesStage, fatal: number, request: object): Promise<boolean> {
		const calls = join(openFolder(), "calls");
		wrapGit(calls);
		const child = spawn(process.execPath, [script, stage.root, dirname(stage.store), JSON.stringify(request)], {
			stdio: ["ignore", "ignore", "inherit"],
			env: { ...process.env, FATAL: String(fatal) },
		});
		await new Promise((resolve) => child.once("exit", resolve));
		process.env.PATH = PATH;
		return child.signalCode === "SIGKILL";
	}

	async function openStage() {
		const stage = openFilesStage();
		const text = Array.from({ length: 30 }, (_, n) => `${n}\n`).join("");
		stage.write("a.txt", text);
		stage.write("old.txt", text);
		stage.write("folder/b.txt", "1\n");
		stage.write("gone.txt", "1\n");
		stage.repository(".");
		const workspace = stage.open();
		const base = (await value(workspace.snapshot())).tree;
		stage.write("a.txt", `${text}of a child\n`);
		rmSync(join(stage.root, "old.txt"));
		rmSync(join(stage.root, "gone.txt"));
		rmSync(join(stage.root, "folder"), { recursive: true });
		stage.write("folder", "a file\n");
		stage.write("deep/new.txt", text);
		const theirs = (await value(workspace.snapshot())).tree;
		await value(workspace.restore(base));
		stage.write("a.txt", `of the user\n${text}`);
		stage.write("user.txt", "1\n");
		const ours = (await value(workspace.snapshot())).tree;
		return { stage, base, ours, theirs };
	}

	/** Gives a copy of the stage for each round. */
	async function openStages() {
		const { stage, ...trees } = await openStage();
		return () => ({ stage: copyStage(stage), ...trees });
	}

	/** Every second command: which half depends on the seed. */
	async function untilItFinishes(round: (fatal: number) => Promise<boolean>): Promise<number> {
		for (let fatal = 1 + (seed % 2); ; fatal += 2) if (!(await round(fatal))) return fatal;
	}

	it("has created a child's folder completely or not at all", { timeout: patient(300_000) }, async () => {
		const copy = await openStages();
		const calls = await untilItFinishes(async (fatal) => {
			const { stage, ours } = copy();
			const killed = await isKilled(stage, fatal, { kind: "openChild", child: "child", tree: ours });
			const children = join(dirname(stage.store), "children");
			const there = existsSync(join(children, "child"));
			expect(there).toBe(!killed);
			const was = stage.look();
			const opened = await value(stage.open().openChild("child", ours));
			const files = Object.fromEntries(
				[...was.keys()].map((path) => [path, readFileSync(join(opened.cwd, path), "utf8")]),
			);
			expect(files).toEqual(Object.fromEntries([...was.keys()].map((path) => [path, stage.read(path)])));
			expect(readdirSync(children).sort()).toEqual([".gitignore", "child"]);
			return killed;
		});
		expect(calls).toBeGreaterThan(8);
	});

	it("has no effect on a merge that is repeated", { timeout: patient(300_000) }, async () => {
		const copy = await openStages();
		const calls = await untilItFinishes(async (fatal) => {
			const { stage, base, ours, theirs } = copy();
			const sides = { base, ours, theirs, names };
			const was = stage.look();
			const killed = await isKilled(stage, fatal, { kind: "merge", sides });
			expect(stage.look()).toEqual(was);
			const merged = await value(stage.open().merge(sides));
			expect(merged.conflicts).toEqual([]);
			expect([...stage.entries(merged.tree).keys()]).toEqual(["a.txt", "deep/new.txt", "folder", "user.txt"]);
			return killed;
		});
		expect(calls).toBeGreaterThan(4);
	});

	it("leaves a partial join that the next one finishes", { timeout: patient(300_000) }, async () => {
		const { stage: made, base, ours, theirs } = await openStage();
		const to = (await value(made.open().merge({ base, ours, theirs, names }))).tree;
		const calls = await untilItFinishes(async (fatal) => {
			const stage = copyStage(made);
			const join = { from: ours, to, names };
			const killed = await isKilled(stage, fatal, { kind: "join", ...join });
			stage.write("meanwhile.txt", "of the user\n");
			expect(await value(stage.open().join(join))).toMatchObject({ left: [], conflicts: [] });
			expect([...stage.look().keys()].sort()).toEqual(["a.txt", "deep/new.txt", "folder", "meanwhile.txt", "user.txt"]);
			expect(stage.read("a.txt")).toMatch(/^of the user\n0\n(?:\d+\n)+of a child\n$/);
			return killed;
		});
		expect(calls).toBeGreaterThan(12);
	});
});
