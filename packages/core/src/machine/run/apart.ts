// What is known of the copy of the project that a run works in, apart from the user's files. Data only; see `take-copy.ts`.
import { childId } from "./child-run.ts";
import type { Finished } from "./decision-event.ts";
import type { CopyTaken } from "./user-event.ts";

/** What became of the copy. */
export interface Apart {
	/** The files of the copy that were joined into the project last; absent: none. */
	readonly joined?: { readonly tree: string; readonly at: string };
	/** The branch or patch that was made of them last; absent: none. */
	readonly taken?: Pick<CopyTaken, "as" | "name"> & { readonly at: string };
	/** The copy was given up, with what was not taken of it. Absent: not. */
	readonly discarded?: true;
}

/** A join of the copy into the project, after the run has ended. */
export interface JoinOfCopy {
	/** How the run had ended: it ends in the same way after the join. */
	readonly status: Finished["status"];
	/** `seq` of the event that requested it. */
	readonly since: number;
	/** The files are joined although another branch is checked out. Absent: not. */
	readonly otherBranch?: true;
}

/** The id of the copy's folder: that of child 0 of visit 0, which no run has. */
export function copyId(run: string): string {
	return childId(run, 0, 0);
}
