// A sheet: one screen with a title, a scrolling body, answers, and a line of keys. Questions, pagers and lists are sheets. A sheet draws
// itself and handles keys; `showSheet` opens it on pi's screen. It has exactly the given rows and columns.
// Title, position, answers and keys are visible at every size from 40×12; the body gets the remaining rows. The first answer is the safe
// one, because Enter selects it. On a sheet that the user did not request, letters count only after a moment without keys, because they may
// be meant for the editor.
import { decodeKittyPrintable } from "@earendil-works/pi-tui";
import { layAnswers, rowsForAnswers } from "./answers.ts";
import { frame, frameRows } from "./frame.ts";
import { type Line, lineWidth, markedLine, type Paint, plain } from "./line.ts";
import { openWindow } from "./window.ts";
import { jumpByKey, moveByKey, type ScreenKeys, shiftByKey } from "./window-keys.ts";

export interface SheetOption<T> {
	readonly value: T;
	readonly words: string;
	/** The letter or digit that selects this answer immediately. */
	readonly key?: string;
}

export type Body =
	| {
			readonly kind: "lines";
			readonly lines: readonly Line[];
			/** Colors a line when it is shown, if coloring all lines costs too much. */
			readonly dress?: (index: number) => Line;
			/** Lines that n and p jump to. */
			readonly marks?: readonly number[];
			/** `cut`: lines are not wrapped, and ← → scroll sideways. */
			readonly long?: "wrapped" | "cut";
	  }
	/** Drawn for a width in columns. */
	| { readonly kind: "drawn"; readonly draw: (width: number) => readonly Line[] };

export interface SheetSpec<T> {
	readonly title: string;
	readonly body: Body;
	/** The safe answer first. Without answers, the sheet is a pager, which Enter also closes. */
	readonly choices?: readonly SheetOption<T>[];
	/** `keys`: the line of keys shows the answers, and the arrows scroll the body. */
	readonly answers?: "listed" | "keys";
	/** Label for the effect of Escape: `Esc later`. */
	readonly leave: string;
	/** Not caused by the user's command. */
	readonly uncalled?: boolean;
}

type SheetResult<T> =
	| { readonly kind: "chosen"; readonly value: T }
	| { readonly kind: "left" }
	| { readonly kind: "drawn" }
	| { readonly kind: "ignored" };

export interface Sheet<T> {
	/** Exactly `rows` rows, none wider than `width` columns. */
	render(width: number, rows: number): string[];
	key(data: string, keybindings: ScreenKeys): SheetResult<T>;
	/** Milliseconds until letters count; 0 once they do. */
	waits(): number;
	/** Draws the body anew, because the theme has changed. */
	invalidate(): void;
}

/** Milliseconds without keys before a letter counts as an answer. */
const quietMs = 250;
const drawn = { kind: "drawn" } as const;
const left = { kind: "left" } as const;
const ignored = { kind: "ignored" } as const;

/** Opens a sheet. `now`: milliseconds of a monotonic clock. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one sheet, of short functions
export function openSheet<T>(spec: SheetSpec<T>, paint: Paint, now: () => number = () => performance.now()): Sheet<T> {
	const { title, body, leave, uncalled = false } = spec;
	const choices = spec.choices ?? [];
	const listed = choices.length > 0 && spec.answers !== "keys";
	const long = body.kind === "lines" ? body.long : undefined;
	const window = openWindow(paint, false, long ?? "wrapped");
	/** Number of lines in the window before those of the body. */
	let above = 0;
	let laidFor = 0;
	let isStale = false;
	let selected = 0;
	let shown = choices.length;
	let busyUntil = uncalled ? now() + quietMs : 0;
	const waits = () => Math.max(0, busyUntil - now());

	/** Fills the window for this width. A title that its rule cuts is repeated in full above the body. */
	// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: keys and rows of a sheet in the order in which they count
	const lay = (width: number): void => {
		if (laidFor === width && !isStale) return;
		isStale = false;
		const before = laidFor === 0 ? 0 : window.topLine() / Math.max(1, window.lineCount());
		laidFor = width;
		const name: Line = [{ text: title, tone: "accent" }];
		const isCut = lineWidth(name) > width - ruleColumns;
		const empty = body.kind === "lines" && body.lines.length === 0;
		const head: Line[] = isCut ? (empty ? [name] : [name, [plain("")]]) : [];
		above = head.length;
		const lines = body.kind === "lines" ? body.lines : body.draw(width);
		const dress = body.kind === "lines" ? body.dress : undefined;
		window.set([...head, ...lines], dress && ((index) => head[index] ?? dress(index - head.length)));
		window.count(width);
		if (body.kind === "drawn" && before > 0) window.toLine(Math.round(before * window.lineCount()));
	};

	const keyHints = (width: number): string[] => {
		const moves = window.position() === "" ? [] : listed ? ["PgUp PgDn scroll"] : ["↑↓ PgUp PgDn"];
		const sideways = window.isCut(width) ? ["←→ sideways"] : [];
		const marks = body.kind === "lines" && (body.marks?.length ?? 0) > 1 ? ["n p next, previous file"] : [];
		if (listed) return ["↑↓ Enter choose", leave, ...moves, ...sideways];
		const letters = choices.flatMap(({ key, words }) => (key === undefined ? [] : [`${key} ${words}`]));
		return [...(waits() > 0 ? [] : letters), leave, ...moves, ...sideways, ...marks];
	};

	const byLetter = (data: string): SheetResult<T> | undefined => {
		const found = choices.find(({ key }) => key !== undefined && key === data);
		if (waits() > 0) {
			// A burst of keys means that the user is typing: none of them answers.
			busyUntil = now() + quietMs;
			return drawn;
		}
		return found && { kind: "chosen", value: found.value };
	};

	// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: keys and rows of a sheet in the order in which they count
	const takeListKey = (data: string, keybindings: ScreenKeys): SheetResult<T> => {
		const by = keybindings.matches(data, "tui.select.up") ? -1 : keybindings.matches(data, "tui.select.down") ? 1 : 0;
		if (by !== 0) {
			selected = (selected + by + choices.length) % choices.length;
			return drawn;
		}
		const chosen = choices[selected];
		if (keybindings.matches(data, "tui.select.confirm")) return chosen ? { kind: "chosen", value: chosen.value } : left;
		const page = keybindings.matches(data, "tui.select.pageUp")
			? -1
			: keybindings.matches(data, "tui.select.pageDown")
				? 1
				: 0;
		// If the text does not scroll, page keys move through the answers.
		if (page !== 0 && window.position() === "" && shown < choices.length) {
			selected = Math.max(0, Math.min(choices.length - 1, selected + page * Math.max(1, shown - 1)));
			return drawn;
		}
		return moveByKey(window, data, keybindings) || shiftByKey(window, data, keybindings) ? drawn : ignored;
	};

	return {
		waits,
		invalidate() {
			isStale = true;
		},
		// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: keys and rows of a sheet in the order in which they count
		render(width, rows) {
			lay(width);
			const inside = Math.max(1, rows - frameRows);
			const text = window.lineCount() === 0 ? 0 : window.count(width);
			const answerRows = listed ? rowsForAnswers(inside, text) : 0;
			const letters = waits() === 0;
			const answers = listed ? layAnswers(choices, { selected, width, rows: answerRows, letters }, paint) : undefined;
			shown = answers?.shown ?? 0;
			const room = inside - (answers?.rows.length ?? 0);
			const blank = answers && text > 0 && (room > text || room > 4) ? 1 : 0;
			const height = Math.min(text, room - blank);
			const filled = [
				...(height > 0 ? window.rows(width, height) : []),
				...(blank ? [""] : []),
				...(answers?.rows ?? []),
			];
			const padded = Array.from({ length: inside }, (_, index) => filled[index] ?? "");
			const foot = [window.position(), answers?.position ?? ""].filter((part) => part !== "").join(" · ");
			const name: Line = [{ text: title, tone: "accent" }];
			return frame({ title: name, foot, keys: keyHints(width) }, padded, width, paint).slice(0, Math.max(1, rows));
		},
		// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: keys and rows of a sheet in the order in which they count
		key(data, keybindings) {
			const typed = decodeKittyPrintable(data) ?? data;
			if (keybindings.matches(data, "tui.select.cancel")) return left;
			const isLetter = /^[\p{L}\p{Nd}]$/u.test(typed);
			const answer = isLetter && choices.some(({ key }) => key !== undefined) ? byLetter(typed) : undefined;
			if (answer) return answer;
			if (listed) return takeListKey(typed, keybindings);
			if (typed === "q" || keybindings.matches(data, "tui.select.confirm")) return left;
			const marks = body.kind === "lines" ? (body.marks ?? []).map((line) => line + above) : [];
			const moved =
				moveByKey(window, typed, keybindings) ||
				shiftByKey(window, typed, keybindings) ||
				jumpByKey(window, marks, typed);
			return moved ? drawn : ignored;
		},
	};
}

/** Columns of the upper rule outside the title: `── ` and ` `. */
const ruleColumns = 4;

/** Builds the body of a sheet from text. */
export function textBody(text: string): Body {
	return { kind: "lines", lines: text === "" ? [] : text.split("\n").map(markedLine) };
}

export interface WordedQuestion<Option extends string> {
	/** If it has several lines, those after the first are shown below it. */
	readonly title: string;
	/** Plain text, possibly several lines. */
	readonly message: string;
	/** The options in order, the safe answer first. */
	readonly options: readonly Option[];
	/** Letters that select an answer immediately. */
	readonly keys?: Readonly<Partial<Record<Option, string>>>;
	/** Label for the effect of Escape: `Esc later`. */
	readonly leave?: string;
	/** Not caused by the user's command. */
	readonly uncalled?: boolean;
}

/** The question as a sheet; the options are its answers. */
export function questionSheet<Option extends string>(question: WordedQuestion<Option>): SheetSpec<Option> {
	const { message, options, keys, leave = "Esc cancels", uncalled = false } = question;
	const [title = "", ...more] = question.title.split("\n");
	const text = [more.join("\n").trim(), message].filter((part) => part !== "").join("\n\n");
	const choices = options.map((option) => {
		const key = keys?.[option];
		return { value: option, words: option, ...(key === undefined ? {} : { key }) };
	});
	return { title, body: textBody(text), choices, leave, uncalled };
}
