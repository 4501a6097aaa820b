// The way out of a state: a judged move with the approvals and the shutdown that it needs.
import { HUMAN_INTERVENTION } from "../template/index.ts";
import { escalate, moveTo } from "./advance.ts";
import { winnerOf } from "./candidates.ts";
import type { MoveJudgement } from "./plan/moves.ts";
import { planOf } from "./plan/plan.ts";
import type { AfterStop, Run, Stopping } from "./run/run.ts";

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
		readonly cause: "worker" | "children" | "command";
	},
	shutdown: (after: AfterStop) => Stopping,
): Run {
	const plan = planOf(run);
	const stop = (after: AfterStop): Run => ({ ...run, stage: shutdown(after) });
	const winner = winnerOf(run, target);
	const shown = winner === undefined ? summary : `Takes the files of "${winner}". ${summary}`;
	const ask = (to: string): AfterStop => ({ kind: "ask", target: to, summary: shown, earlier: null });
	switch (judged.kind) {
		case "finish":
			if (plan.approval.exit) return stop(ask(target));
			if (winner !== undefined) return stop({ kind: "take", to: null });
			return stop({ kind: "finish", status: run.state === "failed" ? "failed" : "done", detail: "" });
		case "repeat":
			return stop({ kind: "repeat" });
		case "escalate":
			return escalate(run, judged.cause, judged.refused, shutdown({ kind: "enter" }));
		case "move": {
			const asks = judged.to !== HUMAN_INTERVENTION && (plan.approval.exit || planOf(run, judged.to).approval.entry);
			if (!asks && winner !== undefined) return stop({ kind: "take", to: judged.to });
			return asks ? stop(ask(judged.to)) : moveTo(run, judged.to, cause, shutdown({ kind: "enter" }));
		}
	}
}
