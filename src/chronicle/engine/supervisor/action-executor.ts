// Carrying out what a run owes: each action once, its result handed back as an event. Nothing is decided here.

import type {
	KeptFiles,
	LaunchFault,
	LaunchOrder,
	MoveReply,
	SnapshotReply,
	SupervisorPorts,
	Worker,
	WorkerAnswer,
	WorkerHost,
	WorkerQuestion,
} from "../../core/index.ts";
import {
	type Action,
	allowanceOf,
	cutText,
	type EventBody,
	explainSaved,
	type FileLeft,
	type FilesMeasured,
	judgeMove,
	type LaunchId,
	LONGEST_TEXT,
	launchKey,
	legalTargets,
	NO_SPEND,
	planOf,
	type Run,
	readSnapshotData,
	type Spend,
} from "../../core/index.ts";
import { answerEvent } from "./answer.ts";
import type { CrashPoint } from "./crash-point.ts";
import { firstMessage } from "./first-message.ts";

/** Changes kept with a visit; what is more is counted. */
const mostChanges = 200;

export interface ActionExecutor {
	/** Resolves when the action is done, and its result recorded; a question, also when nobody answers. */
	execute(action: Action, signal: AbortSignal): Promise<void>;
	/** Tells the workers what they may spend from now on: a person has changed a ceiling. */
	updateLimits(): void;
	/** Ends every worker at once and waits until it is gone. */
	stopWorkers(): Promise<void>;
}

export interface ExecutorContext {
	/** Whether this process has created the run. */
	readonly origin: "fresh" | "reopened";
	run(): Run;
	record(body: EventBody): Promise<string | undefined>;
	/** Whether the run is still this supervisor's. */
	holds(): Promise<boolean>;
	readonly crashAt: CrashPoint;
	/** Where a worker may read the whole record. */
	readonly place: string;
	/** Folder of the run's own files. */
	readonly folder: string;
}

function tooLong({ length }: string): string {
	return `The summary has ${length} characters, and at most ${LONGEST_TEXT} are kept: write the long part to a file, and name the file.`;
}

/** Files named in an event of what was not kept or not brought back; what is more is counted. */
const mostLeft = 50;
/** A rewind over files that somebody is writing is begun anew so many times. */
const mostRounds = 5;

function seenWith({ unkept, notes }: KeptFiles): Pick<FilesMeasured, "unkept" | "notes"> {
	return {
		...(unkept.length > 0 ? { unkept: unkept.slice(0, mostLeft) } : {}),
		...(notes.length > 0 ? { notes } : {}),
	};
}

const verdicts = { confirmed: "allowed", denied: "denied", text: "answered", undecided: "unanswered" } as const;

/** Opens the hands of one supervision. */
export function openActionExecutor(ports: SupervisorPorts, body: ExecutorContext): ActionExecutor {
	const { launcher, workspace, approver, commands, clock } = ports;
	const { record } = body;
	const workers = new Map<string, Worker>();
	/** Launches whose process has not become a worker yet. */
	const starting = new Map<string, Promise<Worker | undefined>>();
	let gone = false;
	/** Whether what an earlier supervisor of the run may have left running has been looked for. */
	let swept = false;

	async function stopStrays(visit: number): Promise<void> {
		swept = true;
		const { stopped, left } = await launcher.stopOrphans(body.run().id);
		if (stopped > 0 || left > 0)
			await record({ kind: "strays_stopped", visit, count: stopped, ...(left > 0 ? { left } : {}) });
	}

	async function measure(
		{ visit, purpose, since }: Extract<Action, { kind: "measure_files" }>,
		signal: AbortSignal,
	): Promise<void> {
		await stopStrays(visit);
		const taken = await workspace.snapshot({ signal });
		// Broken off because the run is let go of: it is owed still.
		if (signal.aborted) return;
		if (!taken.ok)
			return void (await record({ kind: "files_unmeasured", visit, purpose, detail: taken.failure.message }));
		const { tree } = taken.value;
		const measured = { kind: "files_measured", visit, purpose, tree, ...seenWith(taken.value) } as const;
		if (purpose === "baseline" || since === null) return void (await record(measured));
		if (since === tree) return void (await record({ ...measured, changes: [] }));
		const compared = await workspace.changes(since, tree, mostChanges, signal);
		if (signal.aborted) return;
		if (!compared.ok)
			return void (await record({ kind: "files_unmeasured", visit, purpose, detail: compared.failure.message }));
		const { changes, more } = compared.value;
		await record({ ...measured, changes, ...(more > 0 ? { more } : {}) });
	}

	async function ask({ question }: Extract<Action, { kind: "ask_approval" }>, signal: AbortSignal): Promise<void> {
		const answer = await approver.approve(question, body.run(), signal);
		const event = signal.aborted ? undefined : answerEvent(question, answer);
		if (event) await record(event);
	}

	async function work(action: Extract<Action, { kind: "work" }>, signal: AbortSignal): Promise<void> {
		const { launch } = action;
		if (workers.has(launchKey(launch))) return;
		const start = startWorker(action, signal);
		starting.set(launchKey(launch), start);
		const worker = await start.finally(() => starting.delete(launchKey(launch)));
		if (!worker) return;
		const outcome = await worker.ended;
		// What it was killed over may still run: it must not outlive it into cleanup or another worker.
		if (outcome.kind !== "stopped" && !gone && (await body.holds())) await stopStrays(launch.visit);
		workers.delete(launchKey(launch));
		if (!gone) await record({ kind: "worker_ended", ...launch, outcome });
	}

	/** Resolves once the start is recorded, or its failure; `undefined` where there is no worker then. */
	async function startWorker(
		action: Extract<Action, { kind: "work" }>,
		signal: AbortSignal,
	): Promise<Worker | undefined> {
		const { launch } = action;
		const failed = async (fault: LaunchFault): Promise<undefined> => {
			await record({ kind: "launch_failed", ...launch, ...fault });
			return undefined;
		};
		if (action.delayMs > 0) await clock.sleep(action.delayMs, signal);
		if (signal.aborted) return undefined;
		await launcher.redactSessions(body.folder, action.conversation.key);
		if (signal.aborted || !(await body.holds())) return undefined;
		const opened = await workspace.open(undefined, launchKey(launch));
		if (!opened.ok) return failed({ reason: "spawn", detail: opened.failure.message });
		const started = await launcher.launch(orderOf(action, opened.value.cwd), hostOf(launch, signal), signal);
		// Called off because the run is let go of: the launch is owed still.
		if (!started.ok) return gone && signal.aborted ? undefined : failed(started.failure);
		const worker = started.value;
		workers.set(launchKey(launch), worker);
		body.crashAt("worker is up");
		if (gone || signal.aborted) worker.stop("now");
		else {
			const { started: _, ...seen } = worker.started;
			await record({ kind: "worker_started", ...launch, ...seen });
		}
		return worker;
	}

	function orderOf(
		{ launch, because, conversation, allowance }: Extract<Action, { kind: "work" }>,
		cwd: string,
	): LaunchOrder {
		const run = body.run();
		const state = planOf(run);
		const { key } = conversation;
		return {
			run: run.id,
			launch,
			state,
			...(run.model === null ? {} : { model: run.model }),
			cwd,
			conversation:
				conversation.kind === "new" ? { kind: "new", key } : { kind: "continue", key, optional: conversation.optional },
			message: firstMessage(run, because, body.place),
			targets: legalTargets(run),
			limits: {
				wallMs: state.wallMs,
				idleMs: state.idleMs,
				...allowance,
				pauseMs: run.plan.limits.pauseMs,
				countCacheReads: run.plan.limits.countCacheReads,
			},
			// Words that wait for the worker go before a move that it asked for without having heard them.
			unanswered: because === "rejected" || run.outbox.length > 0 ? "drop" : "ask",
			folder: body.folder,
		};
	}

	function hostOf(launch: LaunchId, signal: AbortSignal): WorkerHost {
		const { visit, attempt } = launch;
		/** Why nothing of this process counts any more. */
		const earlier = (): string | undefined => {
			const { stage } = body.run();
			if ("launch" in stage && stage.launch && launchKey(stage.launch) === launchKey(launch)) return undefined;
			return "This was decided in an earlier visit: the run has moved on without you. End your turn now.";
		};
		return {
			report: (report) => void record({ ...report, visit, attempt } as EventBody),
			async requestMove(target, summary): Promise<MoveReply> {
				const late = earlier();
				if (late !== undefined) return { kind: "refused", text: late };
				const judged = judgeMove(body.run(), target);
				if (judged.kind === "illegal") return { kind: "refused", text: judged.message };
				if (summary.length > LONGEST_TEXT) return { kind: "refused", text: tooLong(summary) };
				const refused = await record({ kind: "move_requested", visit, attempt, target, summary });
				if (refused !== undefined) return { kind: "refused", text: refused };
				return { kind: "accepted", text: `The state ends here: "${target}" is recorded. Stop now; do nothing more.` };
			},
			async updateSnapshot(given): Promise<SnapshotReply> {
				const read = readSnapshotData(given);
				if (read.kind === "refused") return { kind: "refused", text: read.reason };
				const before = body.run().snapshot;
				const refused = await record({ kind: "snapshot_updated", visit, attempt, by: "worker", data: read.data });
				if (refused !== undefined) return { kind: "refused", text: refused };
				return { kind: "saved", text: explainSaved(before, body.run().snapshot, read.data) };
			},
			ask: (question) => relay(question, visit, attempt, signal),
		};
	}

	async function relay(
		question: WorkerQuestion,
		visit: number,
		attempt: number,
		signal: AbortSignal,
	): Promise<WorkerAnswer> {
		const text =
			question.kind === "confirm"
				? question.text
				: question.kind === "choose"
					? question.options.join(" | ")
					: (question.placeholder ?? "");
		const { title } = question;
		const opened = { title: cutText(title, 400).text, text: cutText(text, 4000).text };
		const refused = await record({ kind: "ask_opened", visit, attempt, ...opened });
		// Nothing is recorded between an event and whoever waits for it.
		const id = refused === undefined ? body.run().questions.at(-1)?.id : undefined;
		const answer = await approver.answer(question, body.run(), signal);
		if (id !== undefined) await record({ kind: "ask_answered", answers: id, verdict: verdicts[answer.kind] });
		return answer;
	}

	async function endWorker({ launch, how }: Extract<Action, { kind: "end_worker" }>): Promise<void> {
		// One that is starting has been called off with the action that started it.
		await starting.get(launchKey(launch));
		const { stage } = body.run();
		if (stage.kind !== "stopping" || !stage.launch || launchKey(stage.launch) !== launchKey(launch)) return;
		const worker = workers.get(launchKey(launch));
		// Nothing links it to this supervisor: what is left of it is stopped, and its end recorded as lost.
		if (worker === undefined) {
			await stopStrays(launch.visit);
			await settle(launch);
			await record({ kind: "worker_ended", ...launch, outcome: { kind: "lost" } });
			return;
		}
		worker.stop(how);
		await worker.ended;
	}

	/** What a lost worker used after its last report is in its conversation alone, and nobody may go on with that. */
	async function settle({ visit, attempt }: LaunchId): Promise<void> {
		const known = await spentBy();
		if (known && known.spend.tokens > known.counted) await record({ kind: "used", visit, attempt, spend: known.spend });
	}

	/** What the worker's conversation says that it used, and the tokens of it that are counted already. */
	async function spentBy(): Promise<{ readonly spend: Spend; readonly counted: number } | undefined> {
		const { stage, conversation, visit: now } = body.run();
		const talked = stage.kind === "stopping" && stage.visit !== now ? stage.closing : conversation;
		const spend = talked ? await launcher.readSpend(body.folder, talked.key) : undefined;
		return spend && { spend, counted: talked?.settled.tokens ?? 0 };
	}

	async function restore(
		{ tree, visit, before: known }: Extract<Action, { kind: "restore_files" }>,
		signal: AbortSignal,
	): Promise<void> {
		const fail = async (detail: string): Promise<void> =>
			void (await record({ kind: "files_unrestored", tree, detail }));
		let before = known;
		let last = known;
		for (let round = 1; ; round += 1) {
			const kept = await workspace.snapshot({ towards: tree, signal });
			if (signal.aborted) return;
			if (!kept.ok) return fail(kept.failure.message);
			const found = kept.value;
			if (found.tree !== last) {
				// On disk before anything is overwritten: whoever goes on after a crash finds the files in between.
				const event = {
					kind: "files_measured",
					visit,
					purpose: "before",
					tree: found.tree,
					...seenWith(found),
				} as const;
				if ((await record(event)) !== undefined) return;
				last = found.tree;
			}
			before ??= found.tree;
			body.crashAt("before files are brought back");
			const restored = await workspace.restore(tree, { expected: found.tree, before, signal });
			body.crashAt("files are brought back");
			if (signal.aborted && !restored.ok) return;
			if (restored.ok) return tellRestored(tree, before, restored.value);
			if (restored.failure.reason !== "changed" || round >= mostRounds) return fail(restored.failure.message);
		}
	}

	async function tellRestored(
		tree: string,
		before: string,
		{ tree: now, left }: { readonly tree: string; readonly left: readonly FileLeft[] },
	): Promise<void> {
		const compared = await workspace.changes(before, now, mostChanges);
		const { changes, more } = compared.ok ? compared.value : { changes: undefined, more: 0 };
		await record({
			kind: "files_restored",
			tree,
			before,
			...(now === tree ? {} : { now }),
			...(changes ? { changes } : {}),
			...(more > 0 ? { more } : {}),
			...(left.length > 0 ? { left: left.slice(0, mostLeft) } : {}),
			...(left.length > mostLeft ? { leftMore: left.length - mostLeft } : {}),
		});
	}

	async function cleanUp(
		{ visit, index, command, timeoutMs }: Extract<Action, { kind: "clean_up" }>,
		signal: AbortSignal,
	): Promise<void> {
		// The supervisor before this one may have died over this very command: it must not run beside itself.
		if (body.origin === "reopened" && !swept) await stopStrays(visit);
		const opened = await workspace.open(undefined, `cleanup-${visit}-${index}`);
		const cwd = opened.ok ? opened.value.cwd : undefined;
		if (cwd === undefined) {
			await record({
				kind: "cleanup_ended",
				visit,
				index,
				result: { kind: "unstarted", detail: "The run's folder is not there." },
			});
			return;
		}
		const { result, output } = await commands.run(command, cwd, timeoutMs, signal);
		// Broken off because the run is let go of: it is owed still.
		if (signal.aborted && result.kind !== "exited") return;
		await record({ kind: "cleanup_ended", visit, index, result, ...(output === "" ? {} : { output }) });
	}

	return {
		async execute(action, signal) {
			switch (action.kind) {
				case "record":
					await record(action.event);
					return;
				case "measure_files":
					return measure(action, signal);
				case "ask_approval":
					return ask(action, signal);
				case "work":
					return work(action, signal);
				case "send": {
					const worker = workers.get(launchKey(action.launch));
					if (worker && (await worker.send(action.text))) await record({ kind: "delivered", message: action.message });
					return;
				}
				case "end_worker":
					return endWorker(action);
				case "clean_up":
					return cleanUp(action, signal);
				case "restore_files":
					return restore(action, signal);
			}
		},
		updateLimits() {
			const allowance = allowanceOf(body.run(), new Date(clock.now()).toISOString());
			for (const worker of workers.values()) worker.setLimits(allowance);
		},
		async stopWorkers() {
			gone = true;
			const { stage } = body.run();
			const all = [...workers];
			for (const [, worker] of all) worker.stop("now");
			await Promise.all(all.map(([, { ended }]) => ended));
			// Until here it has worked and used; whoever goes on cannot know.
			if (stage.kind === "working" && all.some(([key]) => key === launchKey(stage.launch))) {
				const { visit, attempt } = stage.launch;
				const spend = (await spentBy())?.spend ?? NO_SPEND;
				await record({ kind: "used", visit, attempt, spend });
			}
		},
	};
}
