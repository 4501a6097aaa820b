// The message with the text of a phase, for a context that lacks it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LiveWorkflowRun } from "../machine/index.ts";
import { initialMessage, isLongTask, phaseFrame } from "../prompts/index.ts";
import { contextType, knowsTask, visitMarkOf } from "./context-messages.ts";
import { finishedVisits, type HeldRun } from "./entries.ts";
import { userWords } from "./user-words.ts";

export interface RunMessage {
	readonly customType: string;
	readonly content: string;
	readonly display: boolean;
	readonly details: object;
}

/** Where the message goes. */
export interface Destination {
	/** The user's message that it accompanies. */
	readonly prompt?: string;
	/** That an earlier run is over. */
	readonly over?: string | undefined;
	/** The question that the user's message answers. */
	readonly answered?: string | undefined;
	/** The context that receives it has nothing of this session. */
	readonly fresh?: true;
}

/** The message of the current phase. It includes the task unless the user's message or the model's context already contains it. */
export function phaseMessage(
	session: ExtensionContext["sessionManager"],
	held: HeldRun,
	{ prompt = "", over, answered, fresh }: Destination = {},
): RunMessage & { readonly display: false } {
	const { run } = held;
	const frame = run.kind === "live" ? frameFor(run) : "";
	const content = over === undefined ? frame : `${over}\n\n${frame}`;
	return { customType: contextType, content, display: false, details: visitMarkOf(held) };

	function frameFor(live: LiveWorkflowRun): string {
		if (prompt.includes(initialMessage(live))) return phaseFrame({ run: live, known: "start", visits: [] });
		const known = isLongTask(live.task) && !fresh && knowsTask(session, live) ? "task" : "nothing";
		const visits = finishedVisits(session, live);
		return phaseFrame({ run: live, known, visits, words: userWords(session, live), answered });
	}
}
