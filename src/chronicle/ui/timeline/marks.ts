// Marks, names and titles, the same in the terminal and on paper. Pure, and free of the terminal.
import type { Run } from "../../core/index.ts";

/** Marks of the breadcrumb, by what they mean. */
export const marks = {
	done: "✓",
	working: "●",
	waiting: "?",
	paused: "‖",
	failed: "✗",
	refused: "⊘",
	human: "!",
	todo: " ",
} as const;

export type Mark = keyof typeof marks;

/** The name of the run's template: the one that it gives itself, else that of its file. */
export function templateNameOf({ plan, template }: Pick<Run, "plan" | "template">): string {
	return plan.name === "" ? template.name : plan.name;
}

/** `red-team_assessment` → `Red team assessment`. */
export function titleOf(state: string): string {
	const words = state.replace(/[-_\s]+/g, " ").trim();
	return words.charAt(0).toUpperCase() + words.slice(1);
}
