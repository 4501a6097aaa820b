// The page that starts a run of a template. Pure.
import type { FoundTemplate } from "../../local/index.ts";
import type { Html, HtmlContent } from "../report/index.ts";
import type { PageSession } from "./access.ts";
import { drawForm } from "./forms.ts";

export function drawStartPage(
	html: Html,
	session: PageSession,
	{ template, action }: { readonly template: FoundTemplate; readonly action: string },
): HtmlContent {
	const { description = "", states } = template.read?.template ?? { states: new Map() };
	const fields = html`<label for="task">The task</label><textarea id="task" name="task" rows="6" maxlength="50000" required></textarea><label for="model">Model of states that name none</label><input id="model" type="text" name="model" placeholder="pi's default" autocomplete="off">`;
	const form = drawForm({ html, session }, { action, fields, button: "Start", look: "main" });
	return html`<header class="head"><h1>Start ${template.key}</h1><p dir="auto">${description}</p><p class="dim" dir="auto">${[...states.keys()].join(" → ")}</p></header><main id="content">${form}</main>`;
}
