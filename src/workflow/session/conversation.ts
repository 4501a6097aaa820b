// What passes between a run and the model: the first message, the text of each phase, reminders, and the end of it all.
// V1 a phase's text reaches the model once per visit, and once more where a compaction took it; V2 nothing of a run stays in the model's
// context when the run is over; V3 while no run needs it, pi is not listened to.
import type {
	AgentBeforeSettleEvent,
	BeforeAgentStartEvent,
	BoundaryResult,
	ExtensionAPI,
	ExtensionContext,
	InputEvent,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import { type Scope, say } from "../../pi/index.ts";
import { type LiveWorkflowRun, type WorkflowEvent, waitsForPerson } from "../machine/index.ts";
import { personLine, phaseTitle, wholeText, workflowReminderText } from "../prompts/index.ts";
import { openCallFingerprints } from "./call-fingerprints.ts";
import {
	contextEdits,
	contextType,
	hasCompaction,
	hasPhaseText,
	knowsTask,
	reminderType,
	visitMarkOf,
	withoutEndedRuns,
} from "./context-messages.ts";
import { type Countdown, isGone, startCountdown } from "./countdown.ts";
import type { HeldRun } from "./entries.ts";
import type { RunController } from "./run-controller.ts";
import { workflowSettings } from "./settings.ts";

/** Reminders that one visit of a phase may have in all, as a multiple of those in a row. */
const visitPatience = 4;

export interface WorkflowConversation {
	/** Starts `run` as soon as pi begins with `text` as the person's message; drops it when the person says something else first. */
	expect(run: LiveWorkflowRun, text: string): void;
	/** A run is expected, and pi has not begun with it yet. */
	readonly starting: boolean;
	/** Takes an expected run back that pi did not begin. */
	giveUp(run: LiveWorkflowRun): void;
	/** The model has stopped and is about to be told to go on: pi counts as busy, but nobody is at work. */
	readonly resting: boolean;
	/** A message to the model that belongs to the run; the model is set to work if it rests. */
	tell(held: HeldRun, type: string, text: string): void;
	/** Gives the model at work the whole text of the phase again: the definition has changed under it. */
	retell(ctx: ExtensionContext, held: HeldRun): void;
	/** Called by the controller after every change. */
	follow: RunController["changed"];
	/** Called when an agent run has settled; `ended`: the workflow ended in it. */
	settled: (ctx: ExtensionContext, ended: boolean) => void;
}

interface ConversationOptions {
	readonly pi: ExtensionAPI;
	readonly scope: Scope;
	readonly controller: RunController;
}

export function openConversation({ pi, scope, controller }: ConversationOptions): WorkflowConversation {
	let expected: { readonly run: LiveWorkflowRun; readonly text: string; accepted: boolean } | undefined;
	let countdown: Countdown | undefined;
	/** Between the start and the end of a low-level run of the model. */
	let working = false;
	/** A run is over and its texts may still be in the model's context. */
	let leftovers = false;
	/** A run has ended in this agent run, whose end is still to come. */
	let ending = false;
	/** The visit in which the person was told that they end the phase. */
	let waiting: string | undefined;
	/** The person has held the countdown. */
	let heldBack = false;
	const fingerprints = openCallFingerprints();
	/** The newest entry when the model's context was last known to be complete. */
	let complete: string | null = null;

	const begin = (ctx: ExtensionContext) => {
		if (!expected) return;
		const { run } = expected;
		expected = undefined;
		controller.begin(ctx, run);
	};

	const onInput = async (event: InputEvent, ctx: ExtensionContext): Promise<void> => {
		const counting = countdown !== undefined;
		countdown?.end("ended");
		// A client that sees the model at rest sends its message without saying how to queue it, which pi refuses while a run is on:
		// this one is just ending.
		if (counting && event.streamingBehavior === undefined) await untilIdle(ctx);
		if (expected && event.source === "extension" && event.text.includes(expected.text)) {
			expected.accepted = true;
			// Something else got in between: the message waits in pi's queue and will reach the model without a new start.
			if (event.streamingBehavior !== undefined) {
				begin(ctx);
				if (controller.active) pi.sendMessage(contextMessage(ctx, controller.active), { deliverAs: "followUp" });
			}
			return;
		}
		if (event.source === "extension") return;
		drop();
		const resumed = controller.apply(ctx, { kind: "spoken" }).some(({ kind }) => kind === "resumed");
		// The terminal has a row for it.
		if (resumed && ctx.mode !== "tui") say(ctx, "The workflow goes on with your message.");
	};

	const hold = () => {
		countdown?.end("held");
	};

	const drop = () => {
		if (!expected) return;
		expected = undefined;
		if (!controller.active) controller.withdrawTool();
		listen();
	};

	const onBeforeStart = (event: BeforeAgentStartEvent, ctx: ExtensionContext) => {
		complete = ctx.sessionManager.getLeafId();
		if (expected?.accepted && event.messageType === "user") begin(ctx);
		const held = controller.active;
		if (held?.run.kind !== "live" || hasPhaseText(ctx.sessionManager, held)) return undefined;
		if (event.messageType === "custom" && event.message.customType === contextType) return undefined;
		return { message: contextMessage(ctx, held, event.messageType === "user" ? event.prompt : "") };
	};

	/**
	 * The model at work goes on after a compaction without a start at which the text could come back: after pi's own, of which it tells,
	 * and after those that a turn ended with, such as a handoff, of which it does not.
	 */
	const onWork = (ctx: ExtensionContext) => {
		const since = complete;
		complete = ctx.sessionManager.getLeafId();
		const held = controller.active;
		if (held?.run.kind !== "live" || held.run.status.kind !== "running") return;
		if (!hasCompaction(ctx.sessionManager, since) || hasPhaseText(ctx.sessionManager, held)) return;
		pi.sendMessage(contextMessage(ctx, held), { deliverAs: "steer", triggerTurn: true });
	};

	const onTurnEnd = (event: TurnEndEvent): BoundaryResult | undefined => {
		if (!controller.active && !expected) controller.withdrawTool();
		const edits = contextEdits(event.context.contextEntries, controller.active?.run);
		if (edits.length > 0) return { entries: [...event.entries, ...edits] };
		leftovers = false;
		listen();
		return undefined;
	};

	const onBeforeSettle = async (
		event: AgentBeforeSettleEvent,
		ctx: ExtensionContext,
	): Promise<BoundaryResult | undefined> => {
		const edits = leftovers ? contextEdits(event.context.contextEntries, controller.active?.run) : [];
		const more = await goOn(event, ctx);
		if (more.length === 0) return edits.length > 0 ? { entries: [...event.entries, ...edits] } : undefined;
		return { entries: [...event.entries, ...edits, ...more], continue: true };
	};

	/** What makes the model go on, now that it has stopped: nothing where it should not. */
	const goOn = async (event: AgentBeforeSettleEvent, ctx: ExtensionContext): Promise<TurnEndEvent["entries"]> => {
		const held = controller.active;
		if (held?.run.kind !== "live" || held.run.status.kind !== "running" || event.outcome === "aborted") return [];
		// What is queued comes first, and another extension's wish to go on makes ours unnecessary.
		if (event.continue || event.context.pendingMessages.length > 0 || ctx.hasPendingMessages()) return [];
		if (event.outcome === "error") {
			controller.apply(ctx, { kind: "failed", why: errorOf(event) });
			return [];
		}
		const { countdown: seconds, reminders } = workflowSettings(pi);
		const patience = { row: reminders, visit: reminders * visitPatience };
		const remind = controller.apply(ctx, { kind: "stopped", patience }).find(({ kind }) => kind === "remind");
		if (remind?.kind !== "remind") return [];
		if (ctx.hasUI && seconds > 0) {
			countdown = startCountdown(ctx, scope, seconds, phaseTitle(held.run));
			const how = await countdown.over;
			countdown = undefined;
			heldBack = how === "held";
			if (how !== "elapsed") return [];
		}
		const now = controller.active;
		if (now?.run.kind !== "live" || now.run.id !== held.run.id || now.run.status.kind !== "running") return [];
		const reminder = {
			type: "custom_message" as const,
			customType: reminderType,
			content: workflowReminderText(now.run),
			display: true,
			details: { taskId: now.run.id, count: remind.count, of: remind.of },
		};
		if (hasPhaseText(ctx.sessionManager, now)) return [reminder];
		return [{ type: "custom_message" as const, ...contextMessage(ctx, now) }, reminder];
	};

	/** Tells the person, once in a visit, that it is theirs to end. Where nobody watches, the end of pi tells it. */
	const sayWaiting = (ctx: ExtensionContext) => {
		const run = controller.active?.run;
		if (!ctx.hasUI || run?.kind !== "live" || run.status.kind !== "running" || !waitsForPerson(run)) return;
		const visit = `${run.id} ${run.step}`;
		if (waiting !== visit) say(ctx, `${phaseTitle(run)}: ${personLine}`);
		waiting = visit;
	};

	/** Counts what the visit uses. A model that goes round is told so; at a bound it stops when the calls of its message have ended. */
	const bound = (ctx: ExtensionContext, event: WorkflowEvent): void => {
		for (const action of controller.apply(ctx, event)) {
			if (action.kind === "nudge" && controller.active) {
				const details = { ...visitMarkOf(controller.active), nudge: true };
				const message = { customType: reminderType, content: action.text, display: true, details };
				pi.sendMessage(message, { deliverAs: "steer", triggerTurn: true });
			}
			if (action.kind !== "paused") continue;
			if (event.kind === "called") {
				ctx.abort();
				continue;
			}
			const stop = pi.on("turn_end", (_event, at) => {
				stop();
				at.abort();
			});
		}
	};

	const onSettled = (aborted: boolean, ctx: ExtensionContext) => {
		working = false;
		ending = false;
		const waits = heldBack && !aborted;
		heldBack = false;
		if (scope.closed || isGone(ctx)) return;
		if (aborted && controller.active?.run.status.kind === "running")
			controller.apply(ctx, { kind: "pause", by: "interrupt" });
		const ended = controller.settle(ctx);
		if (!controller.active && !expected) controller.withdrawTool();
		sayWaiting(ctx);
		if (waits && controller.active)
			say(ctx, "The workflow waits for you: send a message, or enter /workflow resume to let it go on.");
		conversation.settled(ctx, ended);
		listen();
	};

	const handlers = {
		run: () => [
			pi.on("input", (event, ctx) => onInput(event, ctx)),
			pi.on("before_agent_start", (event, ctx) => onBeforeStart(event, ctx)),
			pi.on("agent_start", (_event, ctx) => {
				working = true;
				controller.apply(ctx, { kind: "begun" });
			}),
			pi.on("agent_end", () => {
				working = false;
			}),
			pi.on("tool_execution_start", (event) => fingerprints.begun(event)),
			pi.on("tool_execution_end", (event, ctx) => {
				if (!event.isError && event.toolName !== "workflow_step") controller.apply(ctx, { kind: "worked" });
				fingerprints.ended(event);
			}),
			pi.on("turn_end", (_event, ctx) => bound(ctx, { kind: "called", fingerprints: fingerprints.drain() })),
			pi.on("turn_start", (_event, ctx) => {
				onWork(ctx);
				bound(ctx, { kind: "asked" });
			}),
			pi.on("session_compact", (_event, ctx) => {
				if (working) onWork(ctx);
			}),
			// pi lets what runs settle before it changes the session: it would wait for the countdown.
			pi.on("session_before_switch", () => hold()),
			pi.on("session_before_fork", () => hold()),
			pi.on("agent_before_settle", (event, ctx) => onBeforeSettle(event, ctx)),
			pi.on("agent_settled", ({ aborted }, ctx) => onSettled(aborted, ctx)),
		],
		// These two make pi do work for every turn or request: they are there only while something is to be removed.
		leftovers: () => [
			pi.on("turn_end", (event) => onTurnEnd(event)),
			pi.on("context", ({ messages }) => {
				const kept = withoutEndedRuns(messages, controller.active?.run);
				return kept ? { messages: kept } : undefined;
			}),
		],
	};
	const listening = new Map<keyof typeof handlers, (() => void)[]>();

	/** Makes what pi is listened to for agree with what is needed. */
	const listen = () => {
		const needed = { run: controller.active !== undefined || expected !== undefined || ending || leftovers, leftovers };
		for (const key of ["run", "leftovers"] as const) {
			const on = listening.get(key);
			if (needed[key] && !on) listening.set(key, handlers[key]());
			if (!needed[key] && on) {
				for (const stop of on) stop();
				listening.delete(key);
			}
		}
	};

	const conversation: WorkflowConversation = {
		get resting() {
			return countdown !== undefined;
		},
		settled: () => {},
		get starting() {
			return expected !== undefined;
		},
		expect(run, text) {
			expected = { run, text, accepted: false };
			listen();
		},
		giveUp(run) {
			if (expected?.run === run) drop();
		},
		tell(held, type, text) {
			const message = { customType: type, content: text, display: type === reminderType, details: visitMarkOf(held) };
			pi.sendMessage(message, { deliverAs: "steer", triggerTurn: true });
		},
		retell: (ctx, held) => void pi.sendMessage(contextMessage(ctx, held), { deliverAs: "steer", triggerTurn: true }),
		follow(actions, past) {
			const ended = actions.some(({ kind }) => kind === "ended");
			ending ||= ended;
			leftovers ||= ended || past === "unknown";
			if (actions.some(({ kind }) => kind === "moved" || kind === "paused" || kind === "ended"))
				countdown?.end("ended");
			listen();
		},
	};
	return conversation;
}

/** Waits until pi has settled, two seconds at most. */
async function untilIdle(ctx: ExtensionContext): Promise<void> {
	for (let waited = 0; waited < 2_000 && !ctx.isIdle(); waited += 5) await new Promise((done) => setTimeout(done, 5));
}

function contextMessage(
	{ sessionManager }: Pick<ExtensionContext, "sessionManager">,
	held: HeldRun,
	beside = "",
): { customType: string; content: string; display: boolean; details: object } {
	const { run } = held;
	const task = beside.includes(run.task) || knowsTask(sessionManager, run) ? "known" : "new";
	const content = run.kind === "live" ? wholeText(run, task) : "";
	return { customType: contextType, content, display: false, details: visitMarkOf(held) };
}

function errorOf({ context }: AgentBeforeSettleEvent): string {
	const last = context.contextMessages.findLast((message) => message.role === "assistant");
	return (last?.role === "assistant" && last.errorMessage) || "the provider reported an error";
}
