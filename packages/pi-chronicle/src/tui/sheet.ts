// A question on a separate screen: title, scrolling text, and answers with their letters. It has exactly the given rows and columns, and the answers
// are visible at every size.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { decodeKittyPrintable, type TUI } from "@earendil-works/pi-tui";
import type { AnswerKey } from "./answer-keys.ts";
import { frame, frameRows, ruleColumns } from "./frame.ts";
import { type LateQuestion, openLiveClock, openUnseen, showWhenIdle, typesText, typing, type Unseen } from "./late.ts";
import {
	dim,
	fitLine,
	flat,
	type Line,
	lineWidth,
	markedLine,
	type Paint,
	paintLine,
	paintRows,
	plain,
	themed,
} from "./line.ts";
import { jumpByKey, moveByKey, openWindow, type ScreenKeys, shiftByKey } from "./window.ts";

export interface SheetOption<T> {
	readonly value: T;
	readonly words: string;
	/** The letter or digit that selects this answer immediately. */
	readonly key?: AnswerKey | undefined;
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
	/** What one of `choices` is, where some are out of sight. Default: answer. */
	readonly noun?: string;
	/** Label for the effect of Escape: `Esc later`. */
	readonly leave: string;
	/** Not caused by the user's command, or some time after it: the user may be typing. */
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
	/** Milliseconds until answers count; 0 once they do. */
	waits(): number;
	/** Draws the body anew, because the theme has changed. */
	invalidate(): void;
	/** Judges each key first, while the user may not have seen the sheet. */
	readonly early?: Unseen["early"];
	/** Whether the cursor is shown, if the sheet has one. */
	focus?(focused: boolean): void;
}

/** Milliseconds before letters and Enter count again after a key that answers nothing: the user is typing. */
const typingMs = 1000;
const drawn = { kind: "drawn" } as const;
const left = { kind: "left" } as const;
const ignored = { kind: "ignored" } as const;

/** Opens a sheet. `now`: milliseconds of a monotonic clock. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one sheet, of short functions
export function openSheet<T>(spec: SheetSpec<T>, paint: Paint, now: () => number = () => performance.now()): Sheet<T> {
	const { title, body, leave, uncalled = false, noun = "answer" } = spec;
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
	const keyed = choices.some(({ key }) => key !== undefined);
	const unseen = openUnseen(uncalled, now);
	let typingUntil = 0;
	const waits = () => Math.max(unseen.waits(), typingUntil - now());

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
		return waits() > 0 ? notYet() : found && { kind: "chosen", value: found.value };
	};

	const notYet = (): SheetResult<T> => {
		typingUntil = now() + typingMs;
		return drawn;
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
		early: unseen.early,
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
			const place = answers?.position === undefined ? "" : `${noun} ${answers.position}`;
			const foot = [window.position(), place].filter((part) => part !== "").join(" · ");
			const name: Line = [{ text: title, tone: "accent" }];
			const keys = unseen.waits() > 0 ? [unseen.hint] : keyHints(width);
			return frame({ title: name, foot, keys }, padded, width, paint).slice(0, Math.max(1, rows));
		},
		// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: keys and rows of a sheet in the order in which they count
		key(data, keybindings) {
			const typed = decodeKittyPrintable(data) ?? data;
			if (keybindings.matches(data, "tui.select.cancel")) return left;
			const isTyped = typesText(data);
			if (keyed && typingUntil > now() && (isTyped || keybindings.matches(data, "tui.select.confirm"))) return notYet();
			const isLetter = /^[\p{L}\p{Nd}]$/u.test(typed);
			const answer = isLetter && keyed ? byLetter(typed) : undefined;
			if (answer) return answer;
			if (listed) {
				const taken = takeListKey(typed, keybindings);
				return keyed && taken.kind === "ignored" && isTyped ? notYet() : taken;
			}
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
	readonly keys?: Readonly<Partial<Record<Option, AnswerKey>>>;
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
	const choices = options.map((option) => ({ value: option, words: option, key: keys?.[option] }));
	return { title, body: textBody(text), choices, leave, uncalled };
}

interface ShownAnswers {
	readonly rows: readonly string[];
	readonly shown: number;
	/** `3 of 40`; `undefined` if all answers are shown. */
	readonly position: string | undefined;
}

type AnswerOption = Pick<SheetOption<unknown>, "words" | "key">;

/** Rows of the text that stay visible, however many answers there are. */
const minText = 2;

/** Rows available for answers, out of the `inside` rows of a sheet whose text has `text` rows. */
function rowsForAnswers(inside: number, text: number): number {
	return Math.max(1, inside - Math.min(text, Math.max(minText, Math.floor(inside / 4))));
}

/** Lays out the answers in at most `rows` rows; the selected one is always among them. `letters`: whether letter keys are active now. */
function layAnswers(
	answers: readonly AnswerOption[],
	room: { readonly selected: number; readonly width: number; readonly rows: number; readonly letters: boolean },
	paint: Paint,
): ShownAnswers {
	const { selected, width, rows, letters } = room;
	const keyed = answers.some(({ key }) => key !== undefined);
	const indent = keyed ? 4 : 2;
	const gutter = ({ key }: AnswerOption, index: number): Line => {
		const letter = keyed ? `${letters && key !== undefined ? key : " "} ` : "";
		return [dim(letter), { text: index === selected ? "→ " : "  ", tone: "accent" }];
	};
	const words = (answer: AnswerOption, index: number): Line => [
		{ text: answer.words, tone: index === selected ? "accent" : "plain" },
	];
	const whole = answers.flatMap((answer, index) =>
		paintRows(words(answer, index), Math.max(1, width - indent), paint).map(
			(row, at) => `${at === 0 ? paintLine(gutter(answer, index), paint) : " ".repeat(indent)}${row}`,
		),
	);
	if (whole.length <= rows) return { rows: whole, shown: answers.length, position: undefined };
	const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), answers.length - rows));
	const some = answers.slice(first, first + rows).map((answer, at) => {
		const index = first + at;
		return paintLine(fitLine([...gutter(answer, index), ...words(answer, index)], width), paint);
	});
	const position = some.length < answers.length ? `${selected + 1} of ${answers.length}` : undefined;
	return { rows: some, shown: some.length, position };
}

/** Options of every overlay: it covers the whole screen. */
export const wholeScreen = {
	overlay: true,
	overlayOptions: { width: "100%", maxHeight: "100%", anchor: "center" },
} as const;

/**
 * Shows the sheet and resolves to the value of the answer, or to `undefined` if the user closes it or `signal` aborts. Only for the
 * terminal (`ctx.mode === "tui"`).
 */
export async function showSheet<T>(
	ctx: ExtensionContext,
	spec: SheetSpec<T>,
	signal?: AbortSignal,
): Promise<T | undefined> {
	const { title, uncalled = false } = spec;
	const message = flat(title);
	const blocked = spec.choices && spec.answers !== "keys" ? ({ kind: "question", message } as const) : undefined;
	const open = (paint: Paint, now: () => number) => openSheet(spec, paint, now);
	return showOpened(ctx, { open, blocked, signal, late: uncalled ? message : undefined });
}

interface OpenedSheet<T> extends LateQuestion {
	readonly open: (paint: Paint, now: () => number, tui: TUI) => Sheet<T>;
	/** Called when the sheet closes without an answer. */
	readonly left?: () => void;
	/** What pi is told that waits for the user. */
	readonly blocked?: { readonly kind: "question"; readonly message: string } | undefined;
}

/** Shows a sheet like {@link showSheet}. `open` opens it in the colors of the theme. */
export function showOpened<T>(ctx: ExtensionContext, opened: OpenedSheet<T>): Promise<T | undefined> {
	const { open, blocked, signal, left } = opened;
	const show = () =>
		ctx.ui.custom<T | typeof typing | undefined>(
			(tui, theme, keybindings, done) => {
				const clock = openLiveClock();
				const sheet = open(themed({ theme }), clock.now, tui);
				let timer: NodeJS.Timeout | undefined;
				let focused = true;
				const end = () => {
					left?.();
					done(undefined);
				};
				signal?.addEventListener("abort", end, { once: true });
				const stopListening = tui.addInputListener((data) => {
					const early = focused ? sheet.early?.(data, keybindings) : undefined;
					// The key then goes to what has the focus: the input line, or a sheet below.
					if (early === "typed") done(typing);
					return early === "held" ? { consume: true } : undefined;
				});
				return {
					// Page keys scroll this sheet, not pi's transcript.
					capturesViewportInput: true,
					get focused() {
						return focused;
					},
					set focused(now: boolean) {
						focused = now;
						sheet.focus?.(now);
					},
					render(width) {
						clearTimeout(timer);
						const ms = sheet.waits();
						// It is drawn again when answers start to count.
						if (ms > 0) timer = setTimeout(() => tui.requestRender(), ms + 1);
						return sheet.render(width, tui.terminal.rows);
					},
					handleInput(data) {
						const outcome = sheet.key(data, keybindings);
						if (outcome.kind === "chosen") return done(outcome.value);
						if (outcome.kind === "left") return end();
						if (outcome.kind !== "ignored") tui.requestRender();
					},
					invalidate: () => sheet.invalidate(),
					dispose() {
						clock.close();
						stopListening();
						clearTimeout(timer);
						signal?.removeEventListener("abort", end);
					},
				};
			},
			{ ...wholeScreen, ...(blocked ? { blocked } : {}) },
		);
	return showWhenIdle(ctx, opened, show);
}
