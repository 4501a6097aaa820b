// A screen to read something long in the terminal: a title, a window over the text, the keys at the bottom.
// Pi's own modules are loaded when a page opens: this folder also serves the command line, which may have no pi beside it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Rows of the screen that are left to what stands above the page, and its title and keys. */
const rowsAround = 12;
const leastRows = 5;

/** Shows Markdown until the person closes it. Only for the terminal (`ctx.mode === "tui"`). */
export async function pageMarkdown(ctx: ExtensionContext, title: string, markdown: string): Promise<void> {
	const [{ getMarkdownTheme }, { Markdown, truncateToWidth }] = await Promise.all([
		import("@earendil-works/pi-coding-agent"),
		import("@earendil-works/pi-tui"),
	]);
	await ctx.ui.custom<void>((tui, theme, keybindings, done) => {
		const body = new Markdown(markdown, 1, 0, getMarkdownTheme());
		let top = 0;
		let height = 0;
		let windowHeight = leastRows;
		const moveTo = (line: number) => {
			top = Math.max(0, Math.min(line, height - windowHeight));
			tui.requestRender();
		};
		return {
			// Page keys move this window, not pi's transcript.
			capturesViewportInput: true,
			render(width) {
				const lines = body.render(width);
				height = lines.length;
				windowHeight = Math.max(leastRows, tui.terminal.rows - rowsAround);
				top = Math.max(0, Math.min(top, height - windowHeight));
				const shown = lines.slice(top, top + windowHeight);
				const position = height > windowHeight ? ` · ${top + 1}–${top + shown.length} of ${height}` : "";
				return [
					theme.bold(theme.fg("accent", title)),
					...shown,
					theme.fg("dim", `↑↓ PgUp PgDn move · Esc closes${position}`),
				].map((line) => truncateToWidth(line, width));
			},
			handleInput(data) {
				if (keybindings.matches(data, "tui.select.up")) moveTo(top - 1);
				else if (keybindings.matches(data, "tui.select.down")) moveTo(top + 1);
				else if (keybindings.matches(data, "tui.select.pageUp")) moveTo(top - windowHeight);
				else if (keybindings.matches(data, "tui.select.pageDown")) moveTo(top + windowHeight);
				else if (keybindings.matches(data, "tui.select.cancel") || keybindings.matches(data, "tui.select.confirm"))
					done();
			},
			invalidate: () => body.invalidate(),
		};
	});
}
