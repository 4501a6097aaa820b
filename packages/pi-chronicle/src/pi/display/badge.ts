// One line above the editor for state that must not be overlooked (readonly, the phases of a workflow). What the footer shows as a status line too
// appears only while no footer does, because other packages replace pi's footer.
// Nothing is shown twice: if the footer shows the text, the line takes no room.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { attempt } from "../../disk/index.ts";

export interface Badge {
	/** Shows `text`, or clears the line if it is `undefined`. Does nothing in a session without a terminal. */
	show(ctx: ExtensionContext, text: string | undefined): void;
}

/** Opens the line with this key. */
export function openBadge(key: string, tone: "warning" | "accent" = "warning"): Badge {
	let shown: string | undefined;
	return {
		show(ctx, text) {
			if (ctx.mode !== "tui" || text === shown) return;
			shown = text;
			if (text === undefined) {
				ctx.ui.setWidget(key, undefined);
				return;
			}
			ctx.ui.setWidget(key, (tui, theme) =>
				badgeLine(
					text,
					() => tui.children.at(-1),
					(line) => theme.fg(tone, line),
				),
			);
		},
	};
}

/** The line as a component; `footer` returns the last component on the screen. */
function badgeLine(text: string, footer: () => Component | undefined, paint: (line: string) => string): Component {
	return {
		invalidate() {},
		render(width) {
			return isInFooter(text, footer(), width) ? [] : [paint([...text].slice(0, Math.max(1, width - 1)).join(""))];
		},
	};
}

/** Whether the footer shows the start of the text; long status lines are cut. */
function isInFooter(text: string, footer: Component | undefined, width: number): boolean {
	const start = [...text].slice(0, 16).join("");
	return attempt(() => footer?.render(width).some((line) => withoutStyles(line).includes(start))) ?? false;
}

function withoutStyles(line: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
	return line.replace(/\x1b(?:\[[0-9;:]*m|\][^\x07\x1b]*(?:\x07|\x1b\\))/g, "");
}
