// Actions on workers: launching one and staying connected until it has ended, sending it messages, stopping it.
// At most one worker per launch; a worker's spend is recorded even if the worker or its supervisor died.

import { isDeepStrictEqual } from "node:util";
import { briefOf, continuedText, firstMessageText, fullHandover, savedLists } from "@pi-chronicle/core/handover";
import {
	type Action,
	allowanceOf,
	awaitedLists,
	candidatesIn,
	type EventBody,
	type LaunchId,
	type LaunchReason,
	labelsOf,
	launchKey,
	leastOf,
	legalTargets,
	likelyNext,
	missingLabels,
	NO_SPEND,
	outputIn,
	planOf,
	type Run,
	type Spend,
	type SpendFigures,
	targetMeanings,
	targetsWithoutOutput,
	unansweredQuestion,
} from "@pi-chronicle/core/machine";
import type { LateAnswer, LaunchFault, LaunchOrder, StandbyOrder, Worker } from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import { type ExecutorContext, nowOf, outerRemainder, stopOrphansOf } from "./executor-context.ts";
import { handoverFile, writeHandover } from "./handover-file.ts";
import { hostOf } from "./worker-host.ts";

type WorkAction = Extract<Action, { kind: "work" }>;

/** The workers of one supervision. */
export class Workers {
	readonly #context: ExecutorContext;
	readonly #alive = new Map<string, Worker>();
	/** Launches before the handshake. */
	readonly #starting = new Map<string, Promise<Worker | undefined>>();
	/** The workers' folder, once one has been started. */
	#cwd: string | undefined;
	#opens = false;
	/** The last argument of `keepReady`. */
	#kept = "";
	#stopped = false;

	constructor(context: ExecutorContext) {
		this.#context = context;
	}

	/** Launches the worker and resolves once its end is recorded, or that it could not be launched. */
	async run(action: WorkAction, signal: AbortSignal): Promise<void> {
		const { holdsLease, record, launcher, folder } = this.#context;
		const { launch } = action;
		const key = launchKey(launch);
		if (this.#alive.has(key)) return;
		this.#kept = "";
		const start = this.#start(action, signal);
		this.#starting.set(key, start);
		const worker = await start.finally(() => this.#starting.delete(key));
		// Long conversations take a while: the worker does not wait for it.
		if (!this.#stopped && (await holdsLease())) await launcher.redactSessions(folder, action.conversation.key);
		if (!worker) return;
		const outcome = await worker.ended;
		// A process that survived the worker must not run into cleanup or another worker.
		if (outcome.kind !== "stopped" && !this.#stopped && (await holdsLease()))
			await stopOrphansOf(this.#context, launch.visit);
		this.#alive.delete(key);
		if (!this.#stopped) await record({ kind: "worker_ended", ...launch, outcome });
	}

	/** Resolves once the start or its failure is recorded; `undefined` if there is no worker. */
	async #start(action: WorkAction, signal: AbortSignal): Promise<Worker | undefined> {
		const { clock, launcher, workspace, record, holdsLease, crashAt } = this.#context;
		const { launch } = action;
		const fail = async (fault: LaunchFault): Promise<undefined> => {
			await record({ kind: "launch_failed", ...launch, ...fault });
			return undefined;
		};
		if (action.delayMs > 0) await clock.sleep(action.delayMs, signal);
		if (signal.aborted) return undefined;
		if (!(await holdsLease())) return undefined;
		const opened = await workspace.open();
		if (!opened.ok) return fail({ reason: "spawn", detail: opened.failure.message });
		this.#cwd = opened.value.cwd;
		const { because } = action;
		const { cwd } = opened.value;
		const message = {
			new: await briefWorker(this.#context, because, cwd),
			continued: continuedText(this.#context.run(), because),
		};
		const order = orderOf(this.#context, action, cwd, message);
		const brief = () => briefWorker(this.#context, "compacted", cwd);
		const started = await launcher.launch(order, hostOf(this.#context, launch, { signal, brief }), signal);
		// Aborted because the supervision ends: the launch stays pending.
		if (!started.ok) return this.#stopped && signal.aborted ? undefined : fail(started.failure);
		const worker = started.value;
		this.#alive.set(launchKey(launch), worker);
		crashAt("worker is up");
		// Limits may have changed since it was ordered.
		if (!isDeepStrictEqual(leastOf(order.limits, undefined), spendLeft(this.#context))) this.updateLimits();
		if (this.#stopped || signal.aborted) worker.stop("now");
		else await record(startEvent(launch, worker));
		return worker;
	}

	/** Keeps the worker of the likely next launch ready. */
	keepReady(): void {
		const { launcher, run } = this.#context;
		const { kind } = run().stage;
		// The launch itself adopts the standby, or discards it.
		if (this.#stopped || kind === "launching") return;
		if (this.#cwd === undefined && kind === "stopping") return void this.#openFolder();
		const order = standbyOrderOf(this.#context, this.#cwd);
		const kept = order ? `${launchKey(order.launch)} ${order.state.name} ${order.model} ${order.waits}` : kind;
		if (kept === this.#kept) return;
		this.#kept = kept;
		void launcher.keepReady(order);
	}

	/** Finds the folder for a standby before the first launch, such as of a run whose question was answered while nobody supervised it. */
	async #openFolder(): Promise<void> {
		if (this.#opens || !likelyNext(this.#context.run())) return;
		this.#opens = true;
		const opened = await this.#context.workspace.open();
		if (!opened.ok) return;
		this.#cwd ??= opened.value.cwd;
		this.keepReady();
	}

	async send({ launch, message, text }: Extract<Action, { kind: "send" }>): Promise<void> {
		const worker = this.#alive.get(launchKey(launch));
		if (worker && (await worker.send(text))) await this.#context.record({ kind: "delivered", message });
	}

	/** Gives the answer to the worker that waits for it. */
	async reply({ launch, call, words }: Extract<Action, { kind: "reply" }>): Promise<void> {
		this.#alive.get(launchKey(launch))?.reply(call, givenAnswerText(words));
	}

	/** Stops the process that waits for the answer to the question `seq`; the next one gets the answer. */
	stopAsking(seq: number): void {
		const { stage, question } = this.#context.run();
		if (stage.kind === "working" && question?.seq === seq && question.answer === null)
			this.#alive.get(launchKey(stage.launch))?.stop("now");
	}

	/** Stops the worker of the run's current shutdown; a worker without a connection is recorded as lost. */
	async end({ launch, how }: Extract<Action, { kind: "end_worker" }>): Promise<void> {
		const { record, run } = this.#context;
		// A launch in progress is aborted with the action that started it.
		await this.#starting.get(launchKey(launch));
		const { stage } = run();
		if (stage.kind !== "stopping" || !stage.launch || launchKey(stage.launch) !== launchKey(launch)) return;
		const worker = this.#alive.get(launchKey(launch));
		if (worker) {
			worker.stop(how);
			await worker.ended;
			return;
		}
		await stopOrphansOf(this.#context, launch.visit);
		await this.#recordUncounted(launch);
		await record({ kind: "worker_ended", ...launch, outcome: { kind: "lost" } });
	}

	/** Sends every worker the current ceilings. */
	updateLimits(): void {
		const counted = this.#context.run().conversation?.settled ?? NO_SPEND;
		const limits = { ...spendLeft(this.#context), counted };
		for (const worker of this.#alive.values()) worker.setLimits(limits);
	}

	/** Stops every worker at once and waits until it has exited. Their ends are not recorded: the next supervisor finds them lost. */
	async stopAll(): Promise<void> {
		this.#stopped = true;
		const { stage } = this.#context.run();
		const all = [...this.#alive];
		for (const [, worker] of all) worker.stop("now");
		await Promise.all([this.#context.launcher.keepReady(undefined), ...all.map(([, { ended }]) => ended)]);
		// Count the time until now, because the next supervisor cannot know it.
		if (stage.kind === "working" && all.some(([key]) => key === launchKey(stage.launch))) {
			const { visit, attempt } = stage.launch;
			const spend = (await this.#readSpend())?.spend ?? NO_SPEND;
			await this.#context.record({ kind: "used", visit, attempt, spend });
		}
	}

	/** The spend of a lost worker after its last report is only in its conversation, which may never be continued. */
	async #recordUncounted({ visit, attempt }: LaunchId): Promise<void> {
		const known = await this.#readSpend();
		if (known && known.spend.tokens > known.counted)
			await this.#context.record({ kind: "used", visit, attempt, spend: known.spend, lost: true });
	}

	/** The spend in the worker's conversation, and how many of its tokens are already counted. */
	async #readSpend(): Promise<{ readonly spend: Spend; readonly counted: number } | undefined> {
		const { launcher, folder, run } = this.#context;
		const conversation = conversationOf(run());
		const spend = conversation ? await launcher.readSpend(folder, conversation.key) : undefined;
		return spend && { spend, counted: conversation?.settled.tokens ?? 0 };
	}
}

/** What the ceilings of the run and of its parents leave its worker now. */
function spendLeft(context: ExecutorContext): SpendFigures {
	return leastOf(allowanceOf(context.run(), nowOf(context)), outerRemainder(context));
}

function conversationOf({ stage, conversation, visit }: Run): Run["conversation"] {
	return stage.kind === "stopping" && stage.visit !== visit ? stage.closing : conversation;
}

function startEvent(launch: LaunchId, { started: { started: _mark, ...seen } }: Worker): EventBody {
	return { kind: "worker_started", ...launch, ...seen };
}

/** The folders of the children that the worker chooses from, by run id. */
async function openCandidates({ workspace, run }: ExecutorContext): Promise<ReadonlyMap<string, string>> {
	const folders = new Map<string, string>();
	for (const { id, tree } of candidatesIn(run(), run().state)) {
		const opened = tree === null ? undefined : await workspace.openChild(id, tree);
		if (opened?.ok) folders.set(id, opened.value.cwd);
	}
	return folders;
}

/** The first message of a conversation that begins now. */
async function briefWorker(
	context: ExecutorContext,
	because: Parameters<typeof briefOf>[1],
	cwd: string,
): Promise<string> {
	const { folder, place: log, launcher, events } = context;
	const run = context.run();
	const states = [run.state, ...planOf(run).next].map((name) => planOf(run, name)).filter(({ persona }) => persona);
	const [folders, abilities] = await Promise.all([openCandidates(context), launcher.abilities(states)]);
	const brief = briefOf(run, because, { cwd, log, folders, abilities, file: handoverFile(folder) });
	await writeHandover(folder, fullHandover(brief), { run, events });
	return firstMessageText(brief);
}

function orderOf(
	context: ExecutorContext,
	action: WorkAction,
	cwd: string,
	message: LaunchOrder["message"],
): LaunchOrder {
	const { launch, because, conversation, allowance } = action;
	const { folder } = context;
	const run = context.run();
	const state = planOf(run);
	const { kind, key, optional } = conversation;
	return {
		...orderedStart(run, launch, state),
		cwd,
		conversation: kind === "new" ? { kind, key } : { kind, key, optional },
		message,
		limits: {
			wallMs: state.wallMs,
			idleMs: state.idleMs,
			...allowance,
			...spendLeft(context),
			pauseMs: run.plan.limits.pauseMs,
			countCacheReads: run.plan.limits.countCacheReads,
		},
		// Queued messages precede a move that the worker requested without having read them.
		unanswered: because === "rejected" || run.outbox.length > 0 ? "drop" : "ask",
		...lateAnswer(run, because),
		folder,
	};
}

/** What a launch and a standby for it have in common. */
function orderedStart(run: Run, launch: LaunchId, state: StatePlan) {
	return {
		run: run.id,
		launch,
		state,
		...(run.model === null ? {} : { model: run.model }),
		targets: legalTargets(run, state.name),
		meanings: targetMeanings(run, state.name),
		lists: savedLists(awaitedLists(run, state.name)),
		output: outputIn(run, state.name),
		withoutOutput: targetsWithoutOutput(run, state.name),
		...(run.plan.files === "repository" ? { files: run.plan.files } : {}),
	};
}

function standbyOrderOf({ run, folder, labels }: ExecutorContext, cwd: string | undefined): StandbyOrder | undefined {
	const now = run();
	const next = likelyNext(now);
	if (!next || cwd === undefined || missingLabels(labelsOf(now, next.state), labels).length > 0) return undefined;
	return {
		...orderedStart(now, next.launch, planOf(now, next.state)),
		cwd,
		folder,
		waits: now.stage.kind === "asking" || now.questions.length > 0 || unansweredQuestion(now) !== undefined,
	};
}

/** The result of the call. */
function givenAnswerText(words: string): string {
	return `The user answered: ${words}`;
}

/** The answer for the launch of a worker whose conversation may lack it. */
function lateAnswer(run: Run, because: LaunchReason): { readonly answer?: LateAnswer } {
	const { question, outbox, calls } = run;
	if (!question?.answer) return {};
	const { call, text, answer } = question;
	const result = givenAnswerText(answer.words);
	const isPlain = because === "answered" || because === "interrupted" || because === "resumed";
	return {
		answer: {
			call,
			result,
			text: `You asked the user: ${text}\n\nThe user answered:\n<user>${answer.words}</user>`,
			alone: isPlain && outbox.length === 0 && calls.interrupted.calls.length === 0,
		},
	};
}
