// Conflicts of a join that a user resolves on another machine than the host: the files come from the run's refs, and go back there.
import { join } from "node:path";
import { conflictFolderId, dueConflict, type Run } from "@pi-chronicle/core/machine";
import type { Result } from "@pi-chronicle/core/ports";
import type { HandResolution } from "../project/index.ts";
import type { SharedWorkspace } from "./shared-workspace.ts";

const names = { ours: "the children", theirs: "your files" };

/** The folder of this round of a join, below that of the run. */
export function resolutionFolder({ visit, children }: Run, folder: string): string {
	const due = children && dueConflict(children);
	const child = due?.child ? `-${due.child.index}` : "";
	return join(folder, `join-${visit}${child}-${due?.join.round ?? 0}`);
}

/** Makes the folder with the conflicts; when it is there already, publishes what it resolves. `workspace`: in a folder of this round. */
export async function resolveByHand(workspace: SharedWorkspace, run: Run): Promise<Result<HandResolution>> {
	const { children } = run;
	const due = children && dueConflict(children);
	if (!due) {
		const remedy = "Check its status.";
		return { ok: false, failure: { reason: "refused", message: "The run has no conflicts.", remedy } };
	}
	const { tree, conflicts } = due.join;
	const child = conflictFolderId(run, due.child?.index);
	const opened = await workspace.openChild(child, tree);
	if (!opened.ok) return opened;
	const { cwd: path, isNew } = opened.value;
	if (isNew) return { ok: true, value: { kind: "opened", path } };
	const kept = await workspace.keepChild(child);
	if (!kept.ok) return kept;
	const merged = await workspace.merge({ base: opened.value.tree, ours: tree, theirs: kept.value.tree, names });
	if (!merged.ok) return merged;
	const resolved = merged.value.tree;
	const marked = await workspace.conflictMarkers(resolved, [...new Set(conflicts.map((conflict) => conflict.path))]);
	if (!marked.ok) return marked;
	if (marked.value.length > 0) return { ok: true, value: { kind: "unresolved", path, files: marked.value } };
	const pushed = await workspace.publisher.pushTrees([resolved]);
	return pushed.ok ? { ok: true, value: { kind: "resolved", tree: resolved } } : pushed;
}
