// The two files that every page of the server loads: its style sheet and the script for live updates.
import { createHash } from "node:crypto";
import { type Html, type Markup, styleSheet } from "../report/index.ts";
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

/** What every page loads. `live`: the address of the events that say when it has changed. */
export function pageFiles(html: Html, live: string | undefined): Markup {
	const script =
		live === undefined
			? undefined
			: html`<script src="${exactly(hrefOf("live.js"))}" data-live="${exactly(live)}" defer></script>`;
	return html`<link rel="stylesheet" href="${exactly(hrefOf("style.css"))}">${script}`;
}
