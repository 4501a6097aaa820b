// The data of the run view: a run that this process supervises, or a ledger that another process writes.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReadLedger } from "../../core/index.ts";
import { diffRun, type Project, type SupervisedRun, watchRun } from "../../engine/index.ts";
import { differenceLines } from "../phrases/index.ts";
import type { ViewSource, VisitDiff } from "./view-source.ts";

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
		async child(id) {
			const found = await project.store.read(id);
			if (found.ok) await project.engine?.fetchConversations(id, found.value.folder);
			return found.ok ? runSource(project, found.value, undefined) : undefined;
		},
	};
}
