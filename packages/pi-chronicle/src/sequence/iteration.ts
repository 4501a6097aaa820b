// One iteration of a sequence in one session; every step is awaited. All files are read before the first step; the status line is
// cleared at the end; text is sent literally, never as a command.
import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { attempt } from "../disk/index.ts";
import { contentText, type LeftWork, runTurn, type StepEnd, say, shortCost } from "../pi/index.ts";
import { type ReadyStep, readySteps } from "./expand.ts";
import { continueCommand, positionAfter, type ReplayStart, type RunPlan } from "./plan.ts";
import { runNumber, runPlace, runStatus, type SequenceRun, stepPlace } from "./replay-state.ts";
import { resolveSteps } from "./resolve.ts";
import { type RunControl, type SequenceSession, sequenceSessions, statusKey } from "./session.ts";

/** The end of a run. `reason` is a sentence that the user has seen. `refused`: no step was started. */
export type IterationEnd =
	/** `reached`: what ends the runs early has happened. */
	| { readonly kind: "completed"; readonly reached?: boolean }
	/** A step failed, and the next run follows. */
	| { readonly kind: "failed"; readonly reason: string }
	| { readonly kind: "stopped"; readonly reason: string; readonly code?: number }
	| { readonly kind: "refused"; readonly reason: string };

/** The money spent so far and the limit. */
export interface CostBudget {
	/** USD; `undefined`: no ceiling. */
	readonly maxCostUsd: number | undefined;
	readonly spentUsd: number;
	/** Adds the cost of a step outside its session, in USD. */
	add(costUsd: number): void;
}

interface IterationContext {
	readonly control: RunControl;
	readonly plan: RunPlan;
	readonly budget: CostBudget;
}

/** Runs the steps of one iteration from `first` on. */
export async function runIteration(
	ctx: ExtensionCommandContext,
	first: SequenceRun,
	around: IterationContext,
): Promise<IterationEnd> {
	const { control, budget } = around;
	const session = sequenceSessions.of(ctx.sessionManager);
	if (session === undefined) {
		const reason = "The sequence stopped: pi-chronicle is not loaded in the new session.";
		say(ctx, reason, "error");
		return { kind: "stopped", reason };
	}
	session.activeRun = control;
	// Aborting a model run stops the sequence, whatever started the run.
	const aborts = { seen: false };
	const answers = { ended: false };
	const { untilText } = around.plan.rules;
	const forgets = [
		session.pi.on("agent_settled", ({ aborted }) => {
			aborts.seen ||= aborted;
		}),
		// At the ceiling, a step that would call tools is stopped; a final answer is kept.
		session.pi.on("message_end", ({ message }) => {
			if (message.role !== "assistant") return;
			if (untilText !== undefined && contentText(message.content).includes(untilText)) answers.ended = true;
			if (message.stopReason !== "toolUse" || !isSpent(budget)) return;
			control.halt(costCeilingText(budget));
			ctx.abort();
		}),
	];
	try {
		return await runSteps({ ...around, session, ctx, aborts, answers, run: first });
	} finally {
		session.activeRun = undefined;
		for (const forget of forgets) forget();
		attempt(() => ctx.ui.setStatus(statusKey, undefined));
	}
}

/** The steps of one iteration at work. */
interface RunSteps extends IterationContext {
	readonly session: SequenceSession;
	readonly ctx: ExtensionCommandContext;
	/** Whether a model run was aborted during this iteration. */
	readonly aborts: { readonly seen: boolean };
	/** Whether an answer of this iteration contains the text that ends the runs. */
	readonly answers: { readonly ended: boolean };
	/** The current position. */
	run: SequenceRun;
	/** Work of the current step that still waits for the user when the sequence is stopped. */
	left?: LeftWork;
}

async function runSteps(iteration: RunSteps): Promise<IterationEnd> {
	const { session, ctx, control, plan, aborts, run } = iteration;
	try {
		await ctx.waitForIdle();
		if (aborts.seen) return stopAt(iteration, `The sequence was stopped before ${runPlace(run)}.`, "warning");
		const ready = await prepare(session, run);
		if (ready.kind === "refused") {
			showStop(iteration, ready.reason, "error");
			return run.runIndex > plan.from.runIndex ? { kind: "stopped", reason: ready.reason } : ready;
		}
		for (const [stepIndex, step] of ready.steps.entries()) {
			if (stepIndex < run.stepIndex) continue;
			iteration.run = { ...run, stepIndex };
			const end = (await takeNextStep(iteration, step)) ?? stopAsAsked(iteration, ready.steps.length);
			if (end) return end;
		}
		const reached = await isReached(iteration);
		if (reached || control.stop === undefined || run.runIndex + 1 === run.totalRuns)
			return { kind: "completed", reached };
		iteration.run = { ...run, runIndex: run.runIndex + 1, stepIndex: 0 };
		return stopOnRequest(iteration);
	} catch (error) {
		if (control.stop !== undefined) return stopOnRequest(iteration);
		return stopAt(iteration, `The sequence stopped at ${runPlace(iteration.run)}: ${errorMessage(error)}`, "error");
	}
}

/** Runs one step; returns the iteration's end if no step follows. */
async function takeNextStep(iteration: RunSteps, step: ReadyStep): Promise<IterationEnd | undefined> {
	const { session, ctx, control, plan, budget, aborts, run } = iteration;
	if (control.stop !== undefined) return stopOnRequest(iteration);
	const ceiling = ceilingReached(budget);
	if (ceiling !== undefined) return stopAt(iteration, ceiling, "warning");
	ctx.ui.setStatus(statusKey, `${runStatus(run)}${costText(budget)}`);
	// The user may have sent a message or compacted between two steps.
	await ctx.waitForIdle();
	if (aborts.seen) return stopOnRequest(iteration);
	const attempt = async () => waitForUser(iteration, await runStep(session, ctx, step, { control, budget }));
	const first = await attempt();
	const isRepeated = plan.rules.onError === "retry" && isFailure(first) && control.stop === undefined;
	if (isRepeated) say(ctx, `The step failed at ${runPlace(run)}, and is repeated once: ${first.reason}`, "warning");
	const end = isRepeated ? await attempt() : first;
	if (control.stop !== undefined || end.kind === "aborted") return stopOnRequest(iteration);
	if (end.kind !== "failed") return undefined;
	if (plan.rules.onError === "continue" && isFailure(end))
		return { kind: "failed", reason: `${stepPlace(run)}: ${end.reason}` };
	const reason = `The sequence stopped at ${runPlace(run)}: ${end.reason}`;
	return end.left
		? leaveIteration(iteration, reason, end.left, end.code)
		: stopAt(iteration, reason, "error", end.code);
}

/** Whether a step has failed for good, rather than waits for the user. */
function isFailure(end: StepEnd): end is Extract<StepEnd, { kind: "failed" }> {
	return end.kind === "failed" && end.left === undefined;
}

/** Waits for the end of work that waits for the user, if there is a screen to continue it on. */
async function waitForUser(iteration: RunSteps, end: StepEnd): Promise<StepEnd> {
	const { ctx, control, run } = iteration;
	if (end.kind !== "failed" || !end.left || !ctx.hasUI || control.stop !== undefined) return end;
	const { finish, ended } = end.left;
	ctx.ui.setStatus(statusKey, `${runStatus(run)} · waits for you`);
	say(
		ctx,
		`The sequence waits at ${runPlace(run)}: ${end.reason}\nIt continues when that is finished: ${finish} (/sequence stop now ends the sequence)`,
		"warning",
	);
	const later = await ended(control.signal);
	if (later.kind !== "aborted") return later;
	control.halt(`The sequence was stopped at ${runPlace(run)}, which is not finished.`);
	iteration.left = end.left;
	return later;
}

/** Stops at a step whose work waits: it must be finished, not repeated. */
function leaveIteration(iteration: RunSteps, reason: string, left: LeftWork, code?: number): IterationEnd {
	const next = positionAfter(iteration.plan, iteration.run);
	const then = next === undefined ? "It was the last step." : `Then ${continuing(iteration, next)}`;
	showStop(iteration, `${reason}\nFinish it first: ${asTyped(iteration.ctx, left.finish)}\n${then}`, "error");
	return { kind: "stopped", reason, ...(code === undefined ? {} : { code }) };
}

/** `continue here with /sequence run …`. */
function continuing({ ctx, plan, budget }: RunSteps, place: ReplayStart): string {
	return `continue with ${asTyped(ctx, continueCommand(plan, place, budget.spentUsd))}`;
}

/** A command as the user gives it: outside a screen, to a new pi that continues this session. */
function asTyped({ hasUI, sessionManager }: ExtensionContext, command: string): string {
	const file = hasUI ? undefined : sessionManager.getSessionFile();
	return file === undefined ? command : `pi --session ${shellWord(file)} -p ${shellWord(command)}`;
}

function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Stops and shows a command that continues from the current position. */
function stopAt(iteration: RunSteps, reason: string, tone: "warning" | "error", code?: number): IterationEnd {
	if (iteration.left) return leaveIteration(iteration, reason, iteration.left, code);
	const continued = continuing(iteration, iteration.run);
	showStop(iteration, `${reason}\n${continued.replace("continue with", "Continue here with")}`, tone);
	return { kind: "stopped", reason, code };
}

function stopOnRequest(iteration: RunSteps): IterationEnd {
	const reason = iteration.control.stop ?? `The sequence was stopped at ${runPlace(iteration.run)}.`;
	return stopAt(iteration, reason, "warning");
}

/** Stops after this step, or after the last step of this run, if `/sequence stop` requested it and more steps would follow. */
function stopAsAsked(iteration: RunSteps, steps: number): IterationEnd | undefined {
	const { run } = iteration;
	const { after } = iteration.control;
	const isLast = run.stepIndex + 1 === steps;
	if (after === undefined || (after === "run" && !isLast)) return undefined;
	if (isLast && run.runIndex + 1 === run.totalRuns) return undefined;
	const next = isLast ? { runIndex: run.runIndex + 1, stepIndex: 0 } : { stepIndex: run.stepIndex + 1 };
	iteration.run = { ...run, ...next };
	return stopAt(iteration, `The sequence was stopped after ${runPlace(run)}, as asked.`, "warning");
}

function showStop({ session, ctx, control }: RunSteps, text: string, tone: "warning" | "error"): void {
	if (control.left) return;
	// Over from here on: leaving the session is not told as well.
	session.activeRun = undefined;
	session.lastStop = { text, at: Date.now() };
	attempt(() => say(ctx, text, tone));
}

/** Resolves every step and reads its file; reports the reasons for all steps that cannot run together. */
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
	{ control, budget }: Pick<IterationContext, "control" | "budget">,
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
			budget.add(outcome.costUsd);
			return outcome.end;
		}
		case "compact":
			return compact(ctx, step.instructions);
	}
}

/** The step's result, or `halted` if the sequence is stopped first; work that the step has started is not stopped. */
function orHalted<Value>(step: Promise<Value>, signal: AbortSignal): Promise<Value | "halted"> {
	return new Promise((resolve, reject) => {
		const halt = () => resolve("halted");
		if (signal.aborted) halt();
		signal.addEventListener("abort", halt, { once: true });
		step.then(resolve, reject).finally(() => signal.removeEventListener("abort", halt));
	});
}

/** Compacts and waits. "Nothing to compact" counts as completed. */
async function compact(ctx: ExtensionContext, customInstructions: string | undefined): Promise<StepEnd> {
	try {
		await new Promise<unknown>((onComplete, onError) => ctx.compact({ customInstructions, onComplete, onError }));
		return { kind: "completed" };
	} catch (error) {
		const reason = errorMessage(error);
		if (/nothing to compact|already compacted/i.test(reason)) {
			say(ctx, `Nothing was compacted (${reason}); the sequence continues.`, "warning");
			return { kind: "completed" };
		}
		return /abort|cancel/i.test(reason)
			? { kind: "aborted" }
			: { kind: "failed", reason: `compaction failed: ${reason}` };
	}
}

/** Why no further step may start; `undefined` below the limit. */
export function ceilingReached(budget: CostBudget): string | undefined {
	return isSpent(budget) ? costCeilingText(budget) : undefined;
}

function isSpent({ maxCostUsd, spentUsd }: CostBudget): boolean {
	return maxCostUsd !== undefined && spentUsd >= maxCostUsd;
}

function costCeilingText({ maxCostUsd = 0, spentUsd }: CostBudget): string {
	return `The sequence was stopped: it has spent ${shortCost(spentUsd)} of at most ${shortCost(maxCostUsd)}.`;
}

/** ` · $0.42 of $2.00`; empty as long as nothing has been spent and there is no ceiling. */
function costText({ spentUsd, maxCostUsd }: CostBudget): string {
	if (maxCostUsd !== undefined) return ` · ${shortCost(spentUsd)} of ${shortCost(maxCostUsd)}`;
	return spentUsd === 0 ? "" : ` · ${shortCost(spentUsd)}`;
}

/** Whether the runs are over after a complete one. Tells the user how the command ended. */
async function isReached({ session, ctx, plan, control, answers, run }: RunSteps): Promise<boolean> {
	const { until } = plan.rules;
	if (answers.ended || until === undefined) return answers.ended;
	const end = await session.commands.test(ctx, until, control.signal);
	if (end.kind === "passed") return true;
	if (control.stop === undefined) say(ctx, `After ${runNumber(run)}, \`${until}\` ${end.how}.`);
	return false;
}
