// Describes what a sequence would do without running it: resolves every step, reads its file and fills in the arguments. Pure.
import { counted } from "../definition/index.ts";
import { shortCost } from "../pi/index.ts";
import type { ReadyStep } from "./expand.ts";
import type { RunPlan } from "./plan.ts";
import { plainLine } from "./preview.ts";
import { firstLine } from "./refusal.ts";

/** The report of a dry run, as lines. */
export function dryRunLines({ name, totalRuns, from, maxCostUsd }: RunPlan, steps: readonly ReadyStep[]): string[] {
	const runs = counted(totalRuns, "run");
	const what = name === undefined ? "the recording" : `"${name}"`;
	const begin = from.runIndex + from.stepIndex > 0 ? `, from run ${from.runIndex + 1}, step ${from.stepIndex + 1}` : "";
	const ceiling = maxCostUsd === undefined ? "" : `, at most ${shortCost(maxCostUsd)}`;
	return [
		`Dry run of ${what}: ${runs} of ${counted(steps.length, "step")}${begin}${ceiling}. Nothing was sent.`,
		...steps.map((step, index) => `${index + 1}. ${stepLine(step)}`),
	];
}

function stepLine(step: ReadyStep): string {
	switch (step.kind) {
		case "prompt":
			return `sends ${sized(step.text)}`;
		case "expanded":
			return `${plainLine(firstLine(step.raw.trim()))} sends ${sized(step.text)}`;
		case "command":
			return `runs /${step.name} ${plainLine(firstLine(step.args))}`.trimEnd();
		case "compact":
			return `compacts${step.instructions === undefined ? "" : `: ${plainLine(firstLine(step.instructions))}`}`;
	}
}

function sized(text: string): string {
	const length = [...text].length;
	return `${counted(length, "character")}: ${plainLine(firstLine(text.trim()))}`;
}
