// `/notebook`: what the person can do with the notebook. The same function serves the slash command and a sequence's step.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../../pi/index.ts";
import { browsePages } from "./browse.ts";
import { indexLines } from "./notebook.ts";
import type { NotebookSession } from "./session.ts";

/**
 * Runs `/notebook <args>`: nothing browses (a list where there is no terminal), `on` and `off` give and take the model's tools, anything
 * else becomes the topic. Unattended, the list is printed also in the terminal: nobody may be there to close a screen.
 */
export async function runNotebookCommand(
	session: NotebookSession,
	ctx: ExtensionContext,
	args: string,
	presence: "attended" | "unattended" = "attended",
): Promise<void> {
	const words = args.trim();
	if (words === "on" || words === "off") {
		session.turn(words === "on", ctx);
		say(
			ctx,
			session.on
				? "The notebook is on: the model can write and read pages."
				: "The notebook is off. Its pages are kept.",
		);
		return;
	}
	if (words !== "") {
		const refused = session.setTopic(words, "human");
		if (refused === undefined) say(ctx, `Topic: ${session.notebook.topic?.name}`);
		else say(ctx, refused, "error");
		return;
	}
	if (ctx.mode === "tui" && presence === "attended" && session.notebook.pages.size > 0) {
		await browsePages(ctx, session.notebook);
		return;
	}
	const lines = indexLines(session.notebook);
	const topic = session.notebook.topic === undefined ? "" : ` · topic ${session.notebook.topic.name}`;
	const state = `Notebook ${session.on ? "on" : "off"}${topic}`;
	const hint = session.on ? "" : "\n/notebook on gives the model its tools.";
	say(ctx, lines.length === 0 ? `${state} · no pages yet.${hint}` : `${state}\n${lines.join("\n")}`);
}

/** `/notebook` as a step of a sequence: a screen that nobody may be there to close is not opened. */
export async function notebookStep(
	session: NotebookSession,
	ctx: ExtensionContext,
	args: string,
): Promise<{ kind: "completed" }> {
	await runNotebookCommand(session, ctx, args, "unattended");
	return { kind: "completed" };
}
