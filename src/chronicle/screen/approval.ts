// A question to the person in the terminal, in the editor's place: what is asked, what it is about (of an approval what was done, changed and
// spent), and the answers below. A1 it only gives the answer that was chosen; A2 a stray Enter takes the first one, which therefore only looks; A3 what
// does not fit is scrolled, the answers always show.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { changedFile } from "./changes-head.ts";
import { frame, frameRows } from "./frame.ts";
import { dim, fitLine, type Line, lineWidth, type Paint, paintLine, paintRows } from "./line.ts";
import { openWindow } from "./window.ts";

export interface Choice<T> {
	readonly value: T;
	readonly words: string;
}

export interface Question<T> {
	readonly title: string;
	readonly body: readonly Line[];
	readonly choices: readonly Choice<T>[];
	/** What Esc does: `Esc later`. */
	readonly leave: string;
}

/** Rows of the screen that are left to what stands above the question. */
const rowsAbove = 8;

/** Asks, and resolves to the choice, or to `undefined` where the person leaves or `signal` ends it. */
export async function askByScreen<T>(
	ctx: ExtensionContext,
	{ title, body, choices, leave }: Question<T>,
	paint: Paint,
	signal: AbortSignal,
): Promise<T | undefined> {
	if (signal.aborted) return undefined;
	return ctx.ui.custom<T | undefined>(
		(tui, _theme, keybindings, done) => {
			let selected = 0;
			const window = openWindow(paint, false);
			window.set(body);
			const end = () => done(undefined);
			signal.addEventListener("abort", end, { once: true });
			return {
				capturesViewportInput: true,
				render(width) {
					const room = tui.terminal.rows - rowsAbove - frameRows - choices.length;
					const rows = window.rows(width, Math.max(2, Math.min(window.count(width), room)));
					const answers = choices.map(({ words }, index): Line => {
						const here = index === selected;
						return [{ text: `${here ? "→ " : "  "}${words}`, tone: here ? "accent" : "plain" }];
					});
					const drawn = answers.map((line) => paintLine(fitLine(line, width), paint));
					const position = window.position();
					const keys = ["↑↓ Enter answers", leave, ...(position === "" ? [] : ["PgUp PgDn read on"])];
					const name: Line = [{ text: title, tone: "accent" }];
					// A question that is wider than its rule is asked below it.
					const above = lineWidth(name) > width - 4 ? [...paintRows(name, width, paint), ""] : [];
					const head = above.length > 0 ? [] : name;
					return frame({ title: head, foot: position, keys }, [...above, ...rows, "", ...drawn], width, paint);
				},
				handleInput(data) {
					if (keybindings.matches(data, "tui.select.cancel")) return done(undefined);
					if (keybindings.matches(data, "tui.select.confirm")) return done(choices[selected]?.value);
					if (keybindings.matches(data, "tui.select.up")) selected = (selected + choices.length - 1) % choices.length;
					else if (keybindings.matches(data, "tui.select.down")) selected = (selected + 1) % choices.length;
					else if (keybindings.matches(data, "tui.select.pageUp")) window.scroll(1 - window.height);
					else if (keybindings.matches(data, "tui.select.pageDown")) window.scroll(window.height - 1);
					else return;
					tui.requestRender();
				},
				invalidate() {},
				dispose: () => signal.removeEventListener("abort", end),
			};
		},
		{ blocked: { kind: "question", message: title } },
	);
}

/** Lines of text as lines of a question: changed files toned, what it has cost set back, the rest plain. */
export function questionBody(lines: readonly string[]): Line[] {
	return lines
		.join("\n")
		.split("\n")
		.map((text): Line => (text.startsWith("So far: ") ? [dim(text)] : changedFile(text)));
}
