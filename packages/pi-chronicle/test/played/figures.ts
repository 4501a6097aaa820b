// The figures of a play, from its transcript: requests, refused moves, questions, and the facts that were saved.
import { maskMeasured } from "../../src/tools/rehearsal/by-hand/mask.ts";
import type { PlayTranscript } from "../../src/tools/rehearsal/by-hand/transcript.ts";

export interface PlayedFigures {
	readonly requests: number;
	/** Calls with a known end. */
	readonly calls: number;
	readonly refusedCalls: number;
	/** Refused calls that were to move the run on. */
	readonly wrongTargets: number;
	/** Questions of the agents that reached the user. */
	readonly questions: number;
	/** Decisions of the user. */
	readonly decisions: number;
	/** Findings and pending tasks that were saved. */
	readonly factsSaved: number;
	/** Of these, missing in the first message of a worker that started later, while they were neither resolved nor replaced. */
	readonly factsLost: number;
}

function isMove(tool: string, { action }: Readonly<Record<string, unknown>>): boolean {
	return tool === "workflow_transition" || (tool === "workflow_step" && action !== "ask");
}

function isQuestion(tool: string, { action }: Readonly<Record<string, unknown>>): boolean {
	return tool === "ask_user" || (tool === "workflow_step" && action === "ask");
}

export function playedFigures({ kind, entries }: Pick<PlayTranscript, "kind" | "entries">): PlayedFigures {
	const asked = entries.filter((entry) => entry.kind === "model");
	const calls = asked.flatMap(({ answer, outcomes }) =>
		answer.calls.map((call, index) => ({ ...call, outcome: outcomes[index] ?? "unknown" })),
	);
	const failed = calls.filter(({ outcome }) => outcome === "refused" || outcome === "failed");
	const facts = factsOf(asked, kind);
	return {
		requests: asked.length,
		calls: calls.filter(({ outcome }) => outcome !== "unknown").length,
		refusedCalls: failed.length,
		wrongTargets: failed.filter(({ tool, input }) => isMove(tool, input)).length,
		questions: calls.filter((call) => isQuestion(call.tool, call.input) && !failed.includes(call)).length,
		decisions: entries.length - asked.length,
		factsSaved: facts.length,
		factsLost: facts.filter(({ fate }) => fate === "lost").length,
	};
}

type ModelEntry = Extract<PlayTranscript["entries"][number], { kind: "model" }>;

/** A finding or a task that an agent saved. */
interface Fact {
	readonly texts: readonly string[];
	readonly key: string | undefined;
	/** Number of the request that was answered with it. */
	readonly number: number;
	readonly conversation: string;
}

/** Every saved finding and task, and whether a worker that started later was not told. */
function factsOf(asked: readonly ModelEntry[], kind: PlayTranscript["kind"]): { readonly fate: "told" | "lost" }[] {
	const saves = asked.flatMap(({ answer, outcomes, ...entry }) =>
		answer.calls
			.filter(({ tool }, index) => tool === "workflow_update_snapshot" && outcomes[index] === "ok")
			.map(({ input }) => ({ ...entry, input })),
	);
	// A workflow has one conversation.
	const starts = asked.filter(({ turn }) => turn === 1 && kind === "chronicle");
	const facts = saves.flatMap(({ number, conversation, input }) =>
		savedEntries(input).map((entry): Fact => ({ texts: textsOf(entry), key: entryKey(entry), number, conversation })),
	);
	return facts.map((fact) => {
		const names = [fact.key, ...idsOf(fact, asked)];
		const resolved = saves.find(
			({ number, input }) => number >= fact.number && resolvedBy(input).some((name) => names.includes(name)),
		);
		const replaced = facts.find(
			({ key, number, conversation }) =>
				key !== undefined &&
				key === fact.key &&
				number > fact.number &&
				childOf(conversation) === childOf(fact.conversation),
		);
		const never = Number.POSITIVE_INFINITY;
		const until = Math.min(resolved?.number ?? never, replaced?.number ?? never);
		const readers = starts.filter(({ number }) => number > fact.number && number <= until);
		const isLost = readers.some((entry) => !areSiblings(fact.conversation, entry.conversation) && !tells(entry, fact));
		return { fate: isLost ? "lost" : "told" };
	});
}

function savedEntries(input: unknown): unknown[] {
	const { data, findings, pending_tasks: tasks } = (input ?? {}) as Record<string, unknown>;
	const own = [findings, tasks].flatMap((list) => (Array.isArray(list) ? list : list === undefined ? [] : [list]));
	if (typeof data === "string") return [...own, data];
	return typeof data === "object" && data !== null ? [...own, ...savedEntries(data)] : own;
}

function resolvedBy(input: unknown): readonly string[] {
	const { data, resolve } = (input ?? {}) as Record<string, unknown>;
	const own = (Array.isArray(resolve) ? resolve : [resolve]).filter((name) => typeof name === "string");
	return typeof data === "object" && data !== null ? [...own, ...resolvedBy(data)] : own;
}

function entryKey(entry: unknown): string | undefined {
	const { key } = (typeof entry === "object" ? (entry ?? {}) : {}) as { key?: unknown };
	return typeof key === "string" ? key : undefined;
}

/** The ids that a later message shows in front of the fact: `[f3] …`. */
function idsOf({ texts: [text = ""], number }: Fact, asked: readonly ModelEntry[]): string[] {
	const lines = asked
		.filter((entry) => entry.number > number && entry.turn === 1)
		.flatMap((entry) => firstMessage(entry).split("\n"));
	return lines
		.map(flat)
		.filter((line) => line.includes(flat(text)))
		.flatMap((line) => line.slice(0, line.indexOf(flat(text))).match(/\b[a-z]\d+\b/g) ?? []);
}

/** Children of one state do not know each other's facts: they work at the same time. */
function areSiblings(one: string, other: string): boolean {
	return childOf(one) !== undefined && childOf(other) !== undefined && childOf(one) !== childOf(other);
}

function childOf(conversation: string): string | undefined {
	return /^child (.*?): /.exec(conversation)?.[1];
}

function textsOf(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Whether the first message has all of the fact, as text or within JSON, or names the file that has what was shortened. */
function tells(entry: ModelEntry, { texts }: Fact): boolean {
	const told = flat(firstMessage(entry));
	return (
		told.includes("handover.md") ||
		texts
			.map((text) => maskMeasured(text))
			.every((text) => [text, JSON.stringify(text).slice(1, -1)].some((form) => told.includes(flat(form))))
	);
}

function firstMessage({ asked }: ModelEntry): string {
	return asked.find(({ title }) => title === "User message")?.text ?? "";
}

function flat(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}
