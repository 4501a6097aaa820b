// Brings the conversations of an engine's runs here, so that the page shows what workers did on its hosts.
import type { ReadLedger } from "@pi-chronicle/core/ports";
import type { Project } from "../../local/index.ts";
import { keep } from "./kept.ts";

const maxRuns = 200;

export class FetchedConversations {
	/** By run: as of when they were fetched last. */
	readonly #asked = new Map<string, string>();

	/** Fetches those with the keys `wanted`, unless they are here, or no host has published any since the last time. */
	async fetch({ engine }: Project, read: ReadLedger, wanted: readonly string[]): Promise<void> {
		const { run, folder, holder, fetched = [] } = read;
		if (!engine || wanted.every((key) => fetched.includes(key))) return;
		// A host publishes them when it gives the run back.
		const mark = holder ? `held under ${holder.fence}` : `left at ${run.seq}`;
		if (this.#asked.get(run.id) === mark) return;
		keep(this.#asked, run.id, mark, maxRuns);
		const done = await engine.fetchConversations(run.id, folder);
		if (!done.ok) this.#asked.delete(run.id);
	}
}
