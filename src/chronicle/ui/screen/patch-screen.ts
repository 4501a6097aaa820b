// A full-screen diff: files with their lines, keys to move between files, and the answers if it belongs to a question.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type SheetOption, type SheetSpec, showSheet } from "../../../tui/index.ts";
import { changesHead } from "./changes-head.ts";
import { patchPage } from "./patch.ts";

export interface ShownPatch {
	readonly title: string;
	/** Lines shown above the diff. */
	readonly head: readonly string[];
	readonly text: string;
	/** Whether the text was truncated at its limit. */
	readonly cut: boolean;
}

/** Shows a diff until the user answers or closes it. Only for the terminal (`ctx.mode === "tui"`). */
export function openPatch<T>(
	ctx: ExtensionContext,
	patch: ShownPatch,
	choices: readonly SheetOption<T>[] = [],
	signal?: AbortSignal,
): Promise<T | undefined> {
	return showSheet(ctx, patchSheet(patch, choices), signal);
}

export function patchSheet<T>(
	{ title, head, text, cut }: ShownPatch,
	choices: readonly SheetOption<T>[],
): SheetSpec<T> {
	const page = patchPage(text, { cut });
	const above = changesHead(head, "");
	return {
		title,
		choices,
		answers: "keys",
		leave: choices.length > 0 ? "Esc back" : "Esc closes",
		body: {
			kind: "lines",
			lines: [...above, ...page.lines],
			marks: page.files.map((index) => index + above.length),
			dress: (index) => above[index] ?? page.dress(index - above.length),
		},
	};
}
