// One iteration of a sequence in one session: every step awaited. I1 all that the steps need of the disk is read before the first one;
// I2 no status line outlives the iteration; I3 no text is sent as a command: pi takes what is sent as it is.
import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { runTurn, type StepEnd, say, shortCost } from "../pi/index.ts";
import { type ReadyStep, readySteps } from "./expand.ts";
import { continueCommand, type RunPlan } from "./plan.ts";
import { quietly } from "./quietly.ts";
import { resolveSteps } from "./resolve.ts";
import { runPlace, runStatus, type SequenceRun } from "./run-state.ts";
import { type RunControl, type SequenceSession, sequenceSessions, statusKey } from "./session.ts";

/** How a run ended; `reason` is a sentence that has been shown to the person. `refused`: no step of it was begun. */
export type IterationEnd =
	| { readonly kind: "completed" }
	| { readonly kind: "stopped"; readonly reason: string; readonly code?: number }
	| { readonly kind: "refused"; readonly reason: string };

/** What the sequence has spent so far, and may spend. */
export interface Purse {
	/** USD; `undefined`: no ceiling. */
	readonly maxCostUsd: number | undefined;
	readonly spentUsd: number;
	/** Counts what a step has spent outside of its session, USD. */
	add(costUsd: number): void;
}

interface Around {
	readonly control: RunControl;
	readonly plan: RunPlan;
	readonly purse: Purse;
}

/** Runs the steps of one iteration from `first` on. */
export async function runIteration(
	ctx: ExtensionCommandContext,
	first: SequenceRun,
	around: Around,
): Promise<IterationEnd> {
	const { control, purse } = around;
	const session = sequenceSessions.of(ctx.sessionManager);
	if (session === undefined) {
		const reason = "The sequence stopped: pi-chronicle is not loaded in the new session.";
		say(ctx, reason, "error");
		return { kind: "stopped", reason };
	}
	session.activeRun = control;
	// What somebody else's run was stopped for is not known: whoever stops it wants quiet, not the next step.
	const aborts = { seen: false };
	const forgets = [
		session.pi.on("agent_settled", ({ aborted }) => {
			aborts.seen ||= aborted;
		}),
		// A step that has more to do is stopped at the ceiling; an answer that was its last one stands.
		session.pi.on("message_end", ({ message }) => {
			if (message.role !== "assistant" || message.stopReason !== "toolUse" || !isSpent(purse)) return;
			control.halt(ceilingText(purse));
			ctx.abort();
		}),
	];
	try {
		return await goThrough(session, ctx, first, { ...around, aborts });
	} finally {
		session.activeRun = undefined;
		for (const forget of forgets) forget();
		quietly(() => ctx.ui.setStatus(statusKey, undefined));
	}
}

async function goThrough(
	session: SequenceSession,
	ctx: ExtensionCommandContext,
	first: SequenceRun,
	{ control, plan, purse, aborts }: Around & { readonly aborts: { readonly seen: boolean } },
): Promise<IterationEnd> {
	let run = first;
	const stop = (reason: string, tone: "warning" | "error", code?: number): IterationEnd => {
		tellStop(session, ctx, control, `${reason}\nGo on here with ${continueCommand(plan, run)}`, tone);
		return { kind: "stopped", reason, ...(code === undefined ? {} : { code }) };
	};
	/** A stop that somebody wanted. */
	const stopped = () => stop(control.stop ?? `The sequence was stopped at ${runPlace(run)}.`, "warning");
	try {
		await ctx.waitForIdle();
		if (aborts.seen) return stop(`The sequence was stopped before ${runPlace(run)}.`, "warning");
		const ready = await prepare(session, run);
		if (ready.kind === "refused") {
			tellStop(session, ctx, control, ready.reason, "error");
			return run.runIndex > plan.from.runIndex ? { kind: "stopped", reason: ready.reason } : ready;
		}
		for (const [stepIndex, step] of ready.steps.entries()) {
			if (stepIndex < first.stepIndex) continue;
			run = { ...run, stepIndex };
			if (control.stop !== undefined) return stopped();
			const spent = ceilingReached(purse);
			if (spent !== undefined) return stop(spent, "warning");
			ctx.ui.setStatus(statusKey, runStatus(run));
			// The person's own message or compaction may have come between two steps.
			await ctx.waitForIdle();
			if (aborts.seen) return stopped();
			const end = await runStep(session, ctx, step, { control, purse });
			if (control.stop !== undefined || end.kind === "aborted") return stopped();
			if (end.kind === "failed")
				return stop(`The sequence stopped at ${runPlace(run)}: ${end.reason}`, "error", end.code);
			const asked = askedToStop(control, run, ready.steps.length);
			if (asked === undefined) continue;
			run = asked.next;
			return stop(asked.reason, "warning");
		}
		return { kind: "completed" };
	} catch (error) {
		if (control.stop !== undefined) return stopped();
		return stop(`The sequence stopped at ${runPlace(run)}: ${messageOf(error)}`, "error");
	}
}

/** What the person asked for with `/sequence stop`, once its time has come; nothing where the sequence is at its end anyway. */
function askedToStop(
	{ after }: RunControl,
	run: SequenceRun,
	steps: number,
): { readonly reason: string; readonly next: SequenceRun } | undefined {
	const isLast = run.stepIndex + 1 === steps;
	if (after === undefined || (after === "run" && !isLast)) return undefined;
	if (isLast && run.runIndex + 1 === run.totalRuns) return undefined;
	const next = isLast ? { runIndex: run.runIndex + 1, stepIndex: 0 } : { stepIndex: run.stepIndex + 1 };
	return { reason: `The sequence was stopped after ${runPlace(run)}, as asked.`, next: { ...run, ...next } };
}

function tellStop(
	session: SequenceSession,
	ctx: ExtensionContext,
	control: RunControl,
	text: string,
	tone: "warning" | "error",
): void {
	if (control.left) return;
	session.lastStop = { text, at: Date.now() };
	quietly(() => say(ctx, text, tone));
}

/** Resolves every step and reads its file; the reasons of all that cannot run, together. */
export async function prepare(
	session: Pick<SequenceSession, "commands" | "knownCommands">,
	{ steps, args, runIndex, totalRuns }: Pick<SequenceRun, "steps" | "args" | "runIndex" | "totalRuns">,
): Promise<{ kind: "ready"; steps: readonly ReadyStep[] } | { kind: "refused"; reason: string }> {
	const resolved = resolveSteps(steps, session.knownCommands(), args);
	const ready = resolved.kind === "refused" ? resolved : await readySteps(resolved.steps, session.commands);
	if (ready.kind === "ready") return ready;
	const reasons = ready.refusals.map(({ index, reason }) => `step ${index + 1}: ${reason}`);
	return { kind: "refused", reason: `The sequence cannot run ${runIndex + 1}/${totalRuns}:\n${reasons.join("\n")}` };
}

async function runStep(
	session: SequenceSession,
	ctx: ExtensionCommandContext,
	step: ReadyStep,
	{ control, purse }: Pick<Around, "control" | "purse">,
): Promise<StepEnd> {
	switch (step.kind) {
		case "prompt":
			return runTurn(session.pi, ctx, step.text);
		case "expanded":
			await step.followFrontMatter(ctx);
			return runTurn(session.pi, ctx, step.text);
		case "command": {
			if (step.name !== "workflow" && step.name !== "chronicle") return session.commands[step.name](ctx, step.args);
			const outcome = await orHalted(session.commands[step.name](ctx, step.args, control.signal), control.signal);
			if (outcome === "halted") return { kind: "aborted" };
			purse.add(outcome.costUsd);
			return outcome.end;
		}
		case "compact":
			return compact(ctx, step.instructions);
	}
}

/** What a step comes to, or that the sequence was stopped before: what the step has started goes its own way then. */
function orHalted<Value>(step: Promise<Value>, signal: AbortSignal): Promise<Value | "halted"> {
	return new Promise((resolve, reject) => {
		const halt = () => resolve("halted");
		if (signal.aborted) halt();
		signal.addEventListener("abort", halt, { once: true });
		step.then(resolve, reject).finally(() => signal.removeEventListener("abort", halt));
	});
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

/** Why nothing more may begin; `undefined` while there is something left. */
export function ceilingReached(purse: Purse): string | undefined {
	return isSpent(purse) ? ceilingText(purse) : undefined;
}

function isSpent({ maxCostUsd, spentUsd }: Purse): boolean {
	return maxCostUsd !== undefined && spentUsd >= maxCostUsd;
}

function ceilingText({ maxCostUsd = 0, spentUsd }: Purse): string {
	return `The sequence was stopped: it has spent ${shortCost(spentUsd)} of at most ${shortCost(maxCostUsd)}.`;
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
