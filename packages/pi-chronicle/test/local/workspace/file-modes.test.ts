// Permissions that git does not keep survive rewinds, their undoing, and joins, whatever they are.
import { chmodSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { needsPosix } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { runs } from "../../harness/runs.ts";
import { openFilesStage, rewind, value } from "./stage.ts";

const names = { ours: "your files", theirs: "child" };
const file = fc.record({
	// The owner reads and writes.
	mode: fc.integer({ min: 0, max: 0o777 }).map((mode) => mode | 0o600),
	made: fc.constantFrom("before", "since"),
	change: fc.constantFrom("none", "removed", "rewritten", "replaced"),
	by: fc.constantFrom("user", "child"),
});
type File = typeof file extends fc.Arbitrary<infer T> ? T : never;

const nameOf = (index: number): string => `file-${index}`;

function modesIn(root: string, files: readonly File[]): string[] {
	return files.map((_, index) => {
		const stats = statSync(join(root, nameOf(index)), { throwIfNoEntry: false });
		return `${nameOf(index)} ${stats ? (stats.mode & 0o777).toString(8) : "absent"}`;
	});
}

const expectedOf = (files: readonly File[], isThere: (one: File) => boolean): string[] =>
	files.map((one, index) => `${nameOf(index)} ${isThere(one) ? one.mode.toString(8) : "absent"}`);

function put(root: string, name: string, { mode }: File, text: string): void {
	writeFileSync(join(root, name), text);
	chmodSync(join(root, name), mode);
}

function change(root: string, files: readonly File[], by: File["by"]): void {
	for (const [index, one] of files.entries()) {
		if (one.by !== by) continue;
		const name = nameOf(index);
		if (one.made === "since") put(root, name, one, `new ${index}\n`);
		else if (one.change === "removed") rmSync(join(root, name));
		else if (one.change === "rewritten") writeFileSync(join(root, name), `other ${index}\n`);
		else if (one.change === "replaced") {
			rmSync(join(root, name));
			put(root, name, one, `replaced ${index}\n`);
		}
	}
}

const isThereAfter = ({ made, change: how }: File): boolean => made === "since" || how !== "removed";

it("permissions survive a join, a rewind and undoing it", { ...needsPosix, timeout: patient(60_000) }, async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(file, { minLength: 30, maxLength: 40 }), async (files) => {
			const stage = openFilesStage();
			const parent = stage.open();
			for (const [index, one] of files.entries())
				if (one.made === "before") put(stage.root, nameOf(index), one, `old ${index}\n`);
			const { tree: first } = await value(parent.snapshot());
			const child = await value(parent.openChild("child", first));
			const before = expectedOf(files, ({ made }) => made === "before");
			expect(modesIn(child.cwd, files)).toEqual(before);
			change(child.cwd, files, "child");
			change(stage.root, files, "user");

			const { tree: theirs } = await value(stage.openChild(child.cwd).snapshot());
			const { tree: ours } = await value(parent.snapshot());
			const merged = await value(parent.merge({ base: child.tree, ours, theirs, names }));
			expect(merged.conflicts).toEqual([]);
			await value(parent.join({ from: ours, to: merged.tree, names, children: [{ child: "child", tree: theirs }] }));
			const after = expectedOf(files, isThereAfter);
			expect(modesIn(stage.root, files)).toEqual(after);

			const { before: joined } = await rewind(parent, first);
			expect(modesIn(stage.root, files)).toEqual(before);
			await rewind(parent, joined);
			expect(modesIn(stage.root, files)).toEqual(after);
		}),
		{ numRuns: runs(0.004), endOnFailure: true },
	);
});

it(
	"a file that a child has made private is private after the join, whatever the user's file was",
	needsPosix,
	async () => {
		const stage = openFilesStage();
		const parent = stage.open();
		stage.write("key.txt", "none\n");
		const { tree: base } = await value(parent.snapshot());
		const child = await value(parent.openChild("child", base));
		writeFileSync(join(child.cwd, "key.txt"), "secret\n");
		chmodSync(join(child.cwd, "key.txt"), 0o600);
		const { tree } = await value(stage.openChild(child.cwd).snapshot());
		await value(parent.join({ from: base, to: tree, names, children: [{ child: "child", tree }] }));
		expect(statSync(join(stage.root, "key.txt")).mode & 0o777).toBe(0o600);
	},
);
