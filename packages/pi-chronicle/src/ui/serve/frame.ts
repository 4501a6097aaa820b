// The frame of every page of the server, and the two files that it loads: its style sheet and the script for live updates.
import { createHash } from "node:crypto";
import { type Html, type HtmlContent, type Markup, styleSheet } from "../report/index.ts";
import { exactly } from "./forms.ts";
import { liveScript } from "./live-script.ts";
import { servedStyle } from "./style.ts";

/** Files by path, with their type. Their content never changes while the server runs. */
export const files: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
	["style.css", { type: "text/css; charset=utf-8", text: `${styleSheet}\n${servedStyle}` }],
	["live.js", { type: "text/javascript; charset=utf-8", text: liveScript }],
]);

function hrefOf(name: string): string {
	const text = files.get(name)?.text ?? "";
	return `/files/${name}?v=${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

export interface PageFrame {
	readonly title: string;
	readonly body: HtmlContent;
	/** The address of the events that say when the page has changed. */
	readonly live?: string;
}

/** The whole page. */
export function drawFrame(html: Html, { title, body, live }: PageFrame): string {
	const script: Markup | undefined =
		live === undefined
			? undefined
			: html`<script src="${exactly(hrefOf("live.js"))}" data-live="${exactly(live)}" defer></script>`;
	return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${html.cut(title.replace(/\s+/g, " "), 120)}</title>
<link rel="stylesheet" href="${exactly(hrefOf("style.css"))}">
${script}
</head>
<body>
${body}
</body>
</html>
`.markup;
}
