// What a footprint is known to do, in one word: how the tables of commands are checked.
import type { AccessKind, FileAccess, Footprint } from "../../src/footprint/index.ts";

/**
 * `reads`: only reads and lists · `temporary`: changes nothing outside of `/tmp` and its kin · `project`: runs the project's own tests,
 * builds or tasks · `unknown`: something in it cannot be told · `writes`: changes something, as far as its words tell. The strongest counts.
 */
export type Knowledge = "reads" | "temporary" | "project" | "unknown" | "writes";

const changing: ReadonlySet<AccessKind> = new Set(["write", "delete", "link"]);
const temporaryFolder = /^\/(tmp|var\/tmp|dev\/shm)\/./;

export function knowledgeOf({ accesses, runs, unknowns }: Footprint): Knowledge {
	const changes = accesses.filter(({ kind }) => changing.has(kind));
	if (changes.some((touch) => !isTemporary(touch)) || runs.some((run) => run.changes.length > 0)) return "writes";
	const doubts = unknowns.filter(({ may }) => may.some((access) => changing.has(access)));
	if (doubts.some(({ what }) => what !== "project")) return "unknown";
	if (doubts.length > 0) return "project";
	return changes.length > 0 ? "temporary" : "reads";
}

function isTemporary({ kind, path, real }: FileAccess): boolean {
	// Another name changes nothing where it leads to; the name itself is a write of its own.
	return kind === "link" || (temporaryFolder.test(path) && temporaryFolder.test(real));
}
