// Applies the events of a command that does a state, and decides where the run goes by its outcome. Pure.
// A command whose outcome is unknown never runs again by itself, unless its template says that it can (`repeatable`): the user is asked;
// only a recorded outcome, or the user's answer, leaves the state; reports of any try other than the current one change nothing.
import { exactTime } from "../definition/index.ts";
import { addOutput, addSummary, cutText } from "../snapshot/index.ts";
import type { CommandPlan } from "../template/index.ts";
import { advance, escalate } from "./advance.ts";
import { explainReached, notice, reached } from "./budget/budget.ts";
import { leaveState } from "./leave-state.ts";
import { readOutput } from "./plan/child-items.ts";
import { judgeMove } from "./plan/moves.ts";
import { planOf } from "./plan/plan.ts";
import type { CommandEnded, CommandResult, CommandStarted } from "./run/command-event.ts";
import type { MoveCause, ParkCause } from "./run/decision-event.ts";
import type { LedgerEvent } from "./run/event.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { AfterStop, Run, Stopping } from "./run/run.ts";
import { endLaunch, isOf } from "./shutdown.ts";
import { NO_WORKER, shutdownOf } from "./stopping.ts";
import { countCrash } from "./worker.ts";

const staleCommand = () => refuse("stale", "That command is over.");

export function onCommandStarted(run: Run, event: LedgerEvent & CommandStarted): Reduced {
	const { stage } = run;
	const { at } = event;
	if (!isOf(stage, event)) return staleCommand();
	// It was stopped while it was being prepared.
	if (stage.kind === "stopping") return { ...run, stage: { ...stage, startedAt: at, seenAt: at } };
	if (stage.kind !== "launching") return staleCommand();
	const { launch, because, since } = stage;
	return { ...run, stage: { kind: "working", launch, because, since, startedAt: at, seenAt: at } };
}

export function onCommandEnded(run: Run, event: LedgerEvent & CommandEnded): Reduced {
	const { stage } = run;
	if (!isOf(stage, event)) return staleCommand();
	const { result } = event;
	const stopped = endLaunch(run, event, result.kind === "lost");
	if (stage.kind !== "stopping") return leaveBy(stopped, event);
	if (stage.after.kind !== "again" || stage.visit !== run.visit) return stopped;
	// A command that has ended by itself while it was being paused has an outcome.
	if (result.kind === "exited") return leaveBy(stopped, event);
	const isUnknown = stage.startedAt !== "" && result.kind !== "unstarted" && result.kind !== "refused";
	return isUnknown && planOf(run).command?.repeatable === false ? askOutcome(stopped, event.seq) : stopped;
}

/** The run without its command, after which it continues with `after`. */
function endCommand(run: Run, after: AfterStop): Run {
	const { stage } = run;
	const rest = stage.kind === "stopping" ? { ...stage, after } : shutdownOf(run, "now", after, NO_WORKER, null);
	return { ...run, stage: rest };
}

/** Of the end of the output, in the summary of the visit. */
const shownBytes = 4096;

/** Leaves the state by the outcome of its command, tries it again, or has the run wait. */
function leaveBy(ended: Run, event: LedgerEvent & CommandEnded): Run {
	const plan = planOf(ended).command;
	if (!plan) return endCommand(ended, { kind: "again", because: "entered", delayMs: 0 });
	// Where the run waits, the user sees how the command ended.
	const summary = commandOutcomeText(event, plan.line, shownBytes);
	const run: Run = { ...ended, visitRecord: { ...ended.visitRecord, summary } };
	const { result } = event;
	switch (result.kind) {
		case "timed_out": {
			// Its time is in the totals.
			const measure = reached(run);
			if (measure) return hold(run, "budget", explainReached(measure));
			return tryAgain(run, plan, "timed_out", `took longer than ${exactTime(plan.timeoutMs)}`);
		}
		case "unstarted":
			return tryAgain(run, plan, "crashed", `could not be started: ${result.detail}`);
		case "refused":
			return hold(run, "guard", `The command of "${run.state}" may not run: ${result.detail}`);
		case "stopped":
		case "lost":
			return endCommand(run, { kind: "again", because: "interrupted", delayMs: 0 });
		case "exited":
		case "killed": {
			const missing = explainUnknownCode(result.code);
			if (missing !== undefined && !plan.cases.some((one) => one.kind === "code" && one.code === result.code))
				return tryAgain(run, plan, "crashed", missing);
			return decideNext(withOutcome(run, event, plan), event, plan, result.code);
		}
	}
}

/** What a shell reports with these exit codes, instead of an outcome of the command. */
function explainUnknownCode(code: number): string | undefined {
	if (code === 127) return "could not be started: a program of it was not found (exit code 127)";
	return code === 126 ? "could not be started: a program of it is not executable (exit code 126)" : undefined;
}

function tryAgain(run: Run, plan: CommandPlan, because: "timed_out" | "crashed", how: string): Run {
	const detail = `The command of "${run.state}" ${how}: ${plan.line.slice(0, 100)}`;
	const counted = countCrash(run);
	if (counted.visitRecord.crashes < plan.attempts)
		return notice(endCommand(counted, { kind: "again", because, delayMs: 0 }), detail);
	return hold(counted, because === "timed_out" ? "timeout" : "command", detail);
}

function hold(run: Run, cause: ParkCause, detail: string): Run {
	const status = cause === "budget" ? "budget_exceeded" : "paused";
	const held = endCommand(run, { kind: "again", because: "resumed", delayMs: 0 });
	return { ...held, hold: run.hold ?? { status, cause, detail: detail.slice(0, 500) } };
}

/** The run with what its command hands over. */
function withOutcome(run: Run, event: LedgerEvent & CommandEnded, plan: CommandPlan): Run {
	const { visit, state } = run;
	const text = commandOutcomeText(event, plan.line);
	const summarized = addSummary(run.snapshot, text, { visit, state, command: true });
	return {
		...run,
		snapshot: event.data === undefined ? summarized : addOutput(summarized, { visit, state, data: event.data }),
	};
}

/** What the next worker reads of a command. `line`: its text where the event does not name it. `most`: bytes of the output. The end of the output is last: it is what is kept of a text that is too long. */
export function commandOutcomeText(
	{ command, result, ms, bytes, output, isCut, problems }: CommandEnded,
	line: string,
	most = Number.POSITIVE_INFINITY,
): string {
	const head = `\`${cutText(command ?? line, 500).text}\` ${commandEndText(result)} after ${exactTime(ms)}.`;
	const misfit = problems ? ` Its data does not fit: ${problems.join(" ")}` : "";
	if (output === undefined) return `${head}${misfit} It printed nothing.`;
	const shown = Buffer.from(output)
		.subarray(-most)
		.toString()
		.replace(/^\ufffd+/, "");
	const isWhole = !isCut && shown.length === output.length;
	const end = isWhole ? "Its output:" : `The last ${Buffer.byteLength(shown)} of ${bytes} bytes of its output:`;
	return `${head}${misfit} ${end}\n${shown}`;
}

/** How a command ended, as a verb phrase. */
export function commandEndText(result: CommandResult): string {
	switch (result.kind) {
		case "exited":
			return result.code === 0 ? "succeeded (exit code 0)" : `failed with exit code ${result.code}`;
		case "killed":
			return `was killed by ${result.signal} (exit code ${result.code})`;
		case "timed_out":
			return "took too long and was stopped";
		case "unstarted":
			return `could not be started: ${result.detail}`;
		case "refused":
			return `may not run: ${result.detail}`;
		case "stopped":
			return "was stopped";
		case "lost":
			return "was cut off, so its outcome is unknown";
	}
}

/** The run on its way to the target of the outcome. `code`: the exit code. */
function decideNext(run: Run, event: CommandEnded, plan: CommandPlan, code: number): Run {
	const { terminal } = planOf(run);
	const isMisfit = event.problems !== undefined && event.problems.length > 0;
	// Data decides, or is promised to later states: a success without it is none.
	if (isMisfit && code === 0)
		return hold(
			run,
			"command",
			`The command of "${run.state}" succeeded, but its data does not fit: ${event.problems?.join(" ")}`,
		);
	if (terminal) return endRun(run, code, event.result);
	const target = commandTarget(run, plan, code, event.data);
	if (target === undefined)
		return hold(
			run,
			"command",
			`The command of "${run.state}" ${commandEndText(event.result)}, and its \`next\` names no state for that.`,
		);
	const isFailure = code !== 0 || target === plan.otherwise;
	const counted = isFailure ? countFailure(run, event, code) : forgetFailure(run);
	if (isFailure && isStuck(counted))
		return escalate(counted, "no_progress", target, restOf(counted, { kind: "enter" }));
	return leaveFor(counted, target, "command");
}

/** The target of an exit code, or of an unknown one. Data that the command should have printed is not compared without it: an earlier visit's decides nothing. */
function commandTarget(run: Run, plan: CommandPlan, code?: number, data?: unknown): string | undefined {
	const isCompared = plan.parse === undefined || data !== undefined;
	const due = plan.cases.find((one) =>
		one.kind === "code" ? one.code === code : isCompared && comparisonHolds(run, one),
	);
	return due?.to ?? plan.otherwise;
}

/** A comparison with a value that is not there does not hold, whichever it is. */
function comparisonHolds(
	run: Run,
	{ reference, negated, value }: Extract<CommandPlan["cases"][number], { kind: "when" }>,
): boolean {
	const found = readOutput(run, reference);
	return "value" in found && (found.value === value) !== negated;
}

/** Ends the run in its state, which nothing follows. */
function endRun(run: Run, code: number, result: CommandResult): Run {
	if (code === 0 && run.state !== "failed") return leaveFor(run, run.state, "command");
	const detail = code === 0 ? "" : `The command of "${run.state}" ${commandEndText(result)}.`;
	return endCommand(run, { kind: "finish", status: "failed", detail });
}

function leaveFor(run: Run, target: string, cause: Extract<MoveCause, "command">): Run {
	const judged = judgeMove(run, target);
	if (judged.kind === "illegal") return hold(run, "command", judged.message);
	const { summary } = run.visitRecord;
	return leaveState(run, { judged, target, summary, cause }, (after) => restOf(run, after));
}

/** The shutdown that follows the command; if one has begun, the rest of it. */
function restOf(run: Run, after: AfterStop): Stopping {
	const { stage } = run;
	return stage.kind === "stopping"
		? { ...stage, how: "boundary", after }
		: shutdownOf(run, "boundary", after, NO_WORKER, null);
}

// ── repetition ──

/** Failures of commands that a run remembers, one for each state. */
const maxFailures = 16;

/** Counts how often in a row the command has failed like this, with the same files. */
function countFailure(run: Run, { print = "" }: CommandEnded, code: number): Run {
	const tree = run.baseline?.now ?? run.baseline?.tree ?? null;
	if (tree === null) return forgetFailure(run);
	const fingerprint = `${code} ${print} ${tree}`;
	const before = run.failures.find(({ state }) => state === run.state);
	const count = before?.fingerprint === fingerprint ? before.count + 1 : 1;
	const { failures } = forgetFailure(run);
	return { ...run, failures: [...failures, { state: run.state, fingerprint, count }].slice(-maxFailures) };
}

function forgetFailure(run: Run): Run {
	return { ...run, failures: run.failures.filter(({ state }) => state !== run.state) };
}

function isStuck(run: Run): boolean {
	const { count = 0 } = run.failures.find(({ state }) => state === run.state) ?? {};
	return count >= run.plan.limits.noProgress && !planOf(run).polling;
}

// ── an unknown outcome ──

/** The run, which continues once the user has said how its command ended. */
function askOutcome(run: Run, seq: number): Run {
	const { line = "", parse, cases = [] } = planOf(run).command ?? {};
	// A success without the data that decides is none.
	const needsData = parse !== undefined && cases.some(({ kind }) => kind === "when");
	const choices = ["run again", ...(needsData ? [] : ["success"]), "failure"];
	const text = `The command of "${run.state}" was cut off, so its outcome is unknown, and it may not be safe to run it twice: ${cutText(line, 500).text}${undoneText(run)}\nRun it again, or take it as a ${choices.slice(1).join(" or as a ")}?`;
	const question = { seq, visit: run.visit, call: "", text, choices, answer: null };
	return { ...run, question, status: run.hold ? run.status : "asks" };
}

/** What has become of the files that a command changed whose host is lost. */
function undoneText({ calls }: Run): string {
	return calls.setBack ? "\nAnother host took over: what the command changed in the files is undone." : "";
}

/** Whether the open question is how the command of the current visit ended. */
export function isOutcomeAsked({ question }: Run): boolean {
	return question?.call === "" && question.answer === null;
}

/** The run after the user's answer. `words` that are none of the choices change nothing. */
export function takeOutcome(run: Run, words: string): Reduced {
	const plain = words.trim().toLowerCase().replace(/\s+/g, " ");
	const plan = planOf(run).command;
	const { choices = [] } = run.question ?? {};
	const chosen = choices.find((one) => one === plain || (one === "run again" && plain === "again"));
	if (chosen === undefined || !plan) return refuse("illegal", `Answer one of: ${choices.join(", ")}.`);
	const known: Run = { ...run, question: null, hold: null, status: "running" };
	if (chosen === "run again") return advance(known, "interrupted");
	const isSuccess = chosen === "success";
	const text = `\`${cutText(plan.line, 500).text}\` was cut off, so its outcome is unknown; the user took it as a ${chosen}.${undoneText(run)}`;
	const told: Run = {
		...known,
		snapshot: addSummary(run.snapshot, text, { visit: run.visit, state: run.state }),
		visitRecord: { ...run.visitRecord, summary: text },
	};
	// The cleanup of the state has run, after its command.
	const index = planOf(run).cleanup.length;
	const rest: Run = { ...told, stage: { ...shutdownOf(told, "boundary", { kind: "enter" }, NO_WORKER, null), index } };
	if (planOf(run).terminal) return endRun(rest, isSuccess ? 0 : 1, { kind: "lost" });
	// A failure has no exit code; without `else`, it is one as most programs fail.
	const target = isSuccess ? commandTarget(told, plan, 0) : (commandTarget(told, plan) ?? commandTarget(told, plan, 1));
	return target === undefined
		? hold(rest, "command", `Nothing follows a ${chosen} of "${run.state}": its \`next\` names no state for that.`)
		: leaveFor(rest, target, "command");
}
