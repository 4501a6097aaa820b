// Permissions that git does not keep survive rewinds, their undoing, and joins.
import { chmodSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitWorkspace } from "../../../../src/chronicle/engine/workspace/index.ts";
import { needsPosix } from "../../../harness/needs.ts";
import { openFilesStage, rewind, value } from "./stage.ts";

const modes = [0o600, 0o640, 0o644, 0o700, 0o750, 0o755];
const nameOf = (mode: number): string => `file-${mode.toString(8)}`;
const names = { ours: "your files", theirs: "child" };

function modesIn(root: string): Record<string, string> {
	return Object.fromEntries(
		modes.map((mode) => [nameOf(mode), (statSync(join(root, nameOf(mode))).mode & 0o777).toString(8)]),
	);
}

const expected = Object.fromEntries(modes.map((mode) => [nameOf(mode), mode.toString(8)]));

function writeAll(root: string, text: string): void {
	for (const mode of modes) {
		writeFileSync(join(root, nameOf(mode)), text);
		chmodSync(join(root, nameOf(mode)), mode);
	}
}

describe("permissions", needsPosix, () => {
	it.each(["removed", "changed"])("survive a rewind, and undoing it, of files that were %s", async (how) => {
		const stage = openFilesStage();
		const workspace = stage.open();
		writeAll(stage.root, "old\n");
		const first = await value(workspace.snapshot());
		for (const mode of modes)
			if (how === "removed") rmSync(join(stage.root, nameOf(mode)));
			else writeFileSync(join(stage.root, nameOf(mode)), "new\n");
		const { before } = await rewind(workspace, first.tree);
		expect(modesIn(stage.root)).toEqual(expected);
		await rewind(workspace, before);
		await rewind(workspace, first.tree);
		expect(modesIn(stage.root)).toEqual(expected);
	});

	it("survive the rewind to before a file, and undoing it", async () => {
		const stage = openFilesStage();
		const workspace = stage.open();
		const first = await value(workspace.snapshot());
		writeAll(stage.root, "new\n");
		const { before } = await rewind(workspace, first.tree);
		await rewind(workspace, before);
		expect(modesIn(stage.root)).toEqual(expected);
	});

	it("survive the copy for a child, and the join of what it makes", async () => {
		const stage = openFilesStage();
		const parent = stage.open();
		writeAll(stage.root, "old\n");
		const { tree: base } = await value(parent.snapshot());
		const child = await value(parent.openChild("child", base));
		expect(modesIn(child.cwd)).toEqual(expected);
		for (const mode of modes) rmSync(join(stage.root, nameOf(mode)));
		const { tree: empty } = await value(parent.snapshot());
		const two = await value(parent.openChild("two", empty));
		writeAll(two.cwd, "of the child\n");
		const sessions = dirname(dirname(stage.store));
		const options = { cwd: two.cwd, folder: join(sessions, "two"), leftOut: [sessions], childOf: dirname(stage.store) };
		const { tree: theirs } = await value(openGitWorkspace(options).snapshot());
		const merged = await value(parent.merge({ base: empty, ours: empty, theirs, names }));
		await value(parent.join({ from: empty, to: merged.tree, names }));
		expect(modesIn(stage.root)).toEqual(expected);
	});
});
