// The runs that one session supervises. A command returns while its run continues; without a UI, it waits until the run stops. Everything
// that outlives a command belongs to the session's scope.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failStep, inBackground, type Scope, say, stepOf } from "../../../pi/index.ts";
import { isParked, type LedgerEvent, type ReadLedger, type Run } from "../../core/index.ts";
import {
	exitCodeOfEnd,
	type Project,
	type SupervisedRun,
	type SupervisionEnd,
	watchChanges,
} from "../../engine/index.ts";
import { endLines, progressLine, waitingLines } from "../text/index.ts";
import { asksUser } from "../timeline/index.ts";
import type { ChronicleSession, SessionExtras } from "./chronicle-session.ts";
import { SessionEngines } from "./engines.ts";
import { RunDisplay } from "./run-display.ts";
import { commandPrefix } from "./session-project.ts";

export function openChronicle(scope: Scope, extras: SessionExtras): ChronicleSession {
	return new SupervisedRuns(scope, extras);
}

class SupervisedRuns implements ChronicleSession {
	readonly scope: Scope;
	readonly proposals: SessionExtras["proposals"];
	readonly more: SessionExtras["more"];
	readonly supervised = new Map<string, SupervisedRun>();
	readonly engines: SessionEngines;
	readonly followed = new Set<string>();
	readonly #display: RunDisplay;

	constructor(scope: Scope, { proposals, more }: SessionExtras) {
		this.scope = scope;
		this.proposals = proposals;
		this.more = more;
		this.engines = new SessionEngines(scope);
		this.#display = new RunDisplay(scope, this.supervised);
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
		const over = supervision.ended.then((end) => {
			this.supervised.delete(id);
			unwatch();
			void release();
			const code = exitCodeOfEnd(end);
			const step = stepOf(ctx);
			if (step !== undefined) step.costUsd += end.run.totals.costUsd - before;
			else if (!watched) process.exitCode = code;
			this.#reportEnd(ctx, project, live, end);
			if (code !== exitCodes.done) failStep(ctx, endReason(end), code);
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
			const fresh = run.notices.filter((notice) => !notices.includes(notice));
			notices = run.notices;
			tell(ctx, { run, event, before }, fresh);
		});
	}

	#reportEnd(ctx: ExtensionContext, project: Project, live: SupervisedRun, end: SupervisionEnd): void {
		const { run } = end;
		// The context of a session that has ended must not be used.
		if (this.scope.closed || end.kind === "released") return;
		const name = nameOfRun(run);
		if (end.kind === "failed") {
			this.#display.hide(run.id);
			say(ctx, `${name}: ${end.failure.message} ${end.failure.remedy} Nothing recorded is lost.`, "error");
			return;
		}
		this.report(ctx, project, { ...live.ledger, run, holder: undefined });
	}

	report(ctx: ExtensionContext, project: Project, read: ReadLedger): void {
		const { run } = read;
		const prefix = commandPrefix(project);
		if (run.stage.kind === "over") {
			this.#display.hide(run.id);
			say(ctx, endLines(run, prefix).join("\n"), run.status === "done" ? "info" : "warning");
			return;
		}
		this.follow(ctx, project, run);
		if (ctx.mode === "tui" && asksUser(run)) inBackground(ctx, () => this.#offerAnswer(ctx, project, run));
		say(ctx, [`${nameOfRun(run)} waits in ${run.state}.`, ...waitingLines(read, prefix)].join("\n"), "warning");
	}

	async #offerAnswer(ctx: ExtensionContext, project: Project, run: Run): Promise<void> {
		const { answerKey, listenForAnswer } = await import("./ask-again.ts");
		this.#display.offerAnswer(run.id, answerKey, () => listenForAnswer(this, ctx, project, run));
	}
}

function nameOfRun({ template, id }: Run): string {
	return `${template.name} ${id.slice(0, 8)}`;
}

/** Why a chronicle that runs as a step did not finish. */
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
	// The reason for a stop is reported after the run has stopped.
	if (fresh.length > 0 && !isParked(run)) say(ctx, fresh.join("\n"), "warning");
}
