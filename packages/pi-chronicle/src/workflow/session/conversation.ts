// Messages between a run and the model: the first message, the text of each phase, reminders, and that the run is over.
// The model receives a phase's text once per visit, and again if a compaction removed it; what was sent stays as it is, so that the
// provider's cache holds: texts of ended runs are removed only after a compaction; pi's events are subscribed only while a run, or what it
// left in the context, needs them.
import type {
	AgentBeforeSettleEvent,
	BeforeAgentStartEvent,
	BoundaryResult,
	ExtensionAPI,
	ExtensionContext,
	InputEvent,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import { hasEnded, type Scope, say } from "../../pi/index.ts";
import { stepTool } from "../limits/index.ts";
import { type LiveWorkflowRun, type WorkflowAction, type WorkflowEvent, waitsForUser } from "../phase-machine/index.ts";
import { abandonedText, personLine, phaseTitle, progressReminderText, spokenLine } from "../prompts/index.ts";
import { openCallFingerprints } from "./call-fingerprints.ts";
import { closingQuestion } from "./closing-question.ts";
import {
	cancelledType,
	contextEdits,
	contextType,
	hasCompaction,
	hasPhaseText,
	owesEnd,
	reminderType,
	visitMarkOf,
	withoutEndedRuns,
} from "./context-messages.ts";
import { type Countdown, startCountdown } from "./countdown.ts";
import type { HeldRun } from "./entries.ts";
import { cutEntries, freshMessages } from "./fresh-context.ts";
import { errorOf, lastText, phaseMessage, type RunMessage, reminderMessage } from "./phase-message.ts";
import type { RunController } from "./run-controller.ts";
import { workflowSettings } from "./settings.ts";

/** Reminders allowed in one visit of a phase, as a multiple of those in a row. */
const visitPatience = 4;

interface ConversationOptions {
	readonly pi: ExtensionAPI;
	readonly scope: Scope;
	readonly controller: RunController;
}

/** A run that starts when pi begins with `text` as the user's message. */
interface ExpectedRun {
	readonly run: LiveWorkflowRun;
	readonly text: string;
	/** pi has accepted the text as input. */
	accepted: boolean;
}

/** The conversation of one session's runs with its model. */
export class WorkflowConversation {
	/** Called when an agent run has settled; `ended`: the workflow ended during it. */
	settled: (ctx: ExtensionContext, ended: boolean) => void = () => {};
	private readonly pi: ExtensionAPI;
	private readonly scope: Scope;
	private readonly controller: RunController;
	private readonly fingerprints = openCallFingerprints();
	private readonly subscriptions = new Map<"run" | "cleanup", readonly (() => void)[]>();
	private expected: ExpectedRun | undefined;
	private countdown: Countdown | undefined;
	/** The model is working: between `agent_start` and `agent_end`. */
	private working = false;
	/** After a compaction: texts of ended runs may still be in the model's context. */
	private leftovers = false;
	/** A run ended in this agent run, which has not settled yet. */
	private ending = false;
	/** The visit for which the user was last notified that they end the phase. */
	private announcedVisit: string | undefined;
	/** The question that the user's message answers, until the model starts. */
	private answered: string | undefined;
	/** The user held the last countdown. */
	private held = false;
	/** The newest entry when the model's context was last known to be complete. */
	private checkedUpTo: string | null = null;

	constructor({ pi, scope, controller }: ConversationOptions) {
		this.pi = pi;
		this.scope = scope;
		this.controller = controller;
	}

	/** Whether a run is expected that pi has not started yet. */
	get starting(): boolean {
		return this.expected !== undefined;
	}

	/** Whether the model is working. During a countdown, pi counts as busy, but the model is not working. */
	isWorking(ctx: Pick<ExtensionContext, "isIdle">): boolean {
		return !ctx.isIdle() && this.countdown === undefined;
	}

	/** Ends the countdown without a reminder, because the agent run makes room for other work. */
	endCountdown(): void {
		this.countdown?.end("ended");
	}

	/** Starts `run` when pi begins with `text` as the user's message; drops it if the user sends a different message first. */
	expect(run: LiveWorkflowRun, text: string): void {
		this.expected = { run, text, accepted: false };
		this.subscribe();
	}

	/** Drops an expected run that pi did not start. */
	cancelStart(run: LiveWorkflowRun): void {
		if (this.expected?.run === run) this.dropExpected();
	}

	/** Sends the model a message that belongs to the run, and starts the model if it is idle. */
	send(held: HeldRun, type: string, text: string): void {
		this.steer({ customType: type, content: text, display: type === reminderType, details: visitMarkOf(held) });
	}

	/** Resends the whole text of the phase to the working model after the definition has changed. */
	sendPhase(ctx: ExtensionContext, held: HeldRun): void {
		this.steer(phaseMessage(ctx.sessionManager, held));
	}

	/** Called by the run controller after every change. */
	onChange(actions: readonly WorkflowAction[], rewritten: boolean): void {
		this.ending ||= actions.some(({ kind }) => kind === "ended");
		this.leftovers ||= rewritten;
		if (actions.some(({ kind }) => kind === "moved" || kind === "paused" || kind === "ended")) this.endCountdown();
		this.subscribe();
	}

	private steer(message: RunMessage): void {
		this.pi.sendMessage(message, { deliverAs: "steer", triggerTurn: true });
	}

	private begin(ctx: ExtensionContext): void {
		if (!this.expected) return;
		const { run } = this.expected;
		this.expected = undefined;
		this.controller.begin(ctx, run);
	}

	private dropExpected(): void {
		if (!this.expected) return;
		this.expected = undefined;
		if (!this.controller.active) this.controller.withdrawTool();
		this.subscribe();
	}

	private async onInput(event: InputEvent, ctx: ExtensionContext): Promise<void> {
		const counting = this.countdown !== undefined;
		this.endCountdown();
		// A client that sees an idle model sends its message without a queueing mode, and pi refuses such a message during an agent run.
		// This agent run is about to settle, so wait for it.
		if (counting && event.streamingBehavior === undefined) await untilIdle(ctx);
		if (event.source === "extension") {
			if (this.expected && event.text.includes(this.expected.text)) this.onExpectedInput(this.expected, event, ctx);
			return;
		}
		this.dropExpected();
		this.answered = this.controller.active?.run.question;
		const resumed = this.controller.apply(ctx, { kind: "spoken" }).some(({ kind }) => kind === "resumed");
		// The terminal shows a transcript row instead.
		if (resumed && ctx.mode !== "tui") say(ctx, spokenLine);
	}

	private onExpectedInput(expected: ExpectedRun, event: InputEvent, ctx: ExtensionContext): void {
		expected.accepted = true;
		if (event.streamingBehavior === undefined) return;
		// Another message came first, so this one is queued and reaches the model without a new agent start.
		this.begin(ctx);
		const held = this.controller.active;
		if (held)
			this.pi.sendMessage(phaseMessage(ctx.sessionManager, held, { prompt: event.text }), { deliverAs: "followUp" });
	}

	private onBeforeStart(event: BeforeAgentStartEvent, ctx: ExtensionContext) {
		if (hasEnded(ctx)) return undefined;
		const { sessionManager } = ctx;
		const { answered } = this;
		this.answered = undefined;
		this.checkedUpTo = sessionManager.getLeafId();
		const last = this.controller.active ? undefined : this.controller.held;
		const over = last && owesEnd(sessionManager, last.run) ? abandonedText(last.run) : undefined;
		if (this.expected?.accepted && event.messageType === "user") this.begin(ctx);
		const held = this.controller.active;
		if (!held && last && over !== undefined)
			return { message: { customType: cancelledType, content: over, display: false, details: visitMarkOf(last) } };
		if (held?.run.kind !== "live" || hasPhaseText(sessionManager, held)) return undefined;
		if (event.messageType === "custom" && event.message.customType === contextType) return undefined;
		const prompt = event.messageType === "user" ? event.prompt : "";
		return { message: phaseMessage(sessionManager, held, { prompt, over, answered }) };
	}

	/** Called when a turn starts: finds the compactions for which pi emits no event, such as a handoff's. */
	private checkContext(ctx: ExtensionContext): void {
		const since = this.checkedUpTo;
		this.checkedUpTo = ctx.sessionManager.getLeafId();
		if (hasCompaction(ctx.sessionManager, since)) this.onCompaction(ctx);
	}

	/** Resends the phase if the compaction removed it while the model is working, because no agent start would restore it. */
	private onCompaction(ctx: ExtensionContext): void {
		this.controller.contextRewritten();
		this.leftovers = true;
		this.subscribe();
		this.checkedUpTo = ctx.sessionManager.getLeafId();
		const held = runningRun(this.controller);
		if (this.working && held && !hasPhaseText(ctx.sessionManager, held))
			this.steer(phaseMessage(ctx.sessionManager, held));
	}

	private onTurnEnd(event: TurnEndEvent): BoundaryResult | undefined {
		const edits = contextEdits(event.context.contextEntries, this.controller.active?.run);
		if (edits.length > 0) return { entries: [...event.entries, ...edits] };
		this.leftovers = false;
		this.subscribe();
		return undefined;
	}

	private async onBeforeSettle(
		event: AgentBeforeSettleEvent,
		ctx: ExtensionContext,
	): Promise<BoundaryResult | undefined> {
		const edits = this.leftovers ? contextEdits(event.context.contextEntries, this.controller.active?.run) : [];
		const reminder = await this.reminderEntries(event, ctx);
		if (reminder.length === 0) return edits.length > 0 ? { entries: [...event.entries, ...edits] } : undefined;
		return { entries: [...event.entries, ...edits, ...reminder], continue: true };
	}

	/** The entries that make the model continue after it stopped in the middle of a run; empty if it should not continue. */
	private async reminderEntries(
		event: AgentBeforeSettleEvent,
		ctx: ExtensionContext,
	): Promise<TurnEndEvent["entries"]> {
		const held = runningRun(this.controller);
		if (!held || event.outcome === "aborted") return [];
		// Queued messages come first. No reminder is needed if another extension continues the agent.
		if (event.continue || event.context.pendingMessages.length > 0 || ctx.hasPendingMessages()) return [];
		if (event.outcome === "error") {
			this.controller.apply(ctx, { kind: "failed", why: errorOf(event) });
			return [];
		}
		const { countdown, reminders } = workflowSettings(this.pi);
		const patience = { row: reminders, visit: reminders * visitPatience };
		const question = closingQuestion(lastText(event));
		const remind = this.controller
			.apply(ctx, { kind: "stopped", patience, question })
			.find(({ kind }) => kind === "remind");
		if (remind?.kind !== "remind") return [];
		// A question needs no countdown: the reminder leads to a wait for the user.
		const counts = remind.about === "phase" && ctx.hasUI && countdown > 0;
		if (counts && !(await this.countDown(ctx, countdown, phaseTitle(held.run)))) return [];
		const now = runningRun(this.controller);
		if (!now || now.run.id !== held.run.id) return [];
		const reminder = { type: "custom_message" as const, ...reminderMessage(now.run, remind) };
		if (hasPhaseText(ctx.sessionManager, now)) return [reminder];
		return [{ type: "custom_message" as const, ...phaseMessage(ctx.sessionManager, now) }, reminder];
	}

	/** Shows a countdown of `seconds` to the user. Returns whether the time elapsed. */
	private async countDown(ctx: ExtensionContext, seconds: number, phase: string): Promise<boolean> {
		this.countdown = startCountdown(ctx, this.scope, seconds, phase);
		const end = await this.countdown.over;
		this.countdown = undefined;
		this.held = end === "held";
		return end === "elapsed";
	}

	/** Notifies the user, once per visit, that they end the phase. Without a UI, pi reports it on exit. */
	private announceWaiting(ctx: ExtensionContext): void {
		const held = runningRun(this.controller);
		if (!ctx.hasUI || !held || !waitsForUser(held.run)) return;
		const visit = `${held.run.id} ${held.run.step}`;
		if (this.announcedVisit !== visit) say(ctx, `${phaseTitle(held.run)}: ${personLine}`);
		this.announcedVisit = visit;
	}

	/** Applies an event that counts against the visit's bounds. At a bound, aborts the model after the calls of its message have ended. */
	private count(ctx: ExtensionContext, event: Extract<WorkflowEvent, { kind: "called" | "asked" }>): void {
		for (const action of this.controller.apply(ctx, event)) {
			const held = this.controller.active;
			if (action.kind === "nudge" && held) {
				const details = { ...visitMarkOf(held), nudge: true };
				this.steer({ customType: reminderType, content: progressReminderText(action.text), display: true, details });
			}
			if (action.kind === "paused") this.abort(ctx, event.kind === "called" ? "now" : "after-turn");
		}
	}

	private abort(ctx: ExtensionContext, when: "now" | "after-turn"): void {
		if (when === "now") {
			ctx.abort();
			return;
		}
		const unsubscribe = this.pi.on("turn_end", (_event, at) => {
			unsubscribe();
			at.abort();
		});
	}

	private onSettled(aborted: boolean, ctx: ExtensionContext): void {
		this.working = false;
		this.ending = false;
		const waits = this.held && !aborted;
		this.held = false;
		if (this.scope.closed || hasEnded(ctx)) return;
		const { controller } = this;
		if (aborted && controller.active?.run.status.kind === "running")
			controller.apply(ctx, { kind: "pause", by: "interrupt" });
		const ended = controller.settle(ctx);
		controller.rest(ctx, true);
		this.announceWaiting(ctx);
		if (waits && controller.active)
			say(ctx, "The workflow waits for you. Send a message, or enter /workflow resume to continue it.");
		if (controller.active || ended) this.settled(ctx, ended);
		this.subscribe();
	}

	/** Subscribes to the events needed now and unsubscribes from the others. */
	private subscribe(): void {
		const { expected, ending, leftovers } = this;
		const needed = {
			run: this.controller.toolOffered || expected !== undefined || ending || leftovers,
			cleanup: leftovers,
		};
		for (const group of ["run", "cleanup"] as const) {
			const subscribed = this.subscriptions.get(group);
			if (needed[group] && !subscribed)
				this.subscriptions.set(group, group === "run" ? this.runEvents() : this.cleanupEvents());
			if (needed[group] || !subscribed) continue;
			for (const unsubscribe of subscribed) unsubscribe();
			this.subscriptions.delete(group);
		}
	}

	private runEvents(): (() => void)[] {
		const { pi, controller, fingerprints } = this;
		const hold = () => this.countdown?.end("held");
		return [
			pi.on("input", (event, ctx) => this.onInput(event, ctx)),
			pi.on("before_agent_start", (event, ctx) => this.onBeforeStart(event, ctx)),
			pi.on("agent_start", (_event, ctx) => {
				this.working = true;
				controller.rest(ctx, false);
				controller.apply(ctx, { kind: "begun" });
			}),
			pi.on("agent_end", () => {
				this.working = false;
			}),
			pi.on("tool_execution_start", (event) => fingerprints.onStart(event)),
			pi.on("tool_execution_end", (event, ctx) => {
				if (event.toolName !== stepTool) controller.callEnded(ctx, event);
				fingerprints.onEnd(event);
			}),
			pi.on("turn_end", (event, ctx) => {
				controller.messageOver();
				this.count(ctx, { kind: "called", fingerprints: fingerprints.drain() });
				const cut = controller.active ? cutEntries(event, ctx.sessionManager, controller.active, phaseMessage) : [];
				return cut.length > 0 ? { entries: [...event.entries, ...cut] } : undefined;
			}),
			pi.on("context", ({ messages }, ctx) => {
				const fresh = controller.active && freshMessages(messages, ctx.sessionManager, controller.active);
				return fresh && { messages: fresh };
			}),
			pi.on("turn_start", async (_event, ctx) => {
				this.checkContext(ctx);
				this.count(ctx, { kind: "asked" });
				await controller.prepareRequest(ctx);
			}),
			pi.on("session_compact", (_event, ctx) => this.onCompaction(ctx)),
			// pi waits for the agent run to settle before it changes the session, and would otherwise wait for the countdown.
			pi.on("session_before_switch", hold),
			pi.on("session_before_fork", hold),
			pi.on("agent_before_settle", (event, ctx) => this.onBeforeSettle(event, ctx)),
			pi.on("agent_settled", ({ aborted }, ctx) => this.onSettled(aborted, ctx)),
		];
	}

	/** These handlers cost work on every turn or request, so they are subscribed only while there is something to remove. */
	private cleanupEvents(): (() => void)[] {
		return [
			this.pi.on("turn_end", (event) => this.onTurnEnd(event)),
			this.pi.on("context", ({ messages }) => {
				const kept = withoutEndedRuns(messages, this.controller.active?.run);
				return kept ? { messages: kept } : undefined;
			}),
		];
	}
}

/** The session's run if it is live and running. */
function runningRun({ active }: RunController): (HeldRun & { readonly run: LiveWorkflowRun }) | undefined {
	const run = active?.run;
	return active && run?.kind === "live" && run.status.kind === "running" ? { ...active, run } : undefined;
}

/** Waits until pi has settled, for at most two seconds. */
async function untilIdle(ctx: ExtensionContext): Promise<void> {
	for (let waited = 0; waited < 2_000 && !ctx.isIdle(); waited += 5) await new Promise((done) => setTimeout(done, 5));
}
