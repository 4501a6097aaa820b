// The report of a rehearsal as text: one block per visit as it ends, then the result.

import { counted, formatDiagnostics, formatPath, truncate } from "@pi-chronicle/core/definition";
import { exactTime, shortTask } from "../../pi/index.ts";
import type { CoverageItem, Excluded, Group } from "./every/index.ts";
import type { Playable, Program, RehearsalReport, Unplayable } from "./rehearse.ts";
import type { CoverageReport, PlayedRun } from "./rehearse-every.ts";
import type { PlayedVisit } from "./visits.ts";

const groups: Record<Group, string> = {
	transition: "Transitions",
	approval: "Approvals",
	question: "Questions",
	tools: "Tool limits",
};
const longestPathTitle = 100;

/** The lines before the runs. */
export function coverageOpening({ program, coverage }: Playable, project: string): string[] {
	const runs = counted(coverage().plan.runs.length, "run");
	return [
		`Coverage rehearsal of the ${program.kind} ${program.name}, on temporary copies of ${project}: ${runs} planned.`,
		"The understudy is a script: no real model, no cost.",
		...formatDiagnostics(program.diagnostics, project),
		"",
	];
}

export function runLine({ title, end, ms }: PlayedRun, number: number, of: number): string {
	const short = truncate(title, longestPathTitle);
	return `${String(number).padStart(String(of).length)}/${of}  ${short} (${exactTime(ms)}): ${end}`;
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

const longestTitle = 60;
const longestReason = 200;
const maxPaths = 20;

/** The lines before a rehearsal: what is played, by what (`who`: a sentence; the understudy by default), and the warnings. */
export function openingLines(program: Program, project: string, who?: string): string[] {
	return [
		`Rehearsal of the ${program.kind} ${program.name} on a temporary copy of ${project}: ${shortTask(program.task, "the command that started it has all of it")}`,
		...(who === undefined ? scriptLines(program, project) : [who]),
		...formatDiagnostics(program.diagnostics, project),
		"",
	];
}

function scriptLines({ scenario }: Program, project: string): string[] {
	return [
		"The understudy is a script: no real model, no cost.",
		scenario === undefined
			? "No scenario: the understudy tries what each phase or state allows, then moves on."
			: `Scenario: ${formatPath(scenario, project)}`,
	];
}

/** The reason why the definition is not played. */
export function unplayableLines({ message, diagnostics }: Unplayable, project: string): string[] {
	return [message, ...formatDiagnostics(diagnostics, project)];
}

/** The lines of one visit: its name, then every call and how it ended. */
export function visitLines(visit: PlayedVisit): string[] {
	const number = visit.visit > 1 ? `, visit ${visit.visit}` : "";
	const mark = visit.left ? "✓" : "●";
	const child = visit.child === undefined || visit.child === visit.scope ? "" : ` of ${visit.child}`;
	const head = `${mark} ${visit.name}${child}${number} (${exactTime(visit.ms)})`;
	const width = Math.min(longestTitle, Math.max(0, ...visit.calls.map((call) => title(call).length)));
	return [
		head,
		...visit.calls.map((call) => {
			const reason = call.reason ? `: ${truncate(call.reason, longestReason)}` : "";
			return `    ${title(call).padEnd(width)}  ${call.outcome}${reason}`;
		}),
	];
}

/** The lines after a rehearsal: its end, the phases or states that it never entered, and its changes in the copy. */
export function closingLines(report: RehearsalReport): string[] {
	const { program, outcome, parts: visits, missed, output, errors, leftOut } = report;
	const last = visits.at(-1);
	const noun = program.kind === "workflow" ? "Phases" : "States";
	return [
		"",
		outcome === "done"
			? `DONE: ${visitCounts(visits)}.`
			: `STOPPED${last ? ` in ${last.name}` : ""}: ${visitCounts(visits)}.`,
		...(missed.length > 0 ? [`${noun} never reached: ${missed.join(", ")}.`] : []),
		...(outcome === "stopped" && output !== "" ? [output] : []),
		...(errors === "" ? [] : [errors]),
		...rehearsalChanges(report),
		...leftOut.map(({ path, reason }) => `Not in the copy: ${path} (${reason}).`),
	];
}

function visitCounts(visits: readonly PlayedVisit[]): string {
	const calls = visits.flatMap((visit) => visit.calls);
	const refused = calls.filter(({ outcome }) => outcome === "refused").length;
	const failed = calls.filter(({ outcome }) => outcome === "failed").length;
	return [
		counted(visits.length, "visit"),
		counted(calls.length, "call"),
		...(refused > 0 ? [`${refused} refused`] : []),
		...(failed > 0 ? [`${failed} failed`] : []),
	].join(", ");
}

function rehearsalChanges({ changes, kept }: RehearsalReport): string[] {
	if (changes.length === 0) return kept === undefined ? [] : [`The copy is in ${kept}.`];
	const more = changes.length - maxPaths;
	return [
		kept === undefined ? "Changes in the copy, which has been removed:" : `Changes in the copy, ${kept}:`,
		...changes.slice(0, maxPaths).map(({ path, what }) => `    ${what.padEnd(7)} ${path}`),
		...(more > 0 ? [`    … and ${more} more`] : []),
	];
}

function title(call: PlayedVisit["calls"][number]): string {
	const text = `${call.tool} ${call.with}`.trim();
	return truncate(text, longestTitle);
}
