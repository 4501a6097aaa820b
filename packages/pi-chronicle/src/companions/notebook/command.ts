// `/notebook`: one function for the slash command and for a step of a sequence.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { askUser, chooseFromList, pageMarkdown, printable, rejectCommand, say } from "../../pi/index.ts";
import { redactSecrets } from "../../safety/index.ts";
import { indexLine, indexLines, type Notebook, pageName, searchPages } from "./notebook.ts";
import type { NotebookSession } from "./notebook-session.ts";
import { readNotebookRequest } from "./verbs.ts";

/** Maximum number of search results shown. */
const maxFound = 40;

/**
 * Runs `/notebook <args>`. Without arguments it opens the pages to browse, or prints a list if there is no terminal or the call is
 * `unattended`, because no user may be present to close a screen. Returns the reason if the command was refused; the caller reports it.
 */
export async function runNotebookCommand(
	session: NotebookSession,
	ctx: ExtensionContext,
	args: string,
	presence: "attended" | "unattended" = "attended",
): Promise<string | undefined> {
	const request = readNotebookRequest(args);
	switch (request.kind) {
		case "refused":
			return request.reason;
		case "switch": {
			const refused = await session.turn(request.on, ctx);
			if (refused === undefined)
				say(
					ctx,
					session.on
						? "The notebook is on: the model can write and read pages."
						: "The notebook is off. Its pages are kept.",
				);
			return refused;
		}
		case "topic":
			return changeTopic(session, ctx, request.words);
		case "search":
			return searchNotebook(session, ctx, request.words);
		case "rename": {
			const refused = session.rename(request.from, redactSecrets(request.to));
			if (refused === undefined) say(ctx, `Renamed the page "${request.from}" to "${request.to}".`);
			return refused;
		}
		case "delete":
			return deletePage(session, ctx, request.page, presence);
		case "browse":
			return browse(session, ctx, presence);
	}
}

function changeTopic(session: NotebookSession, ctx: ExtensionContext, words: string | undefined): string | undefined {
	if (words === undefined) {
		session.clearTopic();
		say(ctx, "The notebook has no topic.");
		return undefined;
	}
	const refused = session.setTopic(redactSecrets(words), "human");
	if (refused === undefined) say(ctx, `Topic: ${session.notebook.topic?.name}`);
	return refused;
}

function searchNotebook({ notebook }: NotebookSession, ctx: ExtensionContext, words: string): undefined {
	const { lines, more } = searchPages(notebook, words, maxFound);
	const rest = more === 0 ? [] : [`… and ${more} more`];
	say(ctx, lines.length === 0 ? `No page has "${words}".` : [...lines, ...rest].join("\n"));
}

/** Asks first when attended, because only moving in the session tree restores a deleted page. */
async function deletePage(
	session: NotebookSession,
	ctx: ExtensionContext,
	page: string,
	presence: "attended" | "unattended",
): Promise<string | undefined> {
	const content = session.notebook.pages.get(pageName(page));
	if (content !== undefined && presence === "attended") {
		const answer = await askUser(ctx, {
			title: `Delete the page "${pageName(page)}"?`,
			message: indexLine(pageName(page), content),
			words: { no: "No, keep it", yes: "Yes, delete it" },
		});
		if (answer === "no") return undefined;
	}
	const refused = session.remove(page);
	if (refused === undefined) say(ctx, `Deleted the page "${pageName(page)}".`);
	return refused;
}

async function browse(
	session: NotebookSession,
	ctx: ExtensionContext,
	presence: "attended" | "unattended",
): Promise<undefined> {
	if (ctx.mode === "tui" && presence === "attended" && session.notebook.pages.size > 0) {
		await browsePages(ctx, session.notebook);
		return undefined;
	}
	const lines = indexLines(session.notebook);
	const topic = session.notebook.topic === undefined ? "" : ` · topic ${session.notebook.topic.name}`;
	const state = `Notebook ${session.on ? "on" : "off"}${topic}`;
	const hint = session.on ? "" : "\n/notebook on gives the model its tools.";
	say(ctx, lines.length === 0 ? `${state} · no pages yet.${hint}` : `${state}\n${lines.join("\n")}`);
	return undefined;
}

/** Runs `/notebook` as typed. */
export async function typedNotebook(session: NotebookSession, ctx: ExtensionContext, args: string): Promise<void> {
	const refused = await runNotebookCommand(session, ctx, args);
	if (refused !== undefined) rejectCommand(ctx, refused);
}

/** Shows pages until the user leaves with Escape. */
async function browsePages(ctx: ExtensionContext, notebook: Notebook): Promise<void> {
	const names = [...notebook.pages.keys()];
	const rows = indexLines(notebook).map((line) => printable(line.replace(/^- /, "")));
	const title = notebook.topic === undefined ? "Notebook" : `Notebook · ${notebook.topic.name}`;
	const entries = names.map((name, index) => ({ value: name, name: rows[index] ?? "", about: "" }));
	while (true) {
		const name = await chooseFromList(ctx, { title, text: "", entries });
		if (name === undefined) return;
		await pageMarkdown(ctx, name, printable(notebook.pages.get(name) ?? ""));
	}
}
