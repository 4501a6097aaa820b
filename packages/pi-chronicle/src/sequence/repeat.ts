// What the file of a sequence says about its repetition: what follows a step that fails, and what ends the runs early.
import { counted } from "@pi-chronicle/core/definition";
import type { IterationEnd } from "./iteration.ts";
import type { RepeatRules } from "./sequence-file.ts";

/** Those of a recording. */
export const plainRules: RepeatRules = { onError: "stop", until: undefined, untilText: undefined };

/** A run that failed and was followed by others. */
export interface FailedRun {
	/** From 1. */
	readonly run: number;
	readonly reason: string;
}

/** Maximum number of failed runs that the last message lists. */
const maxListed = 10;

/** The rules as the end of a sentence about a run; empty for plain ones. */
export function rulesText({ onError, until, untilText }: RepeatRules): string {
	const ends = [
		...(until === undefined ? [] : [`\`${until}\` succeeds`]),
		...(untilText === undefined ? [] : [`an answer contains "${untilText}"`]),
	];
	const fails = {
		stop: "",
		continue: "; a run that fails is followed by the next",
		retry: "; a step that fails is repeated once",
	};
	return `${ends.length === 0 ? "" : `, until ${ends.join(" or ")}`}${fails[onError]}`;
}

/** How all runs ended. */
export type EndOfRuns = Exclude<IterationEnd, { kind: "failed" }>;

/** Whether no further run follows, whatever their number. */
export function isOver(end: IterationEnd): boolean {
	return end.kind === "stopped" || end.kind === "refused" || (end.kind === "completed" && end.reached === true);
}

/** The end of all runs, of which the last one ended with `end`. */
export function endOfRuns(
	end: IterationEnd,
	{ until, untilText }: RepeatRules,
	failed: readonly FailedRun[],
): EndOfRuns {
	if (end.kind !== "failed" && isOver(end)) return end;
	const listed = failed.slice(0, maxListed).map(({ run, reason }) => `  run ${run}: ${reason}`);
	const more = failed.length - listed.length;
	const reasons = [
		...(failed.length === 0 ? [] : [`${counted(failed.length, "run")} failed:`, ...listed]),
		...(more > 0 ? [`  … and ${more} more`] : []),
		...(until === undefined && untilText === undefined
			? []
			: [
					`The last run is over, and nothing that ends the sequence has happened${rulesText({ onError: "stop", until, untilText })}.`,
				]),
	];
	return reasons.length === 0 ? { kind: "completed" } : { kind: "stopped", reason: reasons.join("\n") };
}
