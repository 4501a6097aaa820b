// The status line of a run and its phases in a row. In a file of its own, because only they need pi's measure of columns, which the command line
// does not have.
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import {
	isActive,
	type LiveWorkflowRun,
	phaseAt,
	samePlace,
	type WorkflowRun,
	waitsForUser,
} from "../phase-machine/index.ts";
import { phasePositions, placeLine } from "./place.ts";

/** Maximum columns of a status line that says why nothing happens; pi cuts the end of a longer line on a small screen. */
const statusWidth = 72;

/**
 * The status line: `Release Pipeline > Code Review [2/3] > 🔍 Static Analysis [1/2]`, and what the run waits for; `undefined` for an ended
 * run. `resting`: the model is not working, and nothing will start it but the user.
 */
export function statusLine(run: WorkflowRun, resting: boolean): string | undefined {
	if (!isActive(run)) return undefined;
	const mark = waitMark(run, resting);
	const place = run.kind === "stale" ? `${run.workflowKey} > ? (definition missing)` : placeLine(run);
	return mark === "" ? place : `${shortPlace(place, statusWidth - mark.length)}${mark}`;
}

function waitMark(run: WorkflowRun, resting: boolean): string {
	if (run.status.kind === "paused") return " (paused)";
	if (run.question !== undefined) return " (waits for you)";
	if (run.kind === "live" && waitsForUser(run)) return " (waits for /workflow next)";
	return resting ? " (waits for you)" : "";
}

/** A place in at most `width` columns: without its outer levels first. */
function shortPlace(place: string, width: number): string {
	const levels = place.split(" > ");
	for (let from = 0; from < levels.length; from++) {
		const shown = `${from === 0 ? "" : "… > "}${levels.slice(from).join(" > ")}`;
		if (visibleWidth(shown) <= width) return shown;
	}
	return truncateToWidth(`… > ${levels.at(-1) ?? ""}`, width, "…");
}

/** Columns of the phases in a row, and phases that are named: references can multiply phases exponentially. */
const trailWidth = 76;
const maxPhases = 40;

/**
 * The phases in a row: `✓ Planning › ● Build › Review › Ship it`, with `?` where the run waits and `‖` where it is paused. If the row is long, those that
 * are done are counted. `resting`: as for {@link statusLine}.
 */
export function phaseTrail(run: LiveWorkflowRun, resting: boolean): string {
	const mark = run.status.kind === "paused" ? "‖" : waitMark(run, resting) === "" ? "●" : "?";
	const done: string[] = [];
	const left: string[] = [];
	for (const position of phasePositions(run)) {
		const { name } = phaseAt(run.definitions, position);
		if (left.length > 0) left.push(name);
		else if (samePlace(position, run.position)) left.push(`${mark} ${name}`);
		else done.push(`✓ ${name}`);
		if (left.length > maxPhases) break;
	}
	const whole = [...done, ...left].join(" › ");
	const short = [...(done.length > 0 ? [`✓ ${done.length} done`] : []), ...left].join(" › ");
	return visibleWidth(whole) <= trailWidth ? whole : truncateToWidth(short, trailWidth, "…");
}
