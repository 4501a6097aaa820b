// The keys of all screens: those of pi's lists, and the usual letters of pagers.
import type { KeybindingsManager } from "@earendil-works/pi-coding-agent";
import type { Window } from "./window.ts";

export type ScreenKeys = Pick<KeybindingsManager, "matches">;

/** Whether the key closes a screen. */
export function closes(data: string, keybindings: ScreenKeys): boolean {
	return data === "q" || keybindings.matches(data, "tui.select.cancel");
}

/** Scrolls the window if the key is a scroll key; returns whether it is one. */
export function moveByKey(window: Window, data: string, keybindings: ScreenKeys): boolean {
	const page = Math.max(1, window.height - 1);
	if (data === "k" || keybindings.matches(data, "tui.select.up")) window.scroll(-1);
	else if (data === "j" || keybindings.matches(data, "tui.select.down")) window.scroll(1);
	else if (keybindings.matches(data, "tui.select.pageUp")) window.scroll(-page);
	else if (data === " " || keybindings.matches(data, "tui.select.pageDown")) window.scroll(page);
	else if (data === "g" || keybindings.matches(data, "tui.editor.cursorLineStart")) window.toStart();
	else if (data === "G" || keybindings.matches(data, "tui.editor.cursorLineEnd")) window.toEnd();
	else return false;
	return true;
}

/** Jumps to the next or previous of these lines; returns whether the key is n or p. */
export function jumpByKey(window: Window, lines: readonly number[], data: string): boolean {
	if (data !== "n" && data !== "p") return false;
	const top = window.topLine();
	const target = data === "n" ? lines.find((line) => line > top) : (lines.findLast((line) => line < top) ?? 0);
	if (target !== undefined) window.toLine(target);
	return true;
}

/** Columns per sideways scroll. */
const sidewaysColumns = 8;

/** Scrolls a window with cut lines sideways; returns whether it moved. */
export function shiftByKey(window: Window, data: string, keybindings: ScreenKeys): boolean {
	if (keybindings.matches(data, "tui.editor.cursorLeft")) return window.shift(-sidewaysColumns);
	return keybindings.matches(data, "tui.editor.cursorRight") && window.shift(sidewaysColumns);
}
