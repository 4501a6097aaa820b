// Recovery of the store from stale locks, killed children and incomplete or broken stores; every operation ends when aborted.
import { type ChildProcess, spawn } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { openFolder } from "../../harness/folder.ts";
import { patient, within } from "../../harness/patience.ts";
import { copyStage, type FilesStage, openFilesStage, rewind, value } from "./stage.ts";
import { unwrapGit, wrapGit } from "./wrapped-git.ts";

it.each(["index.lock", "HEAD.lock", "config.lock", "index.goal", "index.goal.lock", "index.probe.lock"])(
	"a stale %s blocks nothing, also while the store is open",
	async (lock) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const workspace = stage.open();
		const { tree } = await value(workspace.snapshot());
		stage.write("a.txt", "2\n");
		writeFileSync(join(stage.store, lock), "");
		const second = await value(workspace.snapshot());
		expect(second.tree).not.toBe(tree);
		writeFileSync(join(stage.store, lock), "");
		await rewind(workspace, tree);
		writeFileSync(join(stage.store, lock), "");
		expect((await value(stage.open().snapshot())).tree).toBe(tree);
	},
);

it("a git that is killed is retried, and no file is blamed", async () => {
	const stage = openFilesStage();
	for (let n = 0; n < 50; n += 1) stage.write(`f${n}.txt`, `${n}\n`);
	const expected = (await value(stage.open().snapshot())).tree;
	rmSync(stage.store, { recursive: true });
	const count = join(openFolder(), "count");
	wrapGit(
		`case "$*" in *update-index*--add*--stdin*) echo x >> ${count}; [ $(wc -l < ${count}) = 1 ] && { touch ${stage.store}/index.lock; kill -9 $$; };; esac`,
	);
	const kept = await value(stage.open().snapshot());
	expect(kept).toEqual({ tree: expected, unkept: [], notes: [] });
	expect(readFileSync(count, "utf8").length).toBeLessThan(10);
});

it("a git that fails every time is a failure with its reason, after a few tries", async () => {
	const stage = openFilesStage();
	for (let n = 0; n < 2000; n += 1) stage.write(`f${n}.txt`, `${n}\n`);
	const count = join(openFolder(), "count");
	wrapGit(`case "$*" in *update-index*--add*--stdin*) echo x >> ${count}; kill -9 $$;; esac`);
	const kept = await stage.open().snapshot();
	expect(kept).toMatchObject({ ok: false, failure: { reason: "io", message: expect.stringContaining("SIGKILL") } });
	expect(readFileSync(count, "utf8").length).toBeLessThan(20);
	unwrapGit();
	expect((await value(stage.open().snapshot())).unkept).toEqual([]);
});

describe("every operation ends when it is aborted", () => {
	it("an abort ends a hanging git within 3 s, and the next operation works", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		wrapGit(`case "$*" in *ls-files*--others*) exec sleep 60;; esac`);
		const workspace = stage.open();
		const control = new AbortController();
		const began = Date.now();
		setTimeout(() => control.abort(), 300);
		const kept = await workspace.snapshot({ signal: control.signal });
		expect(kept).toMatchObject({ ok: false, failure: { reason: "stopped" } });
		expect(Date.now() - began).toBeLessThan(within(3000));
		unwrapGit();
		expect((await workspace.snapshot()).ok).toBe(true);
	});
	it("an operation beyond its time limit fails with that reason", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		wrapGit(`case "$*" in *ls-files*--others*) exec sleep 60;; esac`);
		const kept = await stage.open({ limits: { measureMs: 400 } }).snapshot();
		expect(kept).toMatchObject({ ok: false, failure: { reason: "timed_out" } });
	});
	it("a queued operation that is aborted does not start", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const workspace = stage.open();
		const control = new AbortController();
		const first = workspace.snapshot();
		const second = workspace.snapshot({ signal: control.signal });
		control.abort();
		expect((await first).ok).toBe(true);
		expect(await second).toMatchObject({ ok: false, failure: { reason: "stopped" } });
	});
});

describe("a broken store is replaced", () => {
	it.each<[string, (store: string) => void, "said" | "silent"]>([
		["an init that was killed at once", (store) => mkdirSync(store, { recursive: true }), "silent"],
		[
			"an init that was killed over its configuration",
			(store) => {
				mkdirSync(join(store, "refs"), { recursive: true });
				writeFileSync(join(store, "config.lock"), "");
				writeFileSync(join(store, "HEAD.lock"), "");
			},
			"silent",
		],
		[
			"an init that left HEAD alone",
			(store) => {
				mkdirSync(store, { recursive: true });
				writeFileSync(join(store, "HEAD"), "ref: refs/heads/master\n");
			},
			"silent",
		],
		[
			"an empty HEAD",
			(store) => {
				mkdirSync(join(store, "objects"), { recursive: true });
				mkdirSync(join(store, "refs"));
				writeFileSync(join(store, "HEAD"), "");
			},
			"silent",
		],
		[
			"an empty HEAD beside objects",
			(store) => {
				mkdirSync(join(store, "objects", "00"), { recursive: true });
				writeFileSync(join(store, "objects", "00", "1".repeat(38)), "");
				mkdirSync(join(store, "refs"));
				writeFileSync(join(store, "HEAD"), "");
			},
			"said",
		],
	])("after %s", async (_, leave, word) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		leave(stage.store);
		const kept = await value(stage.open().snapshot());
		if (word === "said")
			expect(kept.notes.join()).toMatch(/moved aside to .*files\.broken-\d+, and a new one was created/);
		else {
			expect(kept.notes).toEqual([]);
			expect(readdirSync(dirname(stage.store))).toEqual(["files"]);
		}
		stage.write("a.txt", "2\n");
		await rewind(stage.open(), kept.tree);
		expect(stage.read("a.txt")).toBe("1\n");
	});

	it.each<[string, (store: string) => void]>([
		["its configuration is garbage", (store) => writeFileSync(join(store, "config"), "\0\0[[[")],
		[
			"its configuration is empty and HEAD is gone",
			(store) => {
				truncateSync(join(store, "config"));
				rmSync(join(store, "HEAD"));
			},
		],
		["HEAD is zeros", (store) => writeFileSync(join(store, "HEAD"), Buffer.alloc(40))],
	])("when %s, and earlier snapshots can still be restored", async (_, damage) => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const { tree } = await value(stage.open().snapshot());
		stage.write("a.txt", "2\n");
		damage(stage.store);
		const workspace = stage.open();
		await rewind(workspace, tree);
		expect(stage.read("a.txt")).toBe("1\n");
		// Once more, from another process' view: the set-aside objects stay within reach.
		stage.write("a.txt", "3\n");
		await rewind(stage.open(), tree);
		expect(stage.read("a.txt")).toBe("1\n");
	});
});

it("a store that is replaced while it is open still stores files without filters", async () => {
	const stage = openFilesStage();
	stage.write(".gitattributes", "* text eol=lf\n");
	stage.write("a.txt", "1\n");
	const workspace = stage.open();
	await value(workspace.snapshot());
	stage.write("a.txt", "2\r\n");
	writeFileSync(join(stage.store, "HEAD"), "");
	const { tree, notes } = await value(workspace.snapshot());
	expect(notes.join()).toContain("moved aside");
	stage.write("a.txt", "3\n");
	await rewind(workspace, tree);
	expect(stage.read("a.txt")).toBe("2\r\n");
});

describe("a process that is killed in the middle", () => {
	const script = fileURLToPath(new URL("./rewind-process.ts", import.meta.url));
	const children: ChildProcess[] = [];
	afterEach(() => {
		for (const child of children.splice(0)) child.kill("SIGKILL");
	});

	it.each([0, 30, 80, 150, 250, 400])(
		"after %i ms loses nothing, and the next process finishes the work",
		async (ms) => {
			const stage = openFilesStage();
			for (let n = 0; n < 300; n += 1) stage.write(`d${n % 7}/f${n}.txt`, `first ${n}\n`);
			const { tree } = await value(stage.open().snapshot());
			const first = stage.look();
			for (let n = 0; n < 300; n += 2) stage.write(`d${n % 7}/f${n}.txt`, `second ${n}\n`);
			rmSync(join(stage.root, "d3"), { recursive: true });
			stage.write("d3", "a file\n");
			const second = stage.look();
			const { tree: before } = await value(stage.open().snapshot({ towards: tree }));
			const child = spawn(process.execPath, [script, stage.root, dirname(stage.store), tree, before], {
				stdio: ["ignore", "pipe", "inherit"],
			});
			children.push(child);
			await new Promise((resolve) => child.stdout?.once("data", resolve));
			await wait(ms);
			child.kill("SIGKILL");
			// Whatever git it leaves behind is ended before the files are looked at.
			const workspace = stage.open();
			await rewind(workspace, tree);
			expect(stage.look()).toEqual(first);
			await rewind(workspace, before);
			expect(stage.look()).toEqual(second);
		},
	);

	it("leaves behind a git, which the next process kills", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		await value(stage.open().snapshot());
		const orphan = spawn("git", [`--git-dir=${stage.store}`, "update-index", "--index-info"], {
			cwd: stage.root,
			stdio: ["pipe", "ignore", "ignore"],
		});
		children.push(orphan);
		const ended = new Promise((resolve) => orphan.once("exit", (_, signal) => resolve(signal)));
		stage.write("a.txt", "2\n");
		await value(stage.open().snapshot());
		expect(await ended).toMatch(/^SIG(TERM|KILL)$/);
	});

	it("leaves alone a git that works on another store", async () => {
		const stage = openFilesStage();
		const other = spawn("git", [`--git-dir=${stage.store}-other`, "cat-file", "--batch"], { cwd: stage.root });
		children.push(other);
		stage.write("a.txt", "1\n");
		await value(stage.open().snapshot());
		await value(stage.open().snapshot());
		expect(other.signalCode).toBeNull();
	});

	it("right after it started git, which runs late, loses nothing either", { timeout: patient(120_000) }, async () => {
		const calls = join(openFolder(), "calls");
		// The git with number $FATAL ends its supervisor, and works when the next one does.
		const script = `[ "$FATAL" ] && { echo x >> ${calls}; [ $(wc -l < ${calls}) = "$FATAL" ] && { kill -9 $PPID; sleep 0.2; }; }`;
		const made = openFilesStage();
		made.write("a/one.txt", "first\n");
		symlinkSync("a", join(made.root, "b"));
		const { tree } = await value(made.open().snapshot());
		const first = made.look();
		rmSync(join(made.root, "b"));
		made.write("b/.gitignore", "/ignored\n");
		made.write("b/ignored", "second\n");
		const second = made.look();
		const { tree: before } = await value(made.open().snapshot({ towards: tree }));
		let fatal = 1;
		for (let killed = true; killed; fatal += 1) {
			const stage = copyStage(made);
			rmSync(calls, { force: true });
			wrapGit(script);
			killed = await killedBy(String(fatal), stage, tree, before);
			unwrapGit();
			const workspace = stage.open();
			await rewind(workspace, tree);
			expect(stage.look()).toEqual(first);
			await rewind(workspace, before);
			expect(stage.look()).toEqual(second);
		}
		expect(fatal).toBeGreaterThan(10);
	});

	/** Restores in a process whose git with the number `fatal` kills it; whether it came so far. */
	async function killedBy(fatal: string, stage: FilesStage, tree: string, before: string): Promise<boolean> {
		const child = spawn(process.execPath, [script, stage.root, dirname(stage.store), tree, before], {
			stdio: "ignore",
			env: { ...process.env, FATAL: fatal },
		});
		children.push(child);
		await new Promise((resolve) => child.once("exit", resolve));
		return child.signalCode === "SIGKILL";
	}

	it("during the replacement of a broken store loses no earlier snapshot", async () => {
		const stage = openFilesStage();
		stage.write("a.txt", "1\n");
		const { tree } = await value(stage.open().snapshot());
		stage.write("a.txt", "2\n");
		renameSync(stage.store, `${stage.store}.broken-1`);
		await rewind(stage.open(), tree);
		expect(stage.read("a.txt")).toBe("1\n");
	});
});

it("inspects again a file that changes before it is saved", async () => {
	const stage = openFilesStage();
	stage.write("a/file", "a\n");
	symlinkSync("a", join(stage.root, "b"));
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	rmSync(join(stage.root, "b"));
	stage.write("b/.gitignore", "/file\n");
	stage.write("b/file", "ignored\n");
	await value(workspace.snapshot());
	const once = join(openFolder(), "once");
	wrapGit(
		`case "$*" in *update-index*--remove*--stdin*) mkdir ${once} && { cd ${stage.root} && rm -r b && ln -s a b; };; esac`,
	);
	expect((await value(workspace.snapshot({ towards: tree }))).tree).toBe(tree);
	expect(existsSync(once)).toBe(true);
});

it("an operation leaves only the store in the run's folder", async () => {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n");
	await value(stage.open().snapshot());
	expect(readdirSync(dirname(stage.store))).toEqual(["files"]);
	expect(existsSync(join(stage.store, "index.lock"))).toBe(false);
});
