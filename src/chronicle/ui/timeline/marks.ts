// Marks, names and titles, shared by the terminal and the report. Pure, and independent of the terminal.
import type { Run } from "../../core/index.ts";

/** Marks of the breadcrumbs, by meaning. */
export const marks = {
	done: "✓",
	working: "●",
	waiting: "?",
	paused: "‖",
	delayed: "◷",
	failed: "✗",
	refused: "⊘",
	human: "!",
	released: "↩",
	undone: "↶",
	todo: " ",
} as const;

export type Mark = keyof typeof marks;

/** The name of the run's template: its own name, else the name of its file. */
export function templateNameOf({ plan, template }: Pick<Run, "plan" | "template">): string {
	return plan.name === "" ? template.name : plan.name;
}

/** The template's name, with the child's name before it. */
export function runTitle(run: Pick<Run, "plan" | "template" | "parent">): string {
	return run.parent ? `${run.parent.name} · ${templateNameOf(run)}` : templateNameOf(run);
}

/** `red-team_assessment` → `Red team assessment`. */
export function titleOf(state: string): string {
	const words = state.replace(/[-_\s]+/g, " ").trim();
	return words.charAt(0).toUpperCase() + words.slice(1);
}
