// A diff on a screen of its own: the files and their lines, from file to file by key.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { changesHead } from "./changes-head.ts";
import { frame, frameRows } from "./frame.ts";
import type { Line, Paint } from "./line.ts";
import { patchPage } from "./patch.ts";
import { openWindow } from "./window.ts";
import { closes, jumpByKey, moveByKey } from "./window-keys.ts";

/** Shows a diff until the person closes it. `head`: what stands above it. Only for the terminal (`ctx.mode === "tui"`). */
export async function openPatch(
	ctx: ExtensionContext,
	title: string,
	head: readonly string[],
	patch: { readonly text: string; readonly cut: boolean },
	paint: Paint,
): Promise<void> {
	await ctx.ui.custom<void>(
		(tui, _theme, keybindings, done) => {
			const page = patchPage(patch.text, patch);
			const above = changesHead(head, "");
			const files = page.files.map((index) => index + above.length);
			const window = openWindow(paint, false);
			window.set([...above, ...page.lines], (index) => above[index] ?? page.dress(index - above.length));
			return {
				// Page keys move this window, not pi's transcript.
				capturesViewportInput: true,
				render(width) {
					const body = window.rows(width, Math.max(3, tui.terminal.rows - frameRows));
					const keys = ["Esc closes", "↑↓ PgUp PgDn", ...(files.length > 1 ? ["n p next, previous file"] : [])];
					const name: Line = [{ text: title, tone: "accent" }];
					return frame({ title: name, foot: window.position(), keys }, body, width, paint);
				},
				handleInput(data) {
					if (closes(data, keybindings) || keybindings.matches(data, "tui.select.confirm")) return done();
					if (moveByKey(window, data, keybindings) || jumpByKey(window, files, data)) tui.requestRender();
				},
				invalidate() {},
			};
		},
		{ overlay: true, overlayOptions: { width: "100%", maxHeight: "100%", anchor: "center" } },
	);
}
