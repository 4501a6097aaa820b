// Merges of random trees: disjoint edits give their union, no line of either side is lost unless its path is named as a conflict, and a process that
// is killed over a child's folder, a merge or a join leaves nothing half-made and loses nothing.
import { spawn, spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openFolder } from "../../../harness/folder.ts";
import { patient } from "../../../harness/patience.ts";
import { runs } from "../../../harness/runs.ts";
import { type FilesStage, openFilesStage, value } from "./stage.ts";

const { PATH = "" } = process.env;
afterEach(() => {
	process.env.PATH = PATH;
});

const names = { ours: "one", theirs: "two" };
const parts = fc.constantFrom("a", "b", "ü 😀", "new\nline", "-dash", 'quo"te', "x.txt");
const paths = fc.array(parts, { minLength: 1, maxLength: 3 }).map((list) => list.join("/"));

type Edit =
	| { readonly kind: "write" | "binary"; readonly path: string; readonly line: number; readonly text: string }
	| { readonly kind: "remove" | "program" | "link"; readonly path: string }
	| { readonly kind: "move"; readonly path: string; readonly to: string };

const edit: fc.Arbitrary<Edit> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constantFrom("write" as const, "write" as const, "write" as const, "binary" as const),
			path: paths,
			line: fc.integer({ min: 0, max: 11 }),
			text: fc.string({ minLength: 1, maxLength: 4 }).map((text) => text.replace(/[\r\n]/g, "")),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constantFrom("remove" as const, "program" as const, "link" as const),
			path: paths,
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), path: paths, to: paths }) },
);

/** Makes the edit with whatever is in its way removed. `tag` makes the lines of a side its own. */
function perform(stage: FilesStage, one: Edit, tag: string): void {
	const place = join(stage.root, one.path);
	const stats = lstatSync(place, { throwIfNoEntry: false });
	if (one.kind === "remove") return rmSync(place, { recursive: true, force: true });
	if (one.kind === "program") return stats?.isFile() ? chmodSync(place, 0o755) : undefined;
	if (one.kind === "move") {
		if (!stats?.isFile()) return;
		const content = readFileSync(place);
		rmSync(place);
		return write(stage, one.to, content);
	}
	if (one.kind === "link") {
		clear(stage, one.path);
		mkdirSync(dirname(place), { recursive: true });
		return symlinkSync(tag, place);
	}
	if (one.kind === "binary") return write(stage, one.path, Buffer.from(`\0${tag} ${one.text}`));
	const before = stats?.isFile() ? readFileSync(place, "latin1") : "";
	const lines =
		before.includes("\0") || before === "" ? Array.from({ length: 12 }, (_, n) => `${n}`) : before.split("\n");
	lines[one.line] = `${tag} ${one.text}`;
	write(stage, one.path, Buffer.from(lines.join("\n"), before === "" ? "utf8" : "latin1"));
}

function write(stage: FilesStage, path: string, content: Buffer): void {
	clear(stage, path);
	mkdirSync(dirname(join(stage.root, path)), { recursive: true });
	writeFileSync(join(stage.root, path), content);
}

function clear({ root }: FilesStage, path: string): void {
	const all = path.split("/");
	for (let length = 1; length <= all.length; length += 1) {
		const place = join(root, ...all.slice(0, length));
		const stats = lstatSync(place, { throwIfNoEntry: false });
		if (stats && (length === all.length || !stats.isDirectory())) rmSync(place, { recursive: true });
	}
}

/** Mode and content of every file of a tree. */
function filesOf(stage: FilesStage, tree: string): Map<string, string> {
	const env = { ...process.env, GIT_DIR: stage.store };
	const { stdout } = spawnSync("git", ["ls-tree", "-r", "-z", tree], { env, encoding: "utf8" });
	const entries = stdout.split("\0").filter(Boolean);
	return new Map(entries.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
}

/** Puts the files of `tree` there, and nothing else. */
async function openThree(base: readonly Edit[], ours: readonly Edit[], theirs: readonly Edit[]) {
	const stage = openFilesStage();
	const workspace = stage.open();
	for (const one of base) perform(stage, one, "base");
	const from = (await value(workspace.snapshot())).tree;
	for (const one of ours) perform(stage, one, "ours");
	const one = (await value(workspace.snapshot())).tree;
	await value(workspace.restore(from));
	for (const edit of theirs) perform(stage, edit, "theirs");
	const other = (await value(workspace.snapshot())).tree;
	return { stage, workspace, sides: { base: from, ours: one, theirs: other, names } };
}

const edits = fc.array(edit, { maxLength: 6 });
const tries = runs(0.1);

it(
	"a merge has each side's change of every path that the other left alone, and names the others",
	async () => {
		await fc.assert(
			fc.asyncProperty(edits, edits, edits, async (base, ours, theirs) => {
				const { stage, workspace, sides } = await openThree(base, ours, theirs);
				const merged = await value(workspace.merge(sides));
				const [from, one, other, got] = [sides.base, sides.ours, sides.theirs, merged.tree].map((tree) =>
					filesOf(stage, tree),
				);
				const named = new Set(merged.conflicts.flatMap((conflict) => conflict.paths));
				const all = new Set([from, one, other].flatMap((files) => [...(files?.keys() ?? [])]));
				const covered = (path: string): boolean =>
					[...named].some((name) => name === path || path.startsWith(`${name}/`) || name.startsWith(`${path}/`));
				for (const path of all) {
					const [then, left, right, now] = [from, one, other, got].map((files) => files?.get(path));
					if (covered(path) || left === right) continue;
					// Where both differ from the base, the lines are looked at below; a renamed file is followed.
					if (right === then && now !== left && now !== undefined) expect(lines(stage, now)).toContain("theirs");
					if (left === then && now !== right && now !== undefined) expect(lines(stage, now)).toContain("ours");
				}
				for (const [files, tag] of [
					[one, "ours"],
					[other, "theirs"],
				] as const) {
					const text = [...(got?.values() ?? [])].map((entry) => lines(stage, entry)).join("\n");
					for (const [path, entry] of files ?? [])
						if (from?.get(path) !== entry && !covered(path))
							for (const line of lines(stage, entry).split("\n"))
								if (line.startsWith(`${tag} `)) expect(text).toContain(line);
				}
				for (const take of ["ours", "theirs"] as const) {
					const settled = await value(workspace.merge(sides, { take }));
					expect(settled.conflicts).toEqual([]);
					const wanted = filesOf(stage, sides[take]);
					const files = filesOf(stage, settled.tree);
					for (const path of named) expect(files.get(path)).toBe(wanted.get(path));
				}
			}),
			{ numRuns: tries, endOnFailure: true },
		);
	},
	patient(tries * 20_000),
);

function lines(stage: FilesStage, entry: string): string {
	const env = { ...process.env, GIT_DIR: stage.store };
	return spawnSync("git", ["cat-file", "blob", entry.split(" ")[2] ?? ""], { env, encoding: "latin1" }).stdout;
}

it(
	"a join of disjoint edits is their union, and changes nothing where there is a conflict",
	async () => {
		await fc.assert(
			fc.asyncProperty(edits, edits, edits, async (base, ours, theirs) => {
				const { stage, workspace, sides } = await openThree(base, ours, theirs);
				await value(workspace.restore(sides.ours));
				const was = stage.look();
				const joined = await value(workspace.join({ from: sides.base, to: sides.theirs, names }));
				const now = stage.look();
				if (joined.conflicts.length > 0) return expect(now).toEqual(was);
				const [from, one, other] = [sides.base, sides.ours, sides.theirs].map((tree) => filesOf(stage, tree));
				const got = filesOf(stage, (await value(workspace.snapshot())).tree);
				for (const path of new Set([from, one, other].flatMap((files) => [...(files?.keys() ?? [])]))) {
					const [then, left, right] = [from, one, other].map((files) => files?.get(path));
					if (right === then) expect(got.get(path)).toBe(left);
					else if (left === then) expect(got.get(path)).toBe(right);
				}
				await value(workspace.join({ from: sides.base, to: sides.theirs, names }));
				expect(stage.look()).toEqual(now);
			}),
			{ numRuns: tries, endOnFailure: true },
		);
	},
	patient(tries * 20_000),
);

describe("a process that is killed by each git that it starts", () => {
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

	async function untilItFinishes(round: (fatal: number) => Promise<boolean>): Promise<number> {
		for (let fatal = 1; ; fatal += 1) if (!(await round(fatal))) return fatal;
	}

	it("has made a child's folder whole or not at all", { timeout: patient(300_000) }, async () => {
		const calls = await untilItFinishes(async (fatal) => {
			const { stage, ours } = await openStage();
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

	it("has merged as if it had not been", { timeout: patient(300_000) }, async () => {
		const calls = await untilItFinishes(async (fatal) => {
			const { stage, base, ours, theirs } = await openStage();
			const sides = { base, ours, theirs, names };
			const was = stage.look();
			const killed = await isKilled(stage, fatal, { kind: "merge", sides });
			expect(stage.look()).toEqual(was);
			const merged = await value(stage.open().merge(sides));
			expect(merged.conflicts).toEqual([]);
			expect([...filesOf(stage, merged.tree).keys()]).toEqual(["a.txt", "deep/new.txt", "folder", "user.txt"]);
			return killed;
		});
		expect(calls).toBeGreaterThan(4);
	});

	it("has joined in part what the next one finishes", { timeout: patient(300_000) }, async () => {
		const calls = await untilItFinishes(async (fatal) => {
			const { stage, base, ours, theirs } = await openStage();
			const to = (await value(stage.open().merge({ base, ours, theirs, names }))).tree;
			const join = { from: ours, to, names };
			const killed = await isKilled(stage, fatal, { kind: "join", ...join });
			stage.write("meanwhile.txt", "of the user\n");
			expect(await value(stage.open().join(join))).toMatchObject({ left: [], conflicts: [] });
			expect([...stage.look().keys()].sort()).toEqual(["a.txt", "deep/new.txt", "folder", "meanwhile.txt", "user.txt"]);
			expect(stage.read("a.txt")).toMatch(/^of the user\n0\n[^]*29\nof a child\n$/);
			return killed;
		});
		expect(calls).toBeGreaterThan(12);
	});
});

it("a link of a child leads where it says", async () => {
	const stage = openFilesStage();
	symlinkSync("../..", join(stage.root, "link"));
	const workspace = stage.open();
	const { tree } = await value(workspace.snapshot());
	const { cwd } = await value(workspace.openChild("child", tree));
	expect(readlinkSync(join(cwd, "link"))).toBe("../..");
});
