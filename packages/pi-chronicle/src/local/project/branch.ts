// What is checked out where the files of a run are, for commands that compare it with what was recorded.

import type { Run } from "@pi-chronicle/core/machine";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import { readCheckedOut } from "../../disk/index.ts";
import type { Project } from "./project.ts";

/** In the project's folder, or on an engine, whose hosts have folders of their own, as last recorded; `undefined`: nothing, or unknown. */
export async function readBranch(
	{ engine, place }: Project,
	{ checkedOut }: Pick<Run, "checkedOut">,
): Promise<CheckedOut | undefined> {
	return engine ? checkedOut : readCheckedOut(place.cwd);
}
