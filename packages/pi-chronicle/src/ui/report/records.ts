// The sections with lists: knowledge, decisions of users, guard decisions, incidents, tools, and conversations. Pure.
import { counted } from "@pi-chronicle/core/definition";
import { entryText } from "@pi-chronicle/core/snapshot";
import { exactTime, shortCount, titleOf } from "../phrases/index.ts";
import type { Conversation } from "./conversation.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import {
	type Column,
	drawTable,
	drawWords,
	type Ends,
	endsOf,
	type ReportPage,
	type Section,
	type TableOptions,
} from "./page.ts";
import type { Happening } from "./report-model.ts";
import type { VisitConversation } from "./visit-detail.ts";

const bounded = <Row>(rows: readonly Row[]): Ends<Row> => endsOf(rows, 100, 100);

/** A table of what happened, whose first columns say when and where; `undefined` if nothing did. */
function drawHappenings<Row extends Happening>(
	page: ReportPage,
	rows: readonly Row[],
	table: Pick<TableOptions<Row>, "caption" | "what" | "columns">,
): Markup | undefined {
	if (rows.length === 0) return undefined;
	const whenAndWhere: Column<Row>[] = [
		{ name: "When", of: ({ at }) => page.moments.short(at) },
		{ name: "Visit", kind: "words", of: ({ visit, state }) => `${visit} ${titleOf(state)}` },
	];
	return drawTable(page, { ...table, rows: bounded(rows), columns: [...whenAndWhere, ...table.columns] });
}

export function knowledgeSection(page: ReportPage): Section {
	const { html, report, leftOut } = page;
	const { findings, pendingTasks, dropped } = report.run.snapshot;
	if (dropped.findings > 0) leftOut.push(`${counted(dropped.findings, "older finding")}: only in the event log.`);
	if (dropped.pendingTasks > 0)
		leftOut.push(`${counted(dropped.pendingTasks, "older pending task")}: only in the event log.`);
	const list = (title: string, entries: typeof findings): HtmlContent => {
		const items = entries.toReversed().map(({ id, key, visit, state, cut, earlier, ...entry }) => {
			const texts =
				earlier &&
				html`<details class="more"><summary>${counted(earlier.length, "earlier text")}</summary><ul>${earlier.map((one) => html`<li dir="auto">${one}</li>`)}</ul></details>`;
			return html`<li><span class="id">${id}</span> ${key === undefined ? undefined : html`<b dir="auto">${key}</b> `}${drawWords(page, entryText(entry))}${cut ? html` <span class="dim">(longer in the event log)</span>` : undefined} <span class="dim from">visit ${visit}, ${titleOf(state)}</span>${texts}</li>`;
		});
		return entries.length === 0 ? undefined : html`<h3>${title}</h3><ul class="entries">${items}</ul>`;
	};
	const lists = [list("Pending tasks", pendingTasks), list("Findings", findings)];
	return { id: "knowledge", title: "Knowledge", content: lists.some((one) => one !== undefined) ? lists : undefined };
}

export function decisionsSection(page: ReportPage): Section {
	const { decisions } = page.report;
	const content = drawHappenings(page, decisions, {
		caption: "What the user decided",
		what: "decisions",
		columns: [
			{ name: "What", kind: "words", of: ({ what }) => what },
			{ name: "Words", kind: "words", of: ({ words }) => drawWords(page, words) },
		],
	});
	return { id: "people", title: "Decisions", content };
}

const verdictWords = {
	allowed: "✓ allowed",
	denied: "✗ denied",
	answered: "✓ answered",
	unanswered: "no answer",
	open: "open",
} as const;

export function guardSection(page: ReportPage): Section {
	const { html, report } = page;
	const { blocked, questions } = report;
	const rules = [...Map.groupBy(blocked, ({ rule }) => rule)].sort(([, one], [, other]) => other.length - one.length);
	const chips = rules
		.slice(0, 12)
		.map(([rule, own]) => html`<li><span dir="auto">${html.cut(rule, 160)}</span> <b>×${own.length}</b></li>`);
	const calls = drawHappenings(page, blocked, {
		caption: "Blocked tool calls",
		what: "blocked calls",
		columns: [
			{ name: "Tool", of: ({ tool }) => html`<code>${tool}</code>` },
			{ name: "Call", kind: "words", of: ({ args }) => html`<code dir="auto">${html.cut(args, 400)}</code>` },
			{ name: "Rule", kind: "words", of: ({ rule }) => html.cut(rule, 400) },
		],
	});
	const asked = drawHappenings(page, questions, {
		caption: "Worker questions",
		what: "questions",
		columns: [
			{
				name: "Question",
				kind: "words",
				of: ({ title, text }) => [html`<b dir="auto">${html.cut(title, 300)}</b> `, drawWords(page, text)],
			},
			{ name: "Answer", kind: "words", of: ({ verdict, words }) => words ?? verdictWords[verdict] },
		],
	});
	const parts = [
		...(calls ? [html`<ul class="chips">${chips}</ul>`, calls] : []),
		...(asked ? [html`<h3>Worker questions</h3>`, asked] : []),
	];
	return { id: "guard", title: "Guard", content: parts.length === 0 ? undefined : parts };
}

const toneMarks = { bad: "✗", warn: "!", note: "·" } as const;

export function incidentSection(page: ReportPage): Section {
	const { html, report } = page;
	const { incidents } = report;
	const content = drawHappenings(page, incidents, {
		caption: "Stops, crashes, interruptions",
		what: "incidents",
		columns: [
			{
				name: "What",
				kind: "words",
				of: ({ what, tone }) =>
					html`<span class="${tone}"><span aria-hidden="true">${toneMarks[tone]}</span> ${html.cut(what, 600)}</span>`,
			},
		],
	});
	return { id: "incidents", title: "Incidents", content };
}

export function toolSection(page: ReportPage): Section {
	const { html, report } = page;
	const content = drawTable(page, {
		caption: "Tool calls",
		rows: endsOf(report.tools, 60, 0),
		what: "tools with few calls",
		columns: [
			{ name: "Tool", of: ({ tool }) => html`<code>${tool}</code>` },
			{ name: "Calls", kind: "number", of: ({ calls }) => calls },
			{ name: "Failed", kind: "number", of: ({ failed }) => failed },
			{ name: "Blocked", kind: "number", of: ({ blocked }) => blocked },
			{ name: "Time", kind: "number", of: ({ ms }) => exactTime(ms) },
			{ name: "Longest", kind: "number", of: ({ longestMs }) => exactTime(longestMs) },
			{ name: "Results", kind: "number", of: ({ bytes }) => `${shortCount(bytes)}B` },
		],
	});
	return { id: "tools", title: "Tools", content: report.tools.length === 0 ? undefined : content };
}

export interface Transcript {
	/** `<visit>.<attempt>`. */
	readonly key: string;
	/** Path relative to the report, `/` between segments. */
	readonly href: string;
	readonly bytes: number;
	/** Its messages, if they could be read. */
	readonly conversation?: Conversation;
}

const maxConversations = 60;

/** The conversations that can be read, by visit: the newest ones if there are many. Adds a sentence to `leftOut` if so. */
export function conversationsByVisit(
	transcripts: readonly Transcript[],
	leftOut: string[],
): ReadonlyMap<number, VisitConversation[]> {
	const readable = transcripts.flatMap(({ key, conversation }) => (conversation ? [{ key, conversation }] : []));
	const older = readable.length - maxConversations;
	if (older > 0) leftOut.push(`${counted(older, "conversation")}: only in the session files.`);
	return Map.groupBy(readable.slice(-maxConversations), ({ key }) => Number.parseInt(key, 10));
}

/** `log`: path of the event log, relative to the report. */
export function transcriptSection(page: ReportPage, transcripts: readonly Transcript[], log?: string): Section {
	const { html, report } = page;
	const link = (href: string, words: string): Markup => html`<a href="${encodePath(href)}">${words}</a>`;
	const stateOf = new Map(report.visits.map(({ number, state }) => [String(number), state]));
	const rows = transcripts.map((transcript) => {
		const [visit = "", attempt = ""] = transcript.key.split(".");
		return { ...transcript, attempt, visit: `${visit} ${titleOf(stateOf.get(visit) ?? "")}`.trim() };
	});
	const files = drawTable<(typeof rows)[number]>(page, {
		caption: "Worker conversations",
		rows: bounded(rows),
		what: "conversations",
		columns: [
			{ name: "Visit", kind: "words", of: ({ visit }) => visit },
			{ name: "Attempt", kind: "number", of: ({ attempt }) => attempt },
			{ name: "File", kind: "words", of: ({ href }) => link(href, href) },
			{ name: "Size", kind: "number", of: ({ bytes }) => `${shortCount(bytes)}B` },
		],
	});
	const content = [
		rows.length === 0
			? undefined
			: html`<p class="dim">The links work if this file is in the run's folder. <code>pi --export &lt;file&gt;</code> renders a conversation as a page.</p>${files}`,
		log === undefined ? undefined : html`<p>Complete record: ${link(log, log)}</p>`,
	];
	return {
		id: "transcripts",
		title: "Files of the run",
		content: rows.length === 0 && log === undefined ? undefined : content,
	};
}

/** Encodes a relative path as a URL that cannot contain a scheme. */
function encodePath(path: string): string {
	const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
	return /^\.{1,2}\//.test(encoded) ? encoded : `./${encoded}`;
}
