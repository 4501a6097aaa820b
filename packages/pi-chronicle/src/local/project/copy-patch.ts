// The changes of a run apart as a patch that `git apply` takes.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HeldLedger, Result } from "@pi-chronicle/core/ports";
import { explainGit, type GitPlace, gitAt, inspectRepository, withoutUnstored } from "../workspace/index.ts";
import { type KeptCopy, keepCopy } from "./kept-copy.ts";
import type { Project } from "./project.ts";

export interface CopyPatch extends Pick<KeptCopy, "left"> {
	/** Path of the file, absolute. */
	readonly patch: string;
	readonly bytes: number;
}

/** Writes the patch to the file `path`, which must not exist. `ledger`: of the run, which is over. */
export async function writeCopyPatch(project: Project, ledger: HeldLedger, path: string): Promise<Result<CopyPatch>> {
	const { cwd } = project.place;
	const { startTree: from = "" } = ledger.run;
	const kept = await keepCopy(project, ledger);
	if (!kept.ok) return kept;
	const objects = (await inspectRepository(cwd))?.objects;
	const store: GitPlace = {
		gitDir: join(ledger.folder, "files"),
		cwd,
		alternates: objects === undefined ? [] : [objects],
	};
	try {
		const to = await withoutUnstored(store, from, kept.value.tree);
		const drawn = await gitAt(store, ["diff-tree", "-r", "-p", "-M", "--binary", "--full-index", from, to]);
		if (drawn.kind !== "done") return cannotWrite(explainGit(drawn));
		await writeFile(path, drawn.output, { flag: "wx" });
		return { ok: true, value: { patch: path, bytes: drawn.output.length, left: kept.value.left } };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return cannotWrite(code === "EEXIST" ? `${path} exists` : message);
	}
}

function cannotWrite(why: string): Result<never> {
	const message = `The patch was not written: ${why}.`;
	return { ok: false, failure: { reason: "patch", message, remedy: "Name another file, or use join." } };
}
