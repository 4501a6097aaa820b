// A planned run: steps, number of runs, arguments, start and cost limit. Plain data.
import { plainLine } from "./preview.ts";
import type { SequenceSnapshot } from "./recorded.ts";
import type { RepeatRules } from "./sequence-file.ts";

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
	readonly rules: RepeatRules;
}

/** Longest arguments that are repeated in a printed command. */
const maxArguments = 200;

/** The command that continues a plan from a position, with what is left of its limit on cost after `spentUsd`. */
export function continueCommand(
	{ name, totalRuns, argsText, maxCostUsd }: RunPlan,
	{ runIndex, stepIndex }: ReplayStart,
	spentUsd: number,
): string {
	const named = name === undefined ? "" : `${name} `;
	const given = argsText.trim();
	const isPlain = given === plainLine(given) && given.length <= maxArguments;
	const args = given === "" ? "" : ` -- ${isPlain ? given : "<the same arguments>"}`;
	return `/sequence run ${named}${totalRuns} --from ${runIndex + 1}.${stepIndex + 1}${costLimit(maxCostUsd, spentUsd)}${args}`;
}

/** A limit that is used up is given anew: nothing would run below it. */
function costLimit(maxCostUsd: number | undefined, spentUsd: number): string {
	if (maxCostUsd === undefined) return "";
	const left = Math.floor((maxCostUsd - spentUsd) * 100) / 100;
	return ` --max-cost ${left > 0 ? left : maxCostUsd}`;
}

/** The position after a step; `undefined` after the last one. */
export function positionAfter(
	{ snapshot: { steps }, totalRuns }: RunPlan,
	{ runIndex, stepIndex }: ReplayStart,
): ReplayStart | undefined {
	if (stepIndex + 1 < steps.length) return { runIndex, stepIndex: stepIndex + 1 };
	return runIndex + 1 < totalRuns ? { runIndex: runIndex + 1, stepIndex: 0 } : undefined;
}
