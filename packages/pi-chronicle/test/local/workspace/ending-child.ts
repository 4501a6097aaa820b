// A run with a child that has a folder of its own, and the join of what the child has made.
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ForbiddenChanges } from "@pi-chronicle/core/ports";
import { openFolder } from "../../harness/folder.ts";
import { type FilesStage, gitAuthor, openFilesStage, value } from "./stage.ts";

const limits = { fileBytes: 1000 };
export const names = { ours: "your files", theirs: "the children" };

/** A run whose children are outside the project, with the folder and the workspace of one of them. */
export async function openCase(prepare: (stage: FilesStage) => void = () => {}) {
	const stage = openFilesStage();
	stage.write("a.txt", "1\n");
	stage.write(".gitignore", "dist/\nnode_modules/\n");
	prepare(stage);
	const work = join(openFolder(), "work");
	const children = join(work, "project", "run");
	const parent = stage.open({ limits, children });
	const { tree } = await value(parent.snapshot());
	const child = await value(parent.openChild("child", tree));
	const workspace = stage.openChild(child.cwd, "child", { limits });
	return { stage, work, parent, child, base: child.tree, workspace };
}

type Case = Awaited<ReturnType<typeof openCase>>;

/** Joins what the child has made, as a supervisor does. `take`: the side that wins conflicts; without it, nothing is joined if there are some. */
export async function joinChild(
	{ parent, base, workspace }: Case,
	{ forbidden, take }: { readonly forbidden?: ForbiddenChanges; readonly take?: "theirs" } = {},
) {
	const ended = await value(workspace.snapshot());
	const left = await value(parent.endChild("child", ended));
	const { tree: before } = await value(parent.snapshot());
	const merged = await value(parent.merge({ base, ours: before, theirs: ended.tree, names }, take ? { take } : {}));
	if (merged.conflicts.length > 0) return { ended: left, ...merged, left: [], kept: [] };
	const children = [{ child: "child", tree: ended.tree }];
	const change = { from: before, to: merged.tree, names, children, ...(forbidden ? { forbidden } : {}) };
	return { ended: left, ...(await value(parent.join(change))) };
}

/** Everything of a folder: contents, links, permissions. */
export function look(root: string): Record<string, string> {
	const found: Record<string, string> = {};
	const walk = (below: string): void => {
		for (const name of readdirSync(join(root, below))) {
			const path = join(below, name);
			// The run's own store, and the repository of the copy.
			if (path === ".pi" || path === ".git") continue;
			const stats = lstatSync(join(root, path));
			if (stats.isDirectory()) walk(path);
			else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
			else found[path] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, path)).toString("base64")}`;
		}
	};
	walk("");
	return found;
}

export function repository(folder: string): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "own.txt"), "own\n");
	for (const args of [
		["init", "-q"],
		["add", "-A"],
		["commit", "-qm", "one"],
	])
		spawnSync("git", args, { cwd: folder, env: { ...process.env, ...gitAuthor } });
}

export const write =
	(path: string, text: string | Buffer, mode = 0o644) =>
	(root: string) => {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
		chmodSync(join(root, path), mode);
	};
