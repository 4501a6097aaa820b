// The run view in a plain terminal, outside pi.
import { initTheme } from "@earendil-works/pi-coding-agent";
import { showInTerminal, terminalPaint } from "../../../tui/index.ts";
import type { ViewSource } from "./view-source.ts";
import { ViewStack } from "./view-stack.ts";

/**
 * Opens the view on standard output and resolves when the user closes it, or `signal` aborts. `keys`: the user's own, as in pi's
 * `keybindings.json`.
 */
export async function followInTerminal(
	source: ViewSource,
	{ keys, signal }: { readonly keys: Readonly<Record<string, string | string[]>>; readonly signal: AbortSignal },
): Promise<void> {
	// Code in a diff is colored by pi's theme for the terminal.
	initTheme();
	await showInTerminal((requestRender) => new ViewStack(source, terminalPaint(process.stdout), requestRender), {
		keys: keys as NonNullable<Parameters<typeof showInTerminal>[1]["keys"]>,
		signal,
	});
}
