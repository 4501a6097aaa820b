// Which snapshots of workflows in sessions are kept.
import { readdirSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openPhaseSnapshots } from "../../../src/local/project/phase-snapshots.ts";
import { openProject } from "../../harness/index.ts";

it("are those of the ten runs that used theirs last, also one that began long ago", async () => {
	const project = openProject({ files: { "a.txt": "a\n" } });
	const place = { cwd: project.folder, agentFolder: project.agentFolder, leftOut: [] };
	const all = join(project.agentFolder, "chronicle", "snapshots");
	const open = async (run: string) => {
		const opened = await openPhaseSnapshots(place, run);
		if (!opened.ok) throw new Error(opened.failure.message);
		return opened.value;
	};
	const treeOf = async (run: Awaited<ReturnType<typeof open>>) => {
		const taken = await run.snapshot();
		return taken.ok ? taken.value.tree : taken.failure.message;
	};
	const long = await open("long");
	const tree = await treeOf(long);
	const [folder = ""] = readdirSync(all);
	for (let n = 0; n < 12; n += 1) {
		// It is older than the others, and used again.
		await utimes(join(all, folder), new Date(0), new Date(0));
		expect(await treeOf(long)).toBe(tree);
		expect(await treeOf(await open(`other ${n}`))).toBe(tree);
	}
	expect(readdirSync(all)).toHaveLength(10);
	expect(readdirSync(all)).toContain(folder);
	project.write("a.txt", "b\n");
	expect((await long.restore(tree)).ok).toBe(true);
	expect(project.read("a.txt")).toBe("a\n");
});
