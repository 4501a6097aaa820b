// The report as one HTML page: its head, its sections in order, and a list of omissions at the end.
// It loads and runs nothing: its content security policy forbids both, regardless of its content; it needs no script.
import { createHash } from "node:crypto";
import { counted } from "@pi-chronicle/core/definition";
import type { VisitPatch } from "./changes.ts";
import { drawFilm } from "./film.ts";
import { historySection } from "./history.ts";
import { type Html, type HtmlContent, type Markup, trusted } from "./markup.ts";
import { drawFigures, drawHead, drawNext, drawOutcome } from "./overview.ts";
import type { ReportPage, Section } from "./page.ts";
import { pathSection } from "./path.ts";
import {
	conversationsByVisit,
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
import { drawVisit } from "./visit-detail.ts";
import { drawVisitList, listedVisits } from "./visit-list.ts";

export interface DocumentParts {
	readonly patches: ReadonlyMap<number, VisitPatch>;
	readonly transcripts: readonly Transcript[];
	/** Path of the event log, relative to the report. */
	readonly log: string | undefined;
	/** Milliseconds since the epoch. */
	readonly madeAt: number;
}

export function drawDocument(page: ReportPage, { patches, transcripts, log, madeAt }: DocumentParts): string {
	const { html, report, moments } = page;
	const head = drawHead(page);
	const visits = drawInspector(page, patches, transcripts);
	const { sections, absent } = drawSections(page, [...runSections(page), transcriptSection(page, transcripts, log)]);
	const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
	const body = html`<div class="sheet"><a class="skip" href="#content">Skip to content</a>${head}<main id="content">${drawFilm(page)}${drawNext(page)}${drawFigures(page)}${drawOutcome(page)}<nav aria-label="Contents"><ul>${visits === undefined ? undefined : html`<li><a href="#visits">Visits</a></li>`}${links}</ul></nav>${visits}${sections.map(({ markup }) => markup)}${absent}</main><footer>${drawOmitted(page)}<p>Generated ${moments.full(madeAt)} by pi-chronicle from events 1 to ${report.run.seq}. Recognized secrets are shown as •••.</p></footer></div>`;
	return drawFrame(html, { title: `${report.run.plan.name}: ${report.run.task}`, head: ownStyle(html), body });
}

/** What the page leaves out; to be drawn last. */
export function drawOmitted({ html, report: { gaps }, leftOut }: ReportPage): HtmlContent {
	if (gaps.length + leftOut.length === 0) return undefined;
	return html`<h2 id="left-out">Omitted</h2><ul>${[...gaps, ...leftOut].map((one) => html`<li>${html.cut(one, 400)}</li>`)}</ul>`;
}

/** What is about the whole run. */
export function runSections(page: ReportPage): Section[] {
	return [
		pathSection(page),
		timeSection(page),
		statesSection(page),
		...(page.report.visits.length === 0 ? [historySection(page)] : []),
		knowledgeSection(page),
		decisionsSection(page),
		guardSection(page),
		incidentSection(page),
		toolSection(page),
	];
}

interface DrawnSections {
	readonly sections: readonly { readonly id: string; readonly title: string; readonly markup: Markup }[];
	/** Names those without content in one line. */
	readonly absent: HtmlContent;
}

export function drawSections({ html }: ReportPage, all: readonly Section[]): DrawnSections {
	const none = all.filter(({ content }) => content === undefined).map(({ title }) => title.toLowerCase());
	const sections = all.flatMap(({ id, title, content }) =>
		content === undefined
			? []
			: [
					{
						...{ id, title },
						markup: html`<section id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${title}</h2>${content}</section>`,
					},
				],
	);
	const absent =
		none.length === 0 ? undefined : html`<p class="dim">There is nothing to show of: ${none.join(", ")}.</p>`;
	return { sections, absent };
}

/** The list of visits, and each of them, of which the one that is chosen is shown. */
function drawInspector(
	page: ReportPage,
	patches: ReadonlyMap<number, VisitPatch>,
	transcripts: readonly Transcript[],
): HtmlContent {
	const { html, report, leftOut } = page;
	const { first, last, leftOut: hidden } = listedVisits(report.visits);
	const shown = [...first, ...last];
	if (shown.length === 0) return undefined;
	if (hidden > 0) leftOut.push(`${counted(hidden, "visit")} of ${report.visits.length}: only their figures are shown.`);
	const conversations = conversationsByVisit(transcripts, leftOut);
	const details = shown.map((visit, at) =>
		drawVisit(page, visit, {
			patch: patches.get(visit.number),
			conversations: conversations.get(visit.number) ?? [],
			before: shown[at - 1],
			after: shown[at + 1],
		}),
	);
	return html`<div class="inspector" id="visits"><nav aria-label="Visits">${drawVisitList(page)}</nav><div class="detail">${details}</div></div>`;
}

/** The style sheet, and the policy that allows nothing but it. */
function ownStyle(html: Html): Markup {
	const hash = createHash("sha256").update(styleSheet).digest("base64");
	const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
	return html`<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="referrer" content="no-referrer">
<style>${trusted(styleSheet)}</style>`;
}

export interface PageFrame {
	readonly title: string;
	/** What the page loads. */
	readonly head: HtmlContent;
	readonly body: HtmlContent;
}

/** A whole page, of a report or of the server. */
export function drawFrame(html: Html, { title, head, body }: PageFrame): string {
	return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${html.cut(title.replace(/\s+/g, " "), 120)}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`.markup;
}
