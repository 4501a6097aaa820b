// The report of a coverage rehearsal as text: one line per run, then what was covered and what was not.

import { counted, formatDiagnostic, truncate } from "../definition/index.ts";
import type { CoverageItem, Excluded, Group } from "./every/index.ts";
import type { Coverable } from "./rehearse.ts";
import type { CoverageReport, PlayedRun } from "./rehearse-every.ts";

const groups: Record<Group, string> = {
	transition: "Transitions",
	approval: "Approvals",
	question: "Questions",
	tools: "Tool limits",
};
const longestTitle = 100;

/** The lines before the runs. */
export function coverageOpening({ program, plan }: Coverable, project: string): string[] {
	const runs = `${counted(plan.runs.length, "run")}`;
	return [
		`Coverage rehearsal of the ${program.kind} ${program.name}, on temporary copies of ${project}: ${runs} planned.`,
		"The understudy is a script: no real model, no cost.",
		...program.diagnostics.map((found) => formatDiagnostic(found, project)),
		"",
	];
}

export function runLine({ title, end, ms }: PlayedRun, number: number, of: number): string {
	const short = truncate(title, longestTitle);
	return `${String(number).padStart(String(of).length)}/${of}  ${short} (${(ms / 1000).toFixed(1)} s): ${end}`;
}

/** The lines after the runs. */
export function coverageClosing(report: CoverageReport): string[] {
	const { covered, notCovered, notEnforced, unreachable, runs, bound, outcome } = report;
	const all = covered.length + notCovered.length + notEnforced.length;
	return [
		"",
		...Object.entries(groups).flatMap(([group, title]) => groupLines(covered, group as Group, title)),
		...excludedLines("Cannot be reached:", unreachable),
		...excludedLines("NOT ENFORCED:", notEnforced),
		...excludedLines("NOT COVERED:", notCovered),
		...(bound === undefined ? [] : [boundText(bound, runs.length)]),
		`${outcome === "complete" ? "COMPLETE" : "INCOMPLETE"}: ${covered.length} of ${all} covered in ${counted(runs.length, "run")}.`,
	];
}

function boundText(bound: "runs" | "time", runs: number): string {
	const option = bound === "runs" ? "--runs" : "--minutes";
	return `Stopped after ${counted(runs, "run")}, at the limit of ${option}.`;
}

function groupLines(items: readonly CoverageItem[], group: Group, title: string): string[] {
	const own = items.filter((item) => item.group === group);
	return own.length === 0 ? [] : [`${title} covered (${own.length}):`, ...own.map(({ text }) => `    ${text}`)];
}

/** One line per reason. */
function excludedLines(title: string, items: readonly Excluded[]): string[] {
	if (items.length === 0) return [];
	const reasons = [...new Set(items.map(({ why }) => why))];
	const lineOf = (reason: string): string => {
		const texts = items.filter(({ why }) => why === reason).map(({ group, text }) => `${nouns[group]}${text}`);
		return `    ${texts.join(", ")}: ${reason}`;
	};
	return [title, ...reasons.map(lineOf)];
}

const nouns: Record<Group, string> = { transition: "", approval: "", question: "", tools: "tools of " };
