// The result of a sequence as an entry of its last session, with the usage of each iteration. Shown to the user, never to the model.
import { shortCost, shortCount, shortTime } from "../pi/index.ts";

/** Custom entry type. */
export const summaryType = "sequence:finished";

/** Maximum number of iterations kept individually; the oldest are dropped first. */
const maxRows = 50;
/** Maximum number of rows drawn. */
const shownRows = 10;

export interface IterationSpend {
	/** Milliseconds. */
	readonly ms: number;
	readonly tokens: number;
	readonly costUsd: number;
}

export interface SequenceSummary {
	readonly sequenceId: string;
	readonly how: "completed" | "stopped";
	/** Iterations started (`runs`), of those ended (`ended`), and requested (`of`). */
	readonly runs: number;
	/** Entries of earlier versions lack it. */
	readonly ended?: number;
	readonly of: number;
	readonly total: IterationSpend;
	/** The last iterations, oldest first. */
	readonly last: readonly IterationSpend[];
}

/** Sums up the iterations of a run. */
export function summarise(
	sequenceId: string,
	how: SequenceSummary["how"],
	of: number,
	iterations: readonly IterationSpend[],
	ended = iterations.length,
): SequenceSummary {
	const sum = (of: (one: IterationSpend) => number) => iterations.reduce((all, one) => all + of(one), 0);
	const total = {
		ms: sum(({ ms }) => ms),
		tokens: sum(({ tokens }) => tokens),
		costUsd: sum(({ costUsd }) => costUsd),
	};
	return { sequenceId, how, runs: iterations.length, ended, of, total, last: iterations.slice(-maxRows) };
}

/** The lines of a summary: the total, then the last iterations. Empty for data of another shape. */
export function summaryLines(data: unknown): string[] {
	const { how, runs, ended = runs, of, total, last } = (data ?? {}) as Partial<SequenceSummary>;
	if (typeof runs !== "number" || typeof of !== "number" || !isIterationSpend(total) || !Array.isArray(last)) return [];
	const mark = how === "completed" ? "✓" : "✗";
	const rows = last.filter(isIterationSpend).slice(-shownRows);
	const first = runs - rows.length;
	return [
		`${mark} sequence · ${ended} of ${of} ${of === 1 ? "run" : "runs"} · ${spendText(total)}`,
		...(runs > 1 ? rows.map((row, index) => `  ${first + index + 1}. ${spendText(row)}`) : []),
	];
}

function isIterationSpend(value: unknown): value is IterationSpend {
	const { ms, tokens, costUsd } = (value ?? {}) as Partial<Record<keyof IterationSpend, unknown>>;
	return typeof ms === "number" && typeof tokens === "number" && typeof costUsd === "number";
}

function spendText({ ms, tokens, costUsd }: IterationSpend): string {
	return `${shortTime(ms)} · ${shortCount(tokens)} tokens · ${shortCost(costUsd)}`;
}
