// A run for --json: the fields of the folded ledger under their own names, and derived data for scripts. Pure.

import {
	type ApprovalQuestion,
	apartState,
	awaitedAnswer,
	awaitedBy,
	type ChildRun,
	candidatesIn,
	copyId,
	criticalPath,
	isGraph,
	legalTargets,
	outcomeOf,
	type Run,
	unansweredQuestion,
	visitChanges,
} from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { changedFiles, measuredTotals } from "@pi-chronicle/core/snapshot";
import { childFilesFolder, type WaitingChild } from "../../local/index.ts";
import { childStep, commandAbout, interruptedStep, nextStep } from "./next-step.ts";
import { questionTitle, subjectLines } from "./question-lines.ts";
import { conversationFile, isInterrupted, isQueued } from "./status-lines.ts";

/** Everything about a run. `below`: the runs below it that wait for the user. */
export function runData(read: ReadLedger, below: readonly WaitingChild[] = []): Record<string, unknown> {
	const { run, holder, repairs, place, folder, leftOnHosts = [] } = read;
	const { id, template, task, state, visit, attempt, totals, updatedAt, createdAt, stage, notices } = run;
	const question = stage.kind === "asking" ? stage.question : undefined;
	const asked = unansweredQuestion(run);
	return {
		id,
		status: statusAsListed(read),
		state,
		visit,
		attempt,
		template: { name: template.name, hash: template.hash, ...(template.file ? { file: template.file } : {}) },
		task,
		waitsFor: waitsFor(read, below),
		result: stage.kind === "over" ? outcomeOf(run) : null,
		/** The event to name with --answers. */
		answers: awaitedAnswer(run) ?? null,
		/** Since when the provider fails, and when it is tried again. */
		provider: run.providerWait,
		question: question ? approvalData(question, run) : (asked ?? null),
		targets: legalTargets(run),
		children: (run.children ?? run.candidates?.group)?.children.map((child, _, all) => childData(child, all)) ?? [],
		/** Names of the children in the chain that takes longest, in order; `null` if no child needs another. */
		criticalPath: run.children && isGraph(run.children) ? criticalPath(run.children).map(({ name }) => name) : null,
		/** Of a run apart: what became of its files, and the folder with its copy of the project. */
		apart: run.apart ? { state: apartState(run), folder: childFilesFolder(folder, copyId(id)), ...run.apart } : null,
		/** The children to choose from, and the one that the worker has named. */
		candidates: run.candidates
			? { names: candidatesIn(run, run.candidates.judge).map(({ name }) => name), winner: run.candidates.winner }
			: null,
		choices: run.choices,
		/** The numbers of changed files. The lists in the snapshot and the history may be cut. */
		changed: { run: changedFiles(run.snapshot), visit: measuredTotals(visitChanges(run)) },
		snapshot: run.snapshot,
		history: run.history,
		totals: { ...totals, refused: totals.refused ?? 0 },
		states: run.states,
		pairMoves: run.pairMoves,
		conditions: run.conditions,
		notices,
		unmeasured: run.unmeasured,
		kept: run.kept.map((state) => ({ name: `kept-${state.seq}`, ...state })),
		repairs,
		holder: holder ?? null,
		createdAt,
		updatedAt,
		events: place,
		ledger: place.replace(/\.events\.jsonl$/, ".json"),
		folder,
		/** What a run of an engine has left on hosts besides its branch. */
		leftOnHosts,
		conversation: conversationFile(read) ?? null,
	};
}

/** `about`: what is approved, as lines. */
function approvalData(question: ApprovalQuestion, run: Run): object {
	return { text: questionTitle(question), about: subjectLines(question, run), ...question };
}

function childData(child: ChildRun, all: readonly ChildRun[]): object {
	const { id, name, index, template, task, status, detail, summary, counted, changed, state, activity } = child;
	return {
		...{ id, name, index, template, task, status, detail, summary, totals: counted, files: changed ?? null },
		...needsData(child, all),
		state: state ?? null,
		/** What its run does now. */
		activity: activity ?? null,
	};
}

/** Names of the children that it needs, and of those that it still waits for; nothing if no child needs another. */
function needsData(child: ChildRun, all: readonly ChildRun[]): object {
	const { needs, joined = false, conflict } = child;
	if (!needs) return {};
	const names = all.filter(({ index }) => needs.includes(index)).map(({ name }) => name);
	const waitsFor = awaitedBy(all, child).map(({ name }) => name);
	return { needs: names, waitsFor, joined, conflicts: conflict?.conflicts ?? [] };
}

/** As `list` gives it. */
function statusAsListed(read: ReadLedger): string {
	if (isInterrupted(read)) return "interrupted";
	return isQueued(read) ? "queued" : read.run.status;
}

function waitsFor(read: ReadLedger, below: readonly WaitingChild[]): object | null {
	if (isQueued(read)) return { what: read.queued ?? "", commands: [] };
	const next = isInterrupted(read) ? interruptedStep(read.run) : nextStep(read.run);
	return next ? { ...next, ...(below.length > 0 ? { children: below.map(childWait) } : {}) } : null;
}

/** What a run below waits for. Its commands name it. */
function childWait({ names, read: { run } }: WaitingChild): object {
	const { stage, id, status } = run;
	const { what, commands } = childStep(run);
	return {
		...{ id, name: names.join(" › "), status, what },
		commands: commands.map((command) => commandAbout(run, command)),
		answers: awaitedAnswer(run) ?? null,
		question: stage.kind === "asking" ? approvalData(stage.question, run) : (unansweredQuestion(run) ?? null),
		files: measuredTotals(visitChanges(run)),
	};
}
