// The supervisor's side of one worker process: its reports and requests as events, the replies as text for its model.

import { entriesToShorten } from "@pi-chronicle/core/handover";
import {
	dueOutput,
	type EventBody,
	explainLists,
	explainSavedLists,
	findTarget,
	judgeMove,
	knownSnapshot,
	type LaunchId,
	launchKey,
	legalTargets,
	type Run,
} from "@pi-chronicle/core/machine";
import type {
	AskReply,
	MoveReply,
	SnapshotReply,
	WorkerAnswer,
	WorkerHost,
	WorkerQuestion,
} from "@pi-chronicle/core/ports";
import {
	bindToKnown,
	cutText,
	explainNoRoom,
	explainSaved,
	LONGEST_TEXT,
	openTasksText,
	readSnapshotData,
	type Snapshot,
	type SnapshotData,
	updateSnapshot,
} from "@pi-chronicle/core/snapshot";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { redacted } from "../../safety/index.ts";

import type { ExecutorContext } from "./executor-context.ts";
import { readListOf } from "./list-file.ts";

const verdicts = { confirmed: "allowed", denied: "denied", text: "answered", undecided: "unanswered" } as const;

/** The host of the worker of `launch`. `signal` aborts once that worker's action is no longer pending. */
export function hostOf(
	context: ExecutorContext,
	launch: LaunchId,
	{ signal, brief }: { readonly signal: AbortSignal; readonly brief: WorkerHost["brief"] },
): WorkerHost {
	const { record, run } = context;
	const { visit, attempt } = launch;
	return {
		waits: (why) => void record({ kind: "noted", text: why }),
		brief,
		report(report) {
			const { providerWait: waits = {} } = context;
			void record({ ...report, visit, attempt, ...(report.kind === "turn_settled" ? { waits } : {}) } as EventBody);
		},
		async requestMove(named, summary, given): Promise<MoveReply> {
			const target = findTarget(named, legalTargets(run())) ?? named;
			const refused = refuseMove(run(), launch, target, summary);
			if (refused !== undefined) return { kind: "refused", text: refused };
			const output = await readMoveData(context, launch, target, given);
			if (output.kind === "refused") return output;
			const unfit = await explainChildren(context, target, output.kind === "fits" ? output.data : undefined);
			if (unfit.length > 0) return refuseData(context, launch, target, { why: noChildren, problems: unfit });
			const marked = await explainMarkers(context, target);
			if (marked !== undefined) return { kind: "refused", text: marked };
			const data = output.kind === "fits" ? { data: output.data } : {};
			const unrecorded = await record({ kind: "move_requested", visit, attempt, target, summary, ...data });
			if (unrecorded !== undefined) return { kind: "refused", text: unrecorded };
			const recorded = `The state ends here: "${target}" is recorded. Stop now; do nothing more.`;
			return { kind: "accepted", text: [recorded, openTasksText(run().snapshot)].filter(Boolean).join(" ") };
		},
		async updateSnapshot(given): Promise<SnapshotReply> {
			const read = readSnapshotData(given);
			if (read.kind === "refused") return { kind: "refused", text: read.reason };
			const before = knownSnapshot(run());
			const data = bindToKnown(before, read.data, run().snapshot);
			const noRoom = explainNoRoom(run().snapshot, updateSnapshot(run().snapshot, data, { visit, state: run().state }));
			if (noRoom !== undefined) return { kind: "refused", text: noRoom };
			const refused = await record({ kind: "snapshot_updated", visit, attempt, by: "worker", data });
			if (refused !== undefined) return { kind: "refused", text: refused };
			const after = run().snapshot;
			const saved = explainSaved(before, after, { ...read, data }, entriesToShorten(run()));
			const lists = explainSavedLists(run(), data);
			return {
				kind: "saved",
				text: `${lists === "" ? saved : `${saved} ${lists}`}${explainSecret(before, after, data)}`,
			};
		},
		async askUser({ call, question, choices }): Promise<AskReply> {
			const [title = ""] = question.split("\n", 1);
			const proposed = choices.length === 0 ? {} : { choices };
			const asked = { title: cutText(title, 200).text, text: question, call, ...proposed };
			const refused = await record({ kind: "ask_opened", visit, attempt, ...asked });
			return refused === undefined ? { kind: "asked" } : { kind: "refused", text: refused };
		},
		ask: (question) => relay(context, question, launch, signal),
	};
}

/** A sentence if recording has replaced a secret in what was saved. */
function explainSecret(before: Snapshot, after: Snapshot, data: SnapshotData): string {
	const marks = (value: unknown): number => JSON.stringify(value).split(redacted).length - 1;
	const known = marks([before.findings, before.pendingTasks, before.resolved ?? [], data]);
	const now = marks([after.findings, after.pendingTasks]);
	return now > known ? ` A secret in it is not kept: it was replaced by ${redacted}.` : "";
}

/** Why the worker of `launch` may not move to `target`; a legal move may still be refused when it is recorded. */
function refuseMove(run: Run, launch: LaunchId, target: string, summary: string): string | undefined {
	const { stage } = run;
	if (!("launch" in stage && stage.launch && launchKey(stage.launch) === launchKey(launch)))
		return "This was decided in an earlier visit: the run has moved on without you. End your turn now.";
	const judged = judgeMove(run, target);
	if (judged.kind === "illegal") return judged.message;
	return summary.length > LONGEST_TEXT
		? `The summary has ${summary.length} characters, but the limit is ${LONGEST_TEXT}: shorten it, and save details as findings.`
		: undefined;
}

/** Why a worker that merges may not end its run: conflict markers are left. What cannot be read is left to the join. */
async function explainMarkers({ run, workspace }: ExecutorContext, target: string): Promise<string | undefined> {
	const { inherited } = run();
	if (!inherited?.conflicts || target === HUMAN_INTERVENTION || judgeMove(run(), target).kind === "repeat")
		return undefined;
	const kept = await workspace.snapshot();
	if (!kept.ok) return undefined;
	const marked = await workspace.conflictMarkers(kept.value.tree, inherited.conflicts);
	if (!marked.ok || marked.value.length === 0) return undefined;
	const wayOut = legalTargets(run()).includes(HUMAN_INTERVENTION)
		? `; or call it with "${HUMAN_INTERVENTION}", and the user decides`
		: "";
	return `Not moved to "${target}": these files still have conflict markers: ${marked.value.join(", ")}. Resolve them, then call workflow_transition again${wayOut}.`;
}

type MoveData =
	/** The move has no output. */
	| { readonly kind: "none" }
	| { readonly kind: "fits"; readonly data: unknown }
	| { readonly kind: "refused"; readonly text: string };

/** Validates a worker's output against the `output` schema of its state; records output that does not match. */
async function readMoveData(
	context: ExecutorContext,
	launch: LaunchId,
	target: string,
	given: unknown,
): Promise<MoveData> {
	const schema = dueOutput(context.run(), target);
	if (!schema) return { kind: "none" };
	const { checkOutput } = await import("./output-validator.ts");
	const checked = checkOutput(schema, given);
	if (checked.kind === "fits") return checked;
	return refuseData(context, launch, target, { why: "the data does not match the schema", problems: checked.problems });
}

/** Why children of later states could not start after a move to `target` with `data`; empty: nothing is known against it. */
async function explainChildren(context: ExecutorContext, target: string, data: unknown): Promise<readonly string[]> {
	const list = await readListOf(context, target);
	const run = context.run();
	return explainLists(list ? { ...run, list } : run, target, data);
}

const noChildren = "the children that are to do the list cannot start";

/** Records that what the worker hands over does not fit, and tells it what to correct. */
async function refuseData(
	{ record, run }: ExecutorContext,
	{ visit, attempt }: LaunchId,
	target: string,
	{ why, problems }: { readonly why: string; readonly problems: readonly string[] },
): Promise<{ readonly kind: "refused"; readonly text: string }> {
	const unrecorded = await record({ kind: "output_refused", visit, attempt, problems });
	if (unrecorded !== undefined) return { kind: "refused", text: unrecorded };
	const list = problems.map((problem) => `- ${problem}`).join("\n");
	const next = run().hold ? "The run pauses here." : `Correct it, and call workflow_transition with "${target}" again.`;
	return { kind: "refused", text: `Not moved to "${target}": ${why}.\n${list}\n${next}` };
}

/** Shows a worker's question to the user, and records the question and the answer. */
async function relay(
	{ record, run, approver }: ExecutorContext,
	question: WorkerQuestion,
	{ visit, attempt }: LaunchId,
	signal: AbortSignal,
): Promise<WorkerAnswer> {
	const title = cutText(question.title, 400).text;
	const text = cutText(textOfQuestion(question), 4000).text;
	const refused = await record({ kind: "ask_opened", visit, attempt, title, text });
	// Nothing else is recorded before this resolves.
	const id = refused === undefined ? run().questions.at(-1)?.id : undefined;
	const answer = await approver.answer(question, run(), signal);
	if (id !== undefined) await record({ kind: "ask_answered", answers: id, verdict: verdicts[answer.kind] });
	return answer;
}

function textOfQuestion(question: WorkerQuestion): string {
	switch (question.kind) {
		case "confirm":
			return question.text;
		case "choose":
			return question.options.join(" | ");
		case "input":
			return question.placeholder ?? "";
	}
}
