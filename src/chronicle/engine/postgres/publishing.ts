// What a host publishes of a run that it works on: the files before an event depends on them, the conversations before the run parks.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openRedaction } from "../../../safety/index.ts";
import {
	type EventBody,
	isParked,
	type LedgerEvent,
	type StoreFailure,
	type WorkspaceFailure,
} from "../../core/index.ts";
import { openCrashPoints } from "../supervisor/index.ts";
import { redactSessionText } from "../worker/index.ts";
import type { PostgresLedger, SegmentHooks } from "./held.ts";
import type { SharedWorkspace } from "./shared-workspace.ts";

export interface Publishing {
	readonly hooks: SegmentHooks;
	/** Resolves once everything is published. */
	settle(): Promise<void>;
}

/** Publishes what another host needs before it is recorded that the run has got there. */
export function publishSegment(ledger: PostgresLedger, workspace: SharedWorkspace): Publishing {
	let moving: Promise<unknown> = Promise.resolve();
	let talked = -1;
	let latest = ledger.run;
	const crashAt = openCrashPoints();
	const talk = async (seq: number): Promise<StoreFailure | undefined> => {
		if (talked === seq) return undefined;
		talked = seq;
		const pushed = await workspace.refs.pushConversations(ledger.fence, await readConversations(ledger.folder));
		return pushed.ok ? undefined : { ...pushed.failure, reason: "io" };
	};
	/** Results of children, and their merges, are no snapshots of the run's folder. */
	const pushResults = async (bodies: readonly EventBody[]): Promise<WorkspaceFailure | undefined> => {
		for (const tree of bodies.flatMap((body) => (isResult(body) ? treesIn(body) : []))) {
			const pushed = await workspace.refs.pushTree(tree);
			if (!pushed.ok) return pushed.failure;
		}
		return undefined;
	};
	const hooks: SegmentHooks = {
		head: () => workspace.head(),
		async beforeAppend(bodies, next) {
			if (bodies.some(({ kind }) => kind === "move_requested")) {
				await workspace.snapshot();
				crashAt("files are pushed");
			}
			const failure = needsFiles(bodies) ? workspace.unpublished() : await pushResults(bodies);
			if (failure) return { ...failure, reason: "io" };
			return isParked(next) ? talk(next.seq) : undefined;
		},
		afterAppend(events, now) {
			latest = now;
			const tree = workspace.head();
			if (
				ledger.run.parent ||
				tree === undefined ||
				!events.some(({ kind }) => kind === "moved" || kind === "finished")
			)
				return;
			moving = moving.then(async () => {
				crashAt("before the branch moves");
				await workspace.publish(tree, now.seq);
				crashAt("branch is moved");
			});
		},
	};
	return {
		hooks,
		async settle() {
			// The conversation of an interrupted worker would describe files that no snapshot has.
			if (latest.stage.kind !== "working" && latest.stage.kind !== "stopping") await talk(Number.MAX_SAFE_INTEGER);
			await moving;
		},
	};
}

/** Whether the events say that the files of the run are known, or that they are not. */
function needsFiles(bodies: readonly EventBody[]): boolean {
	return bodies.some(
		({ kind }) => kind === "move_requested" || kind === "files_measured" || kind === "files_unmeasured",
	);
}

function isResult({ kind }: EventBody): boolean {
	return kind === "child_ended" || kind === "joined";
}

/** The conversations of the run, without secrets. */
async function readConversations(folder: string): Promise<Map<string, string>> {
	const workers = join(folder, "workers");
	const redact = openRedaction(process.env);
	const names = (await readdir(workers).catch((): string[] => [])).filter((name) => /^\d+\.\d+\.jsonl$/.test(name));
	const files = new Map<string, string>();
	for (const name of names) files.set(name, redactSessionText(await readFile(join(workers, name), "utf8"), redact));
	return files;
}

/** The snapshots that an event names. */
export function treesIn(event: LedgerEvent | EventBody): string[] {
	const named = event as { tree?: unknown; before?: unknown; now?: unknown; diff?: unknown; base?: unknown };
	const { tree, before, now, diff, base } = named;
	return [tree, before, now, diff, base].filter((name): name is string => typeof name === "string");
}
