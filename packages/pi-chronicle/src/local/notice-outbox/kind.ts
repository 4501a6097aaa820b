// Which events of a run a person is told about, and whether that is still so. Pure.
// A notice is derived from one event of the ledger and named by its number; a child's own ledger tells what the child waits for, and the
// ledger of its parent only what no child tells.
import { awaitedAnswer, type LedgerEvent, type Run } from "@pi-chronicle/core/machine";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";

/** The kinds of notices, each with what it tells (Markdown). */
export const noticeKinds = {
	approval: "The run asks for an approval.",
	question: "A worker asks a question.",
	decision: "The run is in `human_intervention` and waits for your decision.",
	ceiling: "A limit of cost, tokens or time is reached.",
	warning:
		"The run continues, but you may want to act: most of a limit is used, a worker crashed, or the provider fails.",
	paused: "The run is paused.",
	failed: "The run has failed.",
	done: "The run is done.",
	interrupted:
		"The process that supervised the run is gone. Found when the next command or session starts in the project.",
} as const;

export type NoticeKind = keyof typeof noticeKinds;

export function isNoticeKind(name: unknown): name is NoticeKind {
	return typeof name === "string" && Object.hasOwn(noticeKinds, name);
}

/** Names one notice of a run. */
export interface NoticeKey {
	readonly kind: NoticeKind;
	/** `seq` of the event that it is about. */
	readonly seq: number;
}

/** What `event` tells a person; `undefined`: nothing. `run` is the one after the event, `before` the one before it. */
export function noticeKind(run: Run, event: LedgerEvent, before: Run): NoticeKind | undefined {
	const kind = waitKind(run, event) ?? endKind(event);
	if (kind !== undefined) return isToldOf(run, kind) ? kind : undefined;
	return run.parent === null && isWarning(run, event, before) ? "warning" : undefined;
}

function waitKind(run: Run, event: LedgerEvent): NoticeKind | undefined {
	switch (event.kind) {
		case "approval_asked":
			return "approval";
		case "ask_opened":
			return "question";
		case "given_up":
			return "paused";
		case "parked":
			return parkedKind(run, event);
		default:
			return isToDecide(run, event.seq) ? "decision" : undefined;
	}
}

/** Whether the run waits in human_intervention from the event `seq` on: after the move there, its worker ends first. */
function isToDecide({ status, stage }: Run, seq: number): boolean {
	return status === HUMAN_INTERVENTION && stage.kind === "waiting" && stage.since === seq;
}

function parkedKind({ children }: Run, event: LedgerEvent & { kind: "parked" }): NoticeKind | undefined {
	// The event of its own has told it, or the child that waits.
	if (event.status === "awaiting_approval" || event.status === "asks" || event.cause === "parent") return undefined;
	if (event.cause === "children" && children?.children.some(({ status }) => status === "parked")) return undefined;
	return event.status === "budget_exceeded" ? "ceiling" : "paused";
}

function endKind(event: LedgerEvent): NoticeKind | undefined {
	return event.kind === "finished" && event.status !== "aborted" ? event.status : undefined;
}

/** The end of a child is no news: its parent goes on. */
function isToldOf({ parent }: Run, kind: NoticeKind): boolean {
	return parent === null || (kind !== "done" && kind !== "failed");
}

function isWarning(run: Run, event: LedgerEvent, before: Run): boolean {
	if (event.kind === "provider_awaited") return event.tries === 1;
	if (event.kind === "condition_changed") return event.detail !== undefined;
	return run.notices.some((notice) => !before.notices.includes(notice));
}

/** Whether the notice still tells something: nobody has answered, and the run is where it was. */
export function isCurrent(run: Run, { kind, seq }: NoticeKey): boolean {
	const { stage } = run;
	switch (kind) {
		case "warning":
			return true;
		case "approval":
			return awaitedAnswer(run) === seq;
		case "question":
			return run.question?.seq === seq ? run.question.answer === null : run.questions.some(({ id }) => id === seq);
		case "decision":
		case "ceiling":
		case "paused":
			return stage.kind === "waiting" && stage.since === seq;
		case "failed":
		case "done":
			return stage.kind === "over" && stage.since === seq;
		case "interrupted":
			return run.seq === seq;
	}
}
