// The breadcrumbs as styled text: `Planning [✓] -> Implementation [●] -> Verification [ ]`. Pure.

import { dim, type Line, plain, type StyledText, type Tone } from "../../../tui/index.ts";
import { type Crumb, crumbSeparator, type Mark, marks } from "../phrases/index.ts";

const tones: Record<Mark, Tone> = {
	done: "success",
	working: "accent",
	waiting: "warning",
	paused: "warning",
	delayed: "warning",
	failed: "error",
	refused: "error",
	human: "error",
	released: "dim",
	undone: "dim",
	todo: "dim",
};

/** The separator before the crumb with that index. */
export function separatorOf(crumbs: readonly Crumb[]): (index: number) => StyledText {
	return (index) => dim(crumbSeparator(crumbs[index] ?? { follows: false }));
}

/** The crumb as styled text: `Planning [✓] ×2`. */
export function crumbLine({ title, mark, visits, current }: Crumb): Line {
	const name: StyledText = current
		? { text: title, tone: "accent" }
		: mark === "todo" || mark === "undone"
			? dim(title)
			: plain(title);
	const box: StyledText[] = [dim(" ["), { text: marks[mark], tone: tones[mark] }, dim("]")];
	return [name, ...box, ...(visits > 1 ? [dim(` ×${visits}`)] : [])];
}
