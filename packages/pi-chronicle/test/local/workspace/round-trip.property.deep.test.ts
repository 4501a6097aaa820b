// A rewind and its undo restore every byte, whatever the project contains and whatever was changed in it;
// what could not be restored is reported. A refused rewind has changed nothing. A process killed during it loses nothing.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Workspace } from "@pi-chronicle/core/ports";
import fc from "fast-check";
import { expect, it } from "vitest";
import { patient } from "../../harness/patience.ts";
import { runs } from "../../harness/runs.ts";
import { clear, type FilesStage, openFilesStage, peek, value } from "./stage.ts";

const limits = { fileBytes: 500 };
const tries = runs(0.025);

const parts = fc.constantFrom("a", "b", "A", "ü 😀", "new\nline", "x.log", ".env", "-dash", 'quo"te');
const paths = fc.array(parts, { minLength: 1, maxLength: 3 }).map((list) => list.join("/"));

type Op =
	| { readonly kind: "write"; readonly path: string; readonly size: number; readonly byte: number }
	| { readonly kind: "remove" | "folder" | "program" | "pipe" | "repository" | "ungit"; readonly path: string }
	| { readonly kind: "link"; readonly path: string; readonly to: string }
	| { readonly kind: "ignore"; readonly patterns: readonly string[]; readonly at: string };

const op: fc.Arbitrary<Op> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant("write" as const),
			path: paths,
			size: fc.constantFrom(0, 1, 20, 20, 20, 900),
			byte: fc.integer({ min: 0, max: 255 }),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), path: paths }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constantFrom("folder" as const, "program" as const, "pipe" as const, "ungit" as const),
			path: paths,
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("repository" as const), path: paths }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant("link" as const),
			path: paths,
			to: fc.constantFrom("a", "b/a", "/nowhere", ".."),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant("ignore" as const),
			patterns: fc.array(fc.constantFrom("a", "b/", "*.log", "/A", "ü*", "!x.log"), { maxLength: 2 }),
			at: fc.constantFrom("", "b/"),
		}),
	},
);

const plan = fc.record({
	repository: fc.boolean(),
	first: fc.array(op, { minLength: 1, maxLength: 8 }),
	worker: fc.array(op, { maxLength: 8 }),
	measured: fc.boolean(),
	person: fc.array(op, { maxLength: 4 }),
	meanwhile: fc.array(op, { maxLength: 1 }),
	killedAfter: fc.option(fc.integer({ min: 0, max: 200 }), { freq: 4, nil: undefined }),
});

/** Performs the operation after removing anything in the way; never leaves the project through a link. */
function perform(stage: FilesStage, one: Op): void {
	if (one.kind === "ignore") {
		clear(stage, `${one.at}.gitignore`);
		stage.write(`${one.at}.gitignore`, `${one.patterns.join("\n")}\n`);
		return;
	}
	const place = join(stage.root, one.path);
	const there = peek(place);
	switch (one.kind) {
		case "write":
			clear(stage, one.path);
			stage.write(one.path, Buffer.alloc(one.size, one.byte));
			return;
		case "remove":
			if (there && !throughLink(stage, one.path)) rmSync(place, { recursive: true });
			return;
		case "folder":
			clear(stage, one.path);
			return void mkdirSync(place, { recursive: true });
		case "program":
			if (there?.isFile() && !throughLink(stage, one.path)) chmodSync(place, 0o755);
			return;
		case "pipe":
			clear(stage, one.path);
			mkdirSync(dirname(place), { recursive: true });
			return void spawnSync("sh", ["-c", 'mkfifo -- "$1"', "sh", place]);
		case "link":
			clear(stage, one.path);
			mkdirSync(dirname(place), { recursive: true });
			symlinkSync(one.to, place);
			return;
		case "repository":
			if (there?.isDirectory() && !throughLink(stage, one.path)) stage.repository(one.path);
			return;
		case "ungit":
			if (there?.isDirectory() && !throughLink(stage, one.path))
				rmSync(join(place, ".git"), { recursive: true, force: true });
			return;
	}
}

/** Whether a folder above `path` is a link. */
function throughLink({ root }: FilesStage, path: string): boolean {
	const above = path.split("/").slice(0, -1);
	return above.some((_, index) => peek(join(root, ...above.slice(0, index + 1)))?.isSymbolicLink());
}

/** What a state holds as plain files, by path. */
function filesOf({ store }: FilesStage, tree: string): string[] {
	const env = { ...process.env, GIT_DIR: store };
	const { stdout } = spawnSync("git", ["ls-tree", "-r", "-z", tree], { env, encoding: "utf8" });
	return stdout
		.split("\0")
		.filter((line) => /^1[02]0\d+ blob/.test(line))
		.map((line) => line.slice(line.indexOf("\t") + 1));
}

/** Paths whose contents differ and that no name covers. */
function lost(
	wanted: ReadonlyMap<string, string>,
	now: ReadonlyMap<string, string>,
	named: readonly string[],
): string[] {
	return [...wanted.keys()]
		.filter((path) => wanted.get(path) !== now.get(path))
		.filter((path) => !named.some((name) => name === path || path.startsWith(`${name}/`)));
}

/** Goes to `tree` as a supervisor does; `undefined` where it refuses, which must have changed nothing. */
async function go(
	stage: FilesStage,
	workspace: Workspace,
	tree: string,
	{ meanwhile = [], before }: { meanwhile?: readonly Op[]; before?: string } = {},
): Promise<{ before: string; was: Map<string, string>; left: string[] } | undefined> {
	let changes = [...meanwhile];
	for (let round = 0; round < 5; round += 1) {
		let was = stage.look();
		const kept = await workspace.snapshot({ towards: tree });
		if (!kept.ok) {
			expect(kept.failure.reason).toBe("in_the_way");
			expect(stage.look()).toEqual(was);
			return undefined;
		}
		for (const one of changes) perform(stage, one);
		changes = [];
		was = stage.look();
		const restored = await workspace.restore(tree, { expected: kept.value.tree, before: before ?? kept.value.tree });
		if (restored.ok) return { before: kept.value.tree, was, left: restored.value.left.map(({ path }) => path) };
		expect(["changed", "in_the_way"]).toContain(restored.failure.reason);
		expect(stage.look()).toEqual(was);
		if (restored.failure.reason === "in_the_way") return undefined;
	}
	throw new Error("The files never came to rest.");
}

it(
	"a rewind and its undo lose no byte that they do not report",
	async () => {
		await fc.assert(
			fc.asyncProperty(plan, async ({ repository, first, worker, measured, person, meanwhile, killedAfter }) => {
				const stage = openFilesStage();
				for (const one of first) perform(stage, one);
				if (repository) stage.repository(".");
				const workspace = stage.open({ limits });
				const { tree, unkept } = await value(workspace.snapshot());
				const start = stage.look();
				const unknown = unkept.map(({ path }) => path);
				for (const one of worker) perform(stage, one);
				if (measured) await value(workspace.snapshot());
				for (const one of person) perform(stage, one);

				if (killedAfter !== undefined) {
					const was = stage.look();
					const kept = await workspace.snapshot({ towards: tree });
					if (!kept.ok) return;
					await killOver(stage, tree, kept.value.tree, killedAfter);
					const there = await go(stage, stage.open({ limits }), tree, { before: kept.value.tree });
					const back = there && (await go(stage, stage.open({ limits }), kept.value.tree));
					if (back && there) expect(lost(was, stage.look(), [...there.left, ...back.left])).toEqual([]);
					return;
				}
				const there = await go(stage, workspace, tree, { meanwhile });
				if (!there) return;
				const begun = new Map(filesOf(stage, tree).map((path) => [path, start.get(path) ?? ""]));
				expect(lost(begun, stage.look(), [...there.left, ...unknown])).toEqual([]);
				const back = await go(stage, stage.open({ limits }), there.before);
				expect(back).toBeDefined();
				expect(lost(there.was, stage.look(), [...there.left, ...(back?.left ?? [])])).toEqual([]);
			}),
			{ numRuns: tries, endOnFailure: true },
		);
	},
	patient(tries * 20_000),
);

async function killOver(stage: FilesStage, tree: string, expected: string, ms: number): Promise<void> {
	const script = fileURLToPath(new URL("./rewind-process.ts", import.meta.url));
	const child = spawn(process.execPath, [script, stage.root, dirname(stage.store), tree, expected], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await new Promise((resolve) => child.stdout.once("data", resolve));
	await wait(ms);
	const gone = new Promise((resolve) => child.once("exit", resolve));
	child.kill("SIGKILL");
	if (child.exitCode === null) await gone;
}
