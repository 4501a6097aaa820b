// Shows a worker's question to the user of this process, for as long as it is asked. The worker's process is kept for a while; without a user,
// it is stopped at once.
import type { Action } from "../../core/index.ts";
import type { ExecutorContext } from "./executor-context.ts";
import type { Workers } from "./worker-actions.ts";

/** Resolves once the answer is recorded, or nobody will answer here. */
export async function showQuestion(
	{ approver, clock, record, run, questionMs = 0 }: ExecutorContext,
	workers: Workers,
	{ question }: Extract<Action, { kind: "ask_user" }>,
	signal: AbortSignal,
): Promise<void> {
	const { seq } = question;
	const answered = new AbortController();
	const over = AbortSignal.any([signal, answered.signal]);
	void clock.sleep(questionMs, over).then(() => {
		if (!over.aborted) workers.stopAsking(seq);
	});
	const words = await approver.ask(question, run(), signal);
	answered.abort();
	if (signal.aborted) return;
	if (words !== undefined) await record({ kind: "ask_answered", answers: seq, verdict: "answered", words });
	else workers.stopAsking(seq);
}
