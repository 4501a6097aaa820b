// The status of a run, as plain lines. Depends only on the data read and the time.

import { join } from "node:path";
import { counted, formatPath } from "@pi-chronicle/core/definition";
import {
	apartState,
	conflictFolderId,
	continuesAlone,
	copyId,
	dueConflict,
	planOf,
	type Run,
	unansweredQuestion,
} from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { checkedOutText } from "@pi-chronicle/core/snapshot";
import { childFilesFolder, type WaitingChild } from "../../local/index.ts";
import { alignColumns, shortCost, shortCount, shortTask, shortTime } from "../../pi/index.ts";
import { childLines, choiceText, criticalPathText } from "./children.ts";
import { crumbText } from "./crumbs.ts";
import { endingText, type Figure, keptLine, liveMs, runFigures, uncountedText } from "./figures.ts";
import { commandTitle, templateNameOf, timeOf, titleOf } from "./names.ts";
import { childStep, commandAbout, interruptedStep, type NextStep, nextStep } from "./next-step.ts";
import { failedNotices } from "./notice-lines.ts";
import { askedLines, questionLines, refusedText, subjectLines } from "./question-lines.ts";
import { nextLines, resultLines } from "./result-lines.ts";
import { childrenWait, currentNotices, haltReason, runStatusText } from "./why.ts";

export interface StatusOptions {
	/** ISO 8601. */
	readonly now: string;
	/** Put before every command: `/chronicle ` in pi, `pi-chronicle ` outside. */
	readonly prefix: string;
	/** Paths below this folder are shown relative to it. */
	readonly cwd?: string;
	/** The runs below it that wait for the user. */
	readonly below?: readonly WaitingChild[];
	/** Whether lists of findings and tasks follow, so that the result needs none. Default: no. */
	readonly listsFollow?: boolean;
}

/** The status of a run, most important first. */
export function statusLines(read: ReadLedger, options: StatusOptions): string[] {
	const { now: asked, prefix, cwd, below = [], listsFollow = false } = options;
	const { run, repairs } = read;
	// Nothing runs without a supervisor, so time stops at the last event.
	const now = isInterrupted(read) || isQueued(read) ? run.updatedAt : asked;
	const question = run.stage.kind === "asking" ? run.stage.question : undefined;
	const userQuestion = unansweredQuestion(run);
	const waits = below.length > 0 && !isInterrupted(read) ? [] : waitingLines(read, prefix);
	// A waiting run has its reason in the wait itself.
	const why = run.stage.kind === "over" ? haltReason(run) : undefined;
	return [
		`${templateNameOf(run)} ${run.id.slice(0, 8)} · ${statusPhrase(read)} · ${run.state}`,
		...(why === undefined ? [] : [why]),
		`Task: ${shortTask(run.task, `${prefix}view ${run.id.slice(0, 8)} shows all of it`)}`,
		...(run.parent ? [`Child "${run.parent.name}" of run ${run.parent.run.slice(0, 8)}`] : []),
		...apartLines(read, cwd),
		crumbText(run),
		...workerLines(read, { cwd, prefix }),
		...stateLines(run, now),
		...childLines(run, { now, max: 100, isSupervised: !isInterrupted(read) }).map(
			({ mark, text }) => `  ${mark} ${text}`,
		),
		...criticalLines(run),
		...run.choices.slice(-3).map((choice) => `Children of visit ${choice.visit}: ${choiceText(choice)}`),
		`Total: ${totals(run, now)}`,
		...(question ? subjectLines(question, run) : []),
		...(userQuestion ? ["", ...askedLines(userQuestion)] : []),
		...(question?.side === "conflict" ? [handLine(read, cwd)] : []),
		...belowLines(below, { now, prefix, cwd }),
		// Where the whole question stands above, its first line is not repeated.
		...(userQuestion ? waits.slice(1) : waits),
		...resultLines(run, prefix, listsFollow),
		...branchStatusLines(read),
		...nextLines(run, prefix),
		...run.unmeasured
			.filter(({ visit }) => visit === run.visit || visit === run.visit - 1)
			.map(({ visit, why }) => `Changes of visit ${visit} could not be measured: ${why}`),
		...run.kept.slice(-3).map((state) => `Saved by a rewind: ${keptLine(state)}`),
		...conditionLines(read),
		...currentNotices(run)
			.slice(-3)
			.map((notice) => `Note: ${notice}`),
		...failedNotices(read.folder),
		...repairs.map((repair) => `Repaired: ${repair}`),
	];
}

/** Where a run apart works, and what became of its files. */
export function apartLines({ run, folder }: Pick<ReadLedger, "run" | "folder">, cwd: string | undefined): string[] {
	const { joined, taken } = run.apart ?? {};
	const state = apartState(run);
	if (state === undefined) return [];
	if (state === "discarded") return ["Worked in a copy of the project, which was discarded."];
	const place = `in a copy of the project: ${formatPath(childFilesFolder(folder, copyId(run.id)), cwd)}`;
	return [
		`${state === "working" ? "Works" : "Worked"} ${place}`,
		...(joined ? [`Joined into the project at ${timeOf(joined.at)}.`] : []),
		...(taken ? [`Taken as the ${taken.as} ${taken.as === "patch" ? formatPath(taken.name, cwd) : taken.name}.`] : []),
	];
}

/** What hinders the run from outside, and what helps. What the run is queued for is already said elsewhere: of it, only what helps. */
function conditionLines({ run, queued }: ReadLedger): string[] {
	return run.conditions.flatMap(({ detail, remedy = "" }) =>
		detail === queued ? [remedy].filter(Boolean) : [`${detail} ${remedy}`.trim()],
	);
}

/** Where the files of a finished run of an engine are, and the branch that they continue. */
function branchStatusLines({ run, fetched, leftOnHosts = [] }: ReadLedger): string[] {
	const { id, stage, parent, startTree, checkedOut, conditions } = run;
	const isElsewhere =
		parent !== null || startTree === undefined || conditions.some(({ condition }) => condition === "branch");
	if (!fetched || isElsewhere || stage.kind !== "over") return [...leftOnHosts];
	const from = checkedOut ? `, which continues ${checkedOutText(checkedOut)}` : "";
	return [
		`Files: the branch chronicle/${id} of the remote${from}. To get it: git fetch origin chronicle/${id}`,
		...leftOnHosts,
	];
}

function criticalLines(run: Run): string[] {
	const path = criticalPathText(run);
	return path === undefined ? [] : [`Critical path: ${path}`];
}

/** The folder in which the user can resolve the conflicts of a join. */
export function handLine(
	{ run, folder, fetched }: Pick<ReadLedger, "run" | "folder" | "fetched">,
	cwd?: string,
): string {
	if (fetched)
		return "To resolve them by hand, choose hand: you get a folder with them on this machine, and give it back by choosing hand again.";
	const due = run.children ? dueConflict(run.children) : undefined;
	const files = childFilesFolder(folder, conflictFolderId(run, due?.child?.index));
	return `To resolve them by hand, edit the files in this folder, then choose hand: ${formatPath(files, cwd)}`;
}

/**
 * The reason for waiting, and the commands for it; empty while the run is running. `below`: the runs below it that wait for the user: each is
 * listed with its own reason and commands.
 */
export function waitingLines(read: ReadLedger, prefix: string, below: readonly WaitingChild[] = []): string[] {
	const { run } = read;
	if (isQueued(read)) return [read.queued ?? ""];
	const children = below.flatMap((child) => childWaitLines(child, prefix));
	if (isInterrupted(read)) return [...children, ...stepLines(run, interruptedStep(run), prefix)];
	if (children.length > 0) return children;
	const next = nextStep(run);
	if (next) return stepLines(run, next, prefix);
	const waiting = childrenWait(run);
	return waiting === undefined ? [] : [waiting];
}

function stepLines(run: Run, { what, help, commands }: NextStep, prefix: string): string[] {
	return [what, ...(help === undefined ? [] : [help]), ...commandLines(run, commands, prefix)];
}

function childWaitLines(child: WaitingChild, prefix: string): string[] {
	const { run } = child.read;
	const { what, commands } = childStep(run);
	return [`${childName(child)}: ${what}`, ...commandLines(run, commands, prefix)];
}

function childName({ names, read: { run } }: WaitingChild): string {
	return `"${names.join(" › ")}" (${run.id.slice(0, 8)})`;
}

function commandLines(run: Run, commands: readonly string[], prefix: string): string[] {
	return commands.length === 0 ? [] : [commands.map((words) => `${prefix}${commandAbout(run, words)}`).join(" · ")];
}

function belowLines(below: readonly WaitingChild[], { now, prefix, cwd }: StatusOptions): string[] {
	return below.flatMap((child) => {
		const { stage } = child.read.run;
		const userQuestion = unansweredQuestion(child.read.run);
		const [reason = "", ...commands] = childWaitLines(child, prefix);
		const what = userQuestion ? `${childName(child)} asks:` : reason;
		const asked = stage.kind === "asking" ? questionLines(stage.question, child.read.run, now) : [];
		const isConflict = stage.kind === "asking" && stage.question.side === "conflict";
		const subject = [
			...asked,
			...(isConflict ? [handLine(child.read, cwd)] : []),
			...(userQuestion ? askedLines(userQuestion) : []),
		];
		return ["", what, ...subject.map((line) => (line === "" ? "" : `  ${line}`)), ...commands];
	});
}

/** Whether a run was running, or waited for its provider, when its supervisor ended. */
export function isInterrupted({ run, holder, queued }: Pick<ReadLedger, "run" | "holder" | "queued">): boolean {
	return continuesAlone(run.status) && queued === undefined && (holder === undefined || holder.alive === "no");
}

/** Whether a run that could continue waits for a host of an engine. */
export function isQueued({ run, queued }: Pick<ReadLedger, "run" | "queued">): boolean {
	return queued !== undefined && run.status === "running";
}

function statusPhrase(read: ReadLedger): string {
	const { run, holder } = read;
	if (isInterrupted(read)) return "interrupted";
	if (isQueued(read)) return "queued";
	const where = holder && holder.alive !== "no" && holder.pid !== process.pid ? ` (pid ${holder.pid})` : "";
	const ending = run.status === "running" && run.hold ? endingText(run) : undefined;
	return `${ending === undefined ? runStatusText(run.status) : `pausing: ${ending}`}${where}`;
}

function workerParts(stage: Run["stage"], works: boolean): string[] {
	if (stage.kind !== "working" || !stage.worker) return [];
	return [stage.worker.model, ...(works ? [`pid ${stage.worker.pid}`] : [])];
}

/** Its worker, so that a state that never ran is distinguishable from one that did. */
function workerLines(read: ReadLedger, { cwd, prefix }: { cwd: string | undefined; prefix: string }): string[] {
	const { run } = read;
	const { stage, conversation } = run;
	if (run.attempt === 0) return [];
	const works = stage.kind === "working" && !isInterrupted(read) && !isQueued(read);
	const { persona, command } = planOf(run);
	const who = command ? commandTitle(command) : persona?.name;
	const parts = [
		...(who === undefined ? [] : [who]),
		...workerParts(stage, works),
		`visit ${run.visit}${run.attempt > 1 ? `, attempt ${run.attempt}` : ""}`,
		...(stage.kind === "waiting" && run.hold ? ["stopped"] : []),
		...(run.calls.open.at(-1) && works && run.status !== "asks" ? [`running ${run.calls.open.at(-1)?.tool}`] : []),
	];
	if (command) return [`Command: ${parts.join(" · ")}`];
	const file = conversationFile(read);
	const lines = [`Worker: ${parts.join(" · ")}`];
	if (file !== undefined) return [...lines, `Conversation: ${formatPath(file, cwd)}`];
	if (!conversation) return lines;
	const where = read.holder
		? `on the host ${read.holder.host} until the run waits`
		: `on the remote; to fetch it: ${prefix}view ${run.id.slice(0, 8)}`;
	return [...lines, `Conversation: ${where}`];
}

/** The session file of the run's conversation; `undefined`: there is none, or it is not on this machine. */
export function conversationFile({ run: { conversation }, folder, fetched }: ReadLedger): string | undefined {
	if (!conversation || (fetched && !fetched.includes(conversation.key))) return undefined;
	return join(folder, "workers", `${conversation.key}.jsonl`);
}

function stateLines(run: Run, now: string): string[] {
	const running = liveMs(run, now);
	const rows = [...run.plan.states.keys()].flatMap((name) => {
		const totals = run.states[name];
		if (!totals || totals.attempts === 0) return [];
		const { visits, attempts, activeMs, tokens, costUsd } = totals;
		const ran = activeMs + (name === run.state ? running : 0);
		const tries = `${counted(visits, "visit")}${attempts > visits ? `, ${attempts} attempts` : ""}`;
		return [[titleOf(name), tries, shortTime(ran), `${shortCount(tokens)} tokens`, shortCost(costUsd)]];
	});
	return alignColumns(rows).map((row) => `  ${row}`);
}

/** `$0.42 of $5.00, 12.3k tokens of 2M, 4m10s of 1h30m`. */
function totals(run: Run, now: string): string {
	const { costUsd, tokens, activeMs } = runFigures(run, now, "run");
	const of = ({ text, limit }: Figure): string => (limit ? `${text} of ${limit.text}` : text);
	const uncounted = uncountedText(run.totals);
	const not = uncounted === "" ? "" : ` (${uncounted})`;
	return [of(costUsd), `${of(tokens)}${not}`, of(activeMs), ...refusedText(run.totals)].join(", ");
}
