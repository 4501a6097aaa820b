// The visits of a run as CSV (RFC 4180). Pure.
import type { Visit } from "@pi-chronicle/core/history";

const columns: Readonly<Record<string, (visit: Visit) => string | number>> = {
	visit: ({ number }) => number,
	state: ({ state }) => state,
	began: ({ beganAt }) => new Date(beganAt).toISOString(),
	ended: ({ endedAt }) => (endedAt === undefined ? "" : new Date(endedAt).toISOString()),
	active_ms: ({ activeMs }) => activeMs,
	waiting_ms: ({ waits }) => waits.reduce((sum, { from, to }) => sum + to - from, 0),
	workers: ({ launches }) => launches.length,
	models: ({ launches }) => [...new Set(launches.flatMap(({ model }) => model ?? []))].join(" "),
	tool_calls: ({ toolCalls }) => toolCalls,
	tokens: ({ spend }) => spend.tokens,
	input_tokens: ({ spend }) => spend.input,
	output_tokens: ({ spend }) => spend.output,
	cache_read_tokens: ({ spend }) => spend.cacheRead,
	cache_write_tokens: ({ spend }) => spend.cacheWrite,
	cost_usd: ({ spend }) => spend.costUsd,
	files: ({ files }) => files.total?.files ?? files.changes.length + files.more,
	next_state: ({ left }) => left?.to ?? "",
	cause: ({ left }) => left?.cause ?? "",
	undone: ({ undone }) => `${undone}`,
	summary: ({ summary }) => summary,
};

/** One line for each visit, below the names of the columns. */
export function visitsCsv(visits: readonly Visit[]): string[] {
	return [Object.keys(columns), ...visits.map((visit) => Object.values(columns).map((of) => of(visit)))].map((row) =>
		row.map(cell).join(","),
	);
}

/** A text that a spreadsheet would take for a formula is marked as a text. */
function cell(value: string | number): string {
	const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : `${value}`;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
