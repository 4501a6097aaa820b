// The status line of a run. In a file of its own, because only it needs pi's measure of columns, which the command line does not have.
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { isActive, type WorkflowRun, waitsForUser } from "../machine/index.ts";
import { placeLine } from "./place.ts";

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
