// The seconds before the model is told to go on, where a person can see them and take the word.
// K1 it always ends, once, with a reason; K2 timer, widget and key listener go with it, also when the session closes;
// K3 it draws once a second at most.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isKeyRelease, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Scope } from "../../pi/index.ts";

/** `elapsed`: nobody objected. `held`: a person did something else, pressed a key for one. `ended`: something made it pointless. */
export type CountdownEnd = "elapsed" | "held" | "ended";

export interface Countdown {
	readonly over: Promise<CountdownEnd>;
	end(how: "held" | "ended"): void;
}

const widgetKey = "chronicle-countdown";

/** Starts counting `seconds` down in the terminal or, as text, for an RPC client. `what` names the phase that goes on. */
export function startCountdown(ctx: ExtensionContext, scope: Scope, seconds: number, what: string): Countdown {
	const { ui, mode } = ctx;
	let left = seconds;
	let redraw = () => ui.setWidget(widgetKey, [words(what, left)], { placement: "aboveEditor" });
	if (mode === "tui")
		ui.setWidget(
			widgetKey,
			(tui, theme) => {
				redraw = () => tui.requestRender();
				return {
					render: (width) => [theme.fg("warning", countdownLine(what, left, width))],
					invalidate() {},
				};
			},
			{ placement: "aboveEditor" },
		);
	else redraw();

	let finish: (end: CountdownEnd) => void = () => {};
	const over = new Promise<CountdownEnd>((resolve) => {
		finish = resolve;
	});
	const closers: (() => void)[] = [];
	const end = (how: CountdownEnd) => {
		// First, because a closer may come back here.
		finish(how);
		for (const close of closers.splice(0)) close();
	};
	const tick = () => {
		if (isGone(ctx)) return end("ended");
		left--;
		if (left <= 0) end("elapsed");
		else redraw();
	};
	if (seconds <= 0) end("elapsed");
	else {
		const heed = (data: string) => {
			if (isKey(data)) end("held");
			return undefined;
		};
		closers.push(scope.every(1_000, tick), ui.onTerminalInput(heed));
		const release = scope.own(() => end("ended"));
		closers.push(
			() => ui.setWidget(widgetKey, undefined),
			() => void release(),
		);
		if (scope.closed) end("ended");
	}
	return { over, end };
}

/** Whether the session of `ctx` is over: a host may dispose of one in the middle of a run, and no event tells of that. */
export function isGone(ctx: Pick<ExtensionContext, "isIdle">): boolean {
	try {
		ctx.isIdle();
		return false;
	} catch {
		return true;
	}
}

function words(what: string, left: number): string {
	return `⏳ ${what} continues in ${left} s · Esc pauses, typing holds`;
}

/** One line of at most `width` columns: where it is too narrow, the name of the phase is cut before what the person can do. */
export function countdownLine(what: string, left: number, width: number): string {
	const room = width - visibleWidth(words("", left));
	return truncateToWidth(words(truncateToWidth(what, Math.max(room, 1), "…"), left), width);
}

/** Terminals also send what no person typed: releases of keys, the mouse, focus, answers to questions. */
function isKey(data: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins what a terminal sends by itself
	return !isKeyRelease(data) && !/^\x1b(\[(<|M|I$|O$|\?)|\]|P|_)/.test(data);
}
