// The data of the run view: one run with its events, changes and conversations, which this process supervises or another one writes. The view only
// reads.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LedgerEvent, Run } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { folderNames } from "../../disk/index.ts";
import { diffRun, OUTPUT_FOLDER, type Project, type SupervisedRun, watchRun } from "../../local/index.ts";
import { differenceLines } from "../phrases/index.ts";

/** The changes of a visit, or why they are unknown. */
type VisitDiff =
	| {
			readonly kind: "diff";
			/** `3 files changed, +12 −4:`, then the files. */
			readonly summary: readonly string[];
			readonly text: string;
			readonly cut: boolean;
	  }
	| { readonly kind: "none"; readonly reason: string };

export interface ViewSource {
	run(): Run;
	/** Calls `listener` when the run has changed; the returned function unsubscribes. */
	watch(listener: () => void): () => void;
	events(after: number): AsyncIterable<LedgerEvent>;
	/** The changes of a visit, up to now if it is still in progress. */
	diff(visit: number | "all"): Promise<VisitDiff>;
	/** pi's session file of a conversation; `undefined` if there is none. */
	transcript(conversation: string): string | undefined;
	/** The files with the output of the commands that did a visit, oldest first. */
	outputs(visit: number): readonly string[];
	/** The data of a child run; `undefined` if it has not begun, or cannot be read. */
	child(id: string): Promise<ViewSource | undefined>;
}

export function runSource(project: Project, read: ReadLedger, live: SupervisedRun | undefined): ViewSource {
	let { run } = read;
	return {
		run: () => live?.supervision.run ?? run,
		watch(listener) {
			if (live) return live.supervision.watch(() => listener());
			return watchRun(project, run.id, (now) => {
				run = now.run;
				listener();
			});
		},
		events: (after) => read.events(after),
		async diff(visit): Promise<VisitDiff> {
			const ledger = { ...read, run: live?.supervision.run ?? run };
			const found = await diffRun(project, ledger, visit, live);
			if (!found.ok) return { kind: "none", reason: `${found.failure.message} ${found.failure.remedy}` };
			const { patch, cut } = found.value;
			return { kind: "diff", summary: differenceLines(found.value), text: patch, cut };
		},
		transcript(conversation) {
			const path = join(read.folder, "workers", `${conversation}.jsonl`);
			return existsSync(path) ? path : undefined;
		},
		outputs(visit) {
			const folder = join(read.folder, OUTPUT_FOLDER);
			const own = folderNames(folder).filter((name) => name.startsWith(`${visit}.`));
			const inOrder = own.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
			return inOrder.map((name) => join(folder, name));
		},
		async child(id) {
			const found = await project.store.read(id);
			if (found.ok) await project.engine?.fetchConversations(id, found.value.folder);
			return found.ok ? runSource(project, found.value, undefined) : undefined;
		},
	};
}
