// The report as one HTML page: its head, its sections in order, and a list of omissions at the end.
// N1 it loads and runs nothing: its content security policy forbids both, regardless of its content; N2 it needs no script.
import { createHash } from "node:crypto";
import { titleOf } from "../phrases/index.ts";
import { changesSection, type VisitPatch } from "./changes.ts";
import { childrenSection } from "./children.ts";
import { historySection, shownVisits } from "./history.ts";
import { type HtmlContent, type Markup, trusted } from "./markup.ts";
import { drawFigures, drawHead, drawNext, drawOutcome } from "./overview.ts";
import type { ReportPage, Section } from "./page.ts";
import { pathSection } from "./path.ts";
import {
	decisionsSection,
	guardSection,
	incidentSection,
	knowledgeSection,
	type Transcript,
	toolSection,
	transcriptSection,
} from "./records.ts";
import { statesSection } from "./states.ts";
import { styleSheet } from "./style.ts";
import { timeSection } from "./time.ts";

export interface DocumentParts {
	readonly patches: ReadonlyMap<number, VisitPatch>;
	readonly transcripts: readonly Transcript[];
	/** Path of the event log, relative to the report. */
	readonly log: string | undefined;
	/** Milliseconds since the epoch. */
	readonly madeAt: number;
}

export function drawDocument(page: ReportPage, { patches, transcripts, log, madeAt }: DocumentParts): string {
	const { html, report, moments, leftOut } = page;
	const head = drawHead(page);
	const all: Section[] = [
		pathSection(page),
		timeSection(page),
		statesSection(page),
		historySection(page),
		childrenSection(page),
		changesSection(page, patches),
		knowledgeSection(page),
		decisionsSection(page),
		guardSection(page),
		incidentSection(page),
		toolSection(page),
		transcriptSection(page, transcripts, log),
	];
	const sections = all.filter(({ content }) => content !== undefined);
	const none = all.filter(({ content }) => content === undefined).map(({ title }) => title.toLowerCase());
	const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
	const content = sections.map(
		({ id, title, content }) =>
			html`<section id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${title}</h2>${content}</section>`,
	);
	const absent =
		none.length === 0 ? undefined : html`<p class="dim">There is nothing to show of: ${none.join(", ")}.</p>`;
	const { gaps } = report;
	const missing =
		gaps.length + leftOut.length === 0
			? undefined
			: html`<h2 id="left-out">Omitted</h2><ul>${[...gaps, ...leftOut].map((one) => html`<li>${html.cut(one, 400)}</li>`)}</ul>`;
	const body = html`<div class="sheet"><a class="skip" href="#content">Skip to content</a>${head}<main id="content">${drawNext(page)}${drawFigures(page)}${drawOutcome(page)}<nav aria-label="Contents"><ul>${links}</ul>${drawToVisit(page)}</nav>${content}${absent}</main><footer>${missing}<p>Generated ${moments.full(madeAt)} by pi-chronicle from events 1 to ${report.run.seq}. Recognized secrets are shown as •••.</p></footer></div>`;
	return frame(html`${html.cut(`${report.run.plan.name}: ${report.run.task}`.replace(/\s+/g, " "), 120)}`, body);
}

function drawToVisit({ html, report: { visits } }: ReportPage): HtmlContent {
	const { first, last } = shownVisits(visits);
	const shown = [...first, ...last];
	if (shown.length < 2) return undefined;
	const items = shown.map(
		({ number, state }) => html`<li><a href="#visit-${number}">${number} ${html.cut(titleOf(state), 60)}</a></li>`,
	);
	return html`<details class="to-visit"><summary>Go to visit …</summary><ol tabindex="0" aria-label="Visits">${items}</ol></details>`;
}

function frame(title: Markup, body: Markup): string {
	const hash = createHash("sha256").update(styleSheet).digest("base64");
	const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
	const style = trusted(styleSheet);
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title.markup}</title>
<style>${style.markup}</style>
</head>
<body>
${body.markup}
</body>
</html>
`;
}
