// The states in the order in which the run was in them, as one line in which loops are folded: `Implementation ⇄ Review ×3`. Pure.
import { marks, titleOf } from "../timeline/index.ts";
import type { HtmlContent } from "./markup.ts";
import type { ReportPage } from "./page.ts";

/** Parts shown at the beginning and at the end. */
const firstParts = 30;
const lastParts = 30;
/** The longest loop that is folded, in states. */
const longestLoop = 4;

export interface CoursePart {
	/** The states, once around. */
	readonly states: readonly string[];
	readonly times: number;
	/** The part ends with a rewind. */
	readonly rewound: boolean;
}

/** Folds repetitions in a sequence of states. `rewound`: whether a rewind follows the state at that index. */
export function foldCourse(states: readonly string[], rewound: (index: number) => boolean): CoursePart[] {
	const parts: CoursePart[] = [];
	for (let at = 0; at < states.length; ) {
		const { length, times } = loopAt(states, at, rewound);
		const end = at + length * times;
		parts.push({ states: states.slice(at, at + length), times, rewound: rewound(end - 1) });
		at = end;
	}
	return parts;
}

/** The loop that covers most states from `at` on; one state if there is none. */
function loopAt(
	states: readonly string[],
	at: number,
	rewound: (index: number) => boolean,
): { readonly length: number; readonly times: number } {
	let best = { length: 1, times: 1 };
	for (let length = 1; length <= longestLoop; length += 1) {
		let same = 0;
		// A rewind ends a loop.
		while (states[at + same + length] === states[at + same] && !rewound(at + same + length - 1)) {
			if (at + same + length >= states.length) break;
			same += 1;
		}
		const times = 1 + Math.floor(same / length);
		if (times > 1 && length * times > best.length * best.times) best = { length, times };
	}
	return best;
}

/** `Implementation ⇄ Review ×3`. */
export function partText({ states, times }: CoursePart): string {
	const titles = states.map(titleOf);
	if (times === 1) return titles.join(" → ");
	const around =
		titles.length === 2 ? titles.join(" ⇄ ") : titles.length === 1 ? titles.join("") : `(${titles.join(" → ")})`;
	return `${around} ×${times}`;
}

export function drawCourse({ html, report: { visits } }: ReportPage): HtmlContent {
	if (visits.length < 2) return undefined;
	const parts = foldCourse(
		visits.map(({ state }) => state),
		(index) => visits[index]?.left?.cause === "rewind",
	);
	const texts = parts.map((part, index) => {
		const after = index === parts.length - 1 ? "" : part.rewound ? ` ${marks.undone} ` : " → ";
		return `${partText(part)}${after}`;
	});
	const hidden = texts.length - firstParts - lastParts;
	const shown = hidden > 1 ? [...texts.slice(0, firstParts), `… ${hidden} more … `, ...texts.slice(-lastParts)] : texts;
	return html`<p class="course" dir="auto">${html.cut(shown.join(""), 6000)}</p>`;
}
