// A question that is answered with text: title, scrolling body, the line, and the keys, on a separate screen. It has exactly the given rows
// and columns, and the line is visible at every size from 40×12. Line breaks are kept: the line shows them as marks.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Input } from "@earendil-works/pi-tui";
import { frame, frameRows } from "./frame.ts";
import { flat, type Line, lineWidth, type Paint, plain, themed } from "./line.ts";
import { wholeScreen } from "./sheet.ts";
import type { ScreenKeys } from "./window.ts";
import { openWindow } from "./window.ts";

export interface InputSheetSpec {
	readonly title: string;
	readonly lines: readonly Line[];
	readonly placeholder?: string | undefined;
	readonly text?: string | undefined;
	/** Label for the effect of Escape: `Esc cancels`. */
	readonly leave: string;
	/** Not caused by the user's command: Enter counts only once something has been typed. */
	readonly uncalled?: boolean;
}

type InputResult =
	| { readonly kind: "sent"; readonly text: string }
	| { readonly kind: "left" }
	| { readonly kind: "drawn" };

export interface InputSheet {
	/** Exactly `rows` rows, none wider than `width` columns. */
	render(width: number, rows: number): string[];
	key(data: string, keybindings: ScreenKeys): InputResult;
	/** Whether the cursor is shown in the line. */
	focus(focused: boolean): void;
}

/** Shows a line break in the line. */
const breakMark = "↵";
const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";

/** Input with marks instead of line breaks: those of a paste, and Shift+Enter. */
function markBreaks(data: string, keybindings: ScreenKeys): string {
	if (data.startsWith(pasteStart)) return data.replace(/\r\n|\r|\n/g, breakMark);
	return keybindings.matches(data, "tui.input.newLine") ? breakMark : data;
}

/** Columns of the upper rule outside the title. */
const ruleColumns = 4;

export function openInputSheet(
	{ title, lines, placeholder, text: written = "", leave, uncalled = false }: InputSheetSpec,
	paint: Paint,
): InputSheet {
	const input = new Input({
		...(placeholder === undefined ? {} : { placeholder, placeholderStyle: (text) => paint("dim", text) }),
	});
	// As a paste, so that the cursor is behind it.
	if (written !== "") input.handleInput(`${pasteStart}${written.replaceAll("\n", breakMark)}${pasteEnd}`);
	const window = openWindow(paint, false);
	let sent: string | undefined;
	input.onSubmit = (text) => {
		if (text !== "" || !uncalled) sent = text.replaceAll(breakMark, "\n");
	};
	const fill = (width: number): number => {
		const name: Line = [{ text: title, tone: "accent" }];
		const isCut = lineWidth(name) > width - ruleColumns;
		const all = isCut ? [name, ...(lines.length > 0 ? [[plain("")]] : []), ...lines] : lines;
		window.set(all);
		return all.length === 0 ? 0 : window.count(width);
	};
	let laidFor = 0;
	let text = 0;
	return {
		focus(focused) {
			input.focused = focused;
		},
		render(width, rows) {
			if (laidFor !== width) {
				laidFor = width;
				text = fill(width);
			}
			const inside = Math.max(1, rows - frameRows);
			const blank = text > 0 && inside > 3 ? 1 : 0;
			const height = Math.max(0, Math.min(text, inside - 1 - blank));
			const [line = ""] = input.render(width);
			const filled = [...(height > 0 ? window.rows(width, height) : []), ...(blank ? [""] : []), line];
			const padded = Array.from({ length: inside }, (_, index) => filled[index] ?? "");
			const scrolls = height > 0 && window.position() !== "" ? ["PgUp PgDn scroll"] : [];
			const spec = {
				title: [{ text: flat(title), tone: "accent" } as const],
				foot: height > 0 ? window.position() : "",
				keys: ["Enter confirms", leave, ...scrolls],
			};
			return frame(spec, padded, width, paint).slice(0, Math.max(1, rows));
		},
		key(data, keybindings) {
			if (keybindings.matches(data, "tui.select.cancel")) return { kind: "left" };
			const page = Math.max(1, window.height - 1);
			if (keybindings.matches(data, "tui.select.pageUp")) window.scroll(-page);
			else if (keybindings.matches(data, "tui.select.pageDown")) window.scroll(page);
			else input.handleInput(markBreaks(data, keybindings));
			return sent === undefined ? { kind: "drawn" } : { kind: "sent", text: sent };
		},
	};
}

/** Shows the question and resolves to the line, or to `undefined` if the user closes it or `signal` aborts. Only for the terminal. */
export async function showInputSheet(
	ctx: ExtensionContext,
	spec: InputSheetSpec,
	signal?: AbortSignal,
): Promise<string | undefined> {
	if (signal?.aborted) return undefined;
	const blocked = { kind: "question", message: flat(spec.title) } as const;
	return ctx.ui.custom<string | undefined>(
		(tui, theme, keybindings, done) => {
			const sheet = openInputSheet(spec, themed({ theme }));
			const end = () => done(undefined);
			signal?.addEventListener("abort", end, { once: true });
			let focused = true;
			return {
				capturesViewportInput: true,
				get focused() {
					return focused;
				},
				set focused(now: boolean) {
					focused = now;
					sheet.focus(now);
				},
				render: (width) => sheet.render(width, tui.terminal.rows),
				handleInput(data) {
					const outcome = sheet.key(data, keybindings);
					if (outcome.kind === "sent") return done(outcome.text);
					if (outcome.kind === "left") return done(undefined);
					tui.requestRender();
				},
				invalidate() {},
				dispose: () => signal?.removeEventListener("abort", end),
			};
		},
		{ ...wholeScreen, blocked },
	);
}
