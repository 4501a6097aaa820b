// One event of a ledger as a sentence. Pure.

import { counted } from "../../../definition/index.ts";
import { endPhrase, type LedgerEvent, type Spend } from "../../core/index.ts";
import { callText, shortCost, shortCount, shortTime, timeOf } from "../timeline/index.ts";

type Sentences = { readonly [Kind in LedgerEvent["kind"]]: (event: LedgerEvent & { kind: Kind }) => string };

const saying = (words: string | undefined): string => (words === undefined || words === "" ? "" : `: ${words}`);

const conditionsOver = { branch: "The run's branch follows it again", host: "A host has the run again" } as const;

const sentences: Sentences = {
	created: ({ template, task }) => `The run of ${template.name} started: ${task}`,
	opened: ({ host, pid }) => `Supervised by pid ${pid} on ${host}`,
	recovered: () => "The log before this was damaged; the run continues from a checkpoint",
	clock_jumped: ({ ms }) =>
		`The clock jumped by ${ms < 0 ? "−" : ""}${shortTime(Math.abs(ms))}; that time does not count`,
	noted: ({ text }) => text,
	condition_changed: ({ condition, detail }) => detail ?? conditionsOver[condition],
	attempt_reserved: ({ attempt, launch, because }) =>
		`Attempt ${attempt}${launch > 1 ? `, process ${launch}` : ""} is launched (${because.replaceAll("_", " ")})`,
	given_up: ({ detail }) => `The run waits: ${detail}`,
	host_awaited: ({ labels }) => `The next work waits for a host with ${labels.join(", ")}`,
	worker_started: ({ model, pid, conversation }) =>
		`The worker started: ${model}, pid ${pid}${conversation === "continued" ? ", in the same conversation" : ""}`,
	launch_failed: ({ detail }) => `The worker could not be started: ${detail}`,
	tool_started: ({ tool, args }) => `▸ ${callText(tool, args).join(" ")}`,
	tool_ended: ({ tool, blocked, error, ms, bytes }) => {
		const end = blocked !== undefined ? `was blocked by ${blocked}` : error === true ? "failed" : "succeeded";
		return `${tool} ${end} after ${ms < 10_000 ? `${ms} ms` : shortTime(ms)}, ${shortCount(bytes)} bytes`;
	},
	children_planned: ({ children }) =>
		children.length === 0 ? "No children needed" : `Children: ${children.map(({ name }) => name).join(", ")}`,
	child_parked: ({ child, detail }) => `Child ${child.slice(0, 8)} waits: ${detail}`,
	child_spent: ({ child, spend }) => `Child ${child.slice(0, 8)} has used ${spendDetails(spend)}`,
	child_ended: ({ child, status, detail }) => `Child ${child.slice(0, 8)} is ${status}${saying(detail)}`,
	child_signaled: ({ child }) => `A command is queued for child ${child.slice(0, 8)}`,
	decision_inherited: ({ decision: { did, words } }) => `The user ${did} in the parent run${saying(words)}`,
	child_dropped: ({ child }) => `The run continues without child ${child.slice(0, 8)}`,
	joined: ({ conflicts }) =>
		conflicts.length === 0
			? "The files of the children are merged"
			: `The files of the children conflict in ${conflicts.map(({ path }) => path).join(", ")}`,
	join_applied: ({ changes = [], more = 0 }) =>
		`The merged files are written; ${counted(changes.length + more, "file")} changed`,
	join_failed: ({ detail }) => `The files could not be joined: ${detail}`,
	used: ({ spend }) => `The conversation has used ${spendDetails(spend)}`,
	model_switched: ({ from, to, detail }) => `${from} failed, ${to} continues: ${detail}`,
	turn_settled: ({ stop, detail }) => `The model stopped (${stop.replaceAll("_", " ")})${saying(detail)}`,
	delivered: ({ message }) => `The worker has received message ${message}`,
	snapshot_updated: ({ by, data }) =>
		`${by === "worker" ? "The worker" : "The user"} recorded ${Object.keys(data).join(", ").replaceAll("_", " ") || "nothing"}`,
	move_requested: ({ target, summary }) => `The worker requests ${target}${saying(summary)}`,
	output_refused: ({ problems }) => `The worker's output does not match the schema${saying(problems.join(" "))}`,
	worker_ended: ({ outcome }) => `The worker ${endPhrase(outcome).words}`,
	cleanup_ended: ({ index, result }) =>
		`Cleanup command ${index + 1} ${result.kind === "exited" ? `exited with code ${result.code}` : result.kind.replaceAll("_", " ")}`,
	strays_stopped: ({ count }) => `Stopped ${counted(count, "process", "processes")} that workers left behind`,
	files_measured: ({ purpose, changes = [], more = 0 }) =>
		({
			baseline: "Recorded the files at the start of the visit",
			changes: `The visit has changed ${counted(changes.length + more, "file")}`,
			before: "Saved the files before the rewind",
		})[purpose],
	files_unmeasured: ({ detail }) => `Files could not be measured: ${detail}`,
	files_restored: ({ changes = [], more = 0 }) =>
		`↶ The rewind restored the files and changed ${counted(changes.length + more, "file")}`,
	files_unrestored: ({ detail }) => `The files could not be restored: ${detail}`,
	moved: ({ from, to, cause, refused }) =>
		`${from} ${cause === "rewind" ? "↶" : "→"} ${to}${cause === "worker" ? "" : ` (${cause.replaceAll("_", " ")})`}${refused === undefined ? "" : `, because ${refused} was refused`}`,
	provider_awaited: ({ detail, next, since, tries }) =>
		`The run waits for the provider until ${timeOf(next, since)} (failure ${tries}: ${detail})`,
	provider_due: () => "The provider is tried again",
	parked: ({ detail }) => `The run waits: ${detail}`,
	finished: ({ status, detail }) => `The run ended: ${status}${saying(detail)}`,
	ask_opened: ({ title, text, call }) => `The worker asks: ${call === undefined ? title : text}`,
	ask_answered: ({ verdict, words }) =>
		words !== undefined
			? `The user answered: ${words}`
			: verdict === "unanswered"
				? "No answer: taken as no"
				: `Answered: ${verdict}`,
	approved: ({ words, winner }) =>
		`The user approved${winner === undefined ? "" : `, taking "${winner}"`}${saying(words)}`,
	rejected: ({ words }) => `The user rejected: ${words}`,
	resumed: ({ words, reload }) => `The user resumed the run${withTemplate(reload)}${saying(words)}`,
	released: ({ to, done, words }) =>
		`The user ${done ? "declared the run done" : to === undefined ? "allowed the refused move" : `sent the run to ${to}`}${saying(words)}`,
	reopened: ({ to, words }) => `The user reopened the run in ${to}${saying(words)}`,
	told: ({ text }) => `The user to the worker: ${text}`,
	limits_changed: ({ state, limits }) =>
		`New ceilings${state === undefined ? "" : ` of ${state}`}: ${Object.entries(limits)
			.map(([name, value]) => ceilingValue(name, value))
			.join(", ")}`,
	model_changed: ({ model }) => `Default model of states: ${model}`,
	pause_requested: ({ detail }) => `Pause requested: ${detail}`,
	abort_requested: ({ words, byParent }) =>
		byParent === undefined ? `The user aborts the run${saying(words)}` : `The parent run stops this one: ${byParent}`,
	rewind_requested: ({ to, state, kept, reload }) =>
		kept === undefined
			? `The user rewinds to the start of visit ${to} (${state})${withTemplate(reload)}`
			: `The user restores kept-${kept}`,
};

/** The event as a sentence; events of newer versions have the name of their kind. */
export function eventText(event: LedgerEvent): string {
	const say = (sentences as Partial<Record<string, (event: LedgerEvent) => string>>)[event.kind];
	return say === undefined ? String(event.kind).replaceAll("_", " ") : say(event);
}

function withTemplate(reload: object | undefined): string {
	return reload ? " with its edited template" : "";
}

function ceilingValue(name: string, value: unknown): string {
	if (typeof value !== "number") return `${name} ${String(value)}`;
	if (name === "costUsd") return shortCost(value);
	if (name === "activeMs") return `active time ${shortTime(value)}`;
	return `${shortCount(value)} ${name}`;
}

function spendDetails({ tokens, costUsd, input, output, cacheRead, cacheWrite }: Spend): string {
	const cached = cacheRead + cacheWrite > 0 ? `, ${shortCount(cacheRead)} + ${shortCount(cacheWrite)} cache` : "";
	return `${shortCount(tokens)} tokens, ${shortCost(costUsd)} (${shortCount(input)} in, ${shortCount(output)} out${cached})`;
}
