// The position of a run among its states, as text: `Planning [✓] -> Implementation [●] -> Verification [ ]`. Pure, and independent of
// the terminal.

import type { Run } from "@pi-chronicle/core/machine";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { type Mark, marks, titleOf } from "./names.ts";

export interface Crumb {
	readonly state: string;
	/** The state's name as words, capitalized. */
	readonly title: string;
	readonly mark: Mark;
	readonly visits: number;
	readonly current: boolean;
	/** Whether the template has a move from the previous state to this one. */
	readonly follows: boolean;
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
		.map((state, index, list) => ({
			state,
			title: titleOf(state),
			mark: crumbMark(run, state),
			visits: run.states[state]?.visits ?? 0,
			current: state === run.state,
			follows: index > 0 && leadsTo(run, list[index - 1] ?? "", state),
		}));
}

/** The separator between two states: an arrow only if the first leads to the second. */
export function crumbSeparator({ follows }: Pick<Crumb, "follows">): string {
	return follows ? " -> " : " | ";
}

function leadsTo({ plan }: Run, from: string, to: string): boolean {
	return to !== HUMAN_INTERVENTION && (plan.states.get(from)?.next.includes(to) ?? false);
}

function crumbMark(run: Run, state: string): Mark {
	if (state === run.state) return currentMark(run);
	if (run.refused?.to === state) return "refused";
	const left = (run.states[state]?.visits ?? 0) > 0 || run.history.some(({ from }) => from === state);
	if (!left) return "todo";
	if (state === HUMAN_INTERVENTION) return "released";
	return isUndone(run, state) ? "undone" : "done";
}

/** Whether a rewind has undone every visit to the state, as far as the last moves show. */
function isUndone({ history, states }: Run, state: string): boolean {
	const undone = undoneVisits(history);
	const visits = history.filter(({ from }) => from === state);
	return visits.length === (states[state]?.visits ?? 0) && visits.every(({ visit }) => undone.has(visit));
}

/** The visits that rewinds have undone: a rewind undoes at least the visits since its target state was last entered. */
export function undoneVisits(history: Run["history"]): ReadonlySet<number> {
	const undone = new Set<number>();
	for (const [index, { cause, to, visit }] of history.entries()) {
		if (cause !== "rewind") continue;
		const first = history.slice(0, index + 1).findLast((move) => move.from === to)?.visit ?? visit;
		for (let number = first; number <= visit; number += 1) undone.add(number);
	}
	return undone;
}

/** The mark of the current state. */
export function currentMark({ status }: Run): Mark {
	switch (status) {
		case "running":
			return "working";
		case "asks":
		case "awaiting_approval":
			return "waiting";
		case "awaiting_provider":
			return "delayed";
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
		.map((crumb, index) => {
			const { title, mark, visits } = crumb;
			return `${index === 0 ? "" : crumbSeparator(crumb)}${title} [${marks[mark]}]${visits > 1 ? ` ×${visits}` : ""}`;
		})
		.join("");
}
