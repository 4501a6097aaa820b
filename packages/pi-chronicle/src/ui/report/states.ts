// The section with time, cost and tokens per state: a table whose figures are bars, too. Pure.
import { shortCost, shortCount, shortTime, titleOf } from "../phrases/index.ts";
import type { Html, Markup } from "./markup.ts";
import { drawTable, endsOf, px, type ReportPage, type Section } from "./page.ts";
import type { StateFigures } from "./report-model.ts";

const maxStates = 60;
/** Units of a bar that stand for the greatest figure. */
const whole = 100;

interface StateRow extends StateFigures {
	readonly state: string;
}

export function statesSection(page: ReportPage): Section {
	const { html, report } = page;
	const all = [...report.states]
		.filter(([, { visits }]) => visits > 0)
		.map(([state, figures]) => ({ state, ...figures }));
	const rows = all.toSorted(({ spend: a }, { spend: b }) => b.costUsd - a.costUsd || b.tokens - a.tokens);
	const bars = (of: (row: StateRow) => number, show: (value: number) => string) => {
		const most = Math.max(...rows.map(of));
		return (row: StateRow): Markup => html`${drawBar(html, of(row), most)} ${show(of(row))}`;
	};
	const isSpent = rows.some(({ activeMs, spend }) => activeMs > 0 || spend.tokens > 0 || spend.costUsd > 0);
	const tokens = bars(({ spend }) => spend.tokens, shortCount);
	const content = drawTable(page, {
		caption: "Time, cost and tokens per state",
		rows: endsOf(rows, maxStates, 0),
		what: "states with little cost",
		columns: [
			{ name: "State", kind: "words", of: ({ state }) => titleOf(state) },
			{ name: "Visits", kind: "number", of: ({ visits }) => visits },
			{ name: "Attempts", kind: "number", of: ({ attempts }) => attempts },
			{ name: "Active time", of: bars(({ activeMs }) => activeMs, shortTime) },
			{ name: "Cost", of: bars(({ spend }) => spend.costUsd, shortCost) },
			{ name: "Tokens", of: (row) => html`${tokens(row)}${tokenKinds(html, row)}` },
			{ name: "Calls", kind: "number", of: ({ toolCalls }) => toolCalls },
		],
	});
	return { id: "states", title: "States", content: isSpent ? content : undefined };
}

function drawBar(html: Html, value: number, most: number): Markup {
	const length = value <= 0 ? 0 : Math.max(1, (value / most) * whole);
	return html`<svg class="measure" aria-hidden="true" viewBox="0 0 ${whole} 12" width="${whole}" height="12"><rect class="bar" width="${px(length)}" height="12" rx="1.5"/></svg>`;
}

/** What the tokens are; a ledger of an old version does not say. */
function tokenKinds(html: Html, { spend: { input, output, cacheRead, cacheWrite } }: StateRow): Markup | undefined {
	if (input + output + cacheWrite === 0) return undefined;
	return html` <span class="second">${shortCount(input)} in, ${shortCount(output)} out, ${shortCount(cacheRead)} + ${shortCount(cacheWrite)} cache</span>`;
}
