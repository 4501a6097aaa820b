// A question that is answered with text: title, scrolling body, pi's editor, and the keys, on a separate screen. It has exactly the given rows
// and columns, and the row of the cursor is visible at every size from 40×12.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { CURSOR_MARKER, Editor, type TUI } from "@earendil-works/pi-tui";
import { frame, frameRows, ruleColumns } from "./frame.ts";
import { openUnseen } from "./late.ts";
import { flat, type Line, lineWidth, type Paint, plain } from "./line.ts";
import { type Sheet, showOpened } from "./sheet.ts";
import { openWindow } from "./window.ts";

export interface InputSheetSpec {
	readonly title: string;
	readonly lines: readonly Line[];
	/** Shown while nothing is typed. */
	readonly placeholder?: string | undefined;
	readonly text?: string | undefined;
	/** Label for the effect of Escape: `Esc cancels`. */
	readonly leave: string;
	/** Not caused by the user's command: the user may be typing. Enter counts only once something has been typed. */
	readonly uncalled?: boolean;
}

export interface InputSheet extends Sheet<string> {
	/** Whether the cursor is shown in the text. */
	focus(focused: boolean): void;
	/** What is typed. */
	text(): string;
}

/** Rows of the editor besides those of the text: its rules. */
const editorRules = 2;

export function openInputSheet(
	{ title, lines, placeholder = "", text: written = "", leave, uncalled = false }: InputSheetSpec,
	paint: Paint,
	tui: TUI,
	now: () => number = () => performance.now(),
): InputSheet {
	const dimmed = (text: string): string => paint("dim", text);
	const accent = (text: string): string => paint("accent", text);
	const list = {
		selectedPrefix: accent,
		selectedText: accent,
		description: dimmed,
		scrollInfo: dimmed,
		noMatch: dimmed,
	};
	const editor = new Editor(tui, { borderColor: dimmed, selectList: list });
	editor.setText(written);
	const window = openWindow(paint, false);
	const unseen = openUnseen(uncalled, now);
	let sent: string | undefined;
	editor.onSubmit = (text) => {
		if (text !== "" || !uncalled) sent = text;
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
			editor.focused = focused;
		},
		text: () => editor.getExpandedText(),
		...unseen,
		render(width, rows) {
			if (laidFor !== width) {
				laidFor = width;
				text = fill(width);
			}
			const inside = Math.max(1, rows - frameRows);
			const typed = drawEditor(editor, width, Math.max(1, Math.min(inside, Math.max(1 + editorRules, inside >> 1))));
			const hint = editor.getText() === "" && placeholder !== "" ? [dimmed(flat(placeholder))] : [];
			const height = Math.max(0, Math.min(text, inside - typed.length - hint.length));
			const filled = [...(height > 0 ? window.rows(width, height) : []), ...typed, ...hint];
			const padded = Array.from({ length: inside }, (_, index) => filled[index] ?? "");
			const scrolls = height > 0 && window.position() !== "" ? ["PgUp PgDn scroll"] : [];
			const spec = {
				title: [{ text: flat(title), tone: "accent" } as const],
				foot: height > 0 ? window.position() : "",
				keys: unseen.waits() > 0 ? [unseen.hint] : ["Enter confirms", leave, "Shift+Enter new line", ...scrolls],
			};
			return frame(spec, padded, width, paint).slice(0, Math.max(1, rows));
		},
		key(data, keybindings) {
			if (keybindings.matches(data, "tui.select.cancel")) return { kind: "left" };
			const page = Math.max(1, window.height - 1);
			if (keybindings.matches(data, "tui.select.pageUp")) window.scroll(-page);
			else if (keybindings.matches(data, "tui.select.pageDown")) window.scroll(page);
			else editor.handleInput(data);
			return sent === undefined ? { kind: "drawn" } : { kind: "chosen", value: sent };
		},
		invalidate() {},
	};
}

/** The editor in at most `rows` rows; the row of the cursor is among them. */
function drawEditor(editor: Editor, width: number, rows: number): string[] {
	const drawn = editor.render(width);
	if (drawn.length <= rows) return drawn;
	const at = drawn.findIndex((row) => row.includes(CURSOR_MARKER));
	const first = Math.max(0, Math.min((at === -1 ? drawn.length : at + 1) - rows, drawn.length - rows));
	return drawn.slice(first, first + rows);
}

interface InputWatch {
	readonly signal?: AbortSignal | undefined;
	/** Gets what was typed if the question is closed without an answer. */
	readonly left?: ((text: string) => void) | undefined;
}

/** Shows the question and resolves to the text, or to `undefined` if the user closes it or `signal` aborts. Only for the terminal. */
export async function showInputSheet(
	ctx: ExtensionContext,
	spec: InputSheetSpec,
	{ signal, left }: InputWatch = {},
): Promise<string | undefined> {
	const { title, uncalled = false } = spec;
	const message = flat(title);
	const blocked = { kind: "question", message } as const;
	let sheet: InputSheet | undefined;
	const open = (paint: Paint, now: () => number, tui: TUI) => {
		sheet = openInputSheet(spec, paint, tui, now);
		return sheet;
	};
	const leave = () => left?.(sheet?.text() ?? "");
	return showOpened(ctx, { open, blocked, signal, late: uncalled ? message : undefined, left: leave });
}
