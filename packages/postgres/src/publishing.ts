// Publishes the files and conversations of a run from its host. Files are pushed before an event depends on them, or recorded with it and
// pushed soon after. Before the run parks, everything is pushed.
import { errorMessage } from "@pi-chronicle/core/definition";
import {
	type ConditionChanged,
	type EventBody,
	isParked,
	type LedgerEvent,
	type Run,
} from "@pi-chronicle/core/machine";
import type { WorkspaceFailure } from "@pi-chronicle/core/ports";
import { openCrashPoints, type RunSnapshot, readConversations, type SharedWorkspace } from "pi-chronicle/local";
import type { PostgresLedger } from "./held.ts";
import type { Leftovers } from "./leftovers.ts";
import type { SegmentHooks } from "./snapshot-rows.ts";

export interface Publishing {
	readonly hooks: SegmentHooks;
	/** Publishes the rest; resolves to the run's latest snapshot, or `undefined`: there is none, or something could not be published. */
	settle(): Promise<RunSnapshot | undefined>;
}

/** Records a change of what hinders the run, if it is still supervised. */
type NoteCondition = (event: ConditionChanged) => void;

/** Publishes what another host needs to continue the run, before or together with the event that depends on it. */
export function publishSegment(
	ledger: PostgresLedger,
	workspace: SharedWorkspace,
	leftovers: Pick<Leftovers, "keep" | "note">,
	note: NoteCondition,
): Publishing {
	const { publisher, refs } = workspace;
	publisher.startRecording((seq) => ledger.deleteSnapshots(seq));
	/** Whether a worker may have added to the conversations since they were last published. */
	let areNew = ledger.earlier.conversations === null;
	let latest = ledger.run;
	const branch = watchBranch(publisher, () => latest, note);
	const crashAt = openCrashPoints();
	const pushConversations = async (): Promise<WorkspaceFailure | undefined> => {
		if (!areNew) return undefined;
		const pushed = await refs.pushConversations(ledger.fence, await readConversations(ledger.folder));
		if (!pushed.ok) return pushed.failure;
		return ledger.saveConversations(pushed.value).then(() => {
			areNew = false;
			return undefined;
		}, unsaved);
	};
	const pushAll = async (): Promise<WorkspaceFailure | undefined> => {
		const flushed = await publisher.flush();
		return flushed.ok ? pushConversations() : flushed.failure;
	};
	/** Pushes results and merges of children, which are not snapshots of the run's folder. */
	const pushResults = async (bodies: readonly EventBody[]): Promise<WorkspaceFailure | undefined> => {
		const trees = bodies.flatMap((body) => (namesResult(body) ? treesIn(body) : []));
		const pushed = await workspace.publishTrees(trees);
		return pushed.ok ? undefined : pushed.failure;
	};
	/** Takes the snapshot that the events depend on, and notes what it lacks before the run parks. */
	const keepFiles = async (bodies: readonly EventBody[], next: Run): Promise<WorkspaceFailure | undefined> => {
		const isResult = isResultOf(next);
		if (isResult || bodies.some(leavesFiles)) {
			const kept = isResult ? await leftovers.keep() : undefined;
			if (kept?.ok === false) return kept.failure;
			const taken = await workspace.snapshot({ keep: kept?.value });
			if (isResult && !taken.ok) return taken.failure;
			crashAt("files are packed");
		}
		return isParked(next) ? leftovers.note(next) : undefined;
	};
	const moveBranch = (seq: number): void => {
		if (!ledger.run.parent) publisher.moveBranch(seq);
	};
	const hooks: SegmentHooks = {
		files: () => ({ head: publisher.last, staged: publisher.staged }),
		conditions: () => branch.unrecorded,
		async beforeAppend(bodies, next) {
			const failure =
				(await keepFiles(bodies, next)) ??
				(needsFiles(bodies) ? publisher.failure : undefined) ??
				(await pushResults(bodies)) ??
				(isParked(next) ? await pushAll() : undefined);
			const reason = failure?.reason === "remote_away" || failure?.reason === "database_away" ? failure.reason : "io";
			return failure && { ...failure, reason };
		},
		afterAppend(events, now, staged) {
			latest = now;
			areNew ||= events.some(({ kind }) => kind === "attempt_reserved");
			branch.recorded(events);
			publisher.recorded(staged, now.seq);
			if (events.some(({ kind }) => kind === "moved" || kind === "finished")) moveBranch(now.seq);
		},
	};
	return {
		hooks,
		async settle() {
			const { kind } = latest.stage;
			// The host that recorded the end may have died before it moved the branch.
			if (kind === "over") moveBranch(latest.seq);
			const flushed = await publisher.flush();
			// The conversation of an interrupted worker would describe files that no snapshot has.
			if (kind !== "working" && kind !== "stopping") await pushConversations();
			return flushed.ok ? publisher.last : undefined;
		},
	};
}

/** Why the run's row does not name its conversations. */
function unsaved(error: Error): WorkspaceFailure {
	return { reason: "io", message: errorMessage(error), remedy: "Check the database; engine doctor tests it." };
}

/** Keeps the result of the last move of the branch until it is recorded. */
function watchBranch(publisher: SharedWorkspace["publisher"], run: () => Run, note: NoteCondition) {
	let unrecorded: readonly ConditionChanged[] = [];
	publisher.onBranch((conflict) => {
		const known = unrecorded.at(-1) ?? run().conditions.find(({ condition }) => condition === "branch");
		if (conflict?.detail === known?.detail && conflict?.remedy === known?.remedy) return;
		const changed = { kind: "condition_changed", condition: "branch", ...conflict } as const;
		unrecorded = [changed];
		note(changed);
	});
	return {
		get unrecorded() {
			return unrecorded;
		},
		recorded(events: readonly LedgerEvent[]): void {
			unrecorded = unrecorded.filter(
				({ kind, remedy }) => !events.some((event) => event.kind === kind && event.remedy === remedy),
			);
		},
	};
}

/** Whether the files of the run become the result of a child with a folder of its own: commands may have changed them since its last move. */
function isResultOf({ status, parent }: Run): boolean {
	return status === "done" && parent?.files === "own";
}

/** Whether another host takes what the event reports for done, so that it needs the files that were changed until then. */
function leavesFiles(body: EventBody): boolean {
	if (body.kind === "command_ended" || body.kind === "cleanup_ended") return body.result.kind === "exited";
	return body.kind === "move_requested";
}

/** Whether the events need the files of the run, or say that these are known or unknown. */
function needsFiles(bodies: readonly EventBody[]): boolean {
	return bodies.some((body) => leavesFiles(body) || body.kind === "files_measured" || body.kind === "files_unmeasured");
}

function namesResult({ kind }: EventBody): boolean {
	return kind === "child_ended" || kind === "joined";
}

/** The snapshots that an event names. */
export function treesIn(event: LedgerEvent | EventBody): string[] {
	const named = event as { tree?: unknown; before?: unknown; now?: unknown; diff?: unknown; base?: unknown };
	const { tree, before, now, diff, base } = named;
	return [tree, before, now, diff, base].filter((name): name is string => typeof name === "string");
}
