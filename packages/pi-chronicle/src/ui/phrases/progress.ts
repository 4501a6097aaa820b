// The progress of a run, one line per event. Pure.

import { counted, truncate } from "@pi-chronicle/core/definition";
import {
	commandEndText,
	explainCause,
	type LedgerEvent,
	type Move,
	type Run,
	type WorkerOutcome,
} from "@pi-chronicle/core/machine";
import { changeLines, leftLines, shortCost, shortCount, shortTime } from "../../pi/index.ts";
import { choiceText } from "./children.ts";
import { endingText } from "./figures.ts";
import { timeOf } from "./names.ts";
import { haltReason } from "./why.ts";

const summaryLength = 160;

type MoveMetrics = Move["metrics"];

type Lines = {
	readonly [Kind in LedgerEvent["kind"]]?: (
		event: LedgerEvent & { kind: Kind },
		run: Run,
		before: Run,
	) => string | undefined;
};

/** Lines for the events that interest the user. The run is the one after the event. */
const lines: Lines = {
	worker_started({ launch, attempt, visit, model, pid }, run) {
		const persona = run.plan.states.get(run.state)?.persona?.name ?? run.state;
		const again = launch > 1 || attempt > 1 ? `, attempt ${attempt}.${launch}` : "";
		return `▸ ${run.state} (visit ${visit}${again}): ${persona}, ${model}, pid ${pid}`;
	},
	launch_failed: ({ detail }, { state }) => `✗ ${state}: the worker could not be started: ${detail}`,
	command_started: ({ attempt, command, visit }, { state }) =>
		`▸ ${state} (visit ${visit}${attempt > 1 ? `, attempt ${attempt}` : ""}): ${cutSummary(command)}`,
	command_ended({ result, ms, problems }) {
		const mark = result.kind === "exited" ? (result.code === 0 ? "✓" : "✗") : "!";
		const misfit = problems ? `; its data does not fit: ${cutSummary(problems.join(" "))}` : "";
		return `  ${mark} the command ${commandEndText(result)}${ms > 0 ? ` after ${shortTime(ms)}` : ""}${misfit}`;
	},
	used: freshNotices,
	child_spent: freshNotices,
	model_switched: ({ from, to, detail }) => `! ${from} failed (${cutSummary(detail)}); continuing with ${to}`,
	pause_requested(_event, run) {
		const ending = endingText(run);
		return ending === undefined ? undefined : `‖ pausing: ${ending}`;
	},
	output_refused: ({ problems }) => `  data refused: ${cutSummary(problems.join(" "))}`,
	move_requested: ({ target, summary }) => `  requests ${target}: ${cutSummary(summary)}`,
	// The visit's usage is known once its worker has ended.
	moved: ({ visit }, run) => (run.stage.kind === "stopping" && run.stage.launch ? undefined : progressMove(run, visit)),
	worker_ended: ({ outcome, visit }, run) => endLine(outcome, visit, run),
	cleanup_ended({ result, index, visit }) {
		if (result.kind === "exited" && result.code === 0) return undefined;
		const exit = result.kind === "exited" ? `exit code ${result.code}` : result.kind.replace("_", " ");
		return `! cleanup ${index + 1} of visit ${visit}: ${"detail" in result ? result.detail : exit}`;
	},
	strays_stopped({ count, left }) {
		const failed = left ? `; ${left} could not be stopped` : "";
		return `! stopped ${counted(count, "process", "processes")} left behind by workers${failed}`;
	},
	files_unmeasured: ({ detail }) => `! files could not be measured: ${detail}`,
	files_measured: ({ unkept = [] }) =>
		unkept.length > 0 ? `! ${leftLines("files that could not be measured", unkept).join("\n")}` : undefined,
	files_restored: ({ changes = [], more, total, left = [], leftMore }) =>
		[
			"↶ files restored",
			...(changes.length > 0 ? ["Changed by the rewind:", ...changeLines({ changes, more, total })] : []),
			...leftLines("not restored", left, leftMore),
		].join("\n"),
	files_unrestored: ({ detail }) => `✗ files could not be restored: ${detail}`,
	ask_opened: ({ title }, { state }) => `? ${state} asks: ${title}`,
	ask_answered({ verdict, words }) {
		if (words !== undefined) return `  answered: ${cutSummary(words)}`;
		return verdict === "unanswered" ? "  no answer: taken as no" : undefined;
	},
	children_planned: ({ children }, { state }) =>
		children.length === 0
			? `▸ ${state}: no children needed`
			: `▸ ${state}: ${counted(children.length, "child", "children")}: ${cutSummary(children.map(({ name }) => name).join(", "))}`,
	given_up: ({ detail }) => `‖ ${detail}`,
	host_awaited: ({ labels }) => `‖ waits for a host with ${labels.join(", ")}`,
	child_parked: ({ child, detail }, run) => `  ‖ ${childName(run, child)} waits: ${cutSummary(detail)}`,
	// The end of a child may be the end of its state.
	child_ended: ({ child, status, total, detail }, _run, before) =>
		`  ${status === "done" ? "✓" : "✗"} ${childName(before, child)} ${status}${detail ? `: ${cutSummary(detail)}` : ""} · ${shortTime(total.activeMs)}, ${shortCount(total.spend.tokens)} tokens, ${shortCost(total.spend.costUsd)}`,
	joined: ({ conflicts }) =>
		conflicts.length === 0
			? undefined
			: `! ${counted(conflicts.length, "conflict")} at the join: ${cutSummary(conflicts.map(({ path }) => path).join(", "))}`,
	join_applied: ({ visit, changes = [], more = 0, left = [], leftMore }, run) =>
		[
			...takenLines(run, visit),
			`  joined: ${counted(changes.length + more, "file")} changed`,
			...leftLines("not written", left, leftMore),
		].join("\n"),
	join_failed: ({ detail }) => `✗ the files could not be joined: ${detail}`,
	provider_awaited: ({ detail, next, since }) =>
		`◷ waits for the provider, next try at ${timeOf(next, since)}: ${cutSummary(detail)}`,
	provider_due: (_event, { state }) => `▸ ${state}: tries the provider again`,
	parked: ({ detail }) => `‖ ${detail}`,
	rejected: ({ words }) => `↶ rejected: ${cutSummary(words)}`,
	finished({ status, detail = "" }, run) {
		const { visitRecord, state } = run;
		const why = detail === "" ? haltReason(run) : detail;
		const used = visitRecord.attempts > 0 ? `${figures(visitRecord)} in ${state}` : "";
		return `■ ${status}${why === undefined ? "" : `: ${why}`}${used}`;
	},
};

/** The line for an event; `undefined` if it has none. `run` is the run after it, `before` the one before it. */
export function progressLine(run: Run, event: LedgerEvent, before = run): string | undefined {
	const line = lines[event.kind] as ((event: LedgerEvent, run: Run, before: Run) => string | undefined) | undefined;
	return line?.(event, run, before);
}

/** What a report of usage led to: a ceiling that is nearly reached, or that cannot be held. */
function freshNotices(_event: LedgerEvent, run: Run, before: Run): string | undefined {
	const fresh = run.notices.filter((notice) => !before.notices.includes(notice));
	return fresh.length === 0 ? undefined : fresh.map((notice) => `! ${notice}`).join("\n");
}

/** The child whose files the join of visit `visit` has taken. */
function takenLines({ choices }: Run, visit: number): string[] {
	const last = choices.at(-1);
	return last?.madeIn === visit && last.winner !== null ? [`✓ ${cutSummary(choiceText(last))}`] : [];
}

function childName(run: Run, id: string): string {
	return run.children?.children.find((child) => child.id === id)?.name ?? id.slice(0, 8);
}

/** How a worker ended, if unexpectedly, and the move that followed. */
function endLine(outcome: WorkerOutcome, visit: number, run: Run): string | undefined {
	const { stage } = run;
	const moved = stage.kind === "stopping" && stage.after.kind === "enter" ? progressMove(run, visit) : undefined;
	switch (outcome.kind) {
		case "stopped":
			return moved;
		case "lost":
			return moved ?? "! the previous supervisor's worker has exited; its conversation continues";
		case "exited":
			// A worker that exits after its transition has done its work.
			if (stage.kind === "stopping" && outcome.code === 0) return moved;
			return withMove(`! the worker ended with code ${outcome.code}`, moved);
		case "killed":
			return withMove(`! the worker was killed by ${outcome.signal}`, moved);
		case "timed_out":
			return withMove(`! the worker was stopped: ${outcome.limit} limit`, moved);
	}
}

function withMove(line: string, moved: string | undefined): string {
	return moved === undefined ? line : `${line}\n${moved}`;
}

function explainMove(cause: Parameters<typeof explainCause>[0], from: string, refused: string | undefined): string {
	return refused === undefined ? cause.replaceAll("_", " ") : explainCause(cause, from, refused);
}

/** The move that ended visit `visit`, with the figures of the visit. */
function progressMove({ history }: Run, visit: number): string | undefined {
	const move = history.findLast((one) => one.visit === visit);
	if (!move) return undefined;
	const { cause, from, to, refused, metrics } = move;
	const why = cause === "worker" || cause === "command" ? "" : ` (${explainMove(cause, from, refused)})`;
	return `✓ ${from} → ${to}${why}${figures(metrics)}`;
}

function figures({ tokens, costUsd, activeMs }: MoveMetrics): string {
	return ` · ${shortTime(activeMs)}, ${shortCount(tokens)} tokens, ${shortCost(costUsd)}`;
}

function cutSummary(text: string): string {
	return truncate(text.replaceAll(/\s+/g, " ").trim(), summaryLength);
}
