// The way out of a state: a judged move with the approvals and the shutdown that it needs.
import { HUMAN_INTERVENTION } from "../template/index.ts";
import { escalate, moveTo } from "./advance.ts";
import type { MoveJudgement } from "./moves.ts";
import { planOf } from "./plan.ts";
import type { AfterStop, Run, Stopping } from "./run.ts";

/** Leaves the current state for `target`, as judged. `shutdown` is the shutdown of what did the state, before `after`. */
export function leaveState(
	run: Run,
	{
		judged,
		target,
		summary,
		cause,
	}: {
		readonly judged: Exclude<MoveJudgement, { kind: "illegal" }>;
		readonly target: string;
		readonly summary: string;
		readonly cause: "worker" | "children";
	},
	shutdown: (after: AfterStop) => Stopping,
): Run {
	const plan = planOf(run);
	const stop = (after: AfterStop): Run => ({ ...run, stage: shutdown(after) });
	const ask = (to: string): AfterStop => ({ kind: "ask", target: to, summary, earlier: null });
	switch (judged.kind) {
		case "finish":
			if (plan.approval.exit) return stop(ask(target));
			return stop({ kind: "finish", status: run.state === "failed" ? "failed" : "done", detail: "" });
		case "repeat":
			return stop({ kind: "repeat" });
		case "divert":
			return escalate(run, judged.cause, judged.refused, shutdown({ kind: "enter" }));
		case "move": {
			const asks = judged.to !== HUMAN_INTERVENTION && (plan.approval.exit || planOf(run, judged.to).approval.entry);
			return asks ? stop(ask(judged.to)) : moveTo(run, judged.to, cause, shutdown({ kind: "enter" }));
		}
	}
}
