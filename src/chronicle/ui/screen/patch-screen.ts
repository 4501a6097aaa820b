// A diff on a screen of its own: the files and their lines, from file to file by key, and the answers where it is looked at for a question.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type SheetOption, type SheetSpec, showSheet } from "../../../tui/index.ts";
import { changesHead } from "./changes-head.ts";
import { patchPage } from "./patch.ts";

export interface ShownPatch {
	readonly title: string;
	/** What stands above it. */
	readonly head: readonly string[];
	readonly text: string;
	/** Whether the text ends at its limit, and not with the diff. */
	readonly cut: boolean;
}

/** Shows a diff until the person answers or closes it. Only for the terminal (`ctx.mode === "tui"`). */
export function openPatch<T>(
	ctx: ExtensionContext,
	patch: ShownPatch,
	choices: readonly SheetOption<T>[] = [],
	signal?: AbortSignal,
): Promise<T | undefined> {
	return showSheet(ctx, patchSheet(patch, choices), signal);
}

/** The sheet of a diff. */
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
