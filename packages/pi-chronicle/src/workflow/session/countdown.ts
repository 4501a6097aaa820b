// The visible countdown before the model is reminded to continue; the user can interrupt it.
// It ends exactly once, with a reason; its end removes the timer, the widget, and the key listener, also when the session closes;
// it redraws at most once per second.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isKeyRelease, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Scope } from "../../pi/index.ts";

/** `elapsed`: the time ran out. `held`: the user intervened, for example with a key press. `ended`: the countdown became obsolete. */
type CountdownEnd = "elapsed" | "held" | "ended";

export interface Countdown {
	readonly over: Promise<CountdownEnd>;
	end(how: "held" | "ended"): void;
}

const widgetKey = "chronicle-countdown";

/** Starts a countdown of `seconds` in the terminal or, as text, for an RPC client. `what` names the phase that continues. */
export function startCountdown(ctx: ExtensionContext, scope: Scope, seconds: number, what: string): Countdown {
	const { ui, mode } = ctx;
	let left = seconds;
	let redraw = () => ui.setWidget(widgetKey, [leftWords(what, left)], { placement: "aboveEditor" });
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

	const { promise: over, resolve: finish } = Promise.withResolvers<CountdownEnd>();
	const closers: (() => void)[] = [];
	const end = (how: CountdownEnd) => {
		// Resolve first, because a closer may call `end` again.
		finish(how);
		for (const close of closers.splice(0)) close();
	};
	const tick = () => {
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

function leftWords(what: string, left: number): string {
	return `⏳ ${what} continues in ${left}s · Esc pauses, typing holds`;
}

/** One line of at most `width` columns. If space is short, the phase name is truncated before the key hints. */
export function countdownLine(what: string, left: number, width: number): string {
	const room = width - visibleWidth(leftWords("", left));
	return truncateToWidth(leftWords(truncateToWidth(what, Math.max(room, 1), "…"), left), width);
}

/** Whether the input is a key press. Terminals also send key releases, mouse and focus events, and replies to queries. */
function isKey(data: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts sequences that a terminal sends on its own
	return !isKeyRelease(data) && !/^\x1b(\[(<|M|I$|O$|\?)|\]|P|_)/.test(data);
}
