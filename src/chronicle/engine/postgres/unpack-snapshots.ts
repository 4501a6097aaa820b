// Unpacks snapshots that a host has recorded in the database and not pushed, into a repository here.
import { explainGit, type GitPlace, gitAt, gitFetch } from "./remote.ts";
import { type RecordedSnapshot, treeRef } from "./run-snapshot.ts";

export interface SnapshotOrigin {
	readonly remote: string;
	/** The run whose refs hold the snapshots. */
	readonly owner: string;
}

/** Adds the objects of recorded snapshots to a repository, with those that they build on. Throws a sentence. */
export async function unpackSnapshots(
	place: GitPlace,
	{ remote, owner }: SnapshotOrigin,
	snapshots: readonly RecordedSnapshot[],
): Promise<void> {
	const trees = new Set(snapshots.map(({ tree }) => tree));
	const bases = [...new Set(snapshots.map(({ base }) => base))].filter((base) => !trees.has(base));
	if (bases.length > 0) {
		const refs = bases.map((base) => treeRef(owner, base));
		const fetched = await gitFetch(place, remote, refs);
		if (fetched.kind !== "done")
			throw new Error(`The snapshot before the recorded one could not be fetched: ${explainGit(fetched)}`);
	}
	for (const { pack } of snapshots) {
		const unpacked = await gitAt(place, ["unpack-objects", "-q"], { input: pack });
		if (unpacked.kind !== "done") throw new Error(`A recorded snapshot could not be unpacked: ${explainGit(unpacked)}`);
	}
}
