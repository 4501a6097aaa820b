// Marks and titles of states, the same in the terminal and on paper. Pure, and free of the terminal.

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

/** `red-team_assessment` → `Red team assessment`. */
export function titleOf(state: string): string {
	const words = state.replace(/[-_\s]+/g, " ").trim();
	return words.charAt(0).toUpperCase() + words.slice(1);
}
