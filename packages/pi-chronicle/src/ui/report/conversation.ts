// A worker's conversation, readable inside the report: its first and last messages, and the calls between them with their results, folded.
import { dirname, sep } from "node:path";
import { counted } from "@pi-chronicle/core/definition";
import {
	type ConversationCall,
	type ConversationMessage,
	type MessageUsage,
	readMessages,
	type SentPrompt,
	shortCost,
	shortCount,
} from "../phrases/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";

/** How much of a conversation is read, and how much of it is drawn. */
interface TalkExtent {
	/** Bytes from the beginning and the end of the file. */
	readonly read: { readonly head: number; readonly tail: number };
	readonly firstTurns: number;
	readonly lastTurns: number;
	/** Characters of a text, a call and a result; calls of a message. */
	readonly text: number;
	readonly call: number;
	readonly result: number;
	readonly calls: number;
}

/** A report has many conversations. */
const reportTalk: TalkExtent = {
	...{ read: { head: 64 * 1024, tail: 192 * 1024 }, firstTurns: 3, lastTurns: 8 },
	...{ text: 1500, call: 300, result: 1200, calls: 12 },
};

/** A page of the server has those of one visit. */
export const pageTalk: TalkExtent = {
	...{ read: { head: 256 * 1024, tail: 768 * 1024 }, firstTurns: 40, lastTurns: 80 },
	...{ text: 12_000, call: 2000, result: 6000, calls: 40 },
};

export interface Conversation {
	readonly first: readonly ConversationMessage[];
	readonly last: readonly ConversationMessage[];
	/** Messages between them that are not shown; `unknown`: the file is too long to count them. */
	readonly hidden: number | "unknown";
	/** Left out of paths, because a report may be given to others. */
	readonly project: string;
	/** Absent: as in a report. */
	readonly extent?: TalkExtent;
	/** What every request began with; absent: it was not recorded. */
	readonly prompt?: SentPrompt | undefined;
}

/** Reads the conversation in pi's session file at `path`; `undefined` if there is nothing to read. */
export function readConversation(path: string, project: string, extent = reportTalk): Conversation | undefined {
	const { firstTurns, lastTurns } = extent;
	try {
		const { isCut, prompt, ...found } = readMessages(path, extent.read);
		const about = { project, extent, prompt };
		const first = found.first.filter(isDrawn);
		const last = found.last.filter(isDrawn);
		if (isCut) return { first: first.slice(0, firstTurns), last: last.slice(-lastTurns), hidden: "unknown", ...about };
		const hidden = Math.max(0, first.length - firstTurns - lastTurns);
		if (first.length === 0) return undefined;
		return {
			first: hidden > 0 ? first.slice(0, firstTurns) : first,
			last: hidden > 0 ? first.slice(-lastTurns) : [],
			hidden,
			...about,
		};
	} catch {
		return undefined;
	}
}

/** A result is drawn with its call: without one, the message would be empty. */
function isDrawn({ parts }: ConversationMessage): boolean {
	return parts.some(({ kind }) => kind !== "result");
}

/** Makes paths relative to the project. */
function withoutProject(project: string): (text: string) => string {
	return (text) =>
		project === dirname(project) ? text : text.replaceAll(`${project}${sep}`, "").replaceAll(project, ".");
}

/** The conversation, folded under its title. */
export function drawConversation(
	html: Html,
	title: string,
	{ first, last, hidden, project, extent = reportTalk }: Conversation,
): Markup {
	const plain = withoutProject(project);
	const draw = ({ who, parts, usage }: ConversationMessage): Markup => {
		const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
		const said =
			texts === "" ? undefined : html`<div class="said" dir="auto">${html.cut(plain(texts), extent.text)}</div>`;
		const calls = parts.flatMap((part) => (part.kind === "call" ? [part] : []));
		return html`<li class="${who}"><b>${who === "worker" ? "The worker" : "To the worker"}</b> ${usage && drawUsage(html, usage)}${said}${drawCalls(html, calls, plain, extent)}</li>`;
	};
	const words =
		hidden === "unknown" ? "messages in between" : `${hidden} more ${hidden === 1 ? "message" : "messages"}`;
	const gap = hidden === 0 ? undefined : html`<li class="dim">… ${words} in the session file …</li>`;
	return html`<details class="talk"><summary>${title}</summary><ol>${first.map(draw)}${gap}${last.map(draw)}</ol></details>`;
}

function drawUsage(html: Html, { input, cached, output, costUsd }: MessageUsage): Markup {
	const read = cached > 0 ? ` + ${shortCount(cached)} cached` : "";
	return html`<span class="dim">${shortCount(input)}${read} in, ${shortCount(output)} out, ${shortCost(costUsd)}</span> `;
}

const promptLength = 40_000;
const descriptionLength = 1000;

/** What every request of the conversation began with. */
export function drawPrompt(html: Html, key: string, { prompt, project }: Conversation): HtmlContent {
	if (!prompt) return undefined;
	const plain = withoutProject(project);
	const { system, tools } = prompt;
	const listed = tools.map(
		({ name, description }) =>
			html`<li><code>${name}</code> <span class="dim">${html.cut(plain(description), descriptionLength)}</span></li>`,
	);
	return html`<details class="talk"><summary>System prompt ${key} <span class="dim">${shortCount(system.length)} characters</span></summary><div class="said" dir="auto">${html.cut(plain(system), promptLength)}</div></details><details class="talk"><summary>${counted(tools.length, "tool")}</summary><ul class="plain-list">${listed}</ul></details>`;
}

function drawCalls(
	html: Html,
	calls: readonly ConversationCall[],
	plain: (text: string) => string,
	extent: TalkExtent,
): HtmlContent {
	const shown = calls.slice(0, extent.calls).map(({ tool, words, written, result }) => {
		const lines = written.flatMap(({ sign, lines }) => lines.map((line) => `${sign} ${line}`));
		const head = html`<code dir="auto">${html.cut(plain(`${tool} ${words}`), extent.call)}</code>${result?.isError ? html` <span class="bad">✗</span>` : undefined}`;
		const text = [...lines, ...(result && result.text !== "" ? [result.text] : [])].join("\n");
		return text === ""
			? html`<div class="call">${head}</div>`
			: html`<details class="call"><summary>${head}</summary><div class="said" dir="auto">${html.cut(plain(text), extent.result)}</div></details>`;
	});
	const more = calls.length - shown.length;
	return [shown, more > 0 ? html`<div class="dim">… ${more} more calls</div>` : undefined];
}
