// Starts a run: asks for missing information (number of runs, arguments) and reports every obstacle before the first step. No
// placeholder reaches the model: if the user cannot be asked for arguments, nothing is started; a session with live work is left only if the
// user agrees.

import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { counted } from "@pi-chronicle/core/definition";
import { askForLine, askUser, exitCodes, failWith, rejectCommand, say, shortCost } from "../pi/index.ts";
import { hasPlaceholder, needsArguments, splitArguments } from "./arguments.ts";
import type { ReadyStep } from "./expand.ts";
import { prepare } from "./iteration.ts";
import type { RunPlan } from "./plan.ts";
import { plainLine, stepsText } from "./preview.ts";
import type { SequenceSnapshot } from "./recorded.ts";
import { firstLine } from "./refusal.ts";
import { plainRules, rulesText } from "./repeat.ts";
import { runRecorded } from "./replay.ts";
import { manyRuns, parseRunCount } from "./replay-count.ts";
import type { RunWords } from "./replay-words.ts";
import { startMistake } from "./replay-words.ts";
import type { RepeatRules } from "./sequence-file.ts";
import type { SequenceSession } from "./session.ts";

/** A request to start a run; fields that the user has not given are open. */
export interface ReplayRequest extends RunWords {
	readonly snapshot: SequenceSnapshot;
	/** Absent: those of a recording. */
	readonly rules?: RepeatRules;
}

/** Whether this session is already recording or replaying; if so, reports it to the user. Call it again after every question. */
export function isBusy(session: SequenceSession, ctx: ExtensionCommandContext): boolean {
	if (session.activeRun !== undefined) rejectCommand(ctx, "A sequence is running; Esc or /sequence stop ends it.");
	else if (session.recording) rejectCommand(ctx, "A sequence is being recorded; Ctrl+Enter finishes it, Esc cancels.");
	else return false;
	return true;
}

/** Asks for missing information, then runs. */
export async function startReplay(
	session: SequenceSession,
	ctx: ExtensionCommandContext,
	request: ReplayRequest,
): Promise<void> {
	const totalRuns =
		request.count === undefined ? await askCount(ctx, request.snapshot) : await confirmCount(ctx, request.count);
	if (totalRuns === undefined) return;
	const { snapshot, name, maxCostUsd, from = { runIndex: 0, stepIndex: 0 }, rules = plainRules } = request;
	const mistake = startMistake(from, totalRuns, snapshot.steps.length);
	if (mistake !== undefined) return rejectCommand(ctx, mistake);
	const given = await readArguments(ctx, snapshot, request.args);
	if (given === undefined || isBusy(session, ctx)) return;
	const plan: RunPlan = {
		snapshot,
		name,
		args: splitArguments(given),
		argsText: given,
		totalRuns,
		from,
		maxCostUsd,
		rules,
	};
	if (request.dryRun) return dryRun(session, ctx, plan);
	const agreed = totalRuns - from.runIndex > 1 ? await agreeToLeave(session, ctx) : [];
	if (agreed === undefined || isBusy(session, ctx)) return;
	// Read now, because after a run this context may belong to a replaced session.
	const { hasUI } = ctx;
	const end = await runRecorded(ctx, plan, agreed);
	if (end.kind === "refused") failWith({ hasUI }, exitCodes.usage);
	if (end.kind === "stopped") failWith({ hasUI }, end.code === exitCodes.waits ? exitCodes.waits : exitCodes.failed);
}

async function dryRun(session: SequenceSession, ctx: ExtensionCommandContext, plan: RunPlan): Promise<void> {
	const ready = await prepare(session, {
		steps: plan.snapshot.steps,
		args: plan.args,
		runIndex: plan.from.runIndex,
		totalRuns: plan.totalRuns,
	});
	if (ready.kind === "refused") return rejectCommand(ctx, ready.reason);
	say(ctx, dryRunLines(plan, ready.steps).join("\n"));
}

async function askCount(ctx: ExtensionCommandContext, { steps }: SequenceSnapshot): Promise<number | undefined> {
	while (true) {
		const answer = await askForLine(ctx, {
			title: "Run this sequence how many times? [1]",
			message: stepsText(steps),
			placeholder: "1",
		});
		if (answer === undefined) return undefined;
		const parsed = parseRunCount(answer);
		if (parsed.kind === "count") return confirmCount(ctx, parsed.count);
		rejectCommand(ctx, parsed.reason);
	}
}

async function confirmCount(ctx: ExtensionCommandContext, count: number): Promise<number | undefined> {
	if (count <= manyRuns || !ctx.hasUI) return count;
	const sure = await askUser(ctx, {
		title: "Run it that many times?",
		message: `${count} runs, each in a separate session.`,
	});
	return sure === "yes" ? count : undefined;
}

/** The run's arguments: as given, otherwise requested once if a step has a placeholder. If the user cannot be asked, nothing is started. */
async function readArguments(
	ctx: ExtensionCommandContext,
	{ steps }: SequenceSnapshot,
	given: string,
): Promise<string | undefined> {
	if (given.trim() !== "" || !steps.some(hasPlaceholder)) return given;
	if (ctx.hasUI)
		return askForLine(ctx, {
			title: "Arguments for $@? (empty: the placeholders become empty)",
			message: stepsText(steps),
		});
	const index = steps.findIndex(needsArguments);
	if (index === -1) return given;
	rejectCommand(
		ctx,
		`Step ${index + 1} needs arguments, so nothing was started: /sequence run [name] [N] <arguments>.`,
		{ code: exitCodes.failed },
	);
	return undefined;
}

/**
 * Asks whether the live work in this session may be left for the next run's session. Returns that work, or `undefined` if the user refuses.
 */
async function agreeToLeave(
	session: SequenceSession,
	ctx: ExtensionCommandContext,
): Promise<readonly string[] | undefined> {
	const live = session.commands.live();
	if (live.length === 0) return live;
	const list = live.join("\n");
	const answer = await askUser(ctx, {
		title: "Leave this session for the next run?",
		message: `From the second run on, a sequence opens new sessions. Still running in this one:\n${list}`,
		words: { no: "No, don't start", yes: "Yes, leave it" },
	});
	if (answer === "yes") return live;
	if (answer === "nobody")
		rejectCommand(ctx, `Nothing was started: the second run would leave this session. Still running in it:\n${list}`);
	return undefined;
}

/** The report of a dry run, as lines. */
function dryRunLines({ name, totalRuns, from, maxCostUsd, rules }: RunPlan, steps: readonly ReadyStep[]): string[] {
	const runs = counted(totalRuns, "run");
	const what = name === undefined ? "the recording" : `"${name}"`;
	const begin = from.runIndex + from.stepIndex > 0 ? `, from run ${from.runIndex + 1}, step ${from.stepIndex + 1}` : "";
	const ceiling = maxCostUsd === undefined ? "" : `, at most ${shortCost(maxCostUsd)}`;
	return [
		`Dry run of ${what}: ${runs} of ${counted(steps.length, "step")}${begin}${ceiling}${rulesText(rules)}. Nothing was sent.`,
		...steps.map((step, index) => `${index + 1}. ${stepLine(step)}`),
	];
}

function stepLine(step: ReadyStep): string {
	switch (step.kind) {
		case "prompt":
			return `sends ${sized(step.text)}`;
		case "expanded":
			return `${plainLine(firstLine(step.raw.trim()))} sends ${sized(step.text)}`;
		case "command":
			return `runs /${step.name} ${plainLine(firstLine(step.args))}`.trimEnd();
		case "compact":
			return `compacts${step.instructions === undefined ? "" : `: ${plainLine(firstLine(step.instructions))}`}`;
	}
}

function sized(text: string): string {
	const length = [...text].length;
	return `${counted(length, "character")}: ${plainLine(firstLine(text.trim()))}`;
}
