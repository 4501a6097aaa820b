// The branch of the project's folder, for commands that compare it with a recorded one.
import { readCheckedOut } from "../../../disk/index.ts";
import type { CheckedOut } from "../../core/index.ts";
import type { Project } from "./project.ts";

/** What is checked out in the project's folder; `undefined` without a repository, and on an engine, whose hosts have folders of their own. */
export async function readBranch({ engine, place }: Project): Promise<CheckedOut | undefined> {
	return engine ? undefined : readCheckedOut(place.cwd);
}
