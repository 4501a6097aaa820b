// One key reopens a postponed question while its run waits in this session. The key works only during that time, and only in the terminal; a
// question that was answered elsewhere does not reopen.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import { inBackground, say } from "../../../pi/index.ts";
import type { Project } from "../../engine/index.ts";
import { deliveryResult, dispatch } from "../commands/index.ts";
import { sessionHost } from "./host.ts";
import { present } from "./run-command-line.ts";
import type { ChronicleSession } from "./session.ts";
import { userApprover } from "./user-approver.ts";

/** pi does not use this key, and it starts no text. */
const key = "alt+a";
/** The key as displayed on the screen. */
export const answerKey = "Alt+A";

/** Reopens the question of run `id` when the key is pressed; the returned function stops listening. */
export function listenForAnswer(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	id: string,
): () => void {
	let busy = false;
	const stop = ctx.ui.onTerminalInput((data) => {
		if (!matchesKey(data, key)) return undefined;
		if (!busy && !session.supervised.has(id)) {
			busy = true;
			inBackground(ctx, () =>
				askAgain(session, ctx, project, id).finally(() => {
					busy = false;
				}),
			);
		}
		return { consume: true };
	});
	const release = session.scope.own(stop);
	return () => void release();
}

async function askAgain(session: ChronicleSession, ctx: ExtensionContext, project: Project, id: string): Promise<void> {
	const stop = new AbortController();
	const release = session.scope.own(() => stop.abort());
	try {
		const result = await dispatch(
			project,
			id,
			({ run }) =>
				run.status === "awaiting_approval"
					? { kind: "nothing" }
					: { kind: "refused", message: "The run no longer waits for an approval." },
			{
				approver: userApprover(session, ctx, project, "called"),
				notice: (text) => say(ctx, text, "warning"),
				afterwards: "continue",
				signal: stop.signal,
			},
		);
		await present(
			session,
			ctx,
			project,
			result.kind === "refused"
				? { kind: "refused", code: "refused", message: result.message }
				: await deliveryResult("approve", { project, host: sessionHost(session, ctx, project) }, id, result),
		);
	} finally {
		await release();
	}
}
