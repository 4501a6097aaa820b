// The sending side of a rehearsal by hand, in each of its processes: a request of pi goes to the mailbox, and the answer becomes the reply.
import { getCurrentSystemPrompt, getCurrentTools } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isOwnFile } from "../../../pi/index.ts";
import type { Request } from "../provider.ts";
import type { Reply, RunPosition } from "../understudy.ts";
import { mailboxBeside, postRequest } from "./mailbox.ts";

/** Answers one request of the session with this id. */
export type AskPlayer = (
	request: Request,
	here: RunPosition,
	session: string,
	signal: AbortSignal | undefined,
) => Promise<Reply>;

/** Posts the requests of this process to the mailbox of the rehearsal with this journal. `run`: id of the worker's run. */
export function openPost(pi: ExtensionAPI, journal: string, run: string | undefined): AskPlayer {
	const folder = mailboxBeside(journal);
	let posted = 0;
	return async ({ messages }, here, session, signal) => {
		posted += 1;
		const own = pi.getAllTools().filter(({ sourceInfo }) => isOwnFile(sourceInfo.path));
		const tools = getCurrentTools(messages).map(({ name, description, parameters }) => ({
			...{ name, description, parameters },
		}));
		const { text, calls } = await postRequest(
			folder,
			`${process.pid}-${posted}`,
			{
				session,
				run,
				place: placeName(here),
				system: getCurrentSystemPrompt(messages),
				tools,
				messages: messages.filter(({ role }) => role !== "system"),
				ownLines: own.flatMap(({ promptGuidelines = [] }) => promptGuidelines),
				ownTools: own.map(({ name }) => name),
			},
			signal,
		);
		return { text, calls, waitMs: 0, fail: undefined, person: undefined };
	};
}

/** `state building, visit 2` or `child tests: state main`; the place of a request for its player. */
function placeName(here: RunPosition): string {
	if (here.kind === "idle") return "no workflow is running";
	const visit = here.visit > 1 ? `, visit ${here.visit}` : "";
	if (here.kind === "phase") return `phase ${here.scope}/${here.id}${visit}`;
	const child = here.child ? `child ${here.child.name}: ` : "";
	const attempt = here.attempt > 1 ? `, attempt ${here.attempt}` : "";
	return `${child}state ${here.id}${visit}${attempt}`;
}
