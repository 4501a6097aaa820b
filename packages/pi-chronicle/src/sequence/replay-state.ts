// The progress of one run: plain data, the only state that crosses a session replacement. Never stored: a killed run cannot resume.
import { substituteArguments } from "./arguments.ts";
import { plainLine } from "./preview.ts";
import { firstLine } from "./refusal.ts";

export interface SequenceRun {
	/** Random, unique per run. */
	readonly id: string;
	readonly sequenceId: string;
	readonly steps: readonly string[];
	readonly args: readonly string[];
	readonly totalRuns: number;
	/** 0-based. */
	readonly runIndex: number;
	/** 0-based. */
	readonly stepIndex: number;
}

/** The status line: `⟳ sequence · run 2/5 · step 3/4 · /handoff execution`. */
export function runStatus(run: SequenceRun): string {
	const { steps, args, stepIndex } = run;
	const [first = "", ...rest] = substituteArguments((steps[stepIndex] ?? "").trim(), args)
		.trim()
		.split("\n");
	const shown = plainLine(rest.length > 0 ? `${first} …` : first);
	return `⟳ sequence · ${runNumber(run)} · step ${stepIndex + 1}/${steps.length} · ${shown}`;
}

/** Describes a run's position for use in a sentence: `run 2/5, step 3/4 (/handoff execution)`. */
export function runPlace(run: SequenceRun): string {
	return `${runNumber(run)}, ${stepPlace(run)}`;
}

/** `run 2/5`. */
export function runNumber({ runIndex, totalRuns }: SequenceRun): string {
	return `run ${runIndex + 1}/${totalRuns}`;
}

/** The same within a run: `step 3/4 (/handoff execution)`. */
export function stepPlace({ steps, args, stepIndex }: SequenceRun): string {
	const first = plainLine(firstLine(substituteArguments((steps[stepIndex] ?? "").trim(), args)));
	return `step ${stepIndex + 1}/${steps.length} (${first})`;
}
