// What a footprint is known to do, in one word: the question that the readonly posture and phases ask.
import type { Access, Footprint, Touch } from "./footprint.ts";

/**
 * `reads`: only reads and lists · `temporary`: changes nothing outside the folders for temporary files · `writes`: changes something, for
 * certain as far as its words tell · `project`: runs the project's own tests, builds or tasks, which may do anything ·
 * `unknown`: something in it cannot be told. The first that applies, from the end: `writes` wins over all, `unknown` over `project`.
 */
export type Knowledge = "reads" | "temporary" | "project" | "unknown" | "writes";

const changing: ReadonlySet<Access> = new Set(["write", "delete", "link"]);

/** Sums a footprint up. */
export function knowledgeOf(footprint: Footprint): Knowledge {
	const touches = footprint.touches.filter((touch) => changing.has(touch.access));
	if (touches.some((touch) => !isTemporary(touch, footprint))) return "writes";
	if (footprint.runs.some((run) => run.changes.length > 0)) return "writes";
	let knowledge: Knowledge = touches.length > 0 ? "temporary" : "reads";
	for (const unknown of footprint.unknowns) {
		if (!unknown.may.some((access) => changing.has(access))) continue;
		if (unknown.under !== undefined && unknown.what === "operand" && isWithinTemporary(unknown.under, footprint)) {
			if (knowledge === "reads") knowledge = "temporary";
			continue;
		}
		if (unknown.what !== "project") return "unknown";
		knowledge = "project";
	}
	return knowledge;
}

/** Whether a footprint is known to change nothing at all. */
export function isReadOnly(footprint: Footprint): boolean {
	return knowledgeOf(footprint) === "reads";
}

/** Whether a touch stays within the folders for temporary files, links followed. */
export function isTemporary(touch: Touch, footprint: Footprint): boolean {
	if (touch.access === "link") return true;
	return isWithinTemporary(touch.path, footprint) && isWithinTemporary(touch.real, footprint);
}

function isWithinTemporary(path: string, footprint: Footprint): boolean {
	return footprint.temporary.some((folder) => path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`));
}
