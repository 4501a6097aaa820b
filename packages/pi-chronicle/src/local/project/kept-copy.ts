// The files of a run apart that has ended, as a snapshot, and what no snapshot has of them.
import { join } from "node:path";
import { copyId } from "@pi-chronicle/core/machine";
import type { HeldLedger, Result } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { childFilesFolder } from "../workspace/index.ts";
import type { Project } from "./project.ts";
import { openUserFiles } from "./run-copy.ts";

export interface KeptCopy {
	readonly tree: string;
	/** Files that only the copy has, absolute, with the reason. */
	readonly left: readonly FileLeft[];
}

/** Takes a snapshot of the copy of the run of `ledger`. */
export async function keepCopy(
	{ copies }: Pick<Project, "copies">,
	ledger: Pick<HeldLedger, "folder" | "run">,
): Promise<Result<KeptCopy>> {
	const files = openUserFiles(copies, ledger);
	const id = copyId(ledger.run.id);
	const kept = await files.keepChild(id);
	if (!kept.ok) return kept;
	const left = await files.endChild(id, kept.value);
	if (!left.ok) return left;
	const root = childFilesFolder(ledger.folder, id);
	const named = left.value.files.map(({ path, why }) => ({ path: join(root, path), why }));
	return { ok: true, value: { tree: kept.value.tree, left: named } };
}
