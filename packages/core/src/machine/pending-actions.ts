// Pending actions, derived from the run state only.
// The same run has the same actions under the same keys; a launch is pending only once its intent is recorded; a run that waits or
// is over has no action except its question.
import type { Action } from "./action.ts";
import { hasBegun, nextToJoin, workingGraph } from "./children/child-graph.ts";
import { resultsOf } from "./children/settle-children.ts";
import { messageWords } from "./outbox.ts";
import { childrenPlanOf, planOf } from "./plan/plan.ts";
import { type ChildGroup, isSettled } from "./run/child-group.ts";
import { type LaunchId, launchKey } from "./run/launch.ts";
import type { Run, Stage, Stopping } from "./run/run.ts";
import { dueQuestion } from "./run/user-question.ts";
import { dueCleanup } from "./shutdown.ts";

const none: readonly Action[] = [];

/** Every action of `run` that is pending or in progress. */
export function pendingActions(run: Run): readonly Action[] {
	const question = dueQuestion(run);
	const actions = actionsOfStage(run);
	return question ? [...actions, { kind: "ask_user", key: `ask:${question.seq}`, question }] : actions;
}

function actionsOfStage(run: Run): readonly Action[] {
	const { stage, question } = run;
	switch (stage.kind) {
		case "baselining":
			return [
				{ kind: "measure_files", key: `baseline:${run.visit}`, visit: run.visit, purpose: "baseline", since: null },
			];
		case "asking":
			return [{ kind: "ask_approval", key: `ask:${stage.question.seq}`, question: stage.question }];
		case "launching":
			return [work(run, stage.launch, stage.because, stage.delayMs, stage.allowance)];
		case "working": {
			const messages = run.outbox.filter(({ given }) => !given);
			return [
				work(run, stage.launch, stage.because, 0, {}),
				...replies(question, stage.launch),
				...messages.map(
					(message): Action => ({
						kind: "send",
						key: `send:${message.id}:${launchKey(stage.launch)}`,
						launch: stage.launch,
						message: message.id,
						text: messageWords(message),
					}),
				),
			];
		}
		case "stopping":
			return shutdown(run, stage);
		case "restoring": {
			const { to, tree, kept } = stage.rewind;
			const { before = null } = stage;
			const goal = kept === undefined ? `${to}` : `kept-${kept}`;
			return [{ kind: "restore_files", key: `restore:${run.visit}:${goal}`, tree, visit: run.visit, before }];
		}
		case "children":
			return run.children ? childActions(run, run.children) : none;
		case "awaiting_provider":
			return run.providerWait
				? [{ kind: "await_provider", key: `provider:${stage.since}`, visit: run.visit, until: run.providerWait.next }]
				: none;
		case "deciding":
		case "waiting":
		case "over":
			return none;
	}
}

function replies(question: Run["question"], launch: LaunchId): readonly Action[] {
	if (!question?.answer) return none;
	const { call, answer } = question;
	return [{ kind: "reply", key: `reply:${answer.seq}:${launchKey(launch)}`, launch, call, words: answer.words }];
}

function childActions(run: Run, group: ChildGroup): readonly Action[] {
	const { visit, children, stopping, phase, join } = group;
	if (stopping) {
		const open = children.filter(
			(child) => child.status === "pending" || (stopping.how === "abort" && !isSettled(child)),
		);
		const detail = run.hold?.detail ?? "The parent run stopped.";
		const { how } = stopping;
		return open.map((child) => ({ kind: "stop_child", key: `stop:${child.id}:${how}`, visit, child, how, detail }));
	}
	if (phase === "joining") return joinActions(group, join);
	const most = childrenPlanOf(run)?.maxParallel ?? 1;
	const working = children.filter((child) => child.status === "pending" && hasBegun(group, child)).slice(0, most);
	const dropped = children.filter(({ dropping }) => dropping);
	return [
		...graphJoin(group),
		...working.map((child): Action => ({ kind: "run_child", key: `child:${child.id}:${child.starts}`, visit, child })),
		...dropped.map((child): Action => {
			const detail = "The user dropped this child.";
			return { kind: "stop_child", key: `drop:${child.id}`, visit, child, how: "abort", detail };
		}),
	];
}

/** The merge of the files of one child with those of the children joined before. */
function graphJoin(group: ChildGroup): readonly Action[] {
	const graph = workingGraph(group);
	const next = graph && nextToJoin(graph);
	if (!next?.tree || !graph?.joined) return none;
	const { index, id, name, tree, conflict: join = null, base, from } = next;
	const { visit, joined } = graph;
	const results = [{ name, tree, base }];
	const at = `${visit}.${index}:${join?.round ?? 0}`;
	const into = { child: id, tree: joined };
	const start = from ?? joined;
	return [{ kind: "merge_files", key: `merge:${at}:${join?.choice ?? ""}`, visit, base: start, results, join, into }];
}

function joinActions(group: ChildGroup, join: ChildGroup["join"]): readonly Action[] {
	const { visit, base } = group;
	if (base === null) return none;
	const at = `${visit}:${join?.round ?? 0}`;
	if (join && join.conflicts.length === 0)
		return [{ kind: "apply_join", key: `apply:${at}:${join.tree}`, visit, join }];
	const results = resultsOf(group);
	return [{ kind: "merge_files", key: `merge:${at}:${join?.choice ?? ""}`, visit, base, results, join }];
}

type Launching = Extract<Stage, { kind: "launching" }>;

function work(
	run: Run,
	launch: Launching["launch"],
	because: Launching["because"],
	delayMs: number,
	allowance: Launching["allowance"],
): Action {
	if (planOf(run).command) {
		const { activeMs } = allowance;
		return { kind: "run_command", key: `command:${launchKey(launch)}`, launch, state: run.state, activeMs };
	}
	const { visit, attempt, launch: number } = launch;
	const key = run.conversation?.key ?? `${visit}.${attempt}`;
	const begins = key === `${visit}.${attempt}` && number === 1;
	return {
		kind: "work",
		key: `work:${launchKey(launch)}`,
		launch,
		state: run.state,
		because,
		conversation: { kind: begins ? "new" : "continue", key, optional: run.conversation?.touched !== true },
		allowance,
		delayMs,
	};
}

function shutdown(run: Run, stage: Stopping): readonly Action[] {
	const { launch, how, index, state, visit, since, after } = stage;
	if (launch && planOf(run, state).command)
		return [{ kind: "end_command", key: `end:${launchKey(launch)}:${how}`, launch, how }];
	if (launch) return [{ kind: "end_worker", key: `end:${launchKey(launch)}:${how}`, launch, how }];
	const command = dueCleanup(run, stage);
	const at = `${visit}.${run.attempt}.${run.launch}`;
	if (command)
		return [
			{
				kind: "clean_up",
				key: `cleanup:${at}:${index}`,
				visit,
				state,
				index,
				command: command.command,
				timeoutMs: command.timeoutMs,
			},
		];
	const again = after.kind === "ask" && after.earlier ? `:${after.earlier.seq}` : "";
	return [{ kind: "measure_files", key: `changes:${at}${again}`, visit, purpose: "changes", since }];
}

/** Whether nothing happens until the user acts. Such a run needs neither a process nor a timer. */
export function isParked({ stage }: Run): boolean {
	return stage.kind === "asking" || stage.kind === "waiting" || stage.kind === "over";
}
