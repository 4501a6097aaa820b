// The runs that one session supervises. A command returns while its run continues; without a UI, it waits until the run stops. Everything
// that outlives a command belongs to the session's scope.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { counted } from "@pi-chronicle/core/definition";
import { isParked, type LedgerEvent, type Run } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import {
	exitCodeOfEnd,
	type Project,
	type SupervisedRun,
	type SupervisionEnd,
	waitingChildren,
	watchChanges,
} from "../../local/index.ts";
import {
	exitCodes,
	failStep,
	inBackground,
	type LeftWork,
	type Scope,
	type StepEnd,
	say,
	stepOf,
	waitForEnd,
} from "../../pi/index.ts";
import { asksUser, endLines, progressLine, waitingLines } from "../phrases/index.ts";
import { answeredElsewhere, nameOfRun } from "./answered-elsewhere.ts";
import { Attention } from "./attention.ts";
import type { ChronicleSession, SessionExtras } from "./chronicle-session.ts";
import { SessionEngines } from "./engines.ts";
import { RunDisplay } from "./run-display.ts";
import { commandPrefix } from "./session-project.ts";

export function openChronicle(scope: Scope, extras: SessionExtras, quote: ChronicleSession["quote"]): ChronicleSession {
	return new SupervisedRuns(scope, extras, quote);
}

class SupervisedRuns implements ChronicleSession {
	readonly scope: Scope;
	readonly quote: ChronicleSession["quote"];
	readonly proposals: SessionExtras["proposals"];
	readonly more: SessionExtras["more"];
	readonly supervised = new Map<string, SupervisedRun>();
	readonly engines: SessionEngines;
	readonly followed = new Set<string>();
	readonly #display: RunDisplay;
	readonly #attention = new Attention();

	constructor(scope: Scope, { proposals, more }: SessionExtras, quote: ChronicleSession["quote"]) {
		this.scope = scope;
		this.quote = quote;
		this.proposals = proposals;
		this.more = more;
		this.engines = new SessionEngines(scope);
		this.#display = new RunDisplay(scope, this.supervised, this.#attention, async (ctx, id) => {
			const { takeUpWaits } = await import("./take-up.ts");
			return (await takeUpWaits(this, ctx, [id])).has(id);
		});
	}

	follow(ctx: ExtensionContext, project: Project, run: Run): void {
		this.#display.follow(ctx, project, run);
	}

	async attend(ctx: ExtensionContext, project: Project, live: SupervisedRun): Promise<void> {
		const { supervision, id } = live;
		const watched = !this.scope.closed && ctx.hasUI;
		this.supervised.set(id, live);
		const release = this.scope.own(async () => void (await supervision.stop()));
		this.#display.show(ctx, project, supervision.run);
		this.#display.release(id);
		const unwatch = watched ? this.#watchFiles(live) : () => {};
		this.#watchEvents(ctx, live);
		const before = supervision.run.totals.costUsd;
		const over = supervision.ended.then(async (end) => {
			this.supervised.delete(id);
			unwatch();
			void release();
			const code = exitCodeOfEnd(end);
			const step = stepOf(ctx);
			if (step !== undefined) step.costUsd += end.run.totals.costUsd - before;
			else if (!watched) process.exitCode = code;
			await this.#reportEnd(ctx, project, live, end);
			if (code !== exitCodes.done) failStep(ctx, endReason(end), code, leftWork(project, end));
		});
		if (!watched || stepOf(ctx)) await over;
	}

	#watchFiles(live: SupervisedRun): () => void {
		return watchChanges(
			live,
			(ms, later) => this.scope.after(ms, later),
			(changes) => this.#display.of(live.id)?.changed(changes),
		);
	}

	#watchEvents(ctx: ExtensionContext, { supervision, id }: SupervisedRun): void {
		let { notices } = supervision.run;
		supervision.watch((run, event, before) => {
			if (this.scope.closed) return;
			this.#display.of(id)?.show(run);
			this.#attention.look(ctx, run);
			const fresh = run.notices.filter((notice) => !notices.includes(notice));
			notices = run.notices;
			tell(ctx, { run, event, before }, fresh);
		});
	}

	async #reportEnd(ctx: ExtensionContext, project: Project, live: SupervisedRun, end: SupervisionEnd): Promise<void> {
		const { run } = end;
		// The context of a session that has ended must not be used.
		if (this.scope.closed || end.kind === "released") return;
		const name = nameOfRun(run);
		if (end.kind === "failed") {
			this.#display.hide(run.id);
			say(ctx, `${name}: ${end.failure.message} ${end.failure.remedy} Nothing recorded is lost.`, "error");
			return;
		}
		await this.report(ctx, project, { ...live.ledger, run, holder: undefined });
	}

	async report(ctx: ExtensionContext, project: Project, read: ReadLedger): Promise<void> {
		const { run } = read;
		const prefix = commandPrefix(project);
		if (run.stage.kind === "over") {
			this.#display.hide(run.id);
			say(ctx, resultNotice(ctx, run, prefix), run.status === "done" ? "info" : "warning");
			return;
		}
		this.follow(ctx, project, run);
		if (ctx.mode === "tui" && asksUser(run)) inBackground(ctx, () => this.#offerAnswer(ctx, project, run));
		const below = await waitingChildren(project.store, run);
		// The timeline of a terminal says the same, except what several children ask.
		if (this.scope.closed || (ctx.mode === "tui" && below.length < 2)) return;
		say(ctx, [`${nameOfRun(run)} waits in ${run.state}.`, ...waitingLines(read, prefix, below)].join("\n"), "warning");
	}

	async #offerAnswer(ctx: ExtensionContext, project: Project, run: Run): Promise<void> {
		const { answerKey, listenForAnswer } = await import("./ask-again.ts");
		this.#display.offerAnswer(run.id, answerKey, () => listenForAnswer(this, ctx, project, run));
	}
}

const noticeLines = 60;

/** The end of a run with its result, and the offer to put it into the conversation. */
function resultNotice({ hasUI }: ExtensionContext, run: Run, prefix: string): string {
	const lines = endLines(run, prefix);
	const hidden = Math.max(0, lines.length - noticeLines);
	const id = run.id.slice(0, 8);
	return [
		...lines.slice(0, lines.length - 1 - hidden),
		...(hidden > 0 ? [`… ${counted(hidden, "more line")}: ${prefix}status ${id}`] : []),
		...lines.slice(-1),
		...(hasUI ? [`Put the result into this conversation: ${prefix}use ${id}`] : []),
	].join("\n");
}

/** A run that waits is not over: the command that continues it, and its end. */
function leftWork(project: Project, { run: { id, stage, status } }: SupervisionEnd): LeftWork | undefined {
	if (stage.kind === "over") return undefined;
	const verb = status === "awaiting_approval" ? "approve" : status === "asks" ? "answer" : "resume";
	return {
		finish: `${commandPrefix(project)}${verb} ${id.slice(0, 8)}`,
		ended: (signal) => waitForEnd(() => endOfStep(project, id), signal),
	};
}

async function endOfStep({ store }: Project, id: string): Promise<StepEnd | undefined> {
	const entry = await store.entry(id);
	if (entry?.kind !== "run") return { kind: "failed", reason: `the run ${id.slice(0, 8)} can no longer be read.` };
	const { status } = entry.summary;
	if (status === "done") return { kind: "completed" };
	const isOver = status === "failed" || status === "aborted";
	return isOver ? { kind: "failed", reason: `${entry.summary.template} ${id.slice(0, 8)} is ${status}.` } : undefined;
}

function endReason({ kind, run }: SupervisionEnd): string {
	const name = nameOfRun(run);
	return kind === "released" ? `${name} was released.` : `${name} is not done: ${run.status} in ${run.state}.`;
}

/** Reports progress; with a screen, only new notices. */
function tell(
	ctx: ExtensionContext,
	{ run, event, before }: { readonly run: Run; readonly event: LedgerEvent; readonly before: Run },
	fresh: readonly string[],
): void {
	if (!ctx.hasUI) {
		const line = progressLine(run, event, before);
		if (line !== undefined) say(ctx, line);
		return;
	}
	const answered = "answers" in event ? answeredElsewhere(run, event.answers) : undefined;
	if (answered !== undefined) say(ctx, answered);
	// The reason for a stop is reported after the run has stopped.
	if (fresh.length > 0 && !isParked(run)) say(ctx, fresh.join("\n"), "warning");
}
