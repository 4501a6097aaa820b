// The branch and commit that were checked out when a run's files were recorded. Pure.

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
