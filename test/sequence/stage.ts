// What the tests of sequences begin with: a session that has a recording on its branch.
import { snapshotType } from "../../src/sequence/recorded.ts";
import { type Project, SessionDraft, say } from "../harness/index.ts";

/** A session file with one exchange and then the recording of `steps`; its path. */
export function recorded(project: Project, ...steps: string[]): string {
	const draft = new SessionDraft(project);
	draft.user("start");
	draft.assistant("yes");
	draft.custom(snapshotType, { version: 1, sequenceId: "s", steps, updatedAt: 1 });
	return draft.write();
}

/** Says what it was asked. */
export const echo = (request: { lastUser: string }) => say(`echo ${request.lastUser}`);
