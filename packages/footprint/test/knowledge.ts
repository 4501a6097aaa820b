// The known effect of a footprint as one keyword, to check the tables of commands.
import type { AccessKind, FileAccess, Footprint } from "../src/index.ts";

/**
 * `reads`: only reads and lists · `temporary`: changes nothing outside of temporary folders · `project`: runs the project's own tests,
 * builds or tasks · `unknown`: part of it is unknown · `writes`: changes something. The strongest applies.
 */
export type Knowledge = "reads" | "temporary" | "project" | "unknown" | "writes";

const changing: ReadonlySet<AccessKind> = new Set(["write", "delete", "link"]);
const temporaryFolder = /^\/(tmp|var\/tmp|dev\/shm)\/./;

export function knowledgeOf({ accesses, runs, unknowns }: Footprint): Knowledge {
	const changes = accesses.filter(({ kind }) => changing.has(kind));
	if (changes.some((access) => !isTemporary(access)) || runs.some((run) => run.changes.length > 0)) return "writes";
	const doubts = unknowns.filter(({ may }) => may.some((access) => changing.has(access)));
	if (doubts.some(({ what }) => what !== "project")) return "unknown";
	if (doubts.length > 0) return "project";
	return changes.length > 0 ? "temporary" : "reads";
}

function isTemporary({ kind, path, real }: FileAccess): boolean {
	// A link changes nothing at its target; the link itself is a separate write.
	return kind === "link" || (temporaryFolder.test(path) && temporaryFolder.test(real));
}
