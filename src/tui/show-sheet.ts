// Shows a sheet on pi's screen, as an overlay that covers the terminal until it is answered, closed or withdrawn.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { flat, themed } from "./line.ts";
import { openSheet, type SheetSpec } from "./sheet.ts";

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
	if (signal?.aborted) return undefined;
	const blocked =
		spec.choices && spec.answers !== "keys" ? ({ kind: "question", message: flat(spec.title) } as const) : undefined;
	return ctx.ui.custom<T | undefined>(
		(tui, theme, keybindings, done) => {
			const sheet = openSheet(spec, themed({ theme }));
			let timer: NodeJS.Timeout | undefined;
			const end = () => done(undefined);
			signal?.addEventListener("abort", end, { once: true });
			return {
				// Page keys scroll this sheet, not pi's transcript.
				capturesViewportInput: true,
				render(width) {
					clearTimeout(timer);
					const ms = sheet.waits();
					// It is drawn again when letters start to count.
					if (ms > 0) timer = setTimeout(() => tui.requestRender(), ms + 1);
					return sheet.render(width, tui.terminal.rows);
				},
				handleInput(data) {
					const outcome = sheet.key(data, keybindings);
					if (outcome.kind === "chosen") return done(outcome.value);
					if (outcome.kind === "left") return done(undefined);
					if (outcome.kind !== "ignored") tui.requestRender();
				},
				invalidate: () => sheet.invalidate(),
				dispose() {
					clearTimeout(timer);
					signal?.removeEventListener("abort", end);
				},
			};
		},
		{ ...wholeScreen, ...(blocked ? { blocked } : {}) },
	);
}
