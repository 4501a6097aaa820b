// What happens to a run, told line by line as it happens. Pure.
import { explainCause, type LedgerEvent, type Move, type Run } from "../../core/index.ts";
import { endingWords, shortCost, shortCount, shortTime } from "../timeline/index.ts";
import { changeLines, leftLines } from "./question-lines.ts";

const summaryLength = 160;

type MoveMetrics = Move["metrics"];

/** The line for an event that a person wants to follow; `undefined` for the others. `run` is the run after it. */
export function progressLine(run: Run, event: LedgerEvent): string | undefined {
	switch (event.kind) {
		case "worker_started": {
			const persona = run.plan.states.get(run.state)?.persona?.name ?? run.state;
			const again = event.launch > 1 || event.attempt > 1 ? `, attempt ${event.attempt}.${event.launch}` : "";
			return `▸ ${run.state} (visit ${event.visit}${again}): ${persona}, ${event.model}, pid ${event.pid}`;
		}
		case "launch_failed":
			return `✗ ${run.state}: the worker could not be started: ${event.detail}`;
		case "model_switched":
			return `! ${event.from} failed (${cut(event.detail)}); continuing with ${event.to}`;
		case "pause_requested": {
			const ending = endingWords(run);
			return ending === undefined ? undefined : `‖ pausing: ${ending}`;
		}
		case "move_requested":
			return `  requests ${event.target}: ${cut(event.summary)}`;
		case "moved":
			// What the visit took is known once its worker has ended.
			return run.stage.kind === "stopping" && run.stage.launch ? undefined : moveLine(run, event.visit);
		case "cleanup_ended": {
			const { result } = event;
			if (result.kind === "exited" && result.code === 0) return undefined;
			return `! cleanup ${event.index + 1} of visit ${event.visit}: ${"detail" in result ? result.detail : result.kind === "exited" ? `exit code ${result.code}` : result.kind.replace("_", " ")}`;
		}
		case "strays_stopped":
			return `! stopped ${event.count} ${event.count === 1 ? "process" : "processes"} left behind by workers${event.left ? `; ${event.left} could not be stopped` : ""}`;
		case "files_unmeasured":
			return `! files could not be measured: ${event.detail}`;
		case "files_measured":
			return event.unkept && event.unkept.length > 0
				? `! ${leftLines("files that could not be measured", event.unkept).join("\n")}`
				: undefined;
		case "files_restored":
			return [
				"↶ files restored",
				...(event.changes && event.changes.length > 0
					? ["Changed by the rewind:", ...changeLines(event.changes, event.more)]
					: []),
				...leftLines("not restored", event.left ?? [], event.leftMore),
			].join("\n");
		case "files_unrestored":
			return `✗ files could not be restored: ${event.detail}`;
		case "ask_opened":
			return `? ${run.state} asks: ${event.title}`;
		case "ask_answered":
			return event.verdict === "unanswered" ? "  nobody answered: taken as no" : undefined;
		case "parked":
			return `‖ ${event.detail}`;
		case "rejected":
			return `↶ rejected: ${cut(event.words)}`;
		case "finished":
			return `${event.status === "done" ? "■ done" : `■ ${event.status}`}${event.detail ? `: ${event.detail}` : ""}${
				run.visitRecord.attempts > 0 ? `${figures(run.visitRecord)} in ${run.state}` : ""
			}`;
		case "worker_ended": {
			const { outcome } = event;
			const moved =
				run.stage.kind === "stopping" && run.stage.after.kind === "enter" ? moveLine(run, event.visit) : undefined;
			if (outcome.kind === "stopped") return moved;
			if (outcome.kind === "lost")
				return moved ?? "! the previous supervisor's worker is gone; its conversation continues";
			const how =
				outcome.kind === "killed"
					? `was killed by ${outcome.signal}`
					: outcome.kind === "timed_out"
						? `was stopped: ${outcome.limit} limit`
						: `ended with code ${outcome.code}`;
			// A worker that exits after its transition has done its work.
			const done = run.stage.kind === "stopping" && outcome.kind === "exited" && outcome.code === 0;
			if (done) return moved;
			return [`! the worker ${how}`, ...(moved === undefined ? [] : [moved])].join("\n");
		}
		default:
			return undefined;
	}
}

function explainMove(cause: Parameters<typeof explainCause>[0], from: string, refused: string | undefined): string {
	return refused === undefined ? cause.replaceAll("_", " ") : explainCause(cause, from, refused);
}

/** The move by which visit `visit` was left, with what the visit took. */
function moveLine({ history }: Run, visit: number): string | undefined {
	const move = history.findLast((one) => one.visit === visit);
	if (!move) return undefined;
	const { cause, from, to, refused, metrics } = move;
	const why = cause === "worker" ? "" : ` (${explainMove(cause, from, refused)})`;
	return `✓ ${from} → ${to}${why}${figures(metrics)}`;
}

function figures({ tokens, costUsd, activeMs }: MoveMetrics): string {
	return ` · ${shortTime(activeMs)}, ${shortCount(tokens)} tokens, ${shortCost(costUsd)}`;
}

function cut(text: string): string {
	const line = text.replaceAll(/\s+/g, " ").trim();
	return line.length > summaryLength ? `${line.slice(0, summaryLength - 1)}…` : line;
}
