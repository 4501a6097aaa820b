// The page that a one-time link opens: a button, so that what only looks at links (a preview of a messenger) does not use one up. Pure.
import type { Html, HtmlContent } from "../report/index.ts";
import { exactly } from "./forms.ts";

export function drawOpenPage(html: Html, token: string): HtmlContent {
	return html`<main id="content" class="head"><h1>pi-chronicle</h1><p>This link works once. It opens the runs of this machine in this browser.</p><form method="post" action="/open"><input type="hidden" name="link" value="${exactly(token)}"><button class="main">Open</button></form></main>`;
}

/** After the link was used: the next request comes from this site, and so has the cookie. */
export function drawOpened(html: Html): HtmlContent {
	return html`<main id="content" class="head"><h1>pi-chronicle</h1><p>This browser is signed in.</p><p><a href="/">Show the runs</a></p></main>`;
}

/** A page with a sentence. */
export function drawSentence(html: Html, title: string, text: string): HtmlContent {
	return html`<main id="content" class="head"><h1>${title}</h1><p class="said">${text}</p><p><a href="/">All runs</a></p></main>`;
}

/** For a request without a session. `path`: what it asked for; a path that names another server leads to the list. */
export function drawSignIn(html: Html, path: string): HtmlContent {
	const own = /^\/(?![/\\])/.test(path) ? path : "/";
	return html`<main id="content" class="head"><h1>pi-chronicle</h1><p>Open the link that the terminal shows. If this browser is signed in and you come from another program, continue here.</p><p><a href="${exactly(own)}">Continue</a></p></main>`;
}
