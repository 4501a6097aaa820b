// The position of a run among its states, as text: `Planning [✓] -> Implementation [●] -> Verification [ ]`. Pure, and independent of
// the terminal.
import type { Run } from "../../core/index.ts";
import { HUMAN_INTERVENTION } from "../../core/index.ts";
import { type Mark, marks, titleOf } from "./marks.ts";

export interface Crumb {
	readonly state: string;
	/** The state's name as words, capitalized. */
	readonly title: string;
	readonly mark: Mark;
	/** How often the run has been in the state. */
	readonly visits: number;
	readonly current: boolean;
}

/** One crumb per state, in the template's order. `human_intervention` follows them once the run has been there. */
export function crumbsOf(run: Run): Crumb[] {
	const names = [...run.plan.states.keys()];
	const known = names.includes(HUMAN_INTERVENTION);
	const visited = run.state === HUMAN_INTERVENTION || run.states[HUMAN_INTERVENTION] !== undefined;
	const shown = names.filter((name) => name !== HUMAN_INTERVENTION);
	if (visited || known) shown.push(HUMAN_INTERVENTION);
	return shown
		.filter((name) => name !== HUMAN_INTERVENTION || visited)
		.map((state) => ({
			state,
			title: titleOf(state),
			mark: markOf(run, state),
			visits: run.states[state]?.visits ?? 0,
			current: state === run.state,
		}));
}

function markOf(run: Run, state: string): Mark {
	if (state === run.state) return currentMark(run);
	if (run.refused?.to === state) return "refused";
	const left = (run.states[state]?.visits ?? 0) > 0 || run.history.some(({ from }) => from === state);
	return left ? "done" : "todo";
}

/** The mark of the current state. */
export function currentMark({ status }: Run): Mark {
	switch (status) {
		case "running":
			return "working";
		case "awaiting_approval":
			return "waiting";
		case "paused":
		case "budget_exceeded":
			return "paused";
		case "human_intervention":
			return "human";
		case "done":
			return "done";
		case "failed":
		case "aborted":
			return "failed";
	}
}

/** The breadcrumb as one line of plain text. */
export function crumbText(run: Run): string {
	return crumbsOf(run)
		.map(({ title, mark, visits }) => `${title} [${marks[mark]}]${visits > 1 ? ` ×${visits}` : ""}`)
		.join(" -> ");
}
