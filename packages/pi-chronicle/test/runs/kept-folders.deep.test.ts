// The setting that keeps the folders of children: they stay after the join, are shown with the disk space that they use, and go with the run.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { branch, childFolders, childWorker, chronicle, ledgerOf, move, runIds, withTemplates } from "./bench.ts";

const template = {
	states: { build: { branches: { one: branch("one"), two: branch("two") }, next: ["finished"] } },
};

describe("chronicle.keepChildFolders", { timeout: patient(120_000) }, () => {
	it("keeps the folders of children until the run is removed", async () => {
		const written = (name: string) => [
			call("write", { path: `${name}.txt`, content: "x".repeat(200_000) }),
			move("done", `${name} is there.`),
		];
		const { project } = await openBench({
			files: { ...withTemplates({ t: template }), ".pi/settings.json": { chronicle: { keepChildFolders: true } } },
			script: { [childWorker("one")]: written("one"), [childWorker("two")]: written("two") },
		});
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
		const [root = ""] = runIds(project).filter((id) => ledgerOf(project, id).template.name === "t");
		const kept = childFolders(project);
		expect(kept).toHaveLength(2);
		const folder = dirname(kept[0] ?? "");
		const files = kept.flatMap((name) => readdirSync(join(name, "files"))).filter((name) => name.endsWith(".txt"));
		expect(files.toSorted()).toEqual(["one.txt", "two.txt"]);
		const status = await chronicle(project, ["status", root]);
		expect(status.stdout).toMatch(/Kept: 2 folders of children, 0\.\d MB, in \S+chronicle\/work\/\S+/);
		const { data } = await chronicle(project, ["status", root, "--json"]);
		expect(data).toMatchObject({ childFolders: { path: folder, folders: 2, bytes: expect.any(Number) } });
		expect((data.childFolders as { bytes: number }).bytes).toBeGreaterThan(400_000);
		const dry = await chronicle(project, ["remove", root, "--dry-run"]);
		expect(dry.stdout).toMatch(/done · .* ago · \d\.\d MB · t: Build it/);
		const removed = await chronicle(project, ["remove", root]);
		expect([removed.code, existsSync(folder), runIds(project)]).toEqual([0, false, []]);
		expect(readFileSync(project.path("one.txt"), "utf8")).toHaveLength(200_000);
	});
});
