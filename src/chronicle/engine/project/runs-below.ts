// The runs below a run, at any depth, from the events that planned them: no other run of the project is read.
import type { LedgerStore } from "../../core/index.ts";

/** The ids of the existing runs below the run `root`, each after its parent. A run that cannot be read counts as one without children. */
export async function runsBelow(store: Pick<LedgerStore, "ids" | "read">, root: string): Promise<readonly string[]> {
	const existing = new Set(await store.ids());
	const found = [root];
	for (const id of found) {
		const read = await store.read(id);
		if (!read.ok || read.value.run.childCount === 0) continue;
		for await (const event of read.value.events())
			if (event.kind === "children_planned")
				found.push(...event.children.map((child) => child.id).filter((child) => existing.delete(child)));
	}
	return found.slice(1);
}
