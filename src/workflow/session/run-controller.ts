// The run of this session and everything that shows it: the entries, the status line, the policy, the tool, the session's name.
// D1 the run changes only here, by `transition`; D2 what has to outlive pi is written before anything else is done about it;
// D3 tool, policy and status line are there exactly while a run is active.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type NoticeLevel, openBadge, printable, say, writeEntry } from "../../pi/index.ts";
import type { Policies } from "../../safety/index.ts";
import {
	type EndedVisit,
	isActive,
	type LiveWorkflowRun,
	type Note,
	rootOf,
	type StoredState,
	type WorkflowAction,
	type WorkflowEvent,
	type WorkflowRun,
	workflowTransition,
} from "../machine/index.ts";
import { endText, pauseLine, placeLine, sessionName, statusLine } from "../prompts/index.ts";
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
import { type Library, projectContext } from "./library.ts";
import { phasePolicy } from "./policy.ts";
import { spentPerPhase } from "./summary.ts";

export interface RunController {
	/** The run that is on, or was last. */
	readonly held: HeldRun | undefined;
	/** The same while it is neither done nor cancelled. */
	readonly active: HeldRun | undefined;
	/** Whether a session has been taken up: before that nothing is known of its states. */
	readonly ready: boolean;
	/** Starts a run: pins its definitions, writes its first state, shows it. */
	begin(ctx: ExtensionContext, run: LiveWorkflowRun): void;
	/** Lets something happen to the run; without a run nothing does. */
	apply(ctx: ExtensionContext, event: WorkflowEvent): readonly WorkflowAction[];
	/** The session has settled: the figures of a run that ended while the model was at work are complete now. Whether there is one. */
	settle(ctx: ExtensionContext): boolean;
	/** Takes up what the session's branch holds. Says what cannot be read. */
	restore(ctx: ExtensionContext, how: "opened" | "moved"): string | undefined;
	/** How long pi was closed in the visit that is on, as far as no state tells it yet: ms. */
	readonly away: number;
	/** Where the run of a state of this session is, in words; `undefined` for one of the reference package. */
	describe(state: StoredState): string | undefined;
	/** Registers or withdraws the tool, as it is needed. */
	offerTool(): void;
	withdrawTool(): void;
	/** Called after every change of the run. `unknown`: another run may have been here before. */
	changed: (actions: readonly WorkflowAction[], past: "known" | "unknown") => void;
}

interface RunControllerOptions {
	readonly pi: ExtensionAPI;
	readonly policies: Policies;
	readonly library: Library;
	/** Registers `workflow_step`, or withdraws it. */
	readonly offer: (offered: boolean) => void;
}

const statusKey = "chronicle-workflow";

/** Says what the terminal shows as an entry of the transcript, where there is no such transcript. */
function announce(ctx: ExtensionContext, text: string, tone: NoticeLevel = "info"): void {
	if (ctx.mode !== "tui") say(ctx, text, tone);
}

/** Opens the controller of one session, with no run on it. */
export function openRunController({ pi, policies, library, offer }: RunControllerOptions): RunController {
	let held: HeldRun | undefined;
	let offered = false;
	/** A run that has ended while the model was at work: what it took is told when that has settled. */
	let unsettled: WorkflowRun | undefined;
	let away = 0;
	let dropPolicy: (() => void) | undefined;
	let shown: string | undefined;
	const badge = openBadge(statusKey);
	/** The session of this instance, for the renderers, which pi calls without a context. */
	let session: ExtensionContext["sessionManager"] | undefined;

	const active = () => (held && isActive(held.run) ? held : undefined);

	/** Makes the outward signs agree with the run. The tool stays until the model's turn is over, see `withdrawTool`. */
	const show = (ctx: ExtensionContext) => {
		const on = active();
		if (on && !dropPolicy) dropPolicy = policies.add(phasePolicy(() => held?.run, ctx.cwd));
		if (!on && dropPolicy) {
			dropPolicy();
			dropPolicy = undefined;
		}
		const place = on && statusLine(on.run);
		const line = place === undefined ? undefined : printable(place);
		if (line !== shown && ctx.hasUI) ctx.ui.setStatus(statusKey, line);
		badge.show(ctx, line);
		shown = line;
	};

	// pi's terminal forgets status lines with their session; a client over RPC keeps what it was told.
	pi.on("session_shutdown", (_event, ctx) => {
		if (shown !== undefined && ctx.hasUI) ctx.ui.setStatus(statusKey, undefined);
	});

	/** Writes the state with a change, and how long pi was closed before; nothing where there is neither. */
	const writeAway = (
		of: HeldRun,
		change?: { readonly left: EndedVisit | undefined; readonly note: Note | undefined },
	) => {
		if (change || away > 0) writeState(pi, of, { ...change, away });
		away = 0;
	};

	const controller: RunController = {
		get held() {
			return held;
		},
		get active() {
			return active();
		},
		get away() {
			return away;
		},
		get ready() {
			return session !== undefined;
		},
		changed: () => {},
		describe(state) {
			const run = session && runOfState(session, state);
			return run && placeLine(run);
		},
		offerTool() {
			if (offered) return;
			offered = true;
			offer(true);
		},
		withdrawTool() {
			if (!offered) return;
			offered = false;
			offer(false);
		},
		begin(ctx, run) {
			const before = held;
			session = ctx.sessionManager;
			held = { run, pinned: pinDefinitions(pi, ctx.sessionManager, run, run.definitions) };
			writeState(pi, held, { note: "begun" });
			controller.offerTool();
			nameSession(pi, run, before);
			show(ctx);
			controller.changed([], before ? "unknown" : "known");
		},
		apply(ctx, event) {
			if (!held) return [];
			const { run, actions } = workflowTransition(held.run, event);
			const reloaded = actions.some(({ kind }) => kind === "reloaded");
			const pinned =
				reloaded && run.kind === "live" ? pinDefinitions(pi, ctx.sessionManager, run, run.definitions) : held.pinned;
			held = { run, pinned };
			// Work begins again in a session that was closed.
			if (event.kind === "begun") writeAway(held);
			for (const action of actions) {
				if (action.kind === "persist") writeAway(held, { left: action.left, note: noteOf(actions) });
				if (action.kind === "ended") {
					const { how } = action;
					// What is being answered is not in the figures yet.
					const spent = ctx.isIdle() ? { spent: spentPerPhase(ctx.sessionManager, run) } : undefined;
					unsettled = spent ? undefined : run;
					writeEntry(pi, completeType, { how, text: endText(run, how), ...spent });
					announce(ctx, endText(run, how));
				}
				if (action.kind === "paused") announce(ctx, pauseLine(action), "warning");
			}
			show(ctx);
			controller.changed(actions, "known");
			return actions;
		},
		settle(ctx) {
			if (!unsettled) return false;
			writeEntry(pi, spentType, { spent: spentPerPhase(ctx.sessionManager, unsettled) });
			unsettled = undefined;
			return true;
		},
		restore(ctx, how) {
			unsettled = undefined;
			away = 0;
			session = ctx.sessionManager;
			const found = findWorkflowRun(ctx.sessionManager, () => library.load(projectContext(ctx)).definitions);
			held = found.kind === "held" ? found.held : undefined;
			const run = active()?.run;
			if (how === "opened" && run?.kind === "live" && run.status.kind === "running")
				away = Math.max(0, Date.now() - (restingSince(ctx.sessionManager) ?? Date.now()));
			if (active()) controller.offerTool();
			else controller.withdrawTool();
			show(ctx);
			controller.changed([], found.kind === "none" ? "known" : "unknown");
			return found.kind === "unreadable" ? found.problem : undefined;
		},
	};
	return controller;
}

function noteOf(actions: readonly WorkflowAction[]): Note | undefined {
	for (const { kind } of actions) if (kind === "resumed" || kind === "reloaded") return kind;
	return undefined;
}

/** Names the session after the run, unless the person has named it. A name that an earlier run gave is not the person's. */
function nameSession(pi: ExtensionAPI, run: LiveWorkflowRun, before: HeldRun | undefined): void {
	const name = pi.getSessionName();
	const nameFrom = (of: LiveWorkflowRun) => printable(sessionName(rootOf(of), of.task));
	if (!name || (before?.run.kind === "live" && name === nameFrom(before.run))) pi.setSessionName(nameFrom(run));
}
