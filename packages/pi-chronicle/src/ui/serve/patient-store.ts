// The store of an engine's project as the page reads it: while the database is away, a read fails within seconds and says so. A shorter hiccup only delays
// the page. From the first read that is not answered, one question at a time finds out when the database is back.
import { setTimeout as sleep } from "node:timers/promises";
import type { Failure, StoreFailure } from "@pi-chronicle/core/ports";
import type { Project } from "../../local/index.ts";

const patienceMs = 2000;
const againMs = 300;

/** Whether the database of an engine does not answer now. */
export function isAway({ reason }: Failure): boolean {
	return reason === "database_away" || reason === "io";
}

/** The project, whose runs can't be read once the database of its engine has not answered for two seconds. */
export function withPatience(project: Project): Project {
	const { store, engine } = project;
	if (!engine) return project;
	let asked: { readonly at: number; readonly answered: Promise<undefined> } | undefined;
	let failure: StoreFailure;
	const ask = async (): Promise<undefined> => {
		failure = { reason: "database_away", message: `The database ${engine.name} does not answer.`, remedy: "" };
		for (;;) {
			const [entry] = await store.recent(1);
			if (entry?.kind !== "unreadable" || !isAway(entry.failure)) break;
			({ failure } = entry);
			await sleep(againMs, undefined, { ref: false });
		}
		asked = undefined;
	};
	const whenAway = (): Promise<StoreFailure | undefined> => {
		asked ??= { at: performance.now(), answered: ask() };
		const left = asked.at + patienceMs - performance.now();
		return Promise.race([asked.answered, sleep(left, undefined, { ref: false }).then(() => failure)]);
	};
	return {
		...project,
		store: {
			...store,
			async read(id) {
				const away = await whenAway();
				return away ? { ok: false, failure: away } : store.read(id);
			},
			async recent(count) {
				const away = await whenAway();
				return away ? [{ kind: "unreadable", id: "all runs", failure: away }] : store.recent(count);
			},
		},
	};
}
