// Browses the notebook in the terminal: choose a page, read it, choose again.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { chooseOption, pageMarkdown, printable } from "../../pi/index.ts";
import type { Notebook } from "./notebook.ts";
import { indexLines } from "./notebook.ts";

/** Shows pages until the user leaves with Escape. */
export async function browsePages(ctx: ExtensionContext, notebook: Notebook): Promise<void> {
	const names = [...notebook.pages.keys()];
	const rows = indexLines(notebook).map((line) => printable(line.replace(/^- /, "")));
	const title = notebook.topic === undefined ? "Notebook" : `Notebook · ${notebook.topic.name}`;
	while (true) {
		const row = await chooseOption(ctx, { title, message: "", options: rows, leave: "Esc closes" });
		const name = row === undefined ? undefined : names[rows.indexOf(row)];
		if (name === undefined) return;
		await pageMarkdown(ctx, name, printable(notebook.pages.get(name) ?? ""));
	}
}
