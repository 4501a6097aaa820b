// What each phase of a run took, read off the branch when the run ends: time, tokens and cost of the answers given in it. For the person.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { newestFirst, shortCost, shortCount } from "../../pi/index.ts";
import type { LiveRun } from "../machine/index.ts";
import { duration } from "../prompts/index.ts";
import { historyOf } from "./entries.ts";
import { nameOf } from "./report.ts";

/** Rows kept in the entry; of a longer run the last ones. */
const mostRows = 40;

export interface PhaseSpend {
	readonly name: string;
	/** Milliseconds. */
	readonly ms: number;
	readonly tokens: number;
	readonly costUsd: number;
}

/** The visits of a run with what their answers used, oldest first. */
export function spentPerPhase(session: ExtensionContext["sessionManager"], run: LiveRun): PhaseSpend[] {
	const visits = historyOf(session, run.id).map((visit) => ({ visit, tokens: 0, costUsd: 0 }));
	for (const entry of newestFirst(session)) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const at = Date.parse(entry.timestamp);
		if (at < run.startedAt) break;
		// An answer that ends its phase is recorded before the phase is left: it belongs to the visit that it was given in.
		const spent = visits.find(({ visit }) => at <= visit.to);
		if (spent === undefined) continue;
		spent.tokens += entry.message.usage.totalTokens;
		spent.costUsd += entry.message.usage.cost.total;
	}
	return visits.slice(-mostRows).map(({ visit, tokens, costUsd }) => ({
		name: nameOf(run, visit.phaseId),
		ms: visit.to - visit.from,
		tokens,
		costUsd,
	}));
}

/** The rows as lines, with the whole at the end; nothing for data of another shape. */
export function spendLines(rows: unknown): string[] {
	if (!Array.isArray(rows)) return [];
	const known = rows.filter(isSpend);
	if (known.length === 0) return [];
	const total = known.reduce(
		(sum, { ms, tokens, costUsd }) => ({
			ms: sum.ms + ms,
			tokens: sum.tokens + tokens,
			costUsd: sum.costUsd + costUsd,
		}),
		{ ms: 0, tokens: 0, costUsd: 0 },
	);
	return [...known, { name: "together", ...total }].map(
		({ name, ms, tokens, costUsd }) =>
			`  ${name} · ${duration(ms)} · ${shortCount(tokens)} tokens · ${shortCost(costUsd)}`,
	);
}

function isSpend(row: unknown): row is PhaseSpend {
	const { name, ms, tokens, costUsd } = (row ?? {}) as Partial<Record<keyof PhaseSpend, unknown>>;
	return (
		typeof name === "string" && typeof ms === "number" && typeof tokens === "number" && typeof costUsd === "number"
	);
}
