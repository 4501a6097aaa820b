// A planned run: steps, number of runs, arguments, start and cost limit. Plain data.
import { plainLine } from "./preview.ts";
import type { SequenceSnapshot } from "./recorded.ts";

/** A position in a sequence, 0-based. */
export interface ReplayStart {
	readonly runIndex: number;
	readonly stepIndex: number;
}

export interface RunPlan {
	readonly snapshot: SequenceSnapshot;
	/** Name of the saved sequence; `undefined` for the recording of the session. */
	readonly name: string | undefined;
	readonly args: readonly string[];
	/** As entered. */
	readonly argsText: string;
	readonly totalRuns: number;
	readonly from: ReplayStart;
	/** In USD. */
	readonly maxCostUsd: number | undefined;
}

/** The command that continues a plan from a position. */
export function continueCommand({ name, totalRuns, argsText }: RunPlan, { runIndex, stepIndex }: ReplayStart): string {
	const named = name === undefined ? "" : `${name} `;
	const args = argsText.trim() === "" ? "" : ` -- ${plainLine(argsText.trim())}`;
	return `/sequence run ${named}${totalRuns} --from ${runIndex + 1}.${stepIndex + 1}${args}`;
}
