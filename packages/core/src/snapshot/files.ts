// A measured change of a file, and a file that could not be measured or restored.
import { pathOnLine } from "../definition/index.ts";

export interface FileChange {
	/** Relative to the run's folder, `/` between segments. */
	readonly path: string;
	readonly change: "A" | "M" | "D" | "R";
	/** For `R`: the old path. */
	readonly from?: string;
	/** Line counts; absent for files without lines (binary, submodule, link). */
	readonly added?: number;
	readonly removed?: number;
}

/** Number of changed files, and of their lines that are known. */
export interface ChangeTotals {
	readonly files: number;
	readonly added: number;
	readonly removed: number;
}

/** Counts `changes` and `more` files that are not listed. */
export function totalChanges(changes: readonly FileChange[], more = 0): ChangeTotals {
	const sum = (key: "added" | "removed"): number => changes.reduce((total, change) => total + (change[key] ?? 0), 0);
	return { files: changes.length + more, added: sum("added"), removed: sum("removed") };
}

/** Changes as an event or a visit records them: a list that may be cut, and the totals of all of them. */
export interface MeasuredChanges {
	/** Bounded. */
	readonly changes?: readonly FileChange[];
	/** Number of changes that the list omits. */
	readonly more?: number;
	/** Absent: the list has all of them. Measurements of earlier versions lack the lines of omitted files. */
	readonly total?: ChangeTotals;
}

/** Counts all measured changes. */
export function measuredTotals({ changes = [], more = 0, total }: MeasuredChanges): ChangeTotals {
	return total ?? totalChanges(changes, more);
}

/** A file, or a folder with everything in it, that could not be kept, compared or restored. */
export interface FileLeft {
	/** As in `FileChange`. */
	readonly path: string;
	/** The reason, as part of a sentence. */
	readonly why: string;
}

const maxNamed = 5;

/** The first files of a list with their reasons. `count` is the total number of files. */
export function nameFiles(files: readonly FileLeft[], count = files.length): string {
	const named = files
		.slice(0, maxNamed)
		.map(({ path, why }) => `${pathOnLine(path.slice(0, 200))} (${why.slice(0, 200)})`);
	const more = count - named.length;
	return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export interface CheckedOut {
	/** `null`: a commit was checked out, no branch. */
	readonly branch: string | null;
	readonly commit: string;
}

/** The field `checkedOut` of an event, to spread into another object; empty if the event has none. */
export function checkedOutIn({ checkedOut }: { readonly checkedOut?: CheckedOut }): {
	readonly checkedOut?: CheckedOut;
} {
	return checkedOut ? { checkedOut } : {};
}

/** Whether files of one are not those of the other: another branch, or without a branch another commit. Commits on one branch are its progress. */
export function isOtherBranch(one: CheckedOut, other: CheckedOut): boolean {
	return one.branch !== other.branch || (one.branch === null && one.commit !== other.commit);
}

/** `the branch main`, `the commit 1f2e3d4c`. */
export function checkedOutText({ branch, commit }: CheckedOut): string {
	return branch === null ? `the commit ${commit.slice(0, 8)}` : `the branch ${branch}`;
}
