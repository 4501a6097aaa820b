// What each event of a ledger says: one sentence, for the page of events and the report alike. Incidents are the events that a reader of a report
// should know about; actions are the user's own. Also the words and signs for causes, waits and ends of workers. Pure except for the time zone.

import { counted, truncate } from "@pi-chronicle/core/definition";
import { endPhrase, type Launch, type Wait } from "@pi-chronicle/core/history";
import {
	type ApprovalQuestion,
	commandEndText,
	type LaunchReason,
	type LedgerEvent,
	type MoveCause,
	type Run,
	type Spend,
} from "@pi-chronicle/core/machine";
import { entryForPeople, type FileLeft } from "@pi-chronicle/core/snapshot";
import { exactTime, shortCost, shortCount, shortTime } from "../../pi/index.ts";
import { callText } from "./figures.ts";
import { marks, timeOf } from "./names.ts";

/** `dim`: everyday work; `user`: the user's action; `note`, `warn`, `bad`: an incident. */
type EventTone = "plain" | "good" | "dim" | "user" | "note" | "warn" | "bad";

interface Phrase {
	/** A sentence; of an action, a verb phrase whose subject is the user. */
	readonly what: string;
	/** What the user, a worker or another program wrote about it. */
	readonly words?: string | undefined;
	readonly tone: EventTone;
}

export interface Incident {
	readonly what: string;
	readonly tone: "note" | "warn" | "bad";
}

export interface UserAction {
	readonly what: string;
	readonly words: string;
}

const plainPhrase = (what: string, words?: string): Phrase => ({ what, words, tone: "plain" });
const good = (what: string, words?: string): Phrase => ({ what, words, tone: "good" });
const dim = (what: string): Phrase => ({ what, tone: "dim" });
const user = (what: string, words?: string): Phrase => ({ what, words, tone: "user" });
const note = (what: string, words?: string): Phrase => ({ what, words, tone: "note" });
const warn = (what: string, words?: string): Phrase => ({ what, words, tone: "warn" });
const bad = (what: string, words?: string): Phrase => ({ what, words, tone: "bad" });

type Phrases = {
	readonly [Kind in LedgerEvent["kind"]]: (event: LedgerEvent & { kind: Kind }, before: Run | undefined) => Phrase;
};

const phrases: Phrases = {
	created: ({ template, task }) => plainPhrase(`The run of ${template.name} started`, task),
	// After the name of the host, the namespace that its process ids are of.
	opened: ({ host, pid }) => note(`Supervised by process ${pid} on ${host.split(" ", 1)} from here on`),
	recovered: () => note("The log before this was damaged; the run continues from a checkpoint"),
	clock_jumped: ({ ms }) =>
		plainPhrase(`The clock jumped by ${ms < 0 ? "−" : ""}${shortTime(Math.abs(ms))}; that time does not count`),
	noted: ({ text }) => plainPhrase(text),
	condition_changed: ({ condition, detail }) =>
		detail === undefined ? plainPhrase(conditionsOver[condition]) : warn(detail),
	attempt_reserved: ({ attempt, launch, because }) =>
		plainPhrase(`Attempt ${attempt}${launch > 1 ? `, process ${launch}` : ""} starts (${spaced(because)})`),
	given_up: ({ detail }) => warn("The run waits", detail),
	host_awaited: ({ labels }) => plainPhrase(`The next work waits for a host with ${labels.join(", ")}`),
	worker_started: ({ model, pid, conversation, notice }) =>
		(notice === undefined ? plainPhrase : note)(
			`The worker started: ${model}, pid ${pid}${conversation === "continued" ? ", in the same conversation" : ""}`,
			notice,
		),
	launch_failed: ({ reason, detail }) => bad(`A worker could not be started (${spaced(reason)})`, detail),
	command_started: ({ command }) => plainPhrase(`The command started: ${command}`),
	command_ended: ({ result, ms, bytes, problems }) => {
		const isFine = result.kind === "exited" && result.code === 0;
		const after = ms > 0 ? ` after ${exactTime(ms)}, ${shortCount(bytes)} bytes` : "";
		const phrase = isFine && !problems ? good : result.kind === "exited" ? note : warn;
		return phrase(`The command ${commandEndText(result)}${after}`, problems?.join(" "));
	},
	tool_started: ({ tool, args }) => dim(`▸ ${callText(tool, args).join(" ")}`),
	tool_ended: ({ tool, blocked, error, ms, bytes }) => {
		const end = blocked !== undefined ? `was blocked by ${blocked}` : error === true ? "failed" : "succeeded";
		return dim(`${tool} ${end} after ${exactTime(ms)}, ${shortCount(bytes)} bytes`);
	},
	children_planned: ({ children }) =>
		plainPhrase(
			children.length === 0 ? "No children needed" : `Children: ${children.map(({ name }) => name).join(", ")}`,
		),
	child_parked: ({ child, detail }) => plainPhrase(`Child ${child.slice(0, 8)} waits`, detail),
	child_spent: ({ child, spend }) => plainPhrase(`Child ${child.slice(0, 8)} has used ${spendDetails(spend)}`),
	child_ended: ({ child, status, detail }) => plainPhrase(`Child ${child.slice(0, 8)} is ${status}`, detail),
	// It accompanies a command to the child, whose ledger has it.
	child_signaled: ({ child }) => plainPhrase(`A command is queued for child ${child.slice(0, 8)}`),
	// The parent's ledger has it.
	decision_inherited: ({ decision: { did, words } }) => plainPhrase(`The user ${did} in the parent run`, words),
	child_dropped: ({ child }, before) =>
		user(`Dropped the child ${before?.children?.children.find(({ id }) => id === child)?.name ?? child.slice(0, 8)}`),
	joined: ({ conflicts }) =>
		plainPhrase(
			conflicts.length === 0
				? "The files of the children are merged"
				: `The files of the children conflict in ${conflicts.map(({ path }) => path).join(", ")}`,
		),
	join_applied: ({ changes = [], more = 0 }) =>
		plainPhrase(`The merged files are written; ${counted(changes.length + more, "file")} changed`),
	join_failed: ({ detail }) => warn("The files could not be joined", detail),
	used: ({ spend }) => dim(`The conversation has used ${spendDetails(spend)}`),
	model_switched: ({ from, to, detail }) => warn(`${from} failed, ${to} continues`, detail),
	turn_settled({ stop, detail }) {
		if (stop === "aborted") return plainPhrase("The model stopped (aborted)", detail);
		if (stop === "finished") return note("The worker stopped without a transition", detail);
		if (stop === "length") return note("The model's message was truncated at its length limit", detail);
		return warn(`The model's provider failed (${spaced(stop)})`, detail);
	},
	delivered: ({ message }) => plainPhrase(`The worker has received message ${message}`),
	snapshot_updated: ({ by, data }) =>
		by === "person"
			? user("Changed the snapshot", snapshotText(data))
			: plainPhrase(`The worker recorded ${Object.keys(data).map(spaced).join(", ") || "nothing"}`),
	move_requested: ({ target, summary }) => plainPhrase(`The worker requests ${target}`, summary),
	output_refused: ({ problems }) => plainPhrase("The worker's output does not match the schema", problems.join(" ")),
	worker_ended: ({ outcome }) => {
		const { kind, words } = endPhrase(outcome);
		return (kind === "stopped" ? dim : kind === "lost" ? warn : bad)(`The worker ${words}`);
	},
	cleanup_ended: ({ index, result }) => {
		const isFine = result.kind === "exited" && result.code === 0;
		const how = result.kind === "exited" ? `exited with code ${result.code}` : spaced(result.kind);
		return (isFine ? plainPhrase : warn)(
			`Cleanup command ${index + 1} ${how}`,
			"detail" in result ? result.detail : undefined,
		);
	},
	strays_stopped: ({ count, left = 0 }) => {
		const stopped = `Stopped ${counted(count, "process", "processes")} that workers left behind`;
		return left > 0 ? bad(`${stopped}; ${left} could not be stopped`) : note(stopped);
	},
	files_measured: ({ purpose, changes = [], more = 0, total, unkept = [], seq }) => {
		if (purpose === "before")
			return note(`The files before the rewind are saved: \`rewind kept-${seq}\` restores them`);
		if (unkept.length > 0) return warn("Could not be measured", namesOf(unkept));
		const count = counted(total?.files ?? changes.length + more, "file");
		return plainPhrase(
			purpose === "baseline" ? "Recorded the files at the start of the visit" : `The visit has changed ${count}`,
		);
	},
	files_unmeasured: ({ detail }) => warn("Files could not be measured", detail),
	files_restored: ({ left = [], leftMore = 0, changes = [], more = 0 }) => {
		const did = `The rewind restored the files and changed ${counted(changes.length + more, "file")}`;
		if (left.length === 0) return note(did);
		return bad(did, `Not restored: ${namesOf(left)}${leftMore > 0 ? ` and ${leftMore} more` : ""}`);
	},
	files_unrestored: ({ detail }) => bad("The files could not be restored", detail),
	moved: ({ from, to, cause, refused }) =>
		good(
			`${from} ${cause === "rewind" ? marks.undone : "→"} ${to}${cause === "worker" ? "" : ` (${spaced(cause)})`}${refused === undefined ? "" : `, because ${refused} was refused`}`,
		),
	provider_awaited: ({ detail, next, since, tries }) =>
		plainPhrase(`The run waits for the provider until ${timeOf(next, since)} (failure ${tries}: ${detail})`),
	provider_due: () => plainPhrase("The provider is tried again"),
	parked: ({ cause, detail }) => warn(`The run waits (${spaced(cause)})`, detail),
	finished: ({ status, detail }) => (status === "done" ? good : bad)(`The run ended as ${status}`, detail),
	approval_asked: ({ state, side, target }) =>
		plainPhrase(
			side === "conflict"
				? "The run asks how to resolve conflicts"
				: `The run asks for approval of ${askedOf({ state, side, target })}`,
		),
	ask_opened: ({ title, text, call }) => plainPhrase("The worker asks", call === undefined ? title : text),
	// A rule's question is listed with the worker's questions.
	ask_answered: ({ verdict, words }, before) => {
		if (words !== undefined)
			return user(`Answered${before?.question ? ` "${onOneLine(before.question.text)}"` : ""}`, words);
		return plainPhrase(verdict === "unanswered" ? "No answer: taken as no" : `Answered: ${verdict}`);
	},
	approved: ({ words, winner }, before) =>
		user(`Approved ${askedBy(before)}${winner === undefined ? "" : `, taking the child "${winner}"`}`, words),
	rejected: ({ words }, before) => user(`Rejected ${askedBy(before)}`, words),
	resumed: ({ words, reload }) => user(`Resumed the run${withTemplate(reload)}`, words),
	released: ({ to, done, words }, before) => {
		if (done) return user("Declared the run done", words);
		if (to !== undefined) return user(`Sent the run to ${to}`, words);
		const { from, to: refused } = before?.refused ?? {};
		return user(from === undefined ? "Released the run" : `Allowed the refused move from ${from} to ${refused}`, words);
	},
	reopened: ({ to, words }) => user(`Reopened the run in ${to}`, words),
	join_requested: () => user("Asked for the join of the run's files into the project"),
	copy_taken: ({ as, name }) => user(`Made the ${as} ${name} of the run's files`),
	copy_discarded: () => user("Discarded the run's files"),
	told: ({ text }) => user("Sent the worker a message", text),
	limits_changed: ({ state = "the run", limits: { costUsd, tokens, activeMs, moves } }) => {
		const parts = [
			...(costUsd === undefined ? [] : [`cost ${shortCost(costUsd)}`]),
			...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
			...(activeMs === undefined ? [] : [`active time ${shortTime(activeMs)}`]),
			...(moves === undefined ? [] : [`${moves} moves`]),
		];
		return user(`Set the limits of ${state}: ${parts.join(", ") || "none"}`);
	},
	model_changed: ({ model }) => user(`Set the default model of states to ${model}`),
	// Ceilings, faults and the end of a session request pauses with the same event.
	pause_requested: ({ cause, detail }) =>
		cause === "person" ? user("Paused the run", detail) : plainPhrase("Pause requested", detail),
	abort_requested: ({ words, byParent }) =>
		byParent === undefined ? user("Aborted the run", words) : plainPhrase("The parent run stops this one", byParent),
	rewind_requested: ({ to, state, kept, reload }) =>
		user(
			kept === undefined
				? `Rewound files and run to the start of visit ${to} (${state})${withTemplate(reload)}`
				: `Rewound files and run to kept-${kept} (visit ${to}, ${state})`,
		),
};

const conditionsOver = { branch: "The run's branch follows it again", host: "A host has the run again" } as const;

/** The phrase of an event; `undefined` for a kind that a newer version writes. `before`: the run before the event. */
function phraseOf(event: LedgerEvent, before: Run | undefined): Phrase | undefined {
	if (!Object.hasOwn(phrases, event.kind)) return undefined;
	return (phrases[event.kind] as (event: LedgerEvent, before: Run | undefined) => Phrase)(event, before);
}

/** The event as a sentence; events of newer versions have the name of their kind. */
export function eventText(event: LedgerEvent): string {
	const phrase = phraseOf(event, undefined);
	if (phrase === undefined) return spaced(String(event.kind));
	const { what, words, tone } = phrase;
	const sentence = tone === "user" ? `The user ${what.charAt(0).toLowerCase()}${what.slice(1)}` : what;
	return words ? `${sentence}: ${words}` : sentence;
}

export function eventTone(event: LedgerEvent): EventTone {
	return phraseOf(event, undefined)?.tone ?? "plain";
}

/** What happened, if a reader should know about it; `undefined` if everything went as expected. */
export function incidentOf(event: LedgerEvent): Incident | undefined {
	const { what = "", words, tone } = phraseOf(event, undefined) ?? {};
	if (tone !== "note" && tone !== "warn" && tone !== "bad") return undefined;
	return { what: `${words ? `${what}: ${words}` : what}${/[.!?]$/.test(words ?? what) ? "" : "."}`, tone };
}

/** The user's action and words; `undefined` for any other event. `before`: the run before the event. */
export function userAction(event: LedgerEvent, before: Run): UserAction | undefined {
	const phrase = phraseOf(event, before);
	if (phrase?.tone !== "user") return undefined;
	const via = "via" in event ? event.via : undefined;
	// The command line and pi are what everybody expects.
	const isNamed = via !== undefined && !/^pi\b/.test(via) && via !== "the command line";
	return { what: `${phrase.what}${isNamed ? `, through ${via}` : ""}`, words: phrase.words ?? "" };
}

/** The question that an approval or rejection answers. */
function askedBy(run: Run | undefined): string {
	if (run?.stage.kind !== "asking") return "what was asked";
	return askedOf(run.stage.question);
}

function askedOf({ side, state, target }: Pick<ApprovalQuestion, "side" | "state" | "target">): string {
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

function spendDetails({ tokens, costUsd, input, output, cacheRead, cacheWrite }: Spend): string {
	const cached = cacheRead + cacheWrite > 0 ? `, ${shortCount(cacheRead)} + ${shortCount(cacheWrite)} cache` : "";
	return `${shortCount(tokens)} tokens, ${shortCost(costUsd)} (${shortCount(input)} in, ${shortCount(output)} out${cached})`;
}

function namesOf(files: readonly FileLeft[]): string {
	return files.map(({ path, why }) => `${path} (${why})`).join(", ");
}

function withTemplate(reload: object | undefined): string {
	return reload ? " with its edited template" : "";
}

function onOneLine(text: string): string {
	return truncate(text.replace(/\s+/g, " ").trim(), 200);
}

/** `no_transition` → `no transition`. */
function spaced(word: string): string {
	return word.replaceAll("_", " ");
}

/** Why a worker was launched. */
export const reasonPhrases: Readonly<Record<LaunchReason, string>> = {
	entered: "the state started",
	interrupted: "after an interruption",
	crashed: "after a crash",
	timed_out: "after a timeout",
	provider_error: "after a provider error",
	resumed: "resumed by the user",
	rejected: "after a rejection",
	repeated: "the worker restarted the state",
	session_lost: "conversation lost",
	answered: "the user answered",
};

/** Why a move was made. */
export const causePhrases: Readonly<Record<MoveCause, string>> = {
	worker: "by the worker",
	children: "children joined",
	command: "by the command",
	person: "by the user",
	pair_limit: "limit of moves between two states",
	move_limit: "limit of moves",
	attempt_limit: "limit of attempts",
	rejection_limit: "limit of rejections",
	no_progress: "no progress",
	released: "released by the user",
	reopened: "reopened by the user",
	rewind: "rewound by the user",
};

/** Why the run could not continue on its own. */
export const waitPhrases: Readonly<Record<Wait["kind"], string>> = {
	asks: "waiting for an answer",
	approval: "waiting for approval",
	provider: "waiting for the provider",
	paused: "paused",
	budget: "stopped at a limit",
	human: "waiting for your decision",
	interrupted: "no supervisor",
	over: "ended, then reopened",
};

/** Signs for how a worker or command ended. */
export const endMarks: Readonly<Record<Launch["end"]["kind"], string>> = {
	moved: marks.done,
	failed: marks.failed,
	rejected: marks.refused,
	stopped: "",
	crashed: marks.failed,
	timed_out: marks.failed,
	lost: "↯",
	unstarted: marks.failed,
	working: marks.working,
};
