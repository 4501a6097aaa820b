// A snapshot of a run's files for other hosts: the tree, the commit that the working folder was at, and the contents that the store omits.

export interface RunSnapshot {
	readonly tree: string;
	/** The commit that the working folder was at; undefined: none. */
	readonly parent: string | undefined;
	/** The message of its commit (see {@link noteText}). */
	readonly note: string;
}

/** A snapshot that is recorded in the database, because it is not on the remote yet. */
export interface RecordedSnapshot extends RunSnapshot {
	/** The snapshot before it, which is on the remote or recorded before it. */
	readonly base: string;
	/** A git pack: the objects that `base` has not. */
	readonly pack: Buffer;
}

/** Content of a snapshot commit's message. */
export interface SnapshotNote {
	/** The folder that the run works in, below the repository's root. */
	readonly folder: string;
	/** Objects that stand for omitted contents, as the store lists them. */
	readonly placeholders: readonly string[];
}

export function noteText(run: string, { folder, placeholders }: SnapshotNote): string {
	return `Files of the run ${run}\n\n${JSON.stringify({ folder, placeholders })}\n`;
}

export function readNote(message: string): SnapshotNote {
	const [, , data = "{}"] = message.split("\n");
	return { folder: "", placeholders: [], ...(JSON.parse(data) as Partial<SnapshotNote>) };
}

/** Whether two snapshots are the same files on the same commit. */
export function isSameSnapshot(
	one: Pick<RunSnapshot, "tree" | "parent">,
	other: Pick<RunSnapshot, "tree" | "parent">,
): boolean {
	return one.tree === other.tree && one.parent === other.parent;
}
