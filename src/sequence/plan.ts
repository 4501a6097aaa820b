// What is to be run: the steps, how often, with which arguments, where it begins and what it may cost. Plain data.
import { plainLine } from "./preview.ts";
import type { SequenceSnapshot } from "./recorded.ts";

/** A place in a sequence, 0-based. */
export interface ReplayStart {
	readonly runIndex: number;
	readonly stepIndex: number;
}

export interface RunPlan {
	readonly snapshot: SequenceSnapshot;
	/** Under which it is saved; `undefined` for the recording of the session. */
	readonly name: string | undefined;
	readonly args: readonly string[];
	/** As entered. */
	readonly argsText: string;
	readonly totalRuns: number;
	readonly from: ReplayStart;
	/** In USD. */
	readonly maxCostUsd: number | undefined;
}

/** The command that goes on with a plan at a place. */
export function continueCommand({ name, totalRuns, argsText }: RunPlan, { runIndex, stepIndex }: ReplayStart): string {
	const named = name === undefined ? "" : `${name} `;
	const args = argsText.trim() === "" ? "" : ` -- ${plainLine(argsText.trim())}`;
	return `/sequence run ${named}${totalRuns} --from ${runIndex + 1}.${stepIndex + 1}${args}`;
}
