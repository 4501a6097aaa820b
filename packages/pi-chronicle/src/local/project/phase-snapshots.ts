// Snapshots of a project's files for a workflow of a session, which has no run folder: in pi's agent folder, one folder per workflow run, of
// the runs that last used theirs.
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { digest } from "@pi-chronicle/core/bounds";
import type { Result, WorkspaceFailure } from "@pi-chronicle/core/ports";
import { makePrivateFolder } from "../../disk/index.ts";
import {
	agentExclusions,
	type GitWorkspace,
	type GitWorkspaceOptions,
	openGitWorkspace,
	toResult,
	WorkspaceError,
} from "../workspace/index.ts";
import { wideFolder } from "./wide-folder.ts";

const maxRuns = 10;

/** Opens the snapshots of the workflow run `run` in the project at `cwd`; `agentFolder` is pi's, and `leftOut` is not the project's. */
export function openPhaseSnapshots(
	{ cwd, agentFolder, leftOut }: Pick<GitWorkspaceOptions, "cwd" | "leftOut"> & { readonly agentFolder: string },
	run: string,
): Promise<Result<GitWorkspace, WorkspaceFailure>> {
	return toResult(async () => {
		const wide = wideFolder({ cwd, home: homedir(), agentFolder }, { files: "folder" });
		if (wide !== undefined) {
			const message = `No snapshots of ${wide} are taken: it holds more than a project.`;
			throw new WorkspaceError({ reason: "too_big", message, remedy: "Start pi in the folder of a project." });
		}
		const all = join(agentFolder, "chronicle", "snapshots");
		// The id is as its session file has it.
		const folder = join(all, digest(run));
		const own = [...leftOut, join(cwd, ".pi", "chronicle"), ...agentExclusions(agentFolder)];
		const files = openGitWorkspace({ cwd, folder, leftOut: own });
		return {
			...files,
			async snapshot(request) {
				const marked = await toResult(() => markUsed(all, folder));
				return marked.ok ? files.snapshot(request) : marked;
			},
		};
	});
}

/** Makes `folder` the one of `all` that was used last, and removes those that are used no more. */
async function markUsed(all: string, folder: string): Promise<void> {
	await makePrivateFolder(folder);
	await utimes(folder, new Date(), new Date());
	// Another session may be removing it.
	const timeOf = async (name: string) => (await stat(join(all, name)).catch(() => undefined))?.mtimeMs ?? 0;
	const used = (await readdir(all)).map(async (name) => ({ name, at: await timeOf(name) }));
	for (const { name } of (await Promise.all(used)).sort((one, other) => other.at - one.at).slice(maxRuns))
		await rm(join(all, name), { recursive: true, force: true });
}
