// Replays a sequence: every iteration in a session of its own, every step awaited. X1 nothing throws out of a session replacement;
// X2 after one, only the fresh context and the new session's own instance are used; X3 any end that is not the last step is said; X4 no
// status line outlives the run; X5 no text is sent as a command: pi takes what is sent as it is.
import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import { meterUsage, runTurn, type Spent, say } from "../pi/index.ts";
import { expandFileStep } from "./expand.ts";
import { type SequenceSnapshot, snapshotType } from "./recorded.ts";
import { resolveSteps } from "./resolve.ts";
import { runPlace, runStatus, type SequenceRun } from "./run-state.ts";
import { type RunControl, type SequenceSession, type StepEnd, sequenceSessions, statusKey } from "./session.ts";
import type { ResolvedStep } from "./step.ts";
import { type IterationSpend, type SequenceSummary, summarise, summaryType } from "./summary.ts";

/** How a whole run ended; `reason` is a sentence that has been shown to the person. */
export type RunEnd = { readonly kind: "completed" } | { readonly kind: "stopped"; readonly reason: string };

/** Runs `snapshot` `totalRuns` times: first in the present session, then each time in a new one. Resolves at the end of the last. */
export async function runRecorded(
	start: ExtensionCommandContext,
	snapshot: SequenceSnapshot,
	args: readonly string[],
	totalRuns: number,
): Promise<RunEnd> {
	const { sequenceId, steps } = snapshot;
	let run: SequenceRun = { id: crypto.randomUUID(), sequenceId, steps, args, totalRuns, runIndex: 0, stepIndex: 0 };
	const control: RunControl = { stop: undefined, left: false };
	let ctx: ExtensionCommandContext = start;
	const firstModel = modelName(ctx);
	const iterations: IterationSpend[] = [];
	while (true) {
		const started = Date.now();
		const meter = meterIteration(ctx);
		// Heard until the next session is there: opening one may take as long as the extensions in it need to start.
		const stopListening = listenForEscape(ctx, control);
		const ended = await runIteration(ctx, run, control);
		iterations.push({ ms: Date.now() - started, ...meter.stop() });
		if (ended.kind === "stopped" || run.runIndex + 1 >= totalRuns) {
			stopListening();
			keepSummary(ctx, summarise(sequenceId, ended.kind, totalRuns, iterations));
			return ended;
		}
		const next = await replaceSession(ctx, snapshot);
		stopListening();
		if (next.kind === "stopped") {
			keepSummary(ctx, summarise(sequenceId, "stopped", totalRuns, iterations));
			quietly(() => say(ctx, next.reason, "warning"));
			return next;
		}
		ctx = next.ctx;
		run = { ...run, runIndex: run.runIndex + 1, stepIndex: 0 };
		const model = modelName(ctx);
		if (run.runIndex === 1 && model !== firstModel) {
			say(
				ctx,
				`This run uses ${model}: a new session starts with pi's default model, the first run used ${firstModel}.`,
			);
		}
	}
}

/** Counts what the present session's iteration uses. */
function meterIteration(ctx: ExtensionCommandContext): { stop(): Spent } {
	const session = sequenceSessions.of(ctx.sessionManager);
	return session === undefined ? { stop: () => ({ tokens: 0, costUsd: 0 }) } : meterUsage(session.pi);
}

/** Leaves the summary in the last session, unless that has been left. */
function keepSummary(ctx: ExtensionCommandContext, summary: SequenceSummary): void {
	quietly(() => sequenceSessions.of(ctx.sessionManager)?.pi.appendEntry(summaryType, summary));
}

/** The model of a session, with its thinking level where it has one. */
function modelName({ model, sessionManager }: ExtensionContext): string {
	if (model === undefined) return "no model";
	const level = sequenceSessions.of(sessionManager)?.pi.getThinkingLevel() ?? "off";
	return `${model.provider}/${model.id}${level === "off" ? "" : ` (thinking ${level})`}`;
}

/** Opens the next iteration's session, with the recording in it. */
async function replaceSession(
	ctx: ExtensionCommandContext,
	snapshot: SequenceSnapshot,
): Promise<{ kind: "replaced"; ctx: ExtensionCommandContext } | { kind: "stopped"; reason: string }> {
	let fresh: ExtensionCommandContext | undefined;
	try {
		const { cancelled } = await ctx.newSession({
			setup: async (session) => void session.appendCustomEntry(snapshotType, snapshot),
			withSession: async (replaced) => {
				fresh = replaced;
			},
		});
		if (cancelled || fresh === undefined) {
			return {
				kind: "stopped",
				reason: "The sequence stopped: a new session for the next run was refused by another extension.",
			};
		}
		return { kind: "replaced", ctx: fresh };
	} catch (error) {
		return { kind: "stopped", reason: `The sequence stopped: no new session could be opened (${messageOf(error)}).` };
	}
}

async function runIteration(ctx: ExtensionCommandContext, first: SequenceRun, control: RunControl): Promise<RunEnd> {
	const session = sequenceSessions.of(ctx.sessionManager);
	if (session === undefined) {
		const reason = "The sequence stopped: pi-chronicle is not loaded in the new session.";
		say(ctx, reason, "error");
		return { kind: "stopped", reason };
	}
	let run = first;
	session.activeRun = control;
	// What somebody else's run was stopped for is not known: whoever stops it wants quiet, not the next step.
	let aborted = false;
	const forget = session.pi.on("agent_settled", (event) => {
		aborted ||= event.aborted;
	});
	const stop = (reason: string, tone: "warning" | "error"): RunEnd => {
		if (!control.left) {
			session.lastStop = { text: reason, at: Date.now() };
			quietly(() => say(ctx, reason, tone));
		}
		return { kind: "stopped", reason };
	};
	/** A stop that somebody wanted. */
	const stopped = () => stop(control.stop ?? `The sequence was stopped at ${runPlace(run)}.`, "warning");
	try {
		await ctx.waitForIdle();
		if (aborted) return stop(`The sequence was stopped before ${runPlace(run)}.`, "warning");
		const resolved = resolveSteps(run.steps, session.knownCommands(), run.args);
		if (resolved.kind === "refused") {
			const reasons = resolved.refusals.map(({ index, reason }) => `step ${index + 1}: ${reason}`);
			return stop(`The sequence cannot run ${run.runIndex + 1}/${run.totalRuns}:\n${reasons.join("\n")}`, "error");
		}
		for (const [stepIndex, step] of resolved.steps.entries()) {
			run = { ...run, stepIndex };
			if (control.stop !== undefined) return stopped();
			ctx.ui.setStatus(statusKey, runStatus(run));
			// The person's own message or compaction may have come between two steps.
			await ctx.waitForIdle();
			if (aborted) return stopped();
			const end = await runStep(session, ctx, step);
			if (control.stop !== undefined || end.kind === "aborted") return stopped();
			if (end.kind === "failed") return stop(`The sequence stopped at ${runPlace(run)}: ${end.reason}`, "error");
		}
		return { kind: "completed" };
	} catch (error) {
		if (control.stop !== undefined) return stopped();
		return stop(`The sequence stopped at ${runPlace(run)}: ${messageOf(error)}`, "error");
	} finally {
		session.activeRun = undefined;
		forget();
		quietly(() => ctx.ui.setStatus(statusKey, undefined));
	}
}

async function runStep(session: SequenceSession, ctx: ExtensionCommandContext, step: ResolvedStep): Promise<StepEnd> {
	switch (step.kind) {
		case "prompt":
			return runTurn(session.pi, ctx, step.text);
		case "template":
		case "skill": {
			const text = expandFileStep(step);
			await session.commands.followFrontMatter(ctx, step.sourcePath);
			return runTurn(session.pi, ctx, text);
		}
		case "command":
			return session.commands[step.name](ctx, step.args);
		case "compact":
			return compact(ctx, step.instructions);
	}
}

/** Compacts and waits. Nothing to compact is no failure: nothing was lost. */
async function compact(ctx: ExtensionContext, customInstructions: string | undefined): Promise<StepEnd> {
	try {
		await new Promise<unknown>((onComplete, onError) =>
			ctx.compact({ ...(customInstructions === undefined ? {} : { customInstructions }), onComplete, onError }),
		);
		return { kind: "completed" };
	} catch (error) {
		const reason = messageOf(error);
		if (/nothing to compact|already compacted/i.test(reason)) {
			say(ctx, `Nothing was compacted (${reason}); the sequence goes on.`, "warning");
			return { kind: "completed" };
		}
		return /abort|cancel/i.test(reason)
			? { kind: "aborted" }
			: { kind: "failed", reason: `compaction failed: ${reason}` };
	}
}

/**
 * Escape where pi has no run to abort stops the sequence all the same: between two steps, while a session is replaced, and in a compaction,
 * after which the step would go on. An open dialog keeps its Escape.
 */
function listenForEscape(ctx: ExtensionContext, control: RunControl): () => void {
	const pi = sequenceSessions.of(ctx.sessionManager)?.pi;
	if (ctx.mode !== "tui" || pi === undefined) return () => {};
	let dialogs = 0;
	let compacting = false;
	const stops = [
		pi.on("ui_prompt_start", () => void dialogs++),
		pi.on("ui_prompt_end", () => void dialogs--),
		pi.on("session_before_compact", () => {
			compacting = true;
		}),
		pi.on("session_compact", () => {
			compacting = false;
		}),
		pi.on("session_compact_failed", () => {
			compacting = false;
		}),
		ctx.ui.onTerminalInput((data) => {
			if (dialogs > 0 || !matchesKey(data, "escape")) return undefined;
			quietly(() => {
				if (compacting || ctx.isIdle()) control.stop ??= "The sequence was stopped with Escape.";
			});
			return undefined;
		}),
	];
	return () => {
		for (const forget of stops) quietly(forget);
	};
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** For the last words to a session that may be gone. */
function quietly(work: () => void): void {
	try {
		work();
	} catch {
		// Stale: the session was left, and the notice was given when it was.
	}
}
