// Time, tokens, and cost of each phase of a run, for the user. Derived from the session after the run has ended and pi has settled.
import type { Usage } from "@earendil-works/pi-ai";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { alignColumns, type Session, shortCost, shortCount, shortTime } from "../../pi/index.ts";
import { isRefusalText } from "../../safety/index.ts";
import { activeTime, type WorkflowRun } from "../phase-machine/index.ts";
import { phaseNameById } from "../prompts/index.ts";
import { historyOf } from "./entries.ts";

/** Maximum rows in the entry, not counting the row that sums up the earlier visits of a longer run. */
const maxRows = 40;

export interface PhaseSpend {
	readonly name: string;
	/** From 1; absent for a sum of several visits, and in entries of earlier versions. */
	readonly visit?: number;
	/** Refused tool calls; absent if there are none, and in entries of earlier versions. */
	readonly refused?: number;
	/** Milliseconds. */
	readonly ms: number;
	readonly tokens: number;
	readonly costUsd: number;
}

/**
 * The visits of a run and the session's usage during each, oldest first. Counts answers, summaries, and tools that call a model, on every
 * branch, like pi's footer. Complete only once the session has settled: an answer in progress is not included.
 */
export function spentPerPhase(session: Session, run: WorkflowRun): PhaseSpend[] {
	if (run.kind === "stale") return [];
	const visits = historyOf(session, run.id).map((visit) => ({ visit, tokens: 0, costUsd: 0, refused: 0 }));
	for (const entry of session.getEntries()) {
		const refusedAt = refusalOf(entry);
		const refusing = visits.find(({ visit }) => refusedAt !== undefined && refusedAt <= visit.to);
		if (refusing !== undefined && (refusedAt ?? 0) >= run.startedAt) refusing.refused += 1;
		const used = usageOf(entry);
		if (used === undefined || used.at < run.startedAt) continue;
		// Usage belongs to the visit in which it was requested, even if the answer arrived after the visit.
		const spent = visits.find(({ visit }) => used.at <= visit.to) ?? visits.at(-1);
		if (spent === undefined) continue;
		const { input, output, cacheRead, cacheWrite, cost } = used.usage;
		spent.tokens += input + output + cacheRead + cacheWrite;
		spent.costUsd += cost.total;
	}
	const rows = visits.map(({ visit, tokens, costUsd, refused }, index) => ({
		name: phaseNameById(run, visit.phaseId),
		visit: index + 1,
		...(refused === 0 ? {} : { refused }),
		ms: activeTime(visit),
		tokens,
		costUsd,
	}));
	const first = rows.slice(0, Math.max(0, rows.length - maxRows));
	return first.length === 0 ? rows : [phaseTotals("earlier", first), ...rows.slice(first.length)];
}

function phaseTotals(name: string, rows: readonly PhaseSpend[]): PhaseSpend {
	const sum = (of: (row: PhaseSpend) => number) => rows.reduce((total, row) => total + of(row), 0);
	const refused = sum(({ refused = 0 }) => refused);
	return {
		name,
		ms: sum(({ ms }) => ms),
		tokens: sum(({ tokens }) => tokens),
		costUsd: sum(({ costUsd }) => costUsd),
		...(refused === 0 ? {} : { refused }),
	};
}

/** When a tool call was refused, in ms since the epoch; `undefined` for any other entry. */
function refusalOf(entry: SessionEntry): number | undefined {
	if (entry.type !== "message" || entry.message.role !== "toolResult" || !entry.message.isError) return undefined;
	const [first] = entry.message.content;
	return first?.type === "text" && isRefusalText(first.text) ? Date.parse(entry.timestamp) : undefined;
}

/** The usage that an entry records, and the time of the request, in ms since the epoch. */
function usageOf(entry: SessionEntry): { readonly at: number; readonly usage: Usage } | undefined {
	const at = Date.parse(entry.timestamp);
	switch (entry.type) {
		case "usage":
		case "compaction":
		case "branch_summary":
			return entry.usage && { at, usage: entry.usage };
		case "message":
			if (entry.message.role === "assistant") return { at: entry.message.timestamp, usage: entry.message.usage };
			return entry.message.role === "toolResult" && entry.message.usage
				? { at, usage: entry.message.usage }
				: undefined;
		default:
			return undefined;
	}
}

/** One line per row, then the total; empty for data of another shape. */
export function spendLines(rows: unknown): string[] {
	if (!Array.isArray(rows)) return [];
	const known = rows.filter(isSpend);
	if (known.length === 0) return [];
	const cells = [...known, phaseTotals("total", known)].map(({ name, visit, ms, tokens, costUsd, refused = 0 }) => [
		visit === undefined ? name : `${visit}. ${name}`,
		// As wide as for 10 s, so that the columns do not depend on small differences.
		shortTime(ms).padStart(3),
		`${shortCount(tokens)} tokens`,
		shortCost(costUsd),
		refused === 0 ? "" : `${refused} refused`,
	]);
	return alignColumns(cells).map((row) => `  ${row}`);
}

function isSpend(row: unknown): row is PhaseSpend {
	const { name, ms, tokens, costUsd } = (row ?? {}) as Partial<Record<keyof PhaseSpend, unknown>>;
	return (
		typeof name === "string" && typeof ms === "number" && typeof tokens === "number" && typeof costUsd === "number"
	);
}
