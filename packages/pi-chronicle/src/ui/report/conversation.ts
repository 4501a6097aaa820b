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

const read = { head: 64 * 1024, tail: 192 * 1024 };
const firstTurns = 3;
const lastTurns = 8;
const textLength = 1500;
const callLength = 300;
const resultLength = 1200;
const maxCalls = 12;

export interface Conversation {
	readonly first: readonly ConversationMessage[];
	readonly last: readonly ConversationMessage[];
	/** Messages between them that are not shown; `unknown`: the file is too long to count them. */
	readonly hidden: number | "unknown";
	/** Left out of paths, because a report may be given to others. */
	readonly project: string;
	/** What every request began with; absent: it was not recorded. */
	readonly prompt?: SentPrompt | undefined;
}

/** Reads the conversation in pi's session file at `path`; `undefined` if there is nothing to read. */
export function readConversation(path: string, project: string): Conversation | undefined {
	try {
		const { isCut, prompt, ...found } = readMessages(path, read);
		const first = found.first.filter(isDrawn);
		const last = found.last.filter(isDrawn);
		if (isCut)
			return { first: first.slice(0, firstTurns), last: last.slice(-lastTurns), hidden: "unknown", project, prompt };
		const hidden = Math.max(0, first.length - firstTurns - lastTurns);
		if (first.length === 0) return undefined;
		return {
			first: hidden > 0 ? first.slice(0, firstTurns) : first,
			last: hidden > 0 ? first.slice(-lastTurns) : [],
			hidden,
			project,
			prompt,
		};
	} catch {
		return undefined;
	}
}

/** A result is drawn with its call: without one, the message would be empty. */
function isDrawn({ parts }: ConversationMessage): boolean {
	return parts.some(({ kind }) => kind !== "result");
}

/** The conversation, folded under its title. */
export function drawConversation(html: Html, title: string, { first, last, hidden, project }: Conversation): Markup {
	const plain = (text: string): string =>
		project === dirname(project) ? text : text.replaceAll(`${project}${sep}`, "").replaceAll(project, ".");
	const draw = ({ who, parts, usage }: ConversationMessage): Markup => {
		const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
		const said =
			texts === "" ? undefined : html`<div class="said" dir="auto">${html.cut(plain(texts), textLength)}</div>`;
		const calls = parts.flatMap((part) => (part.kind === "call" ? [part] : []));
		return html`<li class="${who}"><b>${who === "worker" ? "The worker" : "To the worker"}</b> ${usage && drawUsage(html, usage)}${said}${drawCalls(html, calls, plain)}</li>`;
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
export function drawPrompt(html: Html, key: string, { prompt }: Conversation): HtmlContent {
	if (!prompt) return undefined;
	const { system, tools } = prompt;
	const listed = tools.map(
		({ name, description }) =>
			html`<li><code>${name}</code> <span class="dim">${html.cut(description, descriptionLength)}</span></li>`,
	);
	return html`<details class="talk"><summary>System prompt ${key} <span class="dim">${shortCount(system.length)} characters</span></summary><div class="said" dir="auto">${html.cut(system, promptLength)}</div></details><details class="talk"><summary>${counted(tools.length, "tool")}</summary><ul class="plain-list">${listed}</ul></details>`;
}

function drawCalls(html: Html, calls: readonly ConversationCall[], plain: (text: string) => string): HtmlContent {
	const shown = calls.slice(0, maxCalls).map(({ tool, words, written, result }) => {
		const lines = written.flatMap(({ sign, lines }) => lines.map((line) => `${sign} ${line}`));
		const head = html`<code dir="auto">${html.cut(plain(`${tool} ${words}`), callLength)}</code>${result?.isError ? html` <span class="bad">✗</span>` : undefined}`;
		const text = [...lines, ...(result && result.text !== "" ? [result.text] : [])].join("\n");
		return text === ""
			? html`<div class="call">${head}</div>`
			: html`<details class="call"><summary>${head}</summary><div class="said" dir="auto">${html.cut(plain(text), resultLength)}</div></details>`;
	});
	const more = calls.length - shown.length;
	return [shown, more > 0 ? html`<div class="dim">… ${more} more calls</div>` : undefined];
}
