// The run of this session and everything that reflects it: entries, status line, policy, tool, session name.
// The run changes only here, through `workflowTransition`; durable state is written before any other effect; policy and status
// line exist exactly while a run is active; the tool stays after the run until a compaction, because without it the provider's cache of
// the whole conversation would be lost.

import type { ExtensionAPI, ExtensionContext, ToolExecutionEndEvent } from "@earendil-works/pi-coding-agent";
import {
	customEntries,
	inBackground,
	type NoticeLevel,
	openBadge,
	printable,
	say,
	writeEntry,
} from "../../pi/index.ts";
import { type Policies, redactSecrets, type SessionBox } from "../../safety/index.ts";
import {
	currentPhase,
	isActive,
	type LiveWorkflowRun,
	type Note,
	rootOf,
	type StateChange,
	type StoredState,
	stateType,
	type WorkflowAction,
	type WorkflowEvent,
	type WorkflowRun,
	workflowTransition,
} from "../phase-machine/index.ts";
import {
	answerLine,
	askLine,
	endText,
	type GateEnd,
	pauseLine,
	phaseTrail,
	placeLine,
	type StepAction,
	sessionName,
	statusLine,
} from "../prompts/index.ts";
import { hasCompaction } from "./context-messages.ts";
import {
	completeType,
	findWorkflowRun,
	type HeldRun,
	pinDefinitions,
	restingSince,
	runOfState,
	spentType,
	writeState,
} from "./entries.ts";
import { runGate } from "./gate-command.ts";
import { type Library, projectContext } from "./library.ts";
import type { PhaseFiles } from "./phase-files.ts";
import { phaseMessage } from "./phase-message.ts";
import type { PhaseModels } from "./phase-model.ts";
import { afterStepPolicy, phasePolicy } from "./policy.ts";
import { spentPerPhase } from "./summary.ts";

interface RunControllerOptions {
	readonly pi: ExtensionAPI;
	readonly policies: Policies;
	/** The session's sandbox. */
	readonly box: SessionBox;
	readonly library: Library;
	readonly models: PhaseModels;
	readonly files: PhaseFiles;
	/** Registers or withdraws `workflow_step`. */
	readonly offer: (offered: boolean) => void;
}

const statusKey = "chronicle-workflow";

/** The run of one session; none until `begin` or `restore`. */
export class RunController {
	/** Called after every change of the run. `rewritten`: it was restored, and the model's context will not be as it was last sent. */
	changed: (actions: readonly WorkflowAction[], rewritten: boolean) => void = () => {};
	/** The last step of the model: the id of its message, the action, and the phase that it left. */
	lastStep: { readonly message: string; readonly did: StepAction; readonly from: string } | undefined;
	/** Tools whose calls in the model's message have failed or were refused. */
	readonly failed: string[] = [];
	private readonly options: RunControllerOptions;
	private readonly badge = openBadge(statusKey, "accent");
	private current: HeldRun | undefined;
	/** Whether the tool is registered for the model. */
	toolOffered = false;
	/** A run of this branch is active, or its texts are still in the model's context. */
	private kept = false;
	/** The model is not working, and nothing but the user will start it. */
	private resting = true;
	/** A run that ended while the model was working; its figures are complete once the agent run has settled. */
	private unsettled: WorkflowRun | undefined;
	private closedFor = 0;
	private removePolicy: (() => void) | undefined;
	private removeAfterStep: (() => void) | undefined;
	private statusText: string | undefined;
	/** For the renderers, which pi calls without a context. */
	private session: ExtensionContext["sessionManager"] | undefined;

	constructor(options: RunControllerOptions) {
		this.options = options;
		// pi's terminal clears status lines when the session ends; an RPC client keeps them.
		options.pi.on("session_shutdown", (_event, ctx) => {
			if (this.statusText !== undefined && ctx.hasUI) ctx.ui.setStatus(statusKey, undefined);
		});
	}

	/** The current run, or the last one. */
	get held(): HeldRun | undefined {
		return this.current;
	}

	/** The current run, unless it is done or cancelled. */
	get active(): HeldRun | undefined {
		return this.current && isActive(this.current.run) ? this.current : undefined;
	}

	/** How long pi was closed during the current visit, in ms; 0 once a state records it. */
	get away(): number {
		return this.closedFor;
	}

	/** Whether a session is open. Before that, states cannot be described. */
	get ready(): boolean {
		return this.session !== undefined;
	}

	/** Describes the position of a state's run; `undefined` for a state of the reference package. */
	describe(state: StoredState): string | undefined {
		const run = this.session && runOfState(this.session, state);
		return run && placeLine(run);
	}

	/** The message of the current phase for a new context; `undefined` without an active run. */
	introduction(): ReturnType<typeof phaseMessage> | undefined {
		const { active, session } = this;
		return active?.run.kind === "live" && session ? phaseMessage(session, active, { fresh: true }) : undefined;
	}

	offerTool(): void {
		if (this.toolOffered) return;
		this.toolOffered = true;
		this.options.offer(true);
	}

	/** Withdraws the tool, unless a run of the session has used it and no compaction has followed. */
	withdrawTool(): void {
		if (!this.toolOffered || this.kept) return;
		this.toolOffered = false;
		this.options.offer(false);
	}

	/** A compaction has rewritten the model's context, so that the tool of an ended run can go too. */
	contextRewritten(): void {
		this.kept = this.active !== undefined;
		this.withdrawTool();
	}

	/** Resolves when the session has the model for the present state of the run. */
	followModel(ctx: ExtensionContext): Promise<void> {
		return this.options.models.follow(ctx, this.active?.run);
	}

	/** Resolves when the session has that model, and the files are saved as the current visit found them, if they should be. */
	async prepareRequest(ctx: ExtensionContext): Promise<void> {
		await this.followModel(ctx);
		const run = this.active?.run;
		if (run?.kind === "live" && run.status.kind === "running") await this.options.files.keep(ctx, run);
	}

	/** The model of the current phase, for the status. */
	modelStatus(ctx: ExtensionContext): string[] {
		return this.active ? this.options.models.status(ctx, this.active.run) : [];
	}

	/** The model's step `call` took effect: the calls after it in its message are refused, even if it ended the run. */
	stepMade(call: string, step: NonNullable<RunController["lastStep"]>): void {
		this.messageOver();
		this.lastStep = step;
		this.removeAfterStep = this.options.policies.add(afterStepPolicy(call, step.did));
	}

	/** A call of another tool than the step's has ended. */
	callEnded(ctx: ExtensionContext, { isError, toolName, parentToolCallId }: ToolExecutionEndEvent): void {
		if (!isError) this.apply(ctx, { kind: "worked" });
		else if (!parentToolCallId) this.failed.push(toolName);
	}

	/** All calls of the model's message have ended. */
	messageOver(): void {
		this.failed.length = 0;
		this.removeAfterStep?.();
		this.removeAfterStep = undefined;
	}

	/** Shows whether the model is working. */
	rest(ctx: ExtensionContext, resting: boolean): void {
		if (this.resting === resting) return;
		this.resting = resting;
		this.show(ctx);
	}

	/** Starts a run: pins its definitions, writes its first state, and shows it. */
	begin(ctx: ExtensionContext, run: LiveWorkflowRun): void {
		const { pi } = this.options;
		const before = this.current;
		this.session = ctx.sessionManager;
		this.current = { run, pinned: pinDefinitions(pi, ctx.sessionManager, run, run.definitions) };
		writeState(pi, this.current, { note: "begun" });
		this.kept = true;
		this.resting = false;
		this.offerTool();
		nameSession(pi, run, before);
		this.show(ctx);
		this.changed([], false);
	}

	/** Runs the gate of the current phase, if `event` is a step of the model that would finish it. `undefined`: there is none to run. */
	async endOfGate(
		ctx: ExtensionContext,
		event: WorkflowEvent,
		signal: AbortSignal | undefined,
	): Promise<GateEnd | undefined> {
		const run = this.active?.run;
		if (event.kind !== "next" || run?.kind !== "live") return undefined;
		const { gate } = currentPhase(run);
		const { actions } = workflowTransition(run, event);
		if (!gate || actions.at(-1)?.kind === "refused") return undefined;
		return runGate(gate, this.options, ctx, signal);
	}

	/** Applies an event to the run; does nothing without one. */
	apply(ctx: ExtensionContext, event: WorkflowEvent): readonly WorkflowAction[] {
		if (!this.current || !this.active) return [];
		const { run, actions } = workflowTransition(this.current.run, event);
		const reloaded = actions.some(({ kind }) => kind === "reloaded");
		const pinned =
			reloaded && run.kind === "live"
				? pinDefinitions(this.options.pi, ctx.sessionManager, run, run.definitions)
				: this.current.pinned;
		this.current = { run, pinned };
		// Work resumes after pi was closed: record for how long.
		if (event.kind === "begun" && this.closedFor > 0) this.write(this.current, {});
		for (const action of actions) {
			if (action.kind === "persist") this.write(this.current, { left: action.left, note: noteOf(actions) });
			if (action.kind === "ended") this.writeEnd(ctx, run, action.how);
			if (action.kind === "paused") announce(ctx, pauseLine(action), "warning");
			if (action.kind === "question") announce(ctx, howToAnswer(ctx, action.question), "warning");
		}
		this.show(ctx);
		this.changed(actions, false);
		return actions;
	}

	/** Writes the figures of a run that ended while the model was working. Returns whether there was one. Called when pi has settled. */
	settle(ctx: ExtensionContext): boolean {
		if (!this.unsettled) return false;
		writeEntry(this.options.pi, spentType, { spent: spentPerPhase(ctx.sessionManager, this.unsettled) });
		this.unsettled = undefined;
		return true;
	}

	/** Restores the run of the session's branch. Returns the problem if its state is unreadable. */
	restore(ctx: ExtensionContext, how: "opened" | "moved"): string | undefined {
		this.unsettled = undefined;
		this.closedFor = 0;
		this.session = ctx.sessionManager;
		const catalogue = () => this.options.library.load(projectContext(ctx)).definitions;
		const found = findWorkflowRun(ctx.sessionManager, catalogue);
		this.current = found.kind === "held" ? found.held : undefined;
		const run = this.active?.run;
		if (how === "opened" && run?.kind === "live" && run.status.kind === "running")
			this.closedFor = Math.max(0, Date.now() - (restingSince(ctx.sessionManager) ?? Date.now()));
		if (how === "opened") this.options.models.restore(ctx);
		this.resting = ctx.isIdle();
		const [state] = customEntries(ctx.sessionManager, [stateType]);
		const compacted = state !== undefined && hasCompaction(ctx.sessionManager, state.id);
		this.kept = run !== undefined || (this.current !== undefined && !compacted);
		if (this.kept) this.offerTool();
		else this.withdrawTool();
		this.show(ctx);
		// Messages of the reference package leave the context together with that package's prompts.
		this.changed([], compacted || this.current?.pinned === undefined);
		return found.kind === "unreadable" ? found.problem : undefined;
	}

	/** Updates policy, status line and the session's model to match the run. */
	private show(ctx: ExtensionContext): void {
		const { active } = this;
		if (active)
			this.removePolicy ??= this.options.policies.add(phasePolicy(() => this.current?.run, ctx.cwd, this.options.box));
		else {
			this.removePolicy?.();
			this.removePolicy = undefined;
		}
		const status = active && statusLine(active.run, this.resting);
		const line = status === undefined ? undefined : printable(status);
		if (line !== this.statusText && ctx.hasUI) ctx.ui.setStatus(statusKey, line);
		this.badge.show(ctx, active?.run.kind === "live" ? printable(phaseTrail(active.run, this.resting)) : line);
		this.statusText = line;
		inBackground(ctx, () => this.followModel(ctx));
	}

	private write(held: HeldRun, change: Omit<StateChange, "pinned" | "away">): void {
		writeState(this.options.pi, held, { ...change, away: this.closedFor });
		this.closedFor = 0;
	}

	private writeEnd(ctx: ExtensionContext, run: WorkflowRun, how: "done" | "cancelled"): void {
		// While the model is working, the figures do not include its current answer yet.
		const spent = ctx.isIdle() ? { spent: spentPerPhase(ctx.sessionManager, run) } : undefined;
		this.unsettled = spent ? undefined : run;
		writeEntry(this.options.pi, completeType, { how, text: endText(run, how), ...spent });
		announce(ctx, endText(run, how));
	}
}

/** The model's question and how to answer it. */
function howToAnswer(ctx: ExtensionContext, question: string): string {
	return `${askLine(question)}\n${answerLine(ctx.hasUI ? undefined : ctx.sessionManager.getSessionFile())}.`;
}

/** Reports a change as a message. The terminal shows a transcript row instead. */
function announce(ctx: ExtensionContext, text: string, level: NoticeLevel = "info"): void {
	if (ctx.mode !== "tui") say(ctx, text, level);
}

function noteOf(actions: readonly WorkflowAction[]): Note | undefined {
	for (const { kind } of actions) if (kind === "resumed" || kind === "reloaded") return kind;
	return undefined;
}

/** Names the session after the run. Replaces a name set by an earlier run, but not one set by the user. */
function nameSession(pi: ExtensionAPI, run: LiveWorkflowRun, before: HeldRun | undefined): void {
	const name = pi.getSessionName();
	const nameFrom = (of: LiveWorkflowRun) => printable(sessionName(rootOf(of), redactSecrets(of.task)));
	if (!name || (before?.run.kind === "live" && name === nameFrom(before.run))) pi.setSessionName(nameFrom(run));
}
