// What a notice tells: project, run, state, what is asked, cost so far, the first lines of the summary, and how to answer. Pure.
// It holds no code and no diff, and its texts are redacted; it is made from the run as it was at its event, so that every attempt to send it
// sends the same, but for the link: a page is served now, or not.
import { basename } from "node:path";
import { singleLine, truncate } from "@pi-chronicle/core/definition";
import type { Run } from "@pi-chronicle/core/machine";
import type { NoticeKey } from "../../local/index.ts";
import { shortCost } from "../../pi/index.ts";
import { commandAbout, haltReason, interruptedStep, nextStep } from "../phrases/index.ts";

export interface Notice extends NoticeKey {
	/** The same for every attempt to send it, and different for every other notice. */
	readonly id: string;
	/** ISO 8601: of the event that it is about. */
	readonly at: string;
	readonly project: string;
	readonly run: string;
	readonly template: string;
	readonly state: string;
	readonly visit: number;
	/** One line. */
	readonly title: string;
	/** All of it as a text of a few lines. */
	readonly text: string;
	/** What is asked, or why the run waits or has ended; may be empty. */
	readonly asked: string;
	readonly costUsd: number;
	readonly tokens: number;
	/** The first lines of the worker's summary; may be empty. */
	readonly summary: string;
	/** Commands that answer it. */
	readonly commands: readonly string[];
	/** The run on the page, if `serve` runs now; else empty. */
	readonly link: string;
}

const titles: Readonly<Record<NoticeKey["kind"], string>> = {
	approval: "asks for your approval",
	question: "asks you a question",
	decision: "waits for your decision",
	ceiling: "has reached a limit",
	warning: "reports a problem",
	paused: "is paused",
	failed: "has failed",
	done: "is done",
	interrupted: "was interrupted",
};

export interface NoticeSource extends NoticeKey {
	readonly at: string;
	/** The run after the event. */
	readonly run: Run;
	/** The run before it. */
	readonly before: Run;
}

export interface NoticePlace {
	/** The run's page; `""`: none is served. */
	readonly link?: string;
	/** The option that trusts the project, with a blank, where pi does not without it. */
	readonly trust?: string;
}

/** The notice of an event of a run in the project folder `cwd`. `redact` removes secrets from a text. */
export function noticeOf(
	{ kind, seq, at, run, before }: NoticeSource,
	cwd: string,
	redact: (text: string) => string,
	{ link = "", trust = "" }: NoticePlace = {},
): Notice {
	const clean = (text: string, length: number): string => truncate(redact(text), length);
	const short = run.id.slice(0, 8);
	const project = basename(cwd);
	const asked = clean(withoutCode(askedIn(kind, run, before)), 600);
	const summary = clean(firstNoticeLines(withoutCode(summaryOf(run))), 400);
	const commands = commandsFor(kind, seq, run).map((command) => `pi-chronicle ${trust}${command}`);
	const title = singleLine(redact(`${project}: ${run.template.name} ${short} ${titles[kind]} (${run.state})`));
	const text = [
		asked,
		summary === "" ? "" : `Summary: ${summary}`,
		`${shortCost(run.totals.costUsd)} so far, visit ${run.visit}.`,
		...commands.map((command) => `  ${command}`),
		link,
	]
		.filter((line) => line !== "")
		.join("\n");
	return {
		...{ kind, seq, at, project, title, text, asked, summary, commands, link },
		id: `${run.id}:${seq}:${kind}`,
		run: run.id,
		template: run.template.name,
		state: run.state,
		visit: run.visit,
		costUsd: run.totals.costUsd,
		tokens: run.totals.tokens,
	};
}

function askedIn(kind: NoticeKey["kind"], run: Run, before: Run): string {
	switch (kind) {
		case "question":
			return run.question?.text ?? run.questions.at(-1)?.title ?? "";
		case "warning":
			return (
				run.notices.filter((notice) => !before.notices.includes(notice)).join("\n") ||
				(haltReason(run) ?? run.conditions.at(-1)?.detail ?? "")
			);
		case "interrupted":
			return interruptedStep(run).what;
		case "done":
		case "failed":
			return haltReason(run) ?? "";
		default:
			return nextStep(run)?.what ?? "";
	}
}

/** What the worker has said last. */
function summaryOf({ stage, visitRecord, history }: Run): string {
	if (stage.kind === "asking" && stage.question.summary !== "") return stage.question.summary;
	return visitRecord.summary || (history.at(-1)?.summary ?? "");
}

function firstNoticeLines(text: string): string {
	return text.trim().split("\n").slice(0, 3).join("\n");
}

/** Verbs that answer what the notice is about, and name it. */
const answers = /^(approve|reject|answer|release|resume) [0-9a-f]{8}\b/;

function commandsFor(kind: NoticeKey["kind"], seq: number, run: Run): string[] {
	if (kind === "done" || kind === "warning") return [`status ${run.id.slice(0, 8)}`];
	if (kind === "failed") return [`view ${run.id.slice(0, 8)}`];
	const { commands } = (kind === "interrupted" ? interruptedStep(run) : nextStep(run)) ?? { commands: [] };
	const named = commands.map((command) => commandAbout(run, command));
	if (kind === "interrupted") return named;
	return named.map((command) => command.replace(answers, (all) => `${all} --answers ${seq}`));
}

/** A fenced block, to its end or to that of the text. */
const fenced = /^[ \t]*(```+|~~~+)[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

/** The text without blocks of code and without diffs. */
function withoutCode(text: string): string {
	const lines = text.replace(fenced, "[code]").split("\n");
	const diff = lines.findIndex((line) => /^(?:diff --git |@@ -\d|--- a\/|Index: )/.test(line));
	const plain = diff < 0 ? lines : [...lines.slice(0, diff), "[diff]"];
	return plain
		.filter((line) => !/^(?: {4}|\t)\s*\S/.test(line))
		.join("\n")
		.trim();
}
