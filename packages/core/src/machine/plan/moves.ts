// Which moves a worker may make, and when the run escalates to the user instead. The only place with these rules.
// A worker can only move along `next`, repeat its state, finish a terminal state, or escalate to the user;
// caps limit launches, not endings: no cap refuses a move to a terminal state.
import { didYouMean } from "../../definition/index.ts";
import { cutText } from "../../snapshot/index.ts";
import { HUMAN_INTERVENTION, pairKey } from "../../template/index.ts";
import type { MoveCause } from "../run/decision-event.ts";
import type { Run } from "../run/run.ts";
import { planOf } from "./plan.ts";

export type MoveJudgement =
	| { readonly kind: "illegal"; readonly message: string }
	/** The run ends with this state. */
	| { readonly kind: "finish" }
	/** The same state again, with another worker. */
	| { readonly kind: "repeat" }
	| { readonly kind: "move"; readonly to: string }
	/** Escalated to the user because of `cause`; `refused` is the requested target. */
	| { readonly kind: "escalate"; readonly cause: MoveCause; readonly refused: string };

/** Targets that `workflow_transition` accepts in a state, by default the current one; declared ones first. */
export function legalTargets(run: Run, state = run.state): string[] {
	const plan = planOf(run, state);
	if (state === HUMAN_INTERVENTION) return [];
	if (plan.terminal) return [...new Set(["done", state])];
	return [...new Set([...plan.next, HUMAN_INTERVENTION, state])];
}

const meaningChars = 100;

/** What each of `legalTargets` means, as a phrase for a model. */
export function targetMeanings(run: Run, state = run.state): Readonly<Record<string, string>> {
	return Object.fromEntries(legalTargets(run, state).map((target) => [target, meaningOf(run, state, target)]));
}

function meaningOf(run: Run, state: string, target: string): string {
	if (target === HUMAN_INTERVENTION) return "stop, the user decides";
	const end = run.parent ? "your part ends" : "the run ends";
	// Also the state's own name: nothing follows it.
	if (planOf(run, state).terminal) return end;
	if (target === state) return "again, with a fresh worker";
	const order = [...run.plan.states.keys()];
	const [purpose = ""] = (planOf(run, target).description ?? "").split("\n", 1);
	const { terminal, persona, children, command } = planOf(run, target);
	const lost = target === "failed" ? ", as failed" : "";
	const last =
		persona || children || command ? "the last state" : `the end of ${run.parent ? "your part" : "the run"}${lost}`;
	const way = terminal ? last : order.indexOf(target) < order.indexOf(state) ? "back" : "next";
	return purpose === "" ? way : `${way}, ${cutText(purpose, meaningChars).text}`;
}

/** Judges the move to `target` that a worker of the current state requests. */
export function judgeMove(run: Run, target: string): MoveJudgement {
	const plan = planOf(run);
	const legal = legalTargets(run);
	if (!legal.includes(target)) {
		const listed = legal.map((name) => `"${name}"`).join(", ");
		return {
			kind: "illegal",
			message: `"${target}" cannot follow "${run.state}".${didYouMean(target, legal)} Possible targets: ${listed}.`,
		};
	}
	if (plan.terminal) return { kind: "finish" };
	if (target === HUMAN_INTERVENTION) return { kind: "move", to: HUMAN_INTERVENTION };
	if (target === run.state) return { kind: "repeat" };
	const cause = planOf(run, target).terminal ? undefined : capOn(run, target);
	return cause ? { kind: "escalate", cause, refused: target } : { kind: "move", to: target };
}

/** The cap that a move of the current state to `target` would exceed. */
function capOn(run: Run, target: string): MoveCause | undefined {
	const { limits } = run.plan;
	const pair = pairKey(run.state, target);
	if ((run.pairMoves[pair] ?? 0) >= (limits.pairs[pair] ?? limits.pairMoves)) return "pair_limit";
	if (run.moves.counted >= (run.limits.run.moves ?? limits.moves)) return "move_limit";
	return undefined;
}

/** A sentence that explains why the user has to intervene. */
export function explainCause(cause: MoveCause, from: string, refused: string): string {
	switch (cause) {
		case "pair_limit":
			return `The run has gone between "${from}" and "${refused}" as often as it may.`;
		case "move_limit":
			return "The run has made as many moves as it may.";
		case "attempt_limit":
			return `"${from}" has been tried as often as it may.`;
		case "rejection_limit":
			return `The way from "${from}" to "${refused}" has been rejected as often as it may.`;
		case "no_progress":
			return `Several attempts of "${from}" in a row ended alike and changed nothing.`;
		case "worker":
			return `The worker of "${from}" asks for the user.`;
		case "command":
			return `The command of "${from}" sends the run to the user.`;
		case "children":
		case "person":
		case "released":
		case "reopened":
		case "rewind":
			return "The user has sent the run here.";
	}
}
