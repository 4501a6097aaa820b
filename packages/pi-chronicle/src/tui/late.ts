// A question that the user did not call for, or that comes some time after the command. It takes no line that was begun before the user could see it: it opens
// over an empty input line only, and text typed in its first second goes to the input line. The question then waits until that line is empty again.
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { decodeKittyPrintable } from "@earendil-works/pi-tui";
import type { ScreenKeys } from "./window.ts";

/** What a sheet ends with if the user is typing something else. */
export const typing = Symbol("typing");

/** Shown in place of the keys until answers count. */
const hint = "Answers count in a moment";
/** Milliseconds in which a late question takes no answer. */
const unseenMs = 1000;
/** Milliseconds between two looks at the input line while a question waits, and of one step of the clock. */
const stepMs = 250;
const paste = "\u001b[200~";

/** Whether a key is text; a terminal may report it as an escape sequence. */
export function typesText(data: string): boolean {
	return /^[^\p{Cc}\p{Cs}]+$/u.test(decodeKittyPrintable(data) ?? data);
}

/** The first second of a sheet; it has none if the user called for it. `now`: milliseconds of a monotonic clock. */
export function openUnseen(uncalled: boolean, now: () => number) {
	const until = uncalled ? now() + unseenMs : 0;
	/** Milliseconds until answers count; 0 once they do. */
	const waits = () => Math.max(0, until - now());
	/** What becomes of a key that is no answer yet; `undefined`: it counts. */
	const early = (data: string, keybindings: ScreenKeys): "typed" | "held" | undefined => {
		if (waits() === 0) return undefined;
		if (typesText(data) || data.startsWith(paste)) return "typed";
		const isEnter = keybindings.matches(data, "tui.select.confirm") || keybindings.matches(data, "tui.input.newLine");
		return isEnter ? "held" : undefined;
	};
	return { waits, early, hint };
}

export type Unseen = ReturnType<typeof openUnseen>;

/** A clock that a standstill of this process moves by one step at most: keys that waited meanwhile are not taken for later ones. */
export function openLiveClock(): { readonly now: () => number; readonly close: () => void } {
	let at = 0;
	const timer = setInterval(() => {
		at += stepMs;
	}, stepMs).unref();
	return { now: () => at, close: () => clearInterval(timer) };
}

export interface LateQuestion {
	/** Title of a question that the user did not call for. */
	readonly late?: string | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** Shows a sheet by `show`: a late one when the input line is empty, and again when it is after the user has typed something else. */
export async function showWhenIdle<T>(
	ctx: ExtensionContext,
	{ late, signal }: LateQuestion,
	show: () => Promise<T | typeof typing | undefined>,
): Promise<T | undefined> {
	for (;;) {
		if (signal?.aborted || (late !== undefined && !(await lineIsEmpty(ctx, late, signal)))) return undefined;
		const shown = await show();
		if (shown !== typing) return shown;
	}
}

/** Resolves to true when the user's input line is empty; to false if the question is withdrawn. Notifies the user that a question waits. */
async function lineIsEmpty(ctx: ExtensionContext, title: string, signal: AbortSignal | undefined): Promise<boolean> {
	for (let first = true; ; first = false) {
		const text = inputLine(ctx);
		if (text === undefined || signal?.aborted) return false;
		if (text.trim() === "") return true;
		if (first) ctx.ui.notify(`A question waits: ${title}\nClear your input line to answer.`, "warning");
		await sleep(stepMs, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => {});
	}
}

/** What stands in pi's input line; `undefined` if the session has been replaced. */
function inputLine(ctx: ExtensionContext): string | undefined {
	try {
		return ctx.ui.getEditorText();
	} catch {
		return undefined;
	}
}
