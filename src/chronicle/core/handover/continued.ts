// What a worker is told whose conversation continues in another process: only what it cannot know. Pure.
import { type LaunchReason, markMessage, type Run } from "../machine/index.ts";
import { endingOf, inFlightOf, isSetBack, queuedFor, undoneCallsOf } from "./brief-of-run.ts";
import { decisionText } from "./decided.ts";
import { howToEnd, joined } from "./first-message.ts";
import { inFlightText, setBackText } from "./introduction.ts";

export function continuedText(run: Run, because: LaunchReason): string {
	const { decisions, texts } = queuedFor(run);
	return markMessage(
		joined([
			reasonText(because),
			isSetBack(run) ? setBackText(undoneCallsOf(run)) : "",
			inFlightText(inFlightOf(run)),
			decisions.length === 0 ? "" : `The user decided:\n${decisions.map(decisionText).join("\n")}`,
			...texts,
			`Continue the state "${run.state}" from where you stopped.`,
			howToEnd(endingOf(run)),
		]),
	);
}

function reasonText(because: LaunchReason): string {
	switch (because) {
		case "interrupted":
			return "You were interrupted: the process that ran you ended. Your conversation up to here is complete.";
		case "crashed":
			return "Your process ended unexpectedly. Your conversation up to here is complete.";
		case "timed_out":
			return "Your process was stopped because it took too long or was silent for too long. Work in smaller steps, and save findings early.";
		case "provider_error":
			return "The model's provider failed for a while.";
		case "rejected":
			return "The user did not approve the move that you requested.";
		case "resumed":
			return "The run was paused and has been resumed.";
		case "answered":
			return "The user has answered your question: see the result of `ask_user`.";
		case "entered":
		case "repeated":
		case "session_lost":
			return "The state continues.";
	}
}
