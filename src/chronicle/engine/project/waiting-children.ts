// The runs below a run about which the user decides, at any depth: those that wait for the user, and those that have failed where the run above
// waits because of that. A run that only waits for its children is not one of them.
import { type ChildRun, isParked, type LedgerStore, type ReadLedger, type Run } from "../../core/index.ts";

export interface WaitingChild {
	/** The names of the children on the way to it, from the run down. */
	readonly names: readonly string[];
	readonly read: ReadLedger;
}

/** In the order of the children. A child whose ledger cannot be read is left out. */
export async function waitingChildren(store: Pick<LedgerStore, "read">, run: Run): Promise<readonly WaitingChild[]> {
	const waiting: WaitingChild[] = [];
	for (const { id, name, status } of undecided(run)) {
		const read = await store.read(id);
		if (!read.ok) continue;
		const below = await waitingChildren(store, read.value.run);
		waiting.push(...below.map((child) => ({ ...child, names: [name, ...child.names] })));
		const isOver = read.value.run.stage.kind === "over";
		const counts = isLost(status) ? isOver : waitsForUser(read.value.run);
		if (below.length === 0 && counts) waiting.push({ names: [name], read: read.value });
	}
	return waiting;
}

/** The children that may wait for the user, and those that have failed, if the run waits for its children. */
function undecided({ stage, hold, children }: Run): readonly ChildRun[] {
	if (stage.kind === "over" || !children) return [];
	const countsLost = stage.kind === "waiting" && hold?.cause === "children" && children.phase === "working";
	return children.children.filter(
		({ status }) => status === "pending" || status === "parked" || (countsLost && isLost(status)),
	);
}

function waitsForUser(run: Run): boolean {
	return (isParked(run) && run.stage.kind !== "over") || run.status === "asks";
}

function isLost(status: ChildRun["status"]): boolean {
	return status === "failed" || status === "aborted";
}
