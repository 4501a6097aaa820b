// The last row of a terminal while the command line supervises a run: the state, its worker and current call, the time, and the cost. Progress
// lines are printed above it. Nothing is drawn unless standard error is a terminal.
import { bar, printable } from "../../../pi/index.ts";
import { activityOf, liveTotals, measures, type Run } from "../../core/index.ts";
import { activityText, childrenText, endingText, shortCost, shortTime } from "../phrases/index.ts";
import { colorMark } from "./paint.ts";

const tickMs = 1000;
/** Milliseconds after which a stage without a worker is named where there is no live line. */
const slowMs = 2000;

export interface LiveLine {
	/** Updates the run. */
	show(run: Run): void;
	/** Prints a line above the live one. */
	print(text: string): void;
	/** Removes the live line. */
	close(): void;
}

/**
 * Opens the live line on `stream`. On anything but a terminal, where nothing can be redrawn, a line says what the run does when a stage without a
 * worker is slow.
 */
export function openLiveLine(stream: NodeJS.WriteStream, now: () => number = Date.now): LiveLine {
	const isTerminal = stream.isTTY === true && process.env.TERM !== "dumb";
	let run: Run | undefined;
	let isDrawn = false;
	let timer: NodeJS.Timeout | undefined;
	let named: string | undefined;
	const nameSlow = (): void => {
		timer = undefined;
		if (run === undefined || !quietStages.has(run.stage.kind)) return;
		const stage = `${run.visit} ${run.stage.kind}`;
		if (stage !== named) line.print(`… ${doingText(run, new Date(now()).toISOString())}`);
		named = stage;
	};
	const clear = (): void => {
		if (isDrawn) stream.write("\r\u001b[2K");
		isDrawn = false;
	};
	const draw = (): void => {
		clear();
		if (run === undefined || run.stage.kind === "over") return;
		stream.write(colorMark(fitted(liveText(run, new Date(now()).toISOString()), stream.columns), stream));
		isDrawn = true;
	};
	const line: LiveLine = {
		show(next) {
			run = next;
			if (!isTerminal) {
				clearTimeout(timer);
				timer = setTimeout(nameSlow, slowMs);
				return;
			}
			timer ??= setInterval(draw, tickMs);
			draw();
		},
		print(text) {
			clear();
			for (const line of printable(text).split("\n")) stream.write(`${colorMark(line, stream)}\n`);
			if (run !== undefined && isTerminal) draw();
		},
		close() {
			clearInterval(timer);
			timer = undefined;
			clear();
			run = undefined;
		},
	};
	return line;
}

/** `● build · Senior Engineer · bash npm test · 12s · $0.42 ▰▱▱▱▱▱▱▱ of $5.00`. */
export function liveText(run: Run, now: string): string {
	const { state, totals } = run;
	const live = liveTotals(run, now);
	const ran = (run.states[state]?.activeMs ?? 0) + live.activeMs - totals.activeMs;
	const ceiling = measures(run, now).find((measure) => measure.figure === "costUsd" && measure.state === undefined);
	const cost =
		ceiling === undefined
			? shortCost(live.costUsd)
			: `${shortCost(live.costUsd)} ${bar(ceiling.spent / ceiling.ceiling)} of ${shortCost(ceiling.ceiling)}`;
	const persona = run.plan.states.get(state)?.persona?.name;
	const parts = [`● ${state}`, ...(persona === undefined ? [] : [persona]), shortTime(ran), cost];
	return [...parts, doingText(run, now)].join(" · ");
}

function doingText(run: Run, now: string): string {
	if (run.stage.kind === "baselining" && run.stage.awaits)
		return `waiting for a host with ${run.stage.awaits.join(", ")}`;
	const activity = activityOf(run);
	switch (activity?.stage) {
		case undefined:
			return otherStages[run.stage.kind] ?? "";
		case "launching":
			return `${activityText(activity)}, ${shortTime(Math.max(0, Date.parse(now) - Date.parse(run.updatedAt)))}`;
		case "working":
			return activityText(activity);
		case "children":
			return childrenText(run);
		case "awaiting_provider":
			return activityText(activity);
		case "stopping":
		case "restoring":
			return endingText(run) ?? activityText(activity);
	}
}

/** Stages whose work is that of this program: it may take long, and no event is recorded meanwhile. */
const quietStages: ReadonlySet<Run["stage"]["kind"]> = new Set(["baselining", "stopping", "restoring"]);

const otherStages: Readonly<Partial<Record<Run["stage"]["kind"], string>>> = {
	deciding: "deciding",
	baselining: "comparing files",
	asking: "waiting for your approval",
	waiting: "waiting for you",
	over: "over",
};

/** One row: without control characters, and never as wide as the terminal, where a row would wrap. */
function fitted(text: string, columns = 80): string {
	const line = printable(text).replaceAll(/\s+/g, " ");
	const cells = [...line];
	return cells.length < columns ? line : `${cells.slice(0, Math.max(1, columns - 2)).join("")}…`;
}
