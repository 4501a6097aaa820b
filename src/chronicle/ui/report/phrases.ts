// Describes events in phrases for readers of the report. Pure.

import { counted, truncate } from "../../../definition/index.ts";
import {
	endPhrase,
	entryForPeople,
	type FileLeft,
	type LaunchReason,
	type LedgerEvent,
	type MoveCause,
	type Run,
	type UserEvent,
	type Wait,
} from "../../core/index.ts";
import { shortCost, shortCount, shortTime } from "../timeline/index.ts";
import type { Incident } from "./report-model.ts";

interface UserPhrase {
	readonly what: string;
	readonly words: string;
}

type UserPhrases = {
	readonly [Kind in UserEvent["kind"]]: (event: UserEvent & { kind: Kind }, before: Run) => UserPhrase | undefined;
};

function withTemplate(reload: object | undefined): string {
	return reload ? " with its edited template" : "";
}

const userPhrases: UserPhrases = {
	// A rule's question is listed with the worker's questions.
	ask_answered: ({ words }, { question }) =>
		words === undefined ? undefined : { what: `Answered "${onOneLine(question?.text ?? "")}"`, words },
	approved: ({ words = "", winner }, before) => ({
		what: `Approved ${askedBy(before)}${winner === undefined ? "" : `, taking the child "${winner}"`}`,
		words,
	}),
	rejected: ({ words }, before) => ({ what: `Rejected ${askedBy(before)}`, words }),
	resumed: ({ words = "", reload }) => ({ what: `Resumed the run${withTemplate(reload)}`, words }),
	released: ({ done, to, words = "" }, { refused }) => {
		if (done) return { what: "Declared the run done", words };
		if (to !== undefined) return { what: `Sent the run to ${to}`, words };
		if (refused === null) return { what: "Released the run", words };
		return { what: `Allowed the refused move from ${refused.from} to ${refused.to}`, words };
	},
	limits_changed: ({ limits: { costUsd, tokens, activeMs, moves }, state = "the run" }) => {
		const parts = [
			...(costUsd === undefined ? [] : [`cost ${shortCost(costUsd)}`]),
			...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
			...(activeMs === undefined ? [] : [`active time ${shortTime(activeMs)}`]),
			...(moves === undefined ? [] : [`${moves} moves`]),
		];
		return { what: `Set the ceilings of ${state}: ${parts.join(", ") || "none"}`, words: "" };
	},
	model_changed: ({ model }) => ({ what: `Set the default model of states to ${model}`, words: "" }),
	told: ({ text }) => ({ what: "Message to the worker", words: text }),
	// Ceilings, faults and the end of a session request pauses with the same event.
	pause_requested: ({ cause, detail }) => (cause === "person" ? { what: "Paused the run", words: detail } : undefined),
	abort_requested: ({ words = "", byParent }) =>
		byParent === undefined ? { what: "Aborted the run", words } : undefined,
	reopened: ({ to, words = "" }) => ({ what: `Reopened the run in ${to}`, words }),
	rewind_requested: ({ kept, to, state, reload }) => ({
		what:
			kept === undefined
				? `Rewound files and run to the start of visit ${to} (${state})${withTemplate(reload)}`
				: `Rewound files and run to kept-${kept} (visit ${to}, ${state})`,
		words: "",
	}),
	// The report of the parent has it.
	decision_inherited: () => undefined,
	// Accompanies a command to the child.
	child_signaled: () => undefined,
	child_dropped: ({ child }, { children }) => ({
		what: `Dropped the child ${children?.children.find(({ id }) => id === child)?.name ?? child.slice(0, 8)}`,
		words: "",
	}),
};

/** The user's action and its text. `before`: the run before the event. */
export function userPhrase(event: UserEvent | LedgerEvent, before: Run): UserPhrase | undefined {
	if (event.kind === "snapshot_updated")
		return event.by === "person" ? { what: "Changed the snapshot", words: snapshotText(event.data) } : undefined;
	if (!Object.hasOwn(userPhrases, event.kind)) return undefined;
	const phrase = userPhrases[event.kind as UserEvent["kind"]] as (
		event: UserEvent | LedgerEvent,
		before: Run,
	) => UserPhrase | undefined;
	return phrase(event, before);
}

function onOneLine(text: string): string {
	return truncate(text.replace(/\s+/g, " ").trim(), 200);
}

/** The question that an approval or rejection answers. */
function askedBy({ stage }: Run): string {
	if (stage.kind !== "asking") return "the question";
	const { side, state, target } = stage.question;
	return side === "entry" && target === state ? `the start of ${state}` : `the move from ${state} to ${target}`;
}

function snapshotText({
	findings = [],
	pendingTasks = [],
	resolve = [],
}: (LedgerEvent & { kind: "snapshot_updated" })["data"]): string {
	return [
		...findings.map(entryForPeople),
		...pendingTasks.map((task) => `to do: ${entryForPeople(task)}`),
		...resolve.map((name) => `done: ${name}`),
	].join("\n");
}

type IncidentPhrase = Pick<Incident, "what" | "tone">;

type IncidentPhrases = {
	readonly [Kind in LedgerEvent["kind"]]?: (event: LedgerEvent & { kind: Kind }) => IncidentPhrase | undefined;
};

const incidentPhrases: IncidentPhrases = {
	parked: ({ cause, detail }) => ({ what: `Stopped (${spaced(cause)}): ${detail}`, tone: "warn" }),
	given_up: ({ detail }) => ({ what: `Stopped: ${detail}`, tone: "warn" }),
	finished: ({ status, detail }) =>
		status === "done" ? undefined : { what: `The run ended as ${status}${detail ? `: ${detail}` : "."}`, tone: "bad" },
	launch_failed: ({ reason, detail }) => ({
		what: `A worker could not be started (${spaced(reason)}): ${detail}`,
		tone: "bad",
	}),
	worker_ended({ outcome }) {
		const { kind, words } = endPhrase(outcome);
		return kind === "stopped" ? undefined : { what: `The worker ${words}.`, tone: kind === "lost" ? "warn" : "bad" };
	},
	worker_started: ({ notice }) => (notice === undefined ? undefined : { what: notice, tone: "plain" }),
	model_switched: ({ from, to, detail }) => ({ what: `${from} failed; continued with ${to}: ${detail}`, tone: "warn" }),
	turn_settled({ stop, detail }) {
		if (stop === "aborted") return undefined;
		if (stop === "finished") return { what: "The worker stopped without a transition.", tone: "plain" };
		if (stop === "length") return { what: "The model's message was truncated at its length limit.", tone: "plain" };
		return { what: `The model's provider failed (${spaced(stop)})${detail ? `: ${detail}` : "."}`, tone: "warn" };
	},
	cleanup_ended({ result, index }) {
		const how = cleanupPhrase(result);
		return how === undefined ? undefined : { what: `Cleanup command ${index + 1} ${how}`, tone: "warn" };
	},
	strays_stopped({ count, left = 0 }) {
		const stopped = `Stopped ${counted(count, "process", "processes")} left behind by a worker`;
		if (left > 0) return { what: `${stopped}; ${left} could not be stopped.`, tone: "bad" };
		return { what: `${stopped}.`, tone: "plain" };
	},
	condition_changed: ({ detail }) => (detail === undefined ? undefined : { what: detail, tone: "warn" }),
	files_unmeasured: ({ detail }) => ({ what: `Files could not be measured: ${detail}`, tone: "warn" }),
	files_unrestored: ({ detail }) => ({ what: `Files could not be restored: ${detail}`, tone: "bad" }),
	files_measured({ purpose, seq, unkept = [] }) {
		if (purpose === "before")
			return {
				what: `The files before the rewind are saved: \`rewind kept-${seq}\` restores them.`,
				tone: "plain",
			};
		return unkept.length > 0 ? { what: `Could not be measured: ${namesOf(unkept)}.`, tone: "warn" } : undefined;
	},
	files_restored({ left = [], leftMore = 0, changes = [], more = 0 }) {
		const count = changes.length + more;
		const did = `Files were restored to an earlier state (${counted(count, "file")} changed).`;
		if (left.length === 0) return { what: did, tone: "plain" };
		const hidden = leftMore > 0 ? ` and ${leftMore} more` : "";
		return { what: `${did} Not restored: ${namesOf(left)}${hidden}.`, tone: "bad" };
	},
	opened: () => ({ what: "Another supervisor took over.", tone: "plain" }),
};

/** Describes an event that a reader should know about; `undefined` if everything went as expected. */
export function incidentPhrase(event: LedgerEvent): IncidentPhrase | undefined {
	if (!Object.hasOwn(incidentPhrases, event.kind)) return undefined;
	const phrase = incidentPhrases[event.kind] as ((event: LedgerEvent) => IncidentPhrase | undefined) | undefined;
	return phrase?.(event);
}

function cleanupPhrase(result: (LedgerEvent & { kind: "cleanup_ended" })["result"]): string | undefined {
	switch (result.kind) {
		case "exited":
			return result.code === 0 ? undefined : `ended with exit code ${result.code}.`;
		case "killed":
			return `was killed by ${result.signal}.`;
		case "timed_out":
			return "timed out.";
		case "unstarted":
			return `could not be started: ${result.detail}`;
		case "refused":
			return `was not run: ${result.detail}`;
	}
}

function namesOf(files: readonly FileLeft[]): string {
	return files.map(({ path, why }) => `${path} (${why})`).join(", ");
}

/** Why a worker was launched. */
export function reasonPhrase(because: LaunchReason): string {
	switch (because) {
		case "entered":
			return "the state started";
		case "interrupted":
			return "after an interruption";
		case "crashed":
			return "after a crash";
		case "timed_out":
			return "after a timeout";
		case "provider_error":
			return "after a provider error";
		case "resumed":
			return "resumed by the user";
		case "rejected":
			return "after a rejection";
		case "repeated":
			return "the worker restarted the state";
		case "session_lost":
			return "conversation lost";
		case "answered":
			return "the user answered";
	}
}

/** Why a move was made. */
export function causePhrase(cause: MoveCause): string {
	switch (cause) {
		case "worker":
			return "by the worker";
		case "children":
			return "children joined";
		case "person":
			return "by the user";
		case "pair_limit":
			return "limit of moves between two states";
		case "move_limit":
			return "limit of moves";
		case "attempt_limit":
			return "limit of attempts";
		case "rejection_limit":
			return "limit of rejections";
		case "no_progress":
			return "no progress";
		case "released":
			return "released by the user";
		case "reopened":
			return "reopened by the user";
		case "rewind":
			return "rewound by the user";
	}
}

export function waitPhrase(kind: Wait["kind"]): string {
	switch (kind) {
		case "asks":
			return "waiting for an answer";
		case "approval":
			return "waiting for approval";
		case "provider":
			return "waiting for the provider";
		case "paused":
			return "paused";
		case "budget":
			return "stopped at a ceiling";
		case "human":
			return "waiting for your decision";
		case "interrupted":
			return "no supervisor";
		case "over":
			return "ended, then reopened";
	}
}

/** `no_transition` → `no transition`. */
function spaced(word: string): string {
	return word.replaceAll("_", " ");
}
