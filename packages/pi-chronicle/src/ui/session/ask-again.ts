// One key reopens a postponed question while its run waits in this session. The key works only during that time, and only in the terminal; a
// question that was answered elsewhere does not reopen.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import type { Run } from "@pi-chronicle/core/machine";
import type { Project } from "../../local/index.ts";
import { inBackground } from "../../pi/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { runChronicle } from "./run-command-line.ts";
import { commandPrefix } from "./session-project.ts";

/** pi does not use this key, and it starts no text. */
const key = "alt+a";
/** The key as displayed on the screen. */
export const answerKey = "Alt+A";

/** Reopens the question of run `id` when the key is pressed; the returned function stops listening. */
export function listenForAnswer(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	{ id, status }: Run,
): () => void {
	// Without words, the command shows the question again: of the run, or of the only child that asks.
	const verb = status === "asks" ? "answer" : "approve";
	const line = `${commandPrefix(project)}${verb} ${id}`.replace(/^\/chronicle /, "");
	let busy = false;
	const stop = ctx.ui.onTerminalInput((data) => {
		if (!matchesKey(data, key)) return undefined;
		if (!busy && !session.supervised.has(id)) {
			busy = true;
			inBackground(ctx, () =>
				runChronicle(session, ctx, line).finally(() => {
					busy = false;
				}),
			);
		}
		return { consume: true };
	});
	const release = session.scope.own(stop);
	return () => void release();
}
