// Merges of random trees: disjoint edits give their union, and no line of either side is lost unless its path is named as a conflict.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { patient } from "../../harness/patience.ts";
import { runs } from "../../harness/runs.ts";
import { clear, type FilesStage, openFilesStage, peek, value } from "./stage.ts";

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

/** Makes the edit after removing anything in the way. `tag` distinguishes the lines of the sides. */
function perform(stage: FilesStage, one: Edit, tag: string): void {
	const place = join(stage.root, one.path);
	const stats = peek(place);
	const content = stats?.isFile() ? readFileSync(place) : undefined;
	switch (one.kind) {
		case "remove":
			if (stats) rmSync(place, { recursive: true });
			break;
		case "program":
			if (content) chmodSync(place, 0o755);
			break;
		case "move":
			if (!content) break;
			rmSync(place);
			write(stage, one.to, content);
			break;
		case "link":
			clear(stage, one.path);
			mkdirSync(dirname(place), { recursive: true });
			symlinkSync(tag, place);
			break;
		case "binary":
			write(stage, one.path, Buffer.from(`\0${tag} ${one.text}`));
			break;
		case "write":
			write(stage, one.path, withLine(content, one.line, `${tag} ${one.text}`));
	}
}

/** What is at a place; nothing also where a folder on the way is none. */
function withLine(content: Buffer | undefined, at: number, line: string): Buffer {
	const before = content === undefined || content.includes(0) ? Buffer.from("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n") : content;
	const lines = before.toString("utf8").split("\n");
	lines[at] = line;
	return Buffer.from(lines.join("\n"));
}

function write(stage: FilesStage, path: string, content: Buffer): void {
	clear(stage, path);
	mkdirSync(dirname(join(stage.root, path)), { recursive: true });
	writeFileSync(join(stage.root, path), content);
}

/** A project whose snapshots are a base and two sides. */
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
const tries = runs(0.03);

it(
	"a merge has each side's change of every path that the other left unchanged, and names the others as conflicts",
	async () => {
		await fc.assert(
			fc.asyncProperty(edits, edits, edits, async (base, ours, theirs) => {
				const { stage, workspace, sides } = await openThree(base, ours, theirs);
				const merged = await value(workspace.merge(sides));
				const [from, one, other, got] = [sides.base, sides.ours, sides.theirs, merged.tree].map((tree) =>
					stage.entries(tree),
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
					const wanted = stage.entries(sides[take]);
					const files = stage.entries(settled.tree);
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
				if (joined.conflicts.length > 0) {
					expect(now).toEqual(was);
					return;
				}
				const [from, one, other] = [sides.base, sides.ours, sides.theirs].map((tree) => stage.entries(tree));
				const got = stage.entries((await value(workspace.snapshot())).tree);
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
