// The runs of one session: those that it supervises, and the one that its timeline shows.
// E1 a command returns while a run goes on; only where nobody watches it waits for the run to rest; E2 what outlives a command belongs to the
// session's scope; E3 the timeline shows the run that was taken up last, and the folded state of it, never what was remembered.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failStep, type Scope, say, stepOf } from "../../../pi/index.ts";
import { isParked, type LedgerEvent, type Run } from "../../core/index.ts";
import type { SupervisionEnd } from "../../engine/index.ts";
import { exitCodeOfEnd, type Project, type SupervisedRun, watchChanges, watchRun } from "../../engine/index.ts";
import { mountTimeline, type TimelineWidget } from "../screen/index.ts";
import { isInterrupted, progressLine, spendText, waitingLines } from "../text/index.ts";
import { crumbText } from "../timeline/index.ts";

export interface ChronicleSession {
	readonly scope: Scope;
	/** Runs that this session supervises, by id, oldest first. */
	readonly supervised: ReadonlyMap<string, SupervisedRun>;
	/** Makes a run this session's. Resolves at once where somebody watches, else when it rests. */
	attend(ctx: ExtensionContext, project: Project, live: SupervisedRun): Promise<void>;
	/** Shows a run that another process carries on, as its ledger changes. */
	follow(ctx: ExtensionContext, project: Project, run: Run): void;
}

/** How often the supervisor of a run that is shown here and carried on elsewhere is looked at. */
const leaseMs = 5000;

interface Shown {
	readonly id: string;
	readonly widget: TimelineWidget;
	/** Ends the following of the ledger. */
	unfollow: () => void;
	/** Ends listening for the key that brings a question back. */
	silence: () => void;
}

export function openChronicle(scope: Scope): ChronicleSession {
	const supervised = new Map<string, SupervisedRun>();
	let shown: Shown | undefined;

	const hide = (): void => {
		shown?.unfollow();
		shown?.silence();
		shown?.widget.close();
		shown = undefined;
	};
	/** Puts a run on the screen in place of any other. */
	const show = (ctx: ExtensionContext, run: Run): Shown | undefined => {
		if (!ctx.hasUI || scope.closed) return undefined;
		if (shown?.id === run.id) {
			shown.widget.show(run);
			return shown;
		}
		hide();
		shown = { id: run.id, widget: mountTimeline(ctx, scope, run), unfollow: () => {}, silence: () => {} };
		return shown;
	};
	/** Lets one key bring back the question that the run on the screen waits with. */
	const offerQuestion = async (ctx: ExtensionContext, project: Project, at: Shown): Promise<void> => {
		const { answerKey, listenForAnswer } = await import("./ask-again.ts");
		if (shown !== at || scope.closed || supervised.has(at.id)) return;
		at.silence();
		const stop = listenForAnswer(session, ctx, project, at.id);
		at.widget.answerBy(answerKey);
		at.silence = () => {
			stop();
			at.widget.answerBy(undefined);
			at.silence = () => {};
		};
	};
	const follow = (ctx: ExtensionContext, project: Project, run: Run): void => {
		const at = show(ctx, run);
		if (!at) return;
		at.unfollow();
		// A supervisor that is killed writes nothing: without a look at its lease the clock would run on for ever.
		let stopLooking: (() => void) | undefined;
		const lookWhileRunning = ({ status }: Run): void => {
			if (status === "running") stopLooking ??= scope.every(leaseMs, () => void lookAtLease(ctx, project, at));
			else {
				stopLooking?.();
				stopLooking = undefined;
			}
		};
		lookWhileRunning(run);
		const end = watchRun(project, run.id, ({ run: now }) => {
			if (shown !== at || scope.closed || supervised.has(now.id)) return;
			lookWhileRunning(now);
			if (now.status !== "awaiting_approval") at.silence();
			if (now.stage.kind === "over") hide();
			else at.widget.show(now);
		});
		const release = scope.own(end);
		at.unfollow = () => {
			stopLooking?.();
			void release();
		};
	};
	const lookAtLease = async (ctx: ExtensionContext, project: Project, at: Shown): Promise<void> => {
		const read = await project.store.read(at.id);
		if (!read.ok || shown !== at || scope.closed || supervised.has(at.id) || !isInterrupted(read.value)) return;
		hide();
		const { run } = read.value;
		const name = `${run.template.name} ${run.id.slice(0, 8)}`;
		say(ctx, [`${name} is interrupted.`, ...waitingLines(read.value, "/chronicle ")].join("\n"), "warning");
	};

	const rested = (ctx: ExtensionContext, project: Project, live: SupervisedRun, end: SupervisionEnd): void => {
		const { run } = end;
		// The context of a session that is gone must not be asked for anything.
		if (scope.closed) return;
		const name = `${run.template.name} ${run.id.slice(0, 8)}`;
		if (end.kind === "failed") {
			if (shown?.id === run.id) hide();
			say(ctx, `${name}: ${end.failure.message} ${end.failure.remedy} Nothing recorded is lost.`, "error");
			return;
		}
		if (end.kind === "released") return;
		if (run.stage.kind === "over") {
			if (shown?.id === run.id) hide();
			const lines = [`${name}: ${run.status}`, crumbText(run), spendText(run, run.updatedAt)];
			say(ctx, lines.join("\n"), run.status === "done" ? "info" : "warning");
			return;
		}
		follow(ctx, project, run);
		if (ctx.mode === "tui" && shown?.id === run.id && run.status === "awaiting_approval")
			void offerQuestion(ctx, project, shown);
		const waits = waitingLines({ ...live.ledger, run, holder: undefined }, "/chronicle ");
		say(ctx, [`${name} waits in ${run.state}.`, ...waits].join("\n"), "warning");
	};

	const session: ChronicleSession = {
		scope,
		supervised,
		follow,
		async attend(ctx, project, live) {
			const { supervision, id } = live;
			const watched = !scope.closed && ctx.hasUI;
			supervised.set(id, live);
			const release = scope.own(async () => void (await supervision.stop()));
			const at = show(ctx, supervision.run);
			at?.unfollow();
			at?.silence();
			const unwatch = watched
				? watchChanges(
						live,
						(ms, later) => scope.after(ms, later),
						(changes) => {
							if (shown?.id === id) shown.widget.changed(changes);
						},
					)
				: () => {};
			const before = supervision.run.totals.costUsd;
			let notices = supervision.run.notices;
			supervision.watch((run, event) => {
				if (scope.closed) return;
				if (shown?.id === id) shown.widget.show(run);
				tell(
					ctx,
					run,
					event,
					run.notices.filter((notice) => !notices.includes(notice)),
				);
				notices = run.notices;
			});
			const over = supervision.ended.then((end) => {
				supervised.delete(id);
				unwatch();
				void release();
				const code = exitCodeOfEnd(end);
				const step = stepOf(ctx);
				if (step !== undefined) step.costUsd += end.run.totals.costUsd - before;
				else if (!watched) process.exitCode = code;
				rested(ctx, project, live, end);
				if (code !== exitCodes.done) failStep(ctx, endReason(end), code);
			});
			if (!watched || stepOf(ctx)) await over;
		},
	};
	return session;
}

/** Why a chronicle that is a step did not come to its end. */
function endReason({ kind, run }: SupervisionEnd): string {
	const name = `${run.template.name} ${run.id.slice(0, 8)}`;
	return kind === "released" ? `${name} was released.` : `${name} is not done: ${run.status} in ${run.state}.`;
}

/** What a person is told while a run goes on: with a screen only what the timeline does not show. */
function tell(ctx: ExtensionContext, run: Run, event: LedgerEvent, fresh: readonly string[]): void {
	if (!ctx.hasUI) {
		const line = progressLine(run, event);
		if (line !== undefined) say(ctx, line);
		return;
	}
	// What stops the run is told when it rests.
	if (fresh.length > 0 && !isParked(run)) say(ctx, fresh.join("\n"), "warning");
}
