// A copy of the project as a child gets it, in which a command is tried. Nothing of the project is changed, and nothing stays.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildFolder, Result, WorkingCopy, WorkspaceFailure } from "@pi-chronicle/core/ports";
import { openGitWorkspace } from "../workspace/index.ts";
import { copyOf } from "./child-folders.ts";
import type { Project } from "./project.ts";

export interface TrialCopy {
	readonly folder: ChildFolder;
	readonly copy: WorkingCopy;
	/** Removes it. */
	close(): Promise<void>;
}

/** Makes a copy. `links`: as in a template; `hasSetup`: a set-up creates what the copy lacks. */
export async function openTrialCopy(
	{ place, ownFolders }: Pick<Project, "place" | "ownFolders">,
	{ links, hasSetup }: { readonly links: readonly string[]; readonly hasSetup: boolean },
	signal: AbortSignal,
): Promise<Result<TrialCopy, WorkspaceFailure>> {
	// Programs that look upward must not find the project.
	const root = await realpath(await mkdtemp(join(tmpdir(), "pi-chronicle-trial-")));
	const close = () => rm(root, { recursive: true, force: true });
	const folder = join(root, "run");
	const workspace = openGitWorkspace({ cwd: place.cwd, folder, leftOut: ownFolders, children: join(root, "work") });
	const taken = await workspace.snapshot({ signal });
	const opened = taken.ok ? await workspace.openChild("trial", taken.value.tree, { links, hasSetup, signal }) : taken;
	if (opened.ok) return { ok: true, value: { folder: opened.value, copy: copyOf(opened.value, undefined), close } };
	await close();
	return opened;
}
