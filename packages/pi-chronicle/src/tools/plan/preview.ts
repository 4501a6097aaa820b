// The preview of a draft that the user reads before deciding.
import { counted } from "@pi-chronicle/core/definition";
import { drawDiagram, shortCost, shortCount, shortTask } from "../../pi/index.ts";
import type { DefinitionDraft } from "./draft.ts";
import { type Estimate, estimateRun, type Range, type Usage } from "./estimate.ts";
import type { Examined } from "./examine.ts";

/** The lines about a draft that passed. `usage`: usage of the drafting. */
export async function planLines(
	task: string,
	{ kind, key, files }: DefinitionDraft,
	{ outline, requests, missed }: Examined,
	usage: Usage,
): Promise<string[]> {
	const width = Math.max(...outline.steps.map(([name]) => name.length));
	const unreached = missed.length === 0 ? "" : `; never reached: ${missed.join(", ")}`;
	const rehearsed = [
		`Rehearsal:  ${counted(requests.length, "visit")}, to the end${unreached}`,
		`Estimate:   ${estimateText(estimateRun(requests, usage), outline.maxUsd)}`,
	];
	return [
		`${outline.title} (${kind} ${key})`,
		...(kind === "sequence" || task === ""
			? []
			: [`Task: ${shortTask(task, "the command that you entered has all of it")}`]),
		"",
		...outline.steps.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
		"",
		`Limits:     ${outline.limits}`,
		...(kind === "sequence" ? [] : rehearsed),
		`Files:      ${files.map(({ path }) => path).join(", ")}`,
		...(usage.tokens === 0 ? [] : [`Drafting:   ${shortCount(usage.tokens)} tokens, ${shortCost(usage.costUsd)}`]),
		"",
		...(await drawDiagram(outline.chart)),
	];
}

function estimateText({ tokens, costUsd }: Estimate, maxUsd: number | undefined): string {
	const cost = costUsd === undefined ? "" : `, ${rangeText(costUsd, shortCost)}`;
	const stop = maxUsd === undefined ? "" : `; the run stops at ${shortCost(maxUsd)}`;
	return `${rangeText(tokens, shortCount)} tokens${cost}${stop}`;
}

function rangeText([min, max]: Range, format: (value: number) => string): string {
	const [from, to] = [format(min), format(max)];
	return from === to ? from : `${from} to ${to}`;
}
