// A run that the hosts of an engine do, as this session follows it: on the timeline, with its questions as dialogs, until it is over.
// Nothing is supervised here: when the session ends the run continues.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { isParked } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { exitCodeOfEnd, type Project, watchRun } from "../../local/index.ts";
import { exitCodes, failStep, say, stepOf } from "../../pi/index.ts";
import { askHere, dispatch } from "../commands/index.ts";
import { asksUser } from "../phrases/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { userApprover } from "./user-approver.ts";

/** Follows run `id`. Resolves at once, and without a screen nothing is followed; as a step, when the run waits for its user or is over. */
export async function followOnEngine(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	id: string,
): Promise<void> {
	const isStep = stepOf(ctx) !== undefined;
	if (session.scope.closed || (!isStep && (!ctx.hasUI || session.followed.has(id)))) return;
	const stop = new AbortController();
	const release = session.scope.own(() => stop.abort());
	session.followed.add(id);
	const over = followUntilOver(session, ctx, project, { id, signal: stop.signal })
		.catch((error: unknown) => {
			if (!session.scope.closed) say(ctx, errorMessage(error), "error");
		})
		.finally(() => {
			session.followed.delete(id);
			void release();
		});
	if (isStep) await over;
}

interface FollowedRun {
	readonly id: string;
	readonly signal: AbortSignal;
}

/** Follows it across all questions; as a step, only across those that are answered here. */
async function followUntilOver(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	{ id, signal }: FollowedRun,
): Promise<void> {
	const first = await project.store.read(id);
	if (!first.ok) return say(ctx, `${first.failure.message} ${first.failure.remedy}`, "error");
	const before = first.value.run.totals.costUsd;
	session.follow(ctx, project, first.value.run);
	for (;;) {
		const parked = await whenRun(project, id, signal, needsNoHost);
		if (!parked) return;
		if (asksUser(parked.run) && (await askOnEngine(session, ctx, project, { parked, signal }))) continue;
		if (signal.aborted) return;
		await reportParked(session, ctx, project, { parked, before });
		if (stepOf(ctx) || parked.run.stage.kind === "over") return;
		await whenRun(project, id, signal, ({ run: { seq } }) => seq !== parked.run.seq);
	}
}

/** Whether it waits for its user or is over, and no host has anything to do with it. */
function needsNoHost({ run, holder, queued }: ReadLedger): boolean {
	return isParked(run) && !holder && queued === undefined;
}

/** Resolves as soon as `test` holds of the run; with `undefined` when `signal` aborts. */
function whenRun(
	project: Project,
	id: string,
	signal: AbortSignal,
	test: (read: ReadLedger) => boolean,
): Promise<ReadLedger | undefined> {
	return new Promise((resolve) => {
		const end = (read: ReadLedger | undefined): void => {
			unwatch();
			signal.removeEventListener("abort", aborted);
			resolve(read);
		};
		const aborted = (): void => end(undefined);
		const look = (read: ReadLedger): void => {
			if (test(read)) end(read);
		};
		signal.addEventListener("abort", aborted, { once: true });
		const unwatch = watchRun(project, id, look);
		if (signal.aborted) return aborted();
		// What happened before the watch began.
		void project.store.read(id).then((read) => read.ok && look(read.value));
	});
}

interface ParkedRun {
	readonly parked: ReadLedger;
	readonly signal: AbortSignal;
}

async function askOnEngine(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	{ parked, signal }: ParkedRun,
): Promise<boolean> {
	const { id } = parked.run;
	const approver = userApprover(session, ctx, project, "uncalled");
	const answer = await askHere(project, parked.run, approver, signal);
	if (signal.aborted) return false;
	if (!answer) {
		const now = await project.store.read(id);
		return now.ok && now.value.run.seq !== parked.run.seq;
	}
	const result = await dispatch(project, answer.id, () => ({ kind: "events", events: [answer.event] }), {
		approver,
		notice: (text) => say(ctx, text, "warning"),
		afterwards: "continue",
	});
	if (session.scope.closed) return false;
	if (result.kind === "refused") say(ctx, result.message, "warning");
	if (result.kind === "failed") say(ctx, `${result.failure.message} ${result.failure.remedy}`, "error");
	return result.kind !== "failed";
}

async function reportParked(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	{ parked, before }: { readonly parked: ReadLedger; readonly before: number },
): Promise<void> {
	const { run } = parked;
	const code = exitCodeOfEnd({ kind: "parked", run });
	const step = stepOf(ctx);
	if (step !== undefined) step.costUsd += run.totals.costUsd - before;
	await session.report(ctx, project, parked);
	if (code !== exitCodes.done)
		failStep(ctx, `${run.template.name} ${run.id.slice(0, 8)} is not done: ${run.status} in ${run.state}.`, code);
}
