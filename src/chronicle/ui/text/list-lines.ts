// The templates and runs of a project, as plain lines for any screen.
import { formatDiagnostic, formatPath } from "../../../definition/index.ts";
import type { LedgerEntry } from "../../core/index.ts";
import { isLoaded, type Project, type SelectedTemplate, type TemplateCatalogue } from "../../engine/index.ts";
import { shortCost, shortTime, whyOf } from "../timeline/index.ts";
import { isInterrupted, waitingLines } from "./status-lines.ts";

const mostRuns = 20;
const taskLength = 60;

/** Templates with what is wrong with them. `shadowed`: names that a command hides. */
export function templateLines(
	{ templates, diagnostics }: TemplateCatalogue,
	{ place }: Pick<Project, "place">,
	shadowed: (name: string) => string | undefined = () => undefined,
): string[] {
	const loaded = [...templates.values()].filter(isLoaded);
	const width = Math.max(0, ...loaded.map(({ key }) => key.length));
	const lines = loaded.map((found) => {
		const { template } = found.read;
		const about = template.description ?? [...template.states.keys()].join(" → ");
		const how = shadowed(found.key);
		return `  ${found.key.padEnd(width)}  ${about}${whose(found, place.cwd)}${how === undefined ? "" : ` (start it with ${how})`}`;
	});
	const problems = diagnostics.map((diagnostic) => `  ${formatDiagnostic(diagnostic, place.cwd)}`);
	const untrusted =
		place.trust === "untrusted" ? ["  The project's own are not read: pi does not trust the project."] : [];
	return [
		loaded.length === 0 ? "No templates." : "Templates:",
		...lines,
		...untrusted,
		...(problems.length === 0 ? [] : ["Problems:", ...problems]),
	];
}

function whose({ tier, inPlaceOf }: SelectedTemplate, cwd: string): string {
	const said = [
		...(tier === "personal" ? ["yours"] : []),
		...(inPlaceOf.length > 0
			? [`replaces ${inPlaceOf.map((file) => formatPath(file, cwd)).join(" and ")}, which does not load`]
			: []),
	];
	return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

/** Where new templates go, for a project that has none. */
export function templatePlace({ place }: Pick<Project, "place">): string {
	return formatPath(`${place.cwd}/.pi/chronicle/workflows/<name>.json`, place.cwd);
}

/** Runs, newest first, with what those that wait are waiting for. */
export async function runLines(
	project: Pick<Project, "store" | "clock">,
	prefix: string,
	entries: readonly LedgerEntry[],
): Promise<string[]> {
	if (entries.length === 0) return ["No runs yet."];
	const lines = ["Runs:"];
	for (const entry of entries.slice(0, mostRuns)) {
		lines.push(`  ${entryLine(entry, project.clock.now())}`);
		if (entry.kind === "unreadable") lines.push(`            ${entry.failure.message} ${entry.failure.remedy}`);
		if (entry.kind === "run") lines.push(...(await explain(project, entry, prefix)));
	}
	if (entries.length > mostRuns) lines.push(`  … and ${entries.length - mostRuns} older ones`);
	return lines;
}

/** Why a run does not continue, and the commands that help. */
async function explain(
	{ store }: Pick<Project, "store">,
	entry: LedgerEntry & { kind: "run" },
	prefix: string,
): Promise<string[]> {
	const { status } = entry.summary;
	const ended = status === "failed" || status === "aborted";
	if (!waits(entry) && !ended && !isStopped(entry)) return [];
	const read = await store.read(entry.id);
	if (!read.ok) return [];
	const why = whyOf(read.value.run);
	const lines = ended ? (why === undefined ? [] : [why]) : waitingLines(read.value, prefix);
	return lines.map((line) => `            ${line}`);
}

/** Whether a run was running when its supervisor ended. */
export function isStopped({ summary, holder }: LedgerEntry & { kind: "run" }): boolean {
	return isInterrupted({ run: summary, holder });
}

/** Whether a run needs the user before it continues. */
export function waits(entry: LedgerEntry): boolean {
	return entry.kind === "run" && !["running", "done", "failed", "aborted"].includes(entry.summary.status);
}

function entryLine(entry: LedgerEntry, now: number): string {
	const id = entry.id.slice(0, 8).padEnd(8);
	if (entry.kind === "unreadable") return `${id}  cannot be read`;
	const { summary } = entry;
	const task = summary.task.split("\n", 1)[0] ?? "";
	const shown = task.length > taskLength ? `${task.slice(0, taskLength - 1)}…` : task;
	const age = summary.updatedAt === "" ? "" : `${shortTime(now - Date.parse(summary.updatedAt))} ago`;
	const parts = [
		entry.kind === "run" && isStopped(entry) ? "interrupted" : summary.status.replaceAll("_", " "),
		summary.state,
		age,
		shortCost(summary.costUsd),
		`${summary.template}: ${shown}`,
	];
	const foreign = entry.kind === "foreign" ? ` (${entry.format}, read-only)` : "";
	return `${id}  ${parts.filter((part) => part !== "").join(" · ")}${foreign}`;
}
