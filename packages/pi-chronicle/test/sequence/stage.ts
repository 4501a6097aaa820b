// The start of sequence tests: a session with a recording on its branch, and the recorder opened on it.
import { snapshotType } from "../../src/sequence/recorded.ts";
import { type Project, SessionDraft, say, type Tui } from "../harness/index.ts";

/** A session file with one exchange and then the recording of `steps`; its path. */
export function recorded(project: Project, ...steps: string[]): string {
	const draft = new SessionDraft(project);
	draft.user("start");
	draft.assistant("yes");
	draft.custom(snapshotType, { version: 1, sequenceId: "s", steps, updatedAt: 1 });
	return draft.write();
}

/** Echoes the prompt. */
export const echo = (request: { lastUser: string }) => say(`echo ${request.lastUser}`);

/** Opens the recorder from the menu: on what the session recorded last, or on nothing. */
export async function openRecorder(pi: Tui, on: "last" | "nothing"): Promise<void> {
	await pi.submit("/sequence");
	await pi.waitForScreen("Restore last");
	await pi.press(...(on === "last" ? ["down", "enter"] : ["down", "down", "enter"]));
}
