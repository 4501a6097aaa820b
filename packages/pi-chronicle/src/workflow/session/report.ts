// Texts of `/workflow`: available workflows, load errors, the status of the run.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { didYouMean, formatDiagnostics, truncate } from "@pi-chronicle/core/definition";
import { shortTime } from "../../pi/index.ts";
import { type Catalogue, type Rejection, visibleCommands } from "../definitions/index.ts";
import { activeTime, type WorkflowRun, waitsForUser } from "../phase-machine/index.ts";
import {
	answerLine,
	askLine,
	pauseLine,
	personLine,
	phaseNameById,
	phaseTrail,
	placeLine,
	taskForUser,
	workflowRefusalText,
} from "../prompts/index.ts";
import { historyOf } from "./entries.ts";
import type { ProjectContext } from "./library.ts";
import type { RunController } from "./run-controller.ts";

/** Help for the verbs of `/workflow`. */
export const verbsText = [
	"/workflow list, check, show <name>: the workflows and their problems; init <name> copies a ready-to-use one",
	"/workflow status, pause, resume, next, skip, back [phase], reload: the active workflow; /cancel-workflow ends it",
	"/workflow back [phase] --files: also restores the files as they were when that phase began; back --undo undoes that",
].join("\n");

/** Why a workflow did not load, one line per reason. */
export function rejectedText({ key, diagnostics }: Rejection, cwd: string): string {
	return [
		`The workflow "${key}" does not load:`,
		...formatDiagnostics(diagnostics, cwd).map((line) => `  ${line}`),
	].join("\n");
}

/** Why the current definition of a run does not load: its mistakes and those of the workflows inside it; `undefined`: it loads, or is gone. */
export function brokenText(run: WorkflowRun, { rejected }: Catalogue, cwd: string): string | undefined {
	if (!rejected.has(run.workflowKey)) return undefined;
	const keys = run.kind === "live" ? run.definitions.keys() : new Set([run.workflowKey, run.missing]);
	return [...keys]
		.flatMap((key) => rejected.get(key) ?? [])
		.map((each) => rejectedText(each, cwd))
		.join("\n");
}

/** Explains that the project's workflows are not loaded because the project is not trusted; empty if it has none. */
export function trustHint({ cwd, trusted }: ProjectContext): string[] {
	if (trusted || !existsSync(join(cwd, ".pi", "workflows"))) return [];
	return ["This project is not trusted, so the workflows in its .pi/workflows are not read. /trust changes that."];
}

/** Reports that no workflow is called `word`; `words` are further valid inputs for the suggestion. */
export function notFoundText(word: string, catalogue: Catalogue, words: readonly string[] = []): string {
	const names = visibleCommands(catalogue).map(([name]) => name);
	const known = names.length === 0 ? "This project has no workflows." : `Workflows: ${names.join(", ")}.`;
	return `There is no workflow "${word}".${didYouMean(word, [...names, ...words])} ${known} What else it can do: /workflow`;
}

/** The position of the run, the time spent in the current phase, and the earlier visits. */
export function statusReport(ctx: ExtensionContext, controller: RunController): string {
	const { active, held, away } = controller;
	if (!active) {
		const over = held ? ` The last one is ${held.run.status.kind}.` : "";
		return `No workflow is active.${over} Start one: /workflow <name> <task>`;
	}
	const { run } = active;
	if (run.kind === "stale") return workflowRefusalText({ kind: "stale", missing: run.missing });
	const all = historyOf(ctx.sessionManager, run.id);
	const visits = all.filter(({ way }) => way !== undefined);
	const present = all.find(({ way }) => way === undefined);
	return [
		placeLine(run),
		`Task: ${taskForUser(run)}`,
		`Started ${shortTime(Date.now() - run.startedAt)} ago, in this phase for ${shortTime(present ? activeTime(present) - away : 0)}`,
		...(run.status.kind === "paused" ? [pauseLine(run.status)] : waitsForUser(run) ? [personLine] : []),
		...(run.question === undefined ? [] : [askLine(run.question), `${answerLine()}.`]),
		...controller.modelStatus(ctx),
		phaseTrail(run, true),
		...(visits.length > 0 ? ["So far:"] : []),
		...visits.map((visit) => {
			const { phaseId, way = "next", summary } = visit;
			const how = { next: "", loop: ", then looped", skip: ", skipped", back: ", then back" }[way];
			return `  ${phaseNameById(run, phaseId)}: ${shortTime(activeTime(visit))}${how}${summary === undefined ? "" : ` — ${truncate(summary.replace(/\s+/g, " "), 500)}`}`;
		}),
	].join("\n");
}
