// `/notebook`: what the person can do with the notebook. The same function serves the slash command and a sequence's step.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith, say } from "../../pi/index.ts";
import { browsePages } from "./browse.ts";
import { indexLines } from "./notebook.ts";
import type { NotebookSession } from "./session.ts";

/**
 * Runs `/notebook <args>`: nothing browses (a list where there is no terminal), `on` and `off` give and take the model's tools, anything
 * else becomes the topic. Unattended, the list is printed also in the terminal: nobody may be there to close a screen. The answer is the
 * reason when it was refused, for the caller to say.
 */
export async function runNotebookCommand(
	session: NotebookSession,
	ctx: ExtensionContext,
	args: string,
	presence: "attended" | "unattended" = "attended",
): Promise<string | undefined> {
	const words = args.trim();
	const word = words.toLowerCase();
	if (word === "on" || word === "off") {
		await session.turn(word === "on", ctx);
		say(
			ctx,
			session.on
				? "The notebook is on: the model can write and read pages."
				: "The notebook is off. Its pages are kept.",
		);
		return undefined;
	}
	if (words !== "") {
		const refused = session.setTopic(words, "human");
		if (refused === undefined) say(ctx, `Topic: ${session.notebook.topic?.name}`);
		return refused;
	}
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

/** `/notebook`, typed. */
export async function typedNotebook(session: NotebookSession, ctx: ExtensionContext, args: string): Promise<void> {
	const refused = await runNotebookCommand(session, ctx, args);
	if (refused === undefined) return;
	failWith(ctx, exitCodes.usage);
	say(ctx, refused, "error");
}
