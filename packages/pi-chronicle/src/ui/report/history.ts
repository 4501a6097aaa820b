// The last moves that the folded run keeps, for a ledger whose events are missing. Pure.
import { causePhrases, shortCost, shortCount, shortTime, titleOf } from "../phrases/index.ts";
import { drawTable, drawWords, type ReportPage, type Section } from "./page.ts";

export function historySection(page: ReportPage): Section {
	const { report, moments } = page;
	const { history } = report.run;
	const content = drawTable(page, {
		caption: "The last moves in the folded state",
		rows: history,
		columns: [
			{ name: "Visit", kind: "words", of: ({ visit, from }) => `${visit} ${titleOf(from)}` },
			{ name: "Left", of: ({ at }) => moments.short(Date.parse(at)) },
			{ name: "To", kind: "words", of: ({ to }) => titleOf(to) },
			{ name: "Cause", kind: "words", of: ({ cause }) => causePhrases[cause] },
			{ name: "Active", kind: "number", of: ({ metrics }) => shortTime(metrics.activeMs) },
			{ name: "Tokens", kind: "number", of: ({ metrics }) => shortCount(metrics.tokens) },
			{ name: "Cost", kind: "number", of: ({ metrics }) => shortCost(metrics.costUsd) },
			{ name: "Summary", kind: "words", of: ({ summary }) => drawWords(page, summary) },
		],
	});
	return { id: "history", title: "Last moves", content: history.length === 0 ? undefined : content };
}
