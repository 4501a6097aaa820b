// A rehearsal in words: one block per part as it ends, and what it all came to. Text only; who prints it is not its business.
import { formatDiagnostic, formatPath } from "../definition/index.ts";
import type { Part } from "./act.ts";
import type { Program, RehearsalReport, Unplayable } from "./program.ts";

const longestTitle = 60;
const longestReason = 200;
const mostPaths = 20;

/** What stands above a rehearsal: what is played, by whom, and what was found beforehand. `called`: the project's folder for people. */
export function openingLines(program: Program, project: string, called = project): string[] {
	return [
		`Rehearsal of the ${program.kind} ${program.name} on a temporary copy of ${called}: ${program.task}`,
		"The understudy plays: a script, no real model, no cost.",
		program.scenario === undefined
			? "No scenario: it tries what each part lets it do, and moves on."
			: `Scenario: ${formatPath(program.scenario, project)}`,
		...program.diagnostics.map((found) => formatDiagnostic(found, project)),
		"",
	];
}

/** Why nothing is played. */
export function unplayableLines({ message, diagnostics }: Unplayable, project: string): string[] {
	return [message, ...diagnostics.map((found) => formatDiagnostic(found, project))];
}

/** The lines that tell of one part: its name, then every call and how it ended. */
export function partLines(part: Part): string[] {
	const visit = part.visit > 1 ? `, visit ${part.visit}` : "";
	const mark = part.left ? "✓" : "●";
	const head = `${mark} ${part.name}${visit} (${(part.ms / 1000).toFixed(1)} s)`;
	const width = Math.min(longestTitle, Math.max(0, ...part.calls.map((call) => title(call).length)));
	return [
		head,
		...part.calls.map((call) => {
			const reason = call.reason ? `: ${cut(call.reason, longestReason)}` : "";
			return `    ${title(call).padEnd(width)}  ${call.outcome}${reason}`;
		}),
	];
}

/** What stands below a rehearsal: how it ended, what it never reached, what it did to the copy. */
export function closingLines(report: RehearsalReport): string[] {
	const calls = report.parts.flatMap((part) => part.calls);
	const refused = calls.filter(({ outcome }) => outcome === "refused").length;
	const failed = calls.filter(({ outcome }) => outcome === "failed").length;
	const counts = [
		many(report.parts.length, "visit"),
		many(calls.length, "call"),
		...(refused > 0 ? [`${refused} refused`] : []),
		...(failed > 0 ? [`${failed} failed`] : []),
	].join(", ");
	const last = report.parts.at(-1);
	const noun = report.program.kind === "workflow" ? "Phases" : "States";
	const lines = [
		"",
		report.outcome === "done" ? `DONE: ${counts}.` : `STOPPED${last ? ` in ${last.name}` : ""}: ${counts}.`,
	];
	if (report.missed.length > 0) lines.push(`${noun} that were never reached: ${report.missed.join(", ")}.`);
	if (report.outcome === "stopped" && report.output !== "") lines.push(report.output);
	if (report.errors !== "") lines.push(report.errors);
	if (report.changes.length > 0) {
		lines.push(report.kept === undefined ? "In the copy, which is gone again:" : `In the copy, ${report.kept}:`);
		lines.push(...report.changes.slice(0, mostPaths).map(({ path, what }) => `    ${what.padEnd(7)} ${path}`));
		const more = report.changes.length - mostPaths;
		if (more > 0) lines.push(`    … and ${more} more`);
	} else if (report.kept !== undefined) lines.push(`The copy is in ${report.kept}.`);
	for (const { path, reason } of report.leftOut) lines.push(`Not in the copy: ${path} (${reason}).`);
	return lines;
}

function title(call: Part["calls"][number]): string {
	const text = `${call.tool} ${call.with}`.trim();
	return cut(text, longestTitle);
}

function cut(text: string, longest: number): string {
	return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function many(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
