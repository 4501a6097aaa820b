// Executes the pending actions of a run, each once, and records the results as events. Makes no decisions.
import type { Action } from "@pi-chronicle/core/machine";
import { answerEvent } from "./answer.ts";
import { ChildActions } from "./child-actions.ts";
import { Commands } from "./command-actions.ts";
import { type ExecutorContext, stopOrphansOf } from "./executor-context.ts";
import { measureFiles, restoreFiles } from "./file-actions.ts";
import { applyJoin, mergeFiles, openConflictFolder } from "./join-actions.ts";
import { Workers } from "./worker-actions.ts";

export interface ActionExecutor {
	/**
	 * Resolves when the action is done and its result recorded, or when a question stays unanswered. Once `signal` has aborted, stale
	 * results are not recorded.
	 */
	execute(action: Action, signal: AbortSignal): Promise<void>;
	/** Keeps the worker of the likely next launch ready. */
	keepReady(): void;
	/** Sends every worker the current ceilings. */
	updateLimits(): void;
	/** Stops every worker and releases every child at once, and waits until they have ended. */
	stopWorkers(): Promise<void>;
}

/** Opens the executor of one supervision. */
export function openActionExecutor(context: ExecutorContext): ActionExecutor {
	const workers = new Workers(context);
	const commands = new Commands(context);
	const children = new ChildActions(context);
	/** Whether a cleanup command of an earlier supervisor may still run. */
	let cleanupInDoubt = context.origin === "reopened";
	return {
		async execute(action, signal) {
			switch (action.kind) {
				case "measure_files":
					cleanupInDoubt = false;
					return measureFiles(context, action, signal);
				case "ask_approval":
					return askApproval(context, action, signal);
				case "ask_user":
					return showQuestion(context, workers, action, signal);
				case "reply":
					return workers.reply(action);
				case "work":
					return workers.run(action, signal);
				case "run_command":
					return commands.run(action);
				case "end_command":
					return commands.end(action);
				case "await_provider":
					return waitUntilTried(context, action, signal);
				case "send":
					return workers.send(action);
				case "end_worker":
					return workers.end(action);
				case "clean_up":
					if (cleanupInDoubt) await stopOrphansOf(context, action.visit);
					cleanupInDoubt = false;
					return cleanUp(context, action, signal);
				case "restore_files":
					return restoreFiles(context, action, signal);
				case "run_child":
					return children.run(action);
				case "stop_child":
					return children.stop(action);
				case "merge_files":
					return mergeFiles(context, action, signal);
				case "apply_join":
					return applyJoin(context, action, signal);
			}
		},
		keepReady: () => workers.keepReady(),
		updateLimits() {
			workers.updateLimits();
			children.updateLimits();
		},
		async stopWorkers() {
			await Promise.all([workers.stopAll(), commands.stopAll(), children.stopAll()]);
		},
	};
}

async function askApproval(
	context: ExecutorContext,
	{ question }: Extract<Action, { kind: "ask_approval" }>,
	signal: AbortSignal,
): Promise<void> {
	const { approver, record, run } = context;
	if (question.side === "conflict") await openConflictFolder(context);
	const answer = await approver.approve(question, run(), signal);
	const event = signal.aborted ? undefined : answerEvent(question, { via: approver.via, ...answer });
	if (event) await record(event);
}

/** Milliseconds of one sleep: the clock may have been set, or the machine have slept, meanwhile. */
const napMs = 60_000;

async function waitUntilTried(
	{ clock, record }: ExecutorContext,
	{ visit, until }: Extract<Action, { kind: "await_provider" }>,
	signal: AbortSignal,
): Promise<void> {
	for (let left = Date.parse(until) - clock.now(); left > 0 && !signal.aborted; left = Date.parse(until) - clock.now())
		await clock.sleep(Math.min(left, napMs), signal);
	if (!signal.aborted) await record({ kind: "provider_due", visit });
}

async function cleanUp(
	{ workspace, commands, record, run }: ExecutorContext,
	{ visit, index, command, timeoutMs }: Extract<Action, { kind: "clean_up" }>,
	signal: AbortSignal,
): Promise<void> {
	const opened = await workspace.open();
	if (!opened.ok) {
		const result = { kind: "unstarted", detail: "The run's folder does not exist." } as const;
		await record({ kind: "cleanup_ended", visit, index, result });
		return;
	}
	const { result, output } = await commands.run(command, opened.value.cwd, timeoutMs, signal, run().cleanupHash);
	// Aborted because the supervision ends: the command stays pending.
	if (signal.aborted && result.kind !== "exited") return;
	await record({ kind: "cleanup_ended", visit, index, result, ...(output === "" ? {} : { output }) });
}

/** Resolves once the answer is recorded, or nobody will answer here. */
async function showQuestion(
	{ approver, clock, record, run, questionMs = 0 }: ExecutorContext,
	workers: Workers,
	{ question }: Extract<Action, { kind: "ask_user" }>,
	signal: AbortSignal,
): Promise<void> {
	const { seq } = question;
	const answered = new AbortController();
	const over = AbortSignal.any([signal, answered.signal]);
	void clock.sleep(questionMs, over).then(() => {
		if (!over.aborted) workers.stopAsking(seq);
	});
	const words = await approver.ask(question, run(), signal);
	answered.abort();
	if (signal.aborted) return;
	if (words !== undefined)
		await record({ kind: "ask_answered", answers: seq, verdict: "answered", words, via: approver.via });
	else workers.stopAsking(seq);
}
