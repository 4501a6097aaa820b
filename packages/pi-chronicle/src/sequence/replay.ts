// Replays a sequence, with every iteration in its own session. No error escapes from a session replacement; after a replacement, only
// the fresh context and the new session's own instance are used; every end other than the last step is reported; a session with live
// work is not replaced without asking.
import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { attempt } from "../disk/index.ts";
import { meterUsage, type Spent, say, shortCost } from "../pi/index.ts";
import { listenForEscape } from "./escape.ts";
import { type CostBudget, ceilingReached, type IterationEnd, runIteration } from "./iteration.ts";
import { continueCommand, type RunPlan } from "./plan.ts";
import { protectSession } from "./private-file.ts";
import { snapshotType } from "./recorded.ts";
import { type EndOfRuns, endOfRuns, type FailedRun, isOver } from "./repeat.ts";
import { runNumber, type SequenceRun } from "./replay-state.ts";
import { openControl, type RunControl, sequenceSessions } from "./session.ts";
import { type IterationSpend, summarise, summaryType } from "./summary.ts";

/** What all runs of a plan share. */
interface Replay {
	readonly plan: RunPlan;
	readonly control: RunControl;
	readonly budget: ReturnType<typeof openPurse>;
	/** One for each run so far. */
	readonly spends: IterationSpend[];
	readonly failed: FailedRun[];
}

/**
 * Runs a plan: the first iteration in the current session, each further one in a new session. `agreed` lists the live work that may be left
 * for that. Resolves at the end of the last iteration.
 */
export async function runRecorded(
	start: ExtensionCommandContext,
	plan: RunPlan,
	agreed: readonly string[],
): Promise<EndOfRuns> {
	const { snapshot, args, totalRuns, from } = plan;
	const { sequenceId, steps } = snapshot;
	const replay: Replay = { plan, control: openControl(), budget: openPurse(plan.maxCostUsd), spends: [], failed: [] };
	let run: SequenceRun = { id: crypto.randomUUID(), sequenceId, steps, args, totalRuns, ...from };
	let ctx: ExtensionCommandContext = start;
	const firstModel = modelName(ctx);
	while (true) {
		// Active until the next session is open: opening one can take as long as its extensions need to start.
		const stopListening = listenForEscape(ctx, replay.control);
		try {
			const end = await runMetered(ctx, run, replay);
			if (run.runIndex + 1 >= totalRuns || isOver(end)) return endReplay(ctx, end, replay);
			if (end.kind === "failed")
				say(ctx, `The sequence continues after ${runNumber(run)}, which failed at ${end.reason}`, "warning");
			const next = await openNext(ctx, run, replay, agreed);
			if (next.kind === "stopped") return next;
			ctx = next.ctx;
		} finally {
			stopListening();
		}
		run = { ...run, runIndex: run.runIndex + 1, stepIndex: 0 };
		tellModel(ctx, run.runIndex - from.runIndex, firstModel);
	}
}

/** Runs one iteration and adds what it spent. */
async function runMetered(
	ctx: ExtensionCommandContext,
	run: SequenceRun,
	{ plan, control, budget, spends, failed }: Replay,
): Promise<IterationEnd> {
	const started = Date.now();
	const meter = meterIteration(ctx, budget);
	const end = await runIteration(ctx, run, { control, plan, budget });
	const { tokens, costUsd } = meter.stop();
	spends.push({ ms: Date.now() - started, tokens, costUsd: costUsd + budget.endIteration() });
	attempt(() => protectSession(ctx));
	if (end.kind === "failed") failed.push({ run: run.runIndex + 1, reason: end.reason });
	return end;
}

/** Ends all runs after the last one, which ended with `end`. */
function endReplay(ctx: ExtensionCommandContext, end: IterationEnd, replay: Replay): EndOfRuns {
	const whole = endOfRuns(end, replay.plan.rules, replay.failed);
	const isCutShort = end.kind === "stopped" || end.kind === "refused";
	keepSummary(ctx, replay, whole.kind === "completed" ? "completed" : "stopped", isCutShort ? 1 : 0);
	if (whole.kind === "stopped" && !isCutShort) say(ctx, whole.reason, "warning");
	return whole;
}

/** Opens the session of the run after `run`, unless the money is spent or the session cannot be left. */
async function openNext(
	ctx: ExtensionCommandContext,
	run: SequenceRun,
	replay: Replay,
	agreed: readonly string[],
): ReturnType<typeof replaceSession> {
	const { plan, budget } = replay;
	const spent = ceilingReached(budget);
	const next =
		spent === undefined ? await replaceSession(ctx, plan, agreed) : ({ kind: "stopped", reason: spent } as const);
	if (next.kind === "replaced") return next;
	keepSummary(ctx, replay, "stopped", 0);
	const place = { runIndex: run.runIndex + 1, stepIndex: 0 };
	attempt(() =>
		say(ctx, `${next.reason}\nContinue there with ${continueCommand(plan, place, budget.spentUsd)}`, "warning"),
	);
	return next;
}

/** Reports once that a new session uses a different model than the first run. */
function tellModel(ctx: ExtensionCommandContext, replaced: number, firstModel: string): void {
	const model = modelName(ctx);
	if (replaced !== 1 || model === firstModel) return;
	say(
		ctx,
		`This run uses ${model}, because a new session starts with pi's default model; the first run used ${firstModel}.`,
	);
}

/** Counts the cost of the whole sequence. */
function openPurse(maxCostUsd: number | undefined): CostBudget & {
	endIteration(): number;
	/** Takes the spend of the iteration so far; returns, once, why the limit cannot stop it. */
	present(spent: Spent): string | undefined;
} {
	let before = 0;
	let present = 0;
	let elsewhere = 0;
	let hasWarned = false;
	return {
		maxCostUsd,
		get spentUsd() {
			return before + present + elsewhere;
		},
		add(costUsd) {
			elsewhere += costUsd;
		},
		present({ costUsd, uncosted }) {
			present = costUsd;
			if (uncosted === undefined || maxCostUsd === undefined || hasWarned) return undefined;
			hasWarned = true;
			return `${uncosted} has no price or reports no usage, so the limit of ${shortCost(maxCostUsd)} cannot stop it.`;
		},
		endIteration() {
			const outside = elsewhere;
			before += present + elsewhere;
			present = 0;
			elsewhere = 0;
			return outside;
		},
	};
}

/** Counts the usage of the iteration in the current session, and warns at once if the limit on cost cannot stop it. */
function meterIteration(ctx: ExtensionCommandContext, budget: ReturnType<typeof openPurse>): { stop(): Spent } {
	const session = sequenceSessions.of(ctx.sessionManager);
	if (session === undefined) return { stop: () => ({ tokens: 0, costUsd: 0 }) };
	return meterUsage(session.pi, (spent) => {
		const unheld = budget.present(spent);
		if (unheld !== undefined) attempt(() => say(ctx, unheld, "warning"));
	});
}

/** Stores the summary in the last session, unless the user has left it. `unfinished`: runs that did not come to their end. */
function keepSummary(
	ctx: ExtensionCommandContext,
	{ plan: { snapshot, totalRuns }, spends, failed }: Replay,
	how: "completed" | "stopped",
	unfinished: number,
): void {
	const summary = summarise(snapshot.sequenceId, how, totalRuns, spends, spends.length - failed.length - unfinished);
	attempt(() => sequenceSessions.of(ctx.sessionManager)?.pi.appendEntry(summaryType, summary));
}

/** The model of a session, with its thinking level if there is one. */
function modelName({ model, sessionManager }: ExtensionContext): string {
	if (model === undefined) return "no model";
	const level = sequenceSessions.of(sessionManager)?.pi.getThinkingLevel() ?? "off";
	return `${model.provider}/${model.id}${level === "off" ? "" : ` (thinking ${level})`}`;
}

/** Opens the next iteration's session and copies the recording into it. */
async function replaceSession(
	ctx: ExtensionCommandContext,
	{ snapshot, name }: RunPlan,
	agreed: readonly string[],
): Promise<{ kind: "replaced"; ctx: ExtensionCommandContext } | { kind: "stopped"; reason: string }> {
	const session = sequenceSessions.of(ctx.sessionManager);
	const live = session?.commands.live().filter((what) => !agreed.includes(what)) ?? [];
	if (live.length > 0) {
		const reason = `The sequence stopped: its next run needs a new session, but ${live.join(" and ")} is still active in this one.`;
		return { kind: "stopped", reason };
	}
	let fresh: ExtensionCommandContext | undefined;
	try {
		const { cancelled } = await ctx.newSession({
			// A sequence saved in a file is not the session's recording.
			setup: async (manager) => {
				if (name === undefined) manager.appendCustomEntry(snapshotType, snapshot);
			},
			withSession: async (replaced) => {
				fresh = replaced;
			},
		});
		if (cancelled || fresh === undefined) {
			const reason = "The sequence stopped: a new session for the next run was refused by another extension.";
			return { kind: "stopped", reason };
		}
		return { kind: "replaced", ctx: fresh };
	} catch (error) {
		return {
			kind: "stopped",
			reason: `The sequence stopped: no new session could be opened (${errorMessage(error)}).`,
		};
	}
}
