// The figures of a rehearsal by hand: requests, sizes, this package's share of them, refused moves, questions, and the facts that were saved.
// Pure.

import { isNumber, object } from "@pi-chronicle/core/definition";
import type { Exchange } from "./play.ts";
import { allMessages, type HandRequest } from "./request.ts";

export interface PlayFigures {
	readonly requests: number;
	/** Of all requests together, as they were sent. */
	readonly characters: number;
	/** Of these, written by this package. */
	readonly ownCharacters: number;
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

export type CallOutcome = "ok" | "refused" | "failed" | "unknown";

/** Outcomes of the calls of each request, by its number. */
export type Outcomes = ReadonlyMap<number, readonly CallOutcome[]>;

export const isFigures = object<PlayFigures>({
	requests: isNumber,
	characters: isNumber,
	ownCharacters: isNumber,
	calls: isNumber,
	refusedCalls: isNumber,
	wrongTargets: isNumber,
	questions: isNumber,
	decisions: isNumber,
	factsSaved: isNumber,
	factsLost: isNumber,
});

function isMove(tool: string, { action }: Readonly<Record<string, unknown>>): boolean {
	return tool === "workflow_transition" || (tool === "workflow_step" && action !== "ask");
}

function isQuestion(tool: string, { action }: Readonly<Record<string, unknown>>): boolean {
	return tool === "ask_user" || (tool === "workflow_step" && action === "ask");
}

export function figuresOf(exchanges: readonly Exchange[], outcomes: Outcomes): PlayFigures {
	const asked = exchanges.filter((exchange) => exchange.kind === "model");
	const calls = asked.flatMap(({ request, answer }) =>
		answer.calls.map((call, index) => ({ ...call, outcome: outcomes.get(request.number)?.[index] ?? "unknown" })),
	);
	const failed = calls.filter(({ outcome }) => outcome === "refused" || outcome === "failed");
	const facts = factsOf(asked, outcomes);
	const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
	return {
		requests: asked.length,
		characters: sum(asked.map(({ share }) => share.all)),
		ownCharacters: sum(asked.map(({ share }) => share.own)),
		calls: calls.filter(({ outcome }) => outcome !== "unknown").length,
		refusedCalls: failed.length,
		wrongTargets: failed.filter(({ tool, input }) => isMove(tool, input)).length,
		questions: calls.filter((call) => isQuestion(call.tool, call.input) && !failed.includes(call)).length,
		decisions: exchanges.length - asked.length,
		factsSaved: facts.length,
		factsLost: facts.filter(({ fate }) => fate === "lost").length,
	};
}

type ModelExchange = Extract<Exchange, { kind: "model" }>;

/** A finding or a task that an agent saved. */
interface Fact {
	readonly texts: readonly string[];
	readonly key: string | undefined;
	/** Number of the request that was answered with it. */
	readonly number: number;
	readonly conversation: string;
	readonly run: string | undefined;
}

/** Every saved finding and task, and whether a worker that started later was not told. */
function factsOf(asked: readonly ModelExchange[], outcomes: Outcomes): { readonly fate: "told" | "lost" }[] {
	const saves = asked.flatMap(({ request, answer }) =>
		answer.calls
			.filter(({ tool }, index) => tool === snapshotTool && outcomes.get(request.number)?.[index] === "ok")
			.map(({ input }) => ({ request, input })),
	);
	const starts = asked.filter(({ request }) => request.turn === 1 && request.posted.run !== undefined);
	const facts = saves.flatMap(({ request: { number, conversation, posted }, input }) =>
		savedEntries(input).map(
			(entry): Fact => ({ texts: textsOf(entry), key: entryKey(entry), number, conversation, run: posted.run }),
		),
	);
	return facts.map((fact) => {
		const names = [fact.key, ...idsOf(fact, asked)];
		const resolved = saves.find(
			({ request, input }) => request.number >= fact.number && resolvedBy(input).some((name) => names.includes(name)),
		);
		const replaced = facts.find(
			({ key, number, run }) => key !== undefined && key === fact.key && number > fact.number && run === fact.run,
		);
		const never = Number.POSITIVE_INFINITY;
		const until = Math.min(resolved?.request.number ?? never, replaced?.number ?? never);
		const readers = starts.filter(({ request }) => request.number > fact.number && request.number <= until);
		const isLost = readers.some(
			({ request }) => !areSiblings(fact.conversation, request.place) && !tells(request, fact),
		);
		return { fate: isLost ? "lost" : "told" };
	});
}

const snapshotTool = "workflow_update_snapshot";

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
function idsOf({ texts: [text = ""], number }: Fact, asked: readonly ModelExchange[]): string[] {
	const lines = asked
		.filter(({ request }) => request.number > number && request.turn === 1)
		.flatMap(({ request }) => (allMessages(request)[0]?.text ?? "").split("\n"));
	return lines
		.map(flat)
		.filter((line) => line.includes(flat(text)))
		.flatMap((line) => line.slice(0, line.indexOf(flat(text))).match(/\b[a-z]\d+\b/g) ?? []);
}

/** Children of one state do not know each other's facts: they work at the same time. */
function areSiblings(one: string, other: string): boolean {
	const child = (place: string): string | undefined => /^child (.*?): /.exec(place)?.[1];
	return child(one) !== undefined && child(other) !== undefined && child(one) !== child(other);
}

function textsOf(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Whether the first message has all of the fact, as text or within JSON, or names the file that has what was shortened. */
function tells(request: HandRequest, { texts }: Fact): boolean {
	const told = flat(allMessages(request)[0]?.text ?? "");
	return (
		told.includes("handover.md") ||
		texts.every((text) => [text, JSON.stringify(text).slice(1, -1)].some((form) => told.includes(flat(form))))
	);
}

function flat(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}

/** The figures as lines for a person; the report before them counts the calls. */
export function figureLines(figures: PlayFigures): string[] {
	const { requests, characters, ownCharacters, wrongTargets, questions, decisions } = figures;
	const number = (value: number): string => value.toLocaleString("en");
	return [
		`Requests: ${number(requests)}, ${number(characters)} characters in all, ${sharePercent(figures)} % of them by pi-chronicle (${number(ownCharacters)}).`,
		`Refused moves: ${wrongTargets}. Questions to the user: ${questions}; decisions: ${decisions}.`,
		`Facts saved: ${figures.factsSaved}; missing where a later worker needs them: ${figures.factsLost}.`,
	];
}

/** This package's share of all characters, in percent with one decimal. */
export function sharePercent({ characters, ownCharacters }: PlayFigures): string {
	return characters === 0 ? "0.0" : ((ownCharacters / characters) * 100).toFixed(1);
}
