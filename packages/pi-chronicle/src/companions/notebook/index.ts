import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { completeWords, hasEnded, registerOwnCommand } from "../../pi/index.ts";
import type { NotebookSession } from "./notebook-session.ts";
import { openNotebook } from "./open-notebook.ts";
import { notebookVerbs } from "./verbs.ts";

export type { NotebookSession } from "./notebook-session.ts";
export { notebookMistake } from "./verbs.ts";

/** Registers the command and keeps the notebook in step with the session branch. */
export function registerNotebook(pi: ExtensionAPI): NotebookSession {
	const session = openNotebook(pi);
	registerOwnCommand(pi, "notebook", {
		description: "Browse the notebook, or change it: /notebook [on|off|topic|search|rename|delete]",
		getArgumentCompletions: (prefix) => completeWords(notebookVerbs, prefix),
		list: async () => {
			if (session.notebook.pages.size > 0) return undefined;
			const { notebookChoices } = await import("./choices.ts");
			return notebookChoices(session.on);
		},
		handler: async (args, ctx) => {
			const { typedNotebook } = await import("./command.ts");
			await typedNotebook(session, ctx, args);
		},
	});
	pi.on("session_start", (_event, ctx) => session.refresh(ctx));
	pi.on("session_tree", (_event, ctx) => session.refresh(ctx));
	pi.on("before_agent_start", (_event, ctx) => {
		if (hasEnded(ctx)) return undefined;
		const message = session.news(ctx);
		return message && { message };
	});
	// A compaction during a run removes the index from the context, so it is sent again before the next request.
	pi.on("turn_end", ({ entries, outcome, toolResults }, ctx) => {
		if (outcome !== "completed" || toolResults.length === 0) return;
		const message = session.news(ctx);
		return message && { entries: [...entries, { type: "custom_message" as const, ...message }] };
	});
	return session;
}

/** Runs `/notebook` as a step of a sequence, without opening a screen. */
export async function notebookStep(
	session: NotebookSession,
	ctx: ExtensionContext,
	args: string,
): Promise<{ kind: "completed" } | { kind: "failed"; reason: string }> {
	const { runNotebookCommand } = await import("./command.ts");
	const refused = await runNotebookCommand(session, ctx, args, "unattended");
	return refused === undefined ? { kind: "completed" } : { kind: "failed", reason: refused };
}
