// The first message of a worker process: everything it knows about the run. Pure.
// M1 a new conversation gets the task, the state, the handover and the possible moves: at most the handover's size plus the template's and
// the user's texts; M2 a continued one gets only what it cannot know: why it was interrupted, calls in flight, new messages.

import type { LaunchOrder, LaunchReason } from "../../core/index.ts";
import {
	candidatesIn,
	cutText,
	fillReferences,
	handoverText,
	legalTargets,
	outboxOfLaunch,
	outputIn,
	outputText,
	planOf,
	type Run,
	readOutput,
	splitReference,
} from "../../core/index.ts";

/**
 * The message for a new and for a continued conversation; the launcher picks one. `place` is the path of the event log, `folders` has those of
 * the children to choose from, by run id.
 */
export function firstMessage(
	run: Run,
	because: LaunchReason,
	place: string,
	folders: ReadonlyMap<string, string>,
): LaunchOrder["message"] {
	return { new: newMessage(run, because, place, folders), continued: continuedMessage(run, because) };
}

function newMessage(run: Run, because: LaunchReason, place: string, folders: ReadonlyMap<string, string>): string {
	const state = planOf(run);
	const handover = handoverText(run.snapshot, place);
	const started = because === "session_lost" || because === "crashed" || run.attempt > 1;
	return joined([
		`You are working on one state of the run "${run.template.name}": the state "${run.state}" (run ${run.id}, visit ${run.visit}, attempt ${run.attempt}).`,
		state.description === undefined ? "" : `Purpose of this state: ${fillIn(run, state.description)}`,
		`The task of the whole run, as the user wrote it:\n\n${run.task}`,
		state.instructions === undefined ? "" : `Instructions for this state:\n\n${fillIn(run, state.instructions)}`,
		choice(run, folders),
		handover === "" ? "" : `## What is known so far\n\n${handover}`,
		...run.unmeasured.map(({ visit, why }) => `What visit ${visit} changed in the files could not be measured: ${why}`),
		started ? earlierTry(run) : "",
		queuedMessages(run),
		ending(run),
	]);
}

const candidateSummary = 600;

/** The children that the worker chooses from: what they did, and where their files are. */
function choice(run: Run, folders: ReadonlyMap<string, string>): string {
	const candidates = candidatesIn(run, run.state);
	if (candidates.length === 0) return "";
	const lines = candidates.map(({ id, name, summary, changed }) => {
		const folder = folders.get(id);
		const files = changed === undefined ? "" : ` (${changed.files} ${changed.files === 1 ? "file" : "files"} changed)`;
		const did = cutText(summary.replace(/\s+/g, " "), candidateSummary).text;
		return `- \`${name}\`${folder === undefined ? "" : `, files in ${folder}`}: ${did || "done"}${files}`;
	});
	return [
		"## Choose one\n\nThese child runs have each done the work, and none of their files are in your folder yet. Read and compare them there; change nothing in them. Name the best one as `winner` in the data of your transition: its files are then merged into yours, and those of the others are dropped.",
		lines.join("\n"),
	].join("\n\n");
}

/** The text with what earlier states have handed over. */
function fillIn(run: Run, text: string): string {
	return fillReferences(text, (reference) => {
		const found = readOutput(run, reference);
		if ("value" in found) return outputText(found.value);
		return splitReference(reference, run.plan.states.keys()) ? "(no data)" : undefined;
	});
}

function continuedMessage(run: Run, because: LaunchReason): string {
	return joined([
		why(because),
		inFlight(run),
		queuedMessages(run),
		`Continue the state "${run.state}" from where you stopped.`,
		ending(run),
	]);
}

function why(because: LaunchReason): string {
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

/** Calls in flight when the last process ended: their outcome is unknown. */
function inFlight(run: Run): string {
	const { calls } = run.calls.interrupted;
	if (calls.length === 0) return "";
	const list = calls.map(({ tool, args }) => `- ${tool} ${args}`).join("\n");
	return `In flight when it ended; whether they took effect is unknown, so check before you repeat them:\n${list}`;
}

function earlierTry(run: Run): string {
	const { recent } = run.calls;
	const done = recent.map(({ tool, args, failed }) => `- ${tool} ${args}${failed ? " (failed)" : ""}`).join("\n");
	return joined([
		"An earlier worker tried this visit. Its conversation is not available to you; its changes are still there.",
		done === "" ? "" : `Its last finished tool calls:\n${done}`,
		inFlight(run),
	]);
}

/** Messages queued before the launch was intended; newer ones are sent once the worker is up. */
function queuedMessages(run: Run): string {
	const words = outboxOfLaunch(run).map(({ text, from }) => (from === "person" ? `From the user: ${text}` : text));
	return words.join("\n\n");
}

/** The only way in which the state ends. */
function ending(run: Run): string {
	const data = outputIn(run) ? ", and with `data` that matches its schema" : "";
	const targets = legalTargets(run)
		.map((name) => `\`${name}\``)
		.join(", ");
	return (
		`Save what later states need with \`workflow_update_snapshot\` as soon as you know it. ` +
		`When the work of this state is done, call \`workflow_transition\` with one of ${targets} and a summary${data}; nothing else ends it.`
	);
}

function joined(parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join("\n\n");
}
