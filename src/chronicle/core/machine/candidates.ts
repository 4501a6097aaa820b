// Choosing one of several children (`take: one`): they are done, the worker of the next state names one of them, and only its files are
// joined. Pure.
import { HUMAN_INTERVENTION, type OutputSchema } from "../template/index.ts";
import type { ChildGroup, ChildRun } from "./child-group.ts";
import { judgeMove } from "./moves.ts";
import { planOf } from "./plan.ts";
import type { Run } from "./run.ts";

/** The children to choose from in `state`; empty if its worker chooses none. */
export function candidatesIn({ candidates }: Run, state: string): readonly ChildRun[] {
	return candidates?.judge === state ? doneIn(candidates.group) : [];
}

function doneIn({ children }: ChildGroup): readonly ChildRun[] {
	return children.filter(({ status, merges }) => status === "done" && merges === undefined);
}

/** JSON Schema of what the worker of `state` hands over: its `output`, with the choice if it has one to make. */
export function outputIn(run: Run, state = run.state): OutputSchema | undefined {
	const { output } = planOf(run, state);
	const names = candidatesIn(run, state).map(({ name }) => name);
	if (names.length === 0) return output;
	const choice = {
		type: "object",
		required: ["winner"],
		properties: { winner: { enum: names, description: "The child whose files are taken" } },
	};
	return output ? { allOf: [output, choice] } : choice;
}

/**
 * The JSON Schema of the data that a move to `target` hands over; `undefined` if it hands over none: escalating to the user, repeating the
 * state, and having the children try again need no result.
 */
export function dueOutput(run: Run, target: string): OutputSchema | undefined {
	const schema = outputIn(run);
	if (!schema || target === HUMAN_INTERVENTION || triesAgain(run, target)) return undefined;
	const { kind } = judgeMove(run, target);
	return kind === "illegal" || kind === "repeat" ? undefined : schema;
}

function triesAgain({ candidates, state }: Run, target: string): boolean {
	return candidates?.judge === state && candidates.group.state === target;
}

/** The run with the choice that `data`, handed over with a move to `target`, makes. */
export function chooseWinner(run: Run, target: string, data: unknown): Run {
	const { candidates } = run;
	if (!candidates || candidatesIn(run, run.state).length === 0) return run;
	const { winner } = (data ?? {}) as { readonly winner?: unknown };
	const chosen = typeof winner === "string" && dueOutput(run, target) ? winner : null;
	return { ...run, candidates: { ...candidates, winner: chosen } };
}

/** The name of the child whose files a move to `target` takes first; `undefined`: none. */
export function winnerOf(run: Run, target: string): string | undefined {
	const { candidates, state } = run;
	if (candidates?.judge !== state || triesAgain(run, target)) return undefined;
	return candidates.winner ?? undefined;
}

/** Joins the files of the chosen child; then the run moves to `to`, or ends in its state. */
export function startTake(run: Run, to: string | null): Run {
	const { candidates, visit } = run;
	if (!candidates) return run;
	const { group, winner } = candidates;
	const children = group.children.map(
		(child): ChildRun => (child.status === "done" && child.name !== winner ? { ...child, status: "dropped" } : child),
	);
	return {
		...run,
		status: "running",
		candidates: null,
		children: { ...group, visit, children, phase: "joining", stopping: null, join: null, taking: { to } },
		stage: { kind: "children", since: run.seq },
	};
}
