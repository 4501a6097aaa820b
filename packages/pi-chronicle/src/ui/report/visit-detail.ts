// One visit with everything that belongs to it: what it cost, why it failed, what changed, what its model saw, where its time was, what it said and
// who decided what. Parts without content are named in one line. Pure.
import { counted } from "@pi-chronicle/core/definition";
import { firstInSight, type Launch, type Visit } from "@pi-chronicle/core/history";
import { measuredTotals } from "@pi-chronicle/core/snapshot";
import {
	causePhrases,
	endMarks,
	marks,
	reasonPhrases,
	shortCost,
	shortCount,
	shortTime,
	titleOf,
} from "../phrases/index.ts";
import { drawVisitChanges, type VisitPatch } from "./changes.ts";
import { drawVisitChildren } from "./children.ts";
import { type Conversation, drawConversation, drawPrompt } from "./conversation.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { drawWords, type ReportPage } from "./page.ts";
import { drawWork } from "./work.ts";

export interface VisitFiles {
	/** The lines that the visit changed; absent: they were not read. */
	readonly patch?: VisitPatch | undefined;
	/** The conversations of its attempts, oldest first. */
	readonly conversations: readonly VisitConversation[];
	/** The visits before and after it that have a place on the page. */
	readonly before?: Visit | undefined;
	readonly after?: Visit | undefined;
}

export interface VisitConversation {
	/** `<visit>.<attempt>`. */
	readonly key: string;
	readonly conversation: Conversation;
}

interface DetailPart {
	/** What it is, in one word, before its content. */
	readonly name: string;
	readonly content: HtmlContent;
}

export function drawVisit(page: ReportPage, visit: Visit, files: VisitFiles): Markup {
	const { html } = page;
	const { number, state, undone } = visit;
	const parts: DetailPart[] = [
		{ name: "failed", content: drawFailure(page, visit) },
		{ name: "said", content: drawWords(page, visit.summary) },
		{ name: "changed", content: drawChanged(page, visit, files.patch) },
		{ name: "saw", content: drawSeen(page, files.conversations) },
		{ name: "time", content: drawWork(page, visit) },
		{ name: "children", content: visit.children.length > 0 ? drawVisitChildren(page, visit) : undefined },
		{ name: "decided", content: drawDecisions(page, visit) },
		{ name: "workers", content: drawLaunches(page, visit) },
	];
	const shown = parts.filter(({ content }) => content !== undefined);
	const none = parts.filter(({ content }) => content === undefined).map(({ name }) => noneOf[name] ?? name);
	const rows = shown.map(
		({ name, content }) =>
			html`<div class="fact ${name}"><h3 id="visit-${number}-${name}">${titleOf(name)}</h3><div>${content}</div></div>`,
	);
	const missing = none.length > 0 ? html`<p class="dim">None here: ${none.join(", ")}.</p>` : undefined;
	return html`<section class="visit${firstInSight(page.report.visits) === visit ? " first" : ""}${undone ? " undone" : ""}" id="visit-${number}" aria-labelledby="visit-${number}-h"><h2 id="visit-${number}-h"><span class="num">${number}</span> ${titleOf(state)}${undone ? html` <span class="tag">${marks.undone} undone</span>` : undefined} <span class="sum">${visitSum(visit)}</span></h2>${drawSteps(page, files)}${rows}${missing}</section>`;
}

/** What a part without content would have been about. */
const noneOf: Readonly<Record<string, string>> = {
	failed: "failures",
	said: "a summary",
	changed: "changed files",
	saw: "a recorded conversation",
	time: "work",
	decided: "decisions",
};

function visitSum({ activeMs, spend, toolCalls }: Visit): string {
	const tokens = spend.tokens > 0 ? [`${shortCount(spend.tokens)} tokens`] : [];
	const calls = toolCalls > 0 ? [counted(toolCalls, "call")] : [];
	return [shortTime(activeMs), shortCost(spend.costUsd), ...tokens, ...calls].join(" · ");
}

/** To the visits before and after it. */
function drawSteps({ html, links }: ReportPage, { before, after }: VisitFiles): HtmlContent {
	if (!before && !after) return undefined;
	const step = (visit: Visit | undefined, rel: "prev" | "next"): HtmlContent =>
		visit &&
		html`<a rel="${rel}" href="${links.visit(visit.number)}">${rel === "prev" ? "‹ " : ""}${visit.number} ${html.cut(titleOf(visit.state), 30)}${rel === "next" ? " ›" : ""}</a> `;
	return html`<p class="steps">${step(before, "prev")}${step(after, "next")}</p>`;
}

function drawFailure({ html, report }: ReportPage, { number, launches }: Visit): HtmlContent {
	const ended = launches
		.filter(
			({ end }) =>
				end.kind === "crashed" || end.kind === "timed_out" || end.kind === "unstarted" || end.kind === "lost",
		)
		.map(({ attempt, end }) => html`<li>Attempt ${attempt} ${html.cut(end.words, 400)}</li>`);
	const told = report.incidents
		.filter(({ visit, tone }) => visit === number && tone !== "note")
		.slice(-10)
		.map(({ what, tone }) => html`<li class="${tone}">${html.cut(what, 600)}</li>`);
	return ended.length + told.length === 0 ? undefined : html`<ul class="plain-list">${[...ended, ...told]}</ul>`;
}

function drawChanged(page: ReportPage, visit: Visit, patch: VisitPatch | undefined): HtmlContent {
	const { html } = page;
	const { files } = visit;
	if (files.changes.length + files.more > 0) return drawVisitChanges(page, visit, patch);
	if (files.unmeasured !== undefined) return html`<p class="dim">Files could not be compared. ${files.unmeasured}</p>`;
	return measuredTotals(files).files === 0 ? undefined : drawVisitChanges(page, visit, patch);
}

function drawSeen({ html }: ReportPage, conversations: readonly VisitConversation[]): HtmlContent {
	if (conversations.length === 0) return undefined;
	return conversations.map(({ key, conversation }) => [
		drawPrompt(html, key, conversation),
		drawConversation(html, `Conversation ${key}`, conversation),
	]);
}

function drawDecisions(page: ReportPage, { number, left }: Visit): HtmlContent {
	const { html, report, moments } = page;
	const at = (time: number): HtmlContent => html`<span class="dim">${moments.short(time)}</span> `;
	const own = <T extends { readonly visit: number }>(all: readonly T[]): readonly T[] =>
		all.filter(({ visit }) => visit === number).slice(0, 60);
	const items = [
		...own(report.decisions).map(
			(one) =>
				html`<li>${at(one.at)}${one.what}${one.words === "" ? undefined : html`: ${drawWords(page, one.words)}`}</li>`,
		),
		...own(report.questions).map(
			(one) =>
				html`<li>${at(one.at)}The worker asked: ${html.cut(one.text || one.title, 400)} <b>${one.words ?? one.verdict}</b></li>`,
		),
		...own(report.blocked).map(
			(one) =>
				html`<li>${at(one.at)}The guard blocked <code>${html.cut(`${one.tool} ${one.args}`, 300)}</code>: ${html.cut(one.rule, 300)}</li>`,
		),
		...(left
			? [
					html`<li>${at(left.at)}→ ${titleOf(left.to)}, ${causePhrases[left.cause]}${left.refused === undefined ? undefined : html` <span class="bad">(${marks.refused} ${titleOf(left.refused)} was refused)</span>`}</li>`,
				]
			: []),
	];
	return items.length === 0 ? undefined : html`<ul class="plain-list">${items}</ul>`;
}

const maxLaunches = 12;

function drawLaunches(page: ReportPage, { launches, left }: Visit): HtmlContent {
	const { html, report } = page;
	if (launches.length === 0) return undefined;
	const items = launches
		.slice(-maxLaunches)
		.map((launch) => drawLaunch(page, launch, left !== undefined, report.endedAt));
	const more = launches.length - items.length;
	return html`<ul class="plain-list">${more > 0 ? html`<li class="dim">${more} earlier</li>` : undefined}${items}</ul>`;
}

function drawLaunch({ html }: ReportPage, launched: Launch, isLeft: boolean, now: number): Markup {
	const { attempt, launch, because, model, command, end, startedAt, endedAt = now } = launched;
	const mark = endMarks[end.kind];
	const words = end.kind === "moved" && isLeft && command === undefined ? "moved on" : html.cut(end.words, 240);
	const name = launch > 1 ? `Attempt ${attempt}, process ${launch}` : `Attempt ${attempt}`;
	const why = because === "entered" ? "" : ` (${reasonPhrases[because]})`;
	const took = startedAt === undefined ? [] : [shortTime(endedAt - startedAt)];
	const about = [...(model === undefined ? [] : [model]), ...took].join(" · ");
	const line = command === undefined ? undefined : html`<code dir="auto">${html.cut(command, 240)}</code> `;
	return html`<li>${name}: ${line}${mark === "" ? "" : `${mark} `}${words}${why} <span class="dim">${about}</span></li>`;
}
