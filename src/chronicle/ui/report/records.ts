// The sections with lists: findings and tasks, decisions of users, blocked calls, incidents, tools, and transcripts. Pure.
import { counted } from "../../../definition/index.ts";
import { entryText } from "../../core/index.ts";
import { shortCount, shortTime, titleOf } from "../timeline/index.ts";
import { type Conversation, drawConversation } from "./conversation.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { drawWords, type ReportPage, type Section } from "./page.ts";
import { type Column, drawTable, ends } from "./table.ts";

const maxRows = 200;

/** The first and the last rows of a long list; adds a sentence about the rest to `leftOut`. */
function bounded<Row>({ leftOut }: ReportPage, rows: readonly Row[], what: string): readonly Row[] {
	const list = ends(rows, maxRows / 2, maxRows / 2);
	if (list.leftOut > 0) leftOut.push(`${list.leftOut} more ${what}.`);
	return list.rows;
}

function where<Row extends { readonly at: number; readonly visit: number; readonly state: string }>({
	moments,
}: ReportPage): Column<Row>[] {
	return [
		{ name: "When", of: ({ at }) => moments.short(at) },
		{ name: "Visit", kind: "words", of: ({ visit, state }) => `${visit} ${titleOf(state)}` },
	];
}

function none({ html }: ReportPage, words: string): Markup {
	return html`<p class="dim">${words}</p>`;
}

export function knowledgeSection(page: ReportPage): Section {
	const { html, report, leftOut } = page;
	const { findings, pendingTasks, dropped } = report.run.snapshot;
	if (dropped.findings > 0) leftOut.push(`${counted(dropped.findings, "older finding")}: only in the event log.`);
	if (dropped.pendingTasks > 0)
		leftOut.push(`${counted(dropped.pendingTasks, "older pending task")}: only in the event log.`);
	const list = (entries: typeof findings): Markup =>
		html`<ul class="entries">${entries
			.toReversed()
			.map(
				({ id, key, visit, state, cut, earlier, ...entry }) =>
					html`<li><span class="id">${id}</span> ${key === undefined ? undefined : html`<b dir="auto">${key}</b> `}${drawWords(page, entryText(entry))}${cut ? html` <span class="dim">(longer in the event log)</span>` : undefined} <span class="dim from">visit ${visit}, ${titleOf(state)}</span>${earlier === undefined ? undefined : html`<details class="more"><summary>${counted(earlier.length, "earlier text")}</summary><ul>${earlier.map((one) => html`<li dir="auto">${one}</li>`)}</ul></details>`}</li>`,
			)}</ul>`;
	return {
		id: "knowledge",
		title: "Knowledge",
		content: [
			html`<h3>Pending tasks</h3>`,
			pendingTasks.length === 0 ? none(page, "None.") : list(pendingTasks),
			html`<h3>Findings</h3>`,
			findings.length === 0 ? none(page, "No findings.") : list(findings),
		],
	};
}

export function decisionsSection(page: ReportPage): Section {
	const { html, report } = page;
	const rows = bounded(page, report.decisions, "user decisions");
	return {
		id: "people",
		title: "User decisions",
		content: drawTable(html, {
			empty: "No decisions.",
			caption: "What the user decided",
			rows,
			columns: [
				...where<(typeof rows)[number]>(page),
				{ name: "What", kind: "words", of: ({ what }) => what },
				{ name: "Words", kind: "words", of: ({ words }) => drawWords(page, words) },
			],
		}),
	};
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
	const blocked = bounded(page, report.blocked, "blocked tool calls");
	const questions = bounded(page, report.questions, "worker questions");
	const rules = report.blocked.length === 0 ? [] : countRules(report.blocked.map(({ rule }) => rule));
	const parts: HtmlContent[] = [
		blocked.length === 0
			? none(page, "No blocked tool calls.")
			: [
					html`<ul class="chips">${rules.slice(0, 12).map(([rule, count]) => html`<li><span dir="auto">${html.cut(rule, 160)}</span> <b>×${count}</b></li>`)}</ul>`,
					drawTable(html, {
						caption: "Blocked tool calls",
						rows: blocked,
						columns: [
							...where<(typeof blocked)[number]>(page),
							{ name: "Tool", of: ({ tool }) => html`<code>${tool}</code>` },
							{
								name: "Call",
								kind: "words",
								of: ({ args }) => html`<code dir="auto">${html.cut(args, 400)}</code>`,
							},
							{ name: "Rule", kind: "words", of: ({ rule }) => html.cut(rule, 400) },
						],
					}),
				],
	];
	if (questions.length > 0)
		parts.push(
			html`<h3>Worker questions</h3>`,
			drawTable(html, {
				caption: "Worker questions",
				rows: questions,
				columns: [
					...where<(typeof questions)[number]>(page),
					{
						name: "Question",
						kind: "words",
						of: ({ title, text }) => [html`<b dir="auto">${html.cut(title, 300)}</b> `, drawWords(page, text)],
					},
					{ name: "Answer", of: ({ verdict, words }) => words ?? verdictWords[verdict] },
				],
			}),
		);
	return { id: "guard", title: "Guard decisions", content: parts };
}

function countRules(rules: readonly string[]): [string, number][] {
	const counts = new Map<string, number>();
	for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
	return [...counts].sort(([, one], [, other]) => other - one);
}

const toneMarks = { bad: "✗", warn: "!", plain: "·" } as const;

export function incidentSection(page: ReportPage): Section {
	const { html, report } = page;
	const rows = bounded(page, report.incidents, "incidents");
	return {
		id: "incidents",
		title: "Interruptions and errors",
		content: drawTable(html, {
			empty: "None.",
			caption: "Stops, crashes, interruptions",
			rows,
			columns: [
				...where<(typeof rows)[number]>(page),
				{
					name: "What",
					kind: "words",
					of: ({ what, tone }) =>
						html`<span class="${tone}"><span aria-hidden="true">${toneMarks[tone]}</span> ${html.cut(what, 600)}</span>`,
				},
			],
		}),
	};
}

export function toolSection(page: ReportPage): Section {
	const { html, report, leftOut } = page;
	const rows = report.tools.slice(0, 60);
	if (report.tools.length > rows.length) leftOut.push(`The ${report.tools.length - rows.length} least used tools.`);
	return {
		id: "tools",
		title: "Tools",
		content: drawTable(html, {
			empty: "No tool calls.",
			caption: "Tool calls",
			rows,
			columns: [
				{ name: "Tool", of: ({ tool }) => html`<code>${tool}</code>` },
				{ name: "Calls", kind: "number", of: ({ calls }) => calls },
				{ name: "Failed", kind: "number", of: ({ failed }) => failed },
				{ name: "Blocked", kind: "number", of: ({ blocked }) => blocked },
				{ name: "Time", kind: "number", of: ({ ms }) => toolTime(ms) },
				{ name: "Longest", kind: "number", of: ({ longestMs }) => toolTime(longestMs) },
				{ name: "Results", kind: "number", of: ({ bytes }) => shortBytes(bytes) },
			],
		}),
	};
}

function toolTime(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : shortTime(ms);
}

function shortBytes(bytes: number): string {
	return `${shortCount(bytes)}B`;
}

/** A worker's conversation on disk. */
export interface Transcript {
	/** `<visit>.<attempt>`. */
	readonly key: string;
	/** Path relative to the report, `/` between segments. */
	readonly href: string;
	readonly bytes: number;
	/** Its messages, if they could be read. */
	readonly conversation?: Conversation;
}

/** Conversations that can be read in the report itself: the first and the last ones. */
const maxConversations = 60;

export function transcriptSection(
	page: ReportPage,
	transcripts: readonly Transcript[],
	log: string | undefined,
): Section {
	const { html, report } = page;
	const rows = bounded(page, transcripts, "transcripts");
	const stateOf = new Map(report.visits.map(({ number, state }) => [String(number), state]));
	const link = (href: string, words: string): Markup => html`<a href="${encodePath(href)}">${words}</a>`;
	return {
		id: "transcripts",
		title: "Transcripts",
		content: [
			rows.length === 0
				? none(page, "No worker conversations on disk.")
				: [
						html`<p class="dim">The links work if this file is in the run's folder. <code>pi --export &lt;file&gt;</code> renders a conversation as a page.</p>`,
						drawTable(html, {
							caption: "Worker conversations",
							rows,
							columns: [
								{
									name: "Visit",
									kind: "words",
									of: ({ key }) => {
										const [visit = ""] = key.split(".");
										const state = stateOf.get(visit);
										return state === undefined ? visit : `${visit} ${titleOf(state)}`;
									},
								},
								{ name: "Attempt", kind: "number", of: ({ key }) => key.split(".")[1] ?? "" },
								{ name: "File", kind: "words", of: ({ href }) => link(href, href) },
								{ name: "Size", kind: "number", of: ({ bytes }) => shortBytes(bytes) },
							],
						}),
					],
			drawConversations(page, transcripts, stateOf),
			log === undefined ? undefined : html`<p>Complete record: ${link(log, log)}</p>`,
		],
	};
}

function drawConversations(
	page: ReportPage,
	transcripts: readonly Transcript[],
	stateOf: ReadonlyMap<string, string>,
): HtmlContent {
	const { html, leftOut } = page;
	const known = transcripts.filter(({ conversation }) => conversation !== undefined);
	if (known.length === 0) return undefined;
	const { rows, leftOut: hidden } = ends(known, maxConversations / 2, maxConversations / 2);
	if (hidden > 0) leftOut.push(`${counted(hidden, "conversation")}: only in the session files.`);
	const drawn = rows.map(({ key, conversation }) => {
		const [visit = "", attempt = ""] = key.split(".");
		const title = `Visit ${visit} ${titleOf(stateOf.get(visit) ?? "")}, attempt ${attempt}`;
		return conversation === undefined ? undefined : drawConversation(html, title, conversation);
	});
	return html`<h3>Messages</h3>${drawn}`;
}

/** Encodes a relative path as a URL that cannot contain a scheme. */
function encodePath(path: string): string {
	const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
	return /^\.{1,2}\//.test(encoded) ? encoded : `./${encoded}`;
}
