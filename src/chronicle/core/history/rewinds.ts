// Which visits the rewinds of a run have undone, from its events. Pure.
import type { LedgerEvent } from "../machine/index.ts";

interface Rewind {
	/** `seq` of the event that kept the state before the rewind. */
	readonly kept: number | undefined;
	/** The visits that it undid. */
	readonly undone: readonly number[];
}

export class Rewinds {
	#requested: (LedgerEvent & { kind: "rewind_requested" }) | undefined;
	#kept: number | undefined;
	readonly #done: Rewind[] = [];
	readonly #undone = new Set<number>();

	/** The visits that the event undoes (`true`) or restores (`false`). */
	take(event: LedgerEvent): Map<number, boolean> {
		if (event.kind === "rewind_requested") {
			this.#requested = event;
			this.#kept = undefined;
		} else if (event.kind === "files_measured" && event.purpose === "before") this.#kept = event.seq;
		else if (event.kind === "files_unrestored") this.#requested = undefined;
		else if (event.kind === "moved" && event.cause === "rewind" && this.#requested)
			return this.#rewind(this.#requested, event.visit);
		return new Map();
	}

	#rewind({ to, kept }: { readonly to: number; readonly kept?: number }, last: number): Map<number, boolean> {
		const changed = new Map<number, boolean>();
		// A rewind to a kept state returns to the end of visit `to`, any other to its start.
		const first = kept === undefined ? to : to + 1;
		for (let visit = first; visit <= last; visit += 1) if (!this.#undone.has(visit)) changed.set(visit, true);
		const earlier = kept === undefined ? undefined : this.#done.find((rewind) => rewind.kept === kept);
		for (const visit of earlier?.undone ?? []) changed.set(visit, false);
		for (const [visit, undone] of changed)
			if (undone) this.#undone.add(visit);
			else this.#undone.delete(visit);
		const undone = [...changed].flatMap(([visit, isUndone]) => (isUndone ? [visit] : []));
		this.#done.push({ kept: this.#kept, undone });
		this.#requested = undefined;
		return changed;
	}
}
