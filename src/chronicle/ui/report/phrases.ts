// What events mean, in phrases for a reader who was not there. Pure.
import {
	endPhrase,
	type FileLeft,
	type LaunchReason,
	type LedgerEvent,
	type MoveCause,
	type PersonEvent,
	type Run,
	type Wait,
} from "../../core/index.ts";
import { shortCost, shortCount, shortTime } from "../timeline/index.ts";
import type { Incident } from "./report-model.ts";

/** What a person did, and the words that go with it. `before`: the run at that moment. */
export function personPhrase(
	event: PersonEvent | LedgerEvent,
	before: Run,
): { what: string; words: string } | undefined {
	const question = before.stage.kind === "asking" ? before.stage.question : undefined;
	const asked =
		question === undefined
			? "what was asked"
			: question.side === "entry" && question.target === question.state
				? `the beginning of ${question.state}`
				: `the move from ${question.state} to ${question.target}`;
	switch (event.kind) {
		case "approved":
			return { what: `Approved ${asked}`, words: event.words ?? "" };
		case "rejected":
			return { what: `Rejected ${asked}`, words: event.words };
		case "resumed":
			return { what: "Let the run go on", words: event.words ?? "" };
		case "released": {
			const { refused } = before;
			const what = event.done
				? "Declared the run done"
				: event.to !== undefined
					? `Sent the run to ${event.to}`
					: refused === null
						? "Released the run"
						: `Allowed the refused move from ${refused.from} to ${refused.to}`;
			return { what, words: event.words ?? "" };
		}
		case "limits_changed": {
			const { costUsd, tokens, activeMs, moves } = event.limits;
			const parts = [
				costUsd === undefined ? "" : `cost ${shortCost(costUsd)}`,
				tokens === undefined ? "" : `${shortCount(tokens)} tokens`,
				activeMs === undefined ? "" : `active time ${shortTime(activeMs)}`,
				moves === undefined ? "" : `${moves} moves`,
			].filter((part) => part !== "");
			return { what: `Set the ceilings of ${event.state ?? "the run"}: ${parts.join(", ") || "none"}`, words: "" };
		}
		case "model_changed":
			return { what: `Chose the model ${event.model} for states that name none`, words: "" };
		case "told":
			return { what: "Told the worker", words: event.text };
		case "pause_requested":
			// Ceilings, faults and the end of a session ask for a pause in the same form.
			return event.cause === "person" ? { what: "Paused the run", words: event.detail } : undefined;
		case "abort_requested":
			return { what: "Ended the run", words: event.words ?? "" };
		case "reopened":
			return { what: `Opened the run again, in ${event.to}`, words: event.words ?? "" };
		case "rewind_requested":
			return event.kept === undefined
				? { what: `Took files and run back to the start of visit ${event.to} (${event.state})`, words: "" }
				: { what: `Took files and run back to kept-${event.kept} (visit ${event.to}, ${event.state})`, words: "" };
		case "snapshot_updated":
			return event.by === "person"
				? { what: "Changed what the run knows", words: snapshotText(event.data) }
				: undefined;
		default:
			return undefined;
	}
}

function snapshotText({
	findings = [],
	pendingTasks = [],
	resolve = [],
}: (LedgerEvent & { kind: "snapshot_updated" })["data"]): string {
	return [
		...findings.map(({ key, text }) => (key === undefined ? text : `${key}: ${text}`)),
		...pendingTasks.map(({ text }) => `to do: ${text}`),
		...resolve.map((name) => `done: ${name}`),
	].join("\n");
}

/** What a reader should know of an event that is no person's; `undefined` where all went as it should. */
export function incidentPhrase(event: LedgerEvent): Pick<Incident, "what" | "tone"> | undefined {
	switch (event.kind) {
		case "parked":
			return { what: `Stopped (${spaced(event.cause)}): ${event.detail}`, tone: "warn" };
		case "finished":
			if (event.status === "done") return undefined;
			return { what: `The run ended as ${event.status}${event.detail ? `: ${event.detail}` : "."}`, tone: "bad" };
		case "launch_failed":
			return { what: `A worker could not be started (${spaced(event.reason)}): ${event.detail}`, tone: "bad" };
		case "worker_ended": {
			const { kind, words } = endPhrase(event.outcome);
			return kind === "stopped" ? undefined : { what: `The worker ${words}.`, tone: kind === "lost" ? "warn" : "bad" };
		}
		case "worker_started":
			return event.notice === undefined ? undefined : { what: event.notice, tone: "plain" };
		case "model_switched":
			return { what: `${event.from} failed, so ${event.to} went on: ${event.detail}`, tone: "warn" };
		case "turn_settled":
			switch (event.stop) {
				case "finished":
					return { what: "The worker stopped without a transition.", tone: "plain" };
				case "length":
					return { what: "The model's message was cut at its length limit.", tone: "plain" };
				case "aborted":
					return undefined;
				case "quota":
				case "auth":
				case "transient":
				case "provider_error":
					return {
						what: `The model's provider failed (${spaced(event.stop)})${event.detail ? `: ${event.detail}` : "."}`,
						tone: "warn",
					};
			}
			return undefined;
		case "cleanup_ended": {
			const { result, index } = event;
			const which = `Cleanup command ${index + 1}`;
			switch (result.kind) {
				case "exited":
					if (result.code === 0) return undefined;
					return { what: `${which} ended with exit code ${result.code}.`, tone: "warn" };
				case "killed":
					return { what: `${which} was killed by ${result.signal}.`, tone: "warn" };
				case "timed_out":
					return { what: `${which} took too long.`, tone: "warn" };
				case "unstarted":
					return { what: `${which} could not be started: ${result.detail}`, tone: "warn" };
				case "refused":
					return { what: `${which} was not run: ${result.detail}`, tone: "warn" };
			}
			return undefined;
		}
		case "strays_stopped": {
			const left = event.left ?? 0;
			const stopped = `${event.count} ${event.count === 1 ? "process" : "processes"} that a worker had left behind`;
			if (left > 0) return { what: `Stopped ${stopped}; ${left} could not be stopped.`, tone: "bad" };
			return { what: `Stopped ${stopped}.`, tone: "plain" };
		}
		case "files_unmeasured":
			return { what: `Files could not be measured: ${event.detail}`, tone: "warn" };
		case "files_unrestored":
			return { what: `Files could not be brought back: ${event.detail}`, tone: "bad" };
		case "files_measured":
			if (event.purpose === "before")
				return {
					what: `What was there before the rewind is kept: \`rewind kept-${event.seq}\` brings it back.`,
					tone: "plain",
				};
			return event.unkept && event.unkept.length > 0
				? { what: `Could not be measured: ${namesOf(event.unkept)}.`, tone: "warn" }
				: undefined;
		case "files_restored": {
			const { left = [], leftMore = 0, changes = [], more = 0 } = event;
			const count = changes.length + more;
			const did = `Files were brought back to an earlier state (${count} ${count === 1 ? "file" : "files"} changed by it).`;
			if (left.length === 0) return { what: did, tone: "plain" };
			return {
				what: `${did} Not brought back: ${namesOf(left)}${leftMore > 0 ? ` and ${leftMore} more` : ""}.`,
				tone: "bad",
			};
		}
		case "opened":
			return { what: "Another supervisor took the run on.", tone: "plain" };
		default:
			return undefined;
	}
}

function namesOf(files: readonly FileLeft[]): string {
	return files.map(({ path, why }) => `${path} (${why})`).join(", ");
}

/** Why a worker was launched. */
export function reasonPhrase(because: LaunchReason): string {
	switch (because) {
		case "entered":
			return "the state began";
		case "interrupted":
			return "going on after an interruption";
		case "crashed":
			return "after a crash";
		case "timed_out":
			return "after a timeout";
		case "provider_error":
			return "after a fault of the provider";
		case "resumed":
			return "a person let it go on";
		case "rejected":
			return "after a rejection";
		case "repeated":
			return "the worker began the state anew";
		case "session_lost":
			return "its conversation was lost";
	}
}

/** Why a move was made. */
export function causePhrase(cause: MoveCause): string {
	switch (cause) {
		case "worker":
			return "by the worker";
		case "person":
			return "by a person";
		case "pair_limit":
			return "limit of moves between the two";
		case "move_limit":
			return "limit of moves";
		case "attempt_limit":
			return "limit of attempts";
		case "rejection_limit":
			return "limit of rejections";
		case "no_progress":
			return "no progress";
		case "released":
			return "released by a person";
		case "reopened":
			return "opened again by a person";
		case "rewind":
			return "taken back by a person";
	}
}

export function waitPhrase(kind: Wait["kind"]): string {
	switch (kind) {
		case "approval":
			return "waiting for approval";
		case "paused":
			return "paused";
		case "budget":
			return "stopped at a ceiling";
		case "human":
			return "waiting for a person's decision";
		case "interrupted":
			return "no supervisor was there";
		case "over":
			return "over, then opened again";
	}
}

/** `no_transition` → `no transition`. */
export function spaced(word: string): string {
	return word.replaceAll("_", " ");
}
