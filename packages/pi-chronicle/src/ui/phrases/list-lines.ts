// The templates and runs of a project, as plain lines for any screen.

import { join } from "node:path";
import { formatDiagnostics, formatPath, truncate } from "@pi-chronicle/core/definition";
import type { LedgerEntry } from "@pi-chronicle/core/ports";
import {
	isLoaded,
	type Project,
	type RunTree,
	runTrees,
	type SelectedTemplate,
	type TemplateCatalogue,
	waitingChildren,
} from "../../local/index.ts";
import { shortCost, shortTime } from "../../pi/index.ts";
import { shippedWorkflows } from "../../tools/shipped/index.ts";
import { filmLines } from "./film-strip.ts";
import { failedNotices } from "./notice-lines.ts";
import { waitingLines } from "./status-lines.ts";
import { haltReason, runStatusText } from "./why.ts";

const maxRuns = 20;
const maxChildren = 5;
const taskLength = 60;
/** Before what belongs to a run, and columns of its film strip. */
const indent = " ".repeat(12);
const filmColumns = 66;

/** Templates with their problems, then the package's. `shadowed`: names that a command hides; `prefix` precedes commands. */
export function templateLines(
	{ templates, diagnostics }: TemplateCatalogue,
	{ place }: Pick<Project, "place">,
	prefix: string,
	shadowed: (name: string) => string | undefined = () => undefined,
): string[] {
	const loaded = [...templates.values()].filter(isLoaded);
	const width = Math.max(0, ...loaded.map(({ key }) => key.length));
	const line = (found: (typeof loaded)[number]): string => {
		const { template } = found.read;
		const about = template.description ?? [...template.states.keys()].join(" → ");
		const how = shadowed(found.key);
		return `  ${found.key.padEnd(width)}  ${about}${originRemarks(found, place.cwd)}${how === undefined ? "" : ` (start it with ${how})`}`;
	};
	const own = loaded.filter(({ tier }) => tier !== "shipped");
	const shipped = loaded.filter(({ tier }) => tier === "shipped");
	const problems = formatDiagnostics(diagnostics, place.cwd).map((line) => `  ${line}`);
	const untrusted =
		place.trust === "untrusted" ? ["  The project's templates are not read: pi does not trust the project."] : [];
	return [
		own.length === 0 ? "You have no templates yet. Write one: .pi/chronicle/workflows/<name>.yaml" : "Templates:",
		...own.map(line),
		...untrusted,
		...(problems.length === 0 ? [] : ["Problems:", ...problems]),
		...(shipped.length === 0
			? []
			: [
					"",
					`Ready to use (${prefix}init <name> copies one into the project so that you can change it):`,
					...shipped.map(line),
				]),
		`  Workflows, in pi: ${shippedWorkflows()
			.map((name) => `/workflow ${name}`)
			.join(", ")}`,
	];
}

function originRemarks({ tier, inPlaceOf }: SelectedTemplate, cwd: string): string {
	const remarks = [
		...(tier === "personal" ? ["yours"] : []),
		...(inPlaceOf.length > 0
			? [`replaces ${inPlaceOf.map((file) => formatPath(file, cwd)).join(" and ")}, which does not load`]
			: []),
	];
	return remarks.length === 0 ? "" : ` (${remarks.join(", ")})`;
}

/** Entries with the runs first whose question waits for an answer, then those that wait for the user otherwise, then those at work. */
export function waitingFirst(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
	return entries.toSorted((one, other) => urgency(one) - urgency(other));
}

const atWork: ReadonlySet<string> = new Set(["running", "queued", "awaiting_provider"]);

function urgency(entry: LedgerEntry): number {
	if (entry.kind !== "run") return 3;
	const { status } = entry.summary;
	if (status === "asks") return 0;
	if (atWork.has(status)) return 2;
	return waits(entry) ? 1 : 3;
}

/** Of a run with its children. */
function treeUrgency({ entry, children }: RunTree): number {
	return Math.min(urgency(entry), ...children.map(treeUrgency));
}

/** Runs, those that wait first, then newest first, with the reason for waiting; child runs below their parent. */
export async function runLines(
	project: Pick<Project, "store" | "clock" | "sessions">,
	prefix: string,
	entries: readonly LedgerEntry[],
	most = maxRuns,
): Promise<string[]> {
	if (entries.length === 0) return ["No runs yet."];
	const lines = ["Runs:"];
	const trees = runTrees(entries).sort((one, other) => treeUrgency(one) - treeUrgency(other));
	for (const { entry, children } of trees.slice(0, most)) {
		lines.push(`  ${entryLine(entry, project.clock.now())}`);
		if (entry.kind === "unreadable") lines.push(`${indent}${entry.failure.message} ${entry.failure.remedy}`);
		if (entry.kind === "run") lines.push(...(await explain(project, entry, prefix)));
		lines.push(...childrenLines(children, "    ", project.clock.now()));
	}
	if (trees.length > most) lines.push(`  … and ${trees.length - most} older ones`);
	return lines;
}

/** A line for each child run with those below it; their number if there are many. */
function childrenLines(children: readonly RunTree[], before: string, now: number): string[] {
	if (children.length > maxChildren) return [`${before}${children.length} children: ${countStatuses(children)}`];
	return children.flatMap(({ entry, children: below }) => [
		`${before}${entryLine(entry, now)}`,
		...childrenLines(below, `${before}  `, now),
	]);
}

/** `4 done, 1 awaiting approval`. */
function countStatuses(children: readonly RunTree[]): string {
	const counts = new Map<string, number>();
	for (const { entry } of children) {
		const status = entry.kind === "unreadable" ? "cannot be read" : runStatusText(entry.summary.status);
		counts.set(status, (counts.get(status) ?? 0) + 1);
	}
	return [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
}

async function explain(
	{ store, sessions, clock }: Pick<Project, "store" | "sessions" | "clock">,
	entry: LedgerEntry & { kind: "run" },
	prefix: string,
): Promise<string[]> {
	const { status } = entry.summary;
	const ended = status === "failed" || status === "aborted";
	const notices = failedNotices(join(sessions, entry.id));
	const read = status === "done" && !waits(entry) ? undefined : await store.read(entry.id);
	if (!read?.ok) return notices.map((line) => `${indent}${line}`);
	const { run } = read.value;
	const isOver = ended && entry.summary.apart !== "waiting";
	const why = isOver ? haltReason(run) : undefined;
	const lines = isOver
		? [...(why === undefined ? [] : [why])]
		: waits(entry)
			? waitingLines(read.value, prefix, await waitingChildren(store, run))
			: [];
	const film = isOver ? [] : filmLines(run, new Date(clock.now()).toISOString(), filmColumns);
	return [...film, ...lines, ...notices].map((line) => `${indent}${line}`.trimEnd());
}

/** Whether a run needs the user before it continues. */
export function waits(entry: LedgerEntry): boolean {
	if (entry.kind !== "run") return false;
	const { status, apart } = entry.summary;
	return apart === "waiting" || !["running", "done", "failed", "aborted"].includes(status);
}

/** What the list says of the copy that a run has worked in. */
const apartWords = {
	none: "",
	working: "apart",
	waiting: "apart, to be taken",
	joined: "joined",
	taken: "taken",
	discarded: "discarded",
} as const;

function entryLine(entry: LedgerEntry, now: number): string {
	const id = entry.id.slice(0, 8).padEnd(8);
	if (entry.kind === "unreadable") return `${id}  cannot be read`;
	const { summary } = entry;
	const task = summary.task.split("\n", 1)[0] ?? "";
	const shown = truncate(task, taskLength);
	const age = summary.updatedAt === "" ? "" : `${shortTime(now - Date.parse(summary.updatedAt))} ago`;
	const parts = [
		runStatusText(entry.summary.status),
		apartWords[summary.apart ?? "none"],
		summary.state,
		age,
		shortCost(summary.costUsd),
		`${summary.parent?.name ?? summary.template}: ${shown}`,
	];
	const foreign = entry.kind === "foreign" ? ` (${entry.format}, read-only)` : "";
	return `${id}  ${parts.filter((part) => part !== "").join(" · ")}${foreign}`;
}
