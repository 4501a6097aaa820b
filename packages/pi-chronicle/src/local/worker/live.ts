// A running worker: turns pi's records into reports, answers its questions, and ends it.
// Reports are in the order of pi's records; a worker ends once, for the first reason; every wait for it is bounded; nothing is
// reported after `ended`; a message counts as delivered only once it is in the conversation.

import { setTimeout as sleep } from "node:timers/promises";
import { anyObject, errorMessage } from "@pi-chronicle/core/definition";
import { addSpend, beginMessage, type Spend, spendBeyond, type WorkerOutcome } from "@pi-chronicle/core/machine";
import type { MoveReply, Worker, WorkerHost, WorkerLimits, WorkerReport } from "@pi-chronicle/core/ports";
import {
	contentText,
	hostAnswer,
	hostNotice,
	hostQuestion,
	literalText,
	openAwakeClock,
	orderExtension,
	type RpcAnswer,
	type RpcDialog,
	type RpcLink,
	type RpcListener,
	type RpcRecord,
	sendLiteral,
	takeNextModel,
	takeoverText,
} from "../../pi/index.ts";
import type { Child, ChildExit } from "../../process/index.ts";
import { redactText } from "../../safety/index.ts";
import { sinceStart } from "./ceiling-check.ts";
import { type Deadlines, openDeadlines } from "./deadlines.ts";
import { answerOf, questionOf } from "./dialogs.ts";
import {
	type AskedMove,
	type AskedQuestion,
	type HostReply,
	PROVIDER_RESET,
	readConfirmation,
	readMove,
	readQuestion,
	readRefusedCall,
	readReset,
	TRANSITION_TOOL,
} from "./extension/index.ts";
import { readSessionFile } from "./session-file.ts";
import { openToolLog, type ToolLog } from "./tool-log.ts";
import { openProviderFailures, type ProviderFailures } from "./turn-failure.ts";
import { spendOf, spendOfAnswer } from "./usage.ts";

export interface LiveOptions {
	readonly child: Child;
	readonly host: WorkerHost;
	readonly limits: WorkerLimits;
	/** Usage of the conversation before this process. */
	readonly before: Spend;
	/** pi's session file, for records that did not reach the pipe before the process was killed. */
	readonly session: string;
	readonly started: Worker["started"];
	/** `provider/id` of the fallback models, in order, for a provider failure. */
	readonly fallbacks: readonly string[];
}

export interface LiveWorker extends Worker {
	/** The new listener for the link's records. */
	readonly listener: RpcListener;
	/** Makes the model continue with the answer that its conversation ends with. */
	goOn(): void;
	/** Requests a move that the model made in an earlier process. A refusal is in the message with which it continues: the call's process is gone. */
	askMove(move: AskedMove, continued: string): Promise<void>;
}

/** Time limits in milliseconds: after an accepted move, for running calls at a boundary, after SIGTERM, for the message at a boundary. */
const WAIT = { moved: 3000, tools: 10_000, term: 1500, message: 60_000 };

interface LiveState {
	readonly child: Child;
	readonly host: WorkerHost;
	readonly link: RpcLink;
	readonly limits: WorkerLimits;
	readonly log: ToolLog;
	readonly deadlines: Deadlines;
	readonly fallbacks: string[];
	readonly failures: ProviderFailures;
	/** Messages that are not yet in the conversation. */
	readonly pending: { readonly text: string; readonly done: (delivered: boolean) => void }[];
	model: string;
	spend: Spend;
	/** pi is working on a turn. */
	running: boolean;
	/** A move was accepted. */
	moved: boolean;
	/** By call: questions of `ask_user` that wait for their answer. */
	readonly asked: Map<string, (text: string) => void>;
	/** Questions that wait for an answer. */
	questions: number;
	/** Stop reason of the model's last message. */
	lastStop: { readonly reason: string; readonly error: string } | undefined;
	/** Set once the worker has to end. */
	outcome: WorkerOutcome | undefined;
	/** Kills the process if it does not end on its own. */
	stopTimer: NodeJS.Timeout | undefined;
	exited: boolean;
}

/** Takes over a worker that has passed its handshake. */
export function openLive(options: LiveOptions, link: RpcLink): LiveWorker {
	const { child, host, limits, before, session, started } = options;
	const clock = openAwakeClock();
	const state: LiveState = {
		child,
		host,
		link,
		limits,
		log: openToolLog(() => performance.now()),
		deadlines: openDeadlines(limits, (limit) => endBy(state, { kind: "timed_out", limit }, "now"), clock.now),
		fallbacks: [...options.fallbacks],
		failures: openProviderFailures(),
		pending: [],
		model: started.model,
		spend: before,
		running: false,
		moved: false,
		asked: new Map(),
		questions: 0,
		lastStop: undefined,
		outcome: undefined,
		stopTimer: undefined,
		exited: false,
	};
	const ended = child.exited.then((exit) => {
		clock.close();
		return onExit(state, exit, session);
	});
	return {
		started,
		ended,
		listener: {
			activity: () => state.deadlines.sign(),
			event: (record) => onRecord(state, record),
			dialog: (dialog) => void whileAsking(state, () => onDialog(state, dialog)),
			// A result with many images can be that long; the session file has it.
			oversized(head, bytes) {
				const line = state.log.readLong(head, bytes);
				if (line) reportLine(state, line);
				updatePhase(state);
			},
		},
		send: (text) => send(state, text),
		reply(call, text) {
			state.asked.get(call)?.(text);
			state.asked.delete(call);
		},
		goOn: () => orderExtension(link, "continue"),
		setLimits({ activeMs, counted, ...left }) {
			state.deadlines.allow(activeMs);
			orderExtension(link, `allow ${JSON.stringify(sinceStart(left, spendBeyond(counted, before), limits))}`);
		},
		stop: (how) => endBy(state, { kind: "stopped" }, how),
		async askMove(move, continued) {
			const reply = await whileAsking(state, () => requestMove(state, move));
			if (reply.kind === "accepted") return finish(state);
			await send(state, beginMessage(`Your last call of ${TRANSITION_TOOL} was answered: ${reply.text}`, continued));
		},
	};
}

function reportLine(state: LiveState, line: WorkerReport): void {
	if (!state.exited) state.host.report(line);
}

function addSpent(state: LiveState, used: Spend, requests = 0): void {
	if (used.tokens === 0 && used.costUsd === 0 && requests === 0) return;
	state.spend = addSpend(state.spend, used);
	reportLine(state, { kind: "used", spend: state.spend, ...(requests > 0 ? { requests } : {}) });
}

function updatePhase({ deadlines, running, log }: LiveState): void {
	deadlines.phase(!running ? "rest" : log.open > 0 ? "tool" : "model");
}

function stopAfter(state: LiveState, ms: number): void {
	clearTimeout(state.stopTimer);
	state.stopTimer = setTimeout(() => void state.child.stop(WAIT.term), ms);
}

/** Closes the pipe, which makes pi exit. */
function finish(state: LiveState): void {
	state.child.endInput();
	stopAfter(state, WAIT.moved);
}

function endBy(state: LiveState, outcome: WorkerOutcome, how: "boundary" | "now"): void {
	const { child, link, limits, log } = state;
	state.outcome ??= outcome;
	clearTimeout(state.stopTimer);
	// Nothing runs in a process that waits for an answer, and its call must not get another result.
	if (how === "now") void (state.asked.size > 0 ? child.kill() : child.stop(WAIT.term));
	else if (!state.running) finish(state);
	else {
		orderExtension(link, "stop");
		stopAfter(state, log.open > 0 ? WAIT.tools : (limits.pauseMs ?? WAIT.message));
	}
}

async function onExit(state: LiveState, exit: ChildExit, session: string): Promise<WorkerOutcome> {
	const { child, host, deadlines, pending } = state;
	clearTimeout(state.stopTimer);
	deadlines.close();
	state.exited = true;
	for (const { done } of pending.splice(0)) done(false);
	const clean = exit.kind === "exited" && exit.code === 0;
	const read = clean ? undefined : await readSessionFile(session);
	if (read?.kind === "read" && read.contents.spend.tokens > state.spend.tokens)
		host.report({ kind: "used", spend: read.contents.spend });
	if (state.outcome) return state.outcome;
	const detail = redactText(child.stderr().trim().slice(-600), 300);
	const withDetail = detail === "" ? {} : { detail };
	if (exit.kind === "unstarted") return { kind: "exited", code: -1, detail: errorMessage(exit.error) };
	if (exit.kind === "killed") return { kind: "killed", signal: exit.signal, ...withDetail };
	return { kind: "exited", code: exit.code, ...withDetail };
}

/** Time with an open question does not count. */
async function whileAsking<T>(state: LiveState, ask: () => Promise<T>): Promise<T> {
	state.questions += 1;
	state.deadlines.asking(state.questions);
	try {
		return await ask();
	} finally {
		state.questions -= 1;
		state.deadlines.asking(state.questions);
	}
}

async function requestMove(state: LiveState, { target, summary, data }: AskedMove): Promise<MoveReply> {
	const reply = await state.host.requestMove(target, summary, data).catch(refusedWith);
	if (reply.kind === "accepted") {
		state.moved = true;
		state.outcome ??= { kind: "stopped" };
	}
	return reply;
}

const undecided = { kind: "undecided" } as const;

async function onDialog(state: LiveState, dialog: RpcDialog): Promise<void> {
	const { host, link } = state;
	const question = hostQuestion(dialog);
	if (!question) {
		const answer = await host.ask(questionOf(dialog)).catch(() => undecided);
		return void (await link.answer(dialog, answerOf(answer)));
	}
	await link.answer(dialog, await answerRequest(state, question.topic, question.payload));
	if (question.topic === "move" && state.moved) state.stopTimer ??= setTimeout(() => finish(state), WAIT.moved);
}

/** The answer to a question of the worker's extension; `undefined`, which dismisses it, for an unknown question. */
async function answerRequest(state: LiveState, topic: string, payload: unknown): Promise<RpcAnswer> {
	const { host } = state;
	if (topic === "snapshot") {
		const { data } = anyObject(payload) ? (payload as { readonly data?: unknown }) : {};
		return hostAnswer(await host.updateSnapshot(data).catch(refusedWith));
	}
	if (topic === "brief") return hostAnswer({ kind: "brief", text: await state.host.brief().catch(() => "") });
	const question = topic === "question" ? readQuestion(payload) : undefined;
	if (question) return hostAnswer(await askUserOnce(state, question));
	const move = topic === "move" ? readMove(payload) : undefined;
	if (move) return hostAnswer(await requestMove(state, move));
	const confirmation = topic === "ask" ? readConfirmation(payload) : undefined;
	if (!confirmation) return undefined;
	const answer = await host.ask({ kind: "confirm", ...confirmation }).catch(() => undecided);
	const kind = answer.kind === "confirmed" ? "yes" : answer.kind === "denied" ? "no" : "nobody";
	return hostAnswer({ kind, text: "" });
}

/** Resolves once the user has answered, or to the reason why the question is not asked. */
async function askUserOnce({ host, asked }: LiveState, question: AskedQuestion): Promise<HostReply> {
	const answer = new Promise<string>((resolve) => asked.set(question.call, resolve));
	const reply = await host.askUser(question).catch(refusedWith);
	if (reply.kind === "asked") return { kind: "answered", text: await answer };
	asked.delete(question.call);
	return reply;
}

function refusedWith(error: unknown): { readonly kind: "refused"; readonly text: string } {
	const cause = errorMessage(error);
	return { kind: "refused", text: `The supervisor could not process this (${cause}). Try again.` };
}

/** Milliseconds until a message that came during a compaction is sent again. */
const compactionMs = 200;

/** Gives pi a message; it takes none while it compacts the conversation. */
async function submit(state: LiveState, words: string): ReturnType<typeof sendLiteral> {
	for (;;) {
		const sent = await sendLiteral(state.link, words);
		const isLater = sent.kind === "refused" && sent.reason.includes("compaction is in progress");
		if (!isLater || state.exited || state.outcome) return sent;
		await sleep(compactionMs);
	}
}

async function send(state: LiveState, words: string): Promise<boolean> {
	if (state.exited || state.outcome) return false;
	const text = literalText(words);
	const delivered = new Promise<boolean>((done) => state.pending.push({ text, done }));
	const sent = await submit(state, words);
	if (sent.kind === "refused") {
		if (state.fallbacks.length === 0) settleMessage(state, text, false);
		// A message that no model accepted is not yet in the conversation.
		if (!state.exited && !state.outcome) await switchModel(state, sent.reason, words);
	}
	return delivered;
}

function settleMessage({ pending }: LiveState, text: string, delivered: boolean): void {
	const at = pending.findIndex((message) => message.text === text);
	if (at !== -1) pending.splice(at, 1)[0]?.done(delivered);
}

/** After a provider failure, the next model continues with `text`; without one, the supervisor decides. */
async function switchModel(state: LiveState, error: string, text: string): Promise<void> {
	const next = await takeNextModel(state.link, state.fallbacks);
	if (state.exited || state.outcome) return;
	state.failures.add(error);
	if (next === undefined) return reportLine(state, { kind: "turn_settled", ...state.failures.settled() });
	reportLine(state, { kind: "model_switched", from: state.model, to: next, detail: redactText(error, 400) });
	state.model = next;
	const sent = await submit(state, text);
	if (sent.kind === "refused") await switchModel(state, sent.reason, text);
}

function onRecord(state: LiveState, record: RpcRecord): void {
	const notice = hostNotice(record);
	if (notice) onNotice(state, notice.topic, notice.payload);
	else onEvent(state, record);
}

function onEvent(state: LiveState, record: RpcRecord): void {
	switch (record.type) {
		case "agent_start":
			state.running = true;
			state.lastStop = undefined;
			break;
		case "agent_settled":
			onSettled(state, record.aborted === true);
			break;
		case "message_end":
			onMessage(state, record.message);
			break;
		case "compaction_end":
			addSpent(state, spendOf((record.result as { usage?: unknown } | undefined)?.usage));
			break;
		default: {
			const line = state.log.read(record);
			// A question outlives the process: the call that asks ends with the answer.
			const isAsking = line?.kind === "tool_ended" && state.asked.has(line.call);
			if (line && !isAsking) reportLine(state, line);
		}
	}
	updatePhase(state);
	// At a boundary, the message is complete and its calls run: they get less time than a streaming message.
	if (state.outcome && state.stopTimer && record.type === "tool_execution_start") stopAfter(state, WAIT.tools);
}

function onNotice({ log, failures }: LiveState, topic: string, payload: unknown): void {
	const refused = topic === "refused" ? readRefusedCall(payload) : undefined;
	if (refused) log.refused(refused);
	const reset = topic === PROVIDER_RESET ? readReset(payload) : undefined;
	if (reset) failures.name(reset.at);
}

function onSettled(state: LiveState, aborted: boolean): void {
	state.running = false;
	updatePhase(state);
	if (state.moved || state.outcome) {
		finish(state);
		return;
	}
	const stop = state.lastStop?.reason;
	if (stop === "error") void switchModel(state, state.lastStop?.error ?? "", takeoverText);
	else if (aborted || stop === "aborted") reportLine(state, { kind: "turn_settled", stop: "aborted" });
	else reportLine(state, { kind: "turn_settled", stop: stop === "length" ? "length" : "finished" });
}

function onMessage(state: LiveState, message: unknown): void {
	if (typeof message !== "object" || message === null) return;
	const { role, stopReason, errorMessage, content, usage } = message as Readonly<Record<string, unknown>>;
	if (role === "user") settleMessage(state, contentText(content), true);
	else if (role === "assistant") {
		state.lastStop = { reason: String(stopReason), error: typeof errorMessage === "string" ? errorMessage : "" };
		const isFailed = stopReason === "error";
		if (!isFailed) state.failures.clear();
		const used = spendOfAnswer({ usage, stopReason });
		// A message that an abort cut may not have been requested; one that was refused is no answer.
		addSpent(state, used, stopReason === "aborted" || (isFailed && used.tokens === 0) ? 0 : 1);
	} else addSpent(state, spendOf(usage));
}
