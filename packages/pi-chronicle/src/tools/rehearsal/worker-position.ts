// The position of a chronicle's worker: from its supervisor's brief, the run's ledger and its own conversation.
import { basename, dirname, join } from "node:path";
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { readLog } from "../../local/index.ts";
import { ledgerOrigin } from "./every/index.ts";
import { nextOnPath } from "./path.ts";
import type { RunPosition } from "./understudy.ts";

/** A worker's visit. */
export interface WorkerVisit {
	/** Id of the run. */
	readonly run: string;
	readonly state: string;
	/** Number of this visit among all visits of the run. */
	readonly visit: number;
	/** Number of this attempt in the visit, 1-based. */
	readonly attempt: number;
	/** Legal targets of `workflow_transition`. */
	readonly targets: readonly string[];
	/** JSON Schema of its output; absent: none. */
	readonly output?: object | undefined;
}

/** Targets that make no progress: the user, or the same state again. */
const noProgress = (state: string) => ["human_intervention", state];

/** The position of a worker; `branch` is its own conversation, `path` the states that the rehearsal goes through. */
export function positionInRun(
	worker: WorkerVisit,
	{ template, child, name, earlier }: RunSoFar,
	branch: readonly SessionEntry[],
	path: readonly string[] = [],
): RunPosition {
	const visit = earlier + 1;
	const onward = worker.targets.filter((target) => !noProgress(worker.state).includes(target));
	// The path belongs to the first run.
	const wanted = child === undefined ? nextOnPath(path, worker.state, visit) : undefined;
	const targets =
		wanted !== undefined && onward.includes(wanted) ? [wanted, ...onward.filter((name) => name !== wanted)] : onward;
	const turn = branch.filter((entry) => entry.type === "message" && entry.message.role === "assistant").length;
	return {
		kind: "state",
		root: template,
		scope: child,
		...(name === undefined ? {} : { child: { id: worker.run, name } }),
		id: worker.state,
		visit,
		attempt: worker.attempt,
		turn,
		targets,
		...(worker.output ? { output: worker.output as Readonly<Record<string, unknown>> } : {}),
	};
}

/**
 * Facts that a worker reads from its run's event log when it starts. The log contains every move before the worker's launch; the checkpoint
 * may lag behind. Throws if there is no log: a worker is launched only after its launch was recorded.
 */
export function readRunSoFar({ run, state, visit }: WorkerVisit, session: WorkerSession): RunSoFar {
	const sessions = sessionsFolder(run, session);
	const events = readLog(join(sessions, `${run}.events.jsonl`));
	const { name: own, child, root } = ledgerOrigin(events);
	const left = events.flatMap((event) =>
		event.kind === "moved" && event.from === state && event.visit < visit ? [event.visit] : [],
	);
	return {
		template: root === undefined ? own : ledgerOrigin(readLog(join(sessions, `${root}.events.jsonl`))).name,
		child: root === undefined ? undefined : own,
		name: child,
		earlier: new Set(left).size,
	};
}

type WorkerSession = Pick<ExtensionContext["sessionManager"], "getCwd" | "getSessionFile">;

/** The folder of all runs. A child run works in a separate folder, so the session file provides the path. */
function sessionsFolder(run: string, session: WorkerSession): string {
	const folder = dirname(dirname(session.getSessionFile() ?? ""));
	return basename(folder) === run ? dirname(folder) : join(session.getCwd(), ".pi", "chronicle", "sessions");
}

export interface RunSoFar {
	/** Key of the template of the first run: its scenario plays the children too. */
	readonly template: string;
	/** In a child run: the name of the child's template. */
	readonly child: string | undefined;
	/** In a child run: its name. */
	readonly name: string | undefined;
	/** How often the worker's state was left before this visit. */
	readonly earlier: number;
}
