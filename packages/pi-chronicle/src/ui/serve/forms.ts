// The forms of a page: each names what it is about, carries a token of its own, and works without a script. Pure.
import { escapeText, type Html, type HtmlContent, type Markup, trusted } from "../report/index.ts";
import { formToken, type PageSession } from "./access.ts";

/** A text of our own in an attribute, such as an address or a token: it is escaped, but not taken for a secret. */
export function exactly(text: string | number): Markup {
	return trusted(escapeText(String(text)));
}

/** What every form of a page needs. */
export interface FormPlace {
	readonly html: Html;
	/** Absent: the page is only read, and has no forms. */
	readonly session: PageSession | undefined;
}

export interface Form {
	/** The address that it posts to. */
	readonly action: string;
	/** Fields that the person does not see. */
	readonly hidden?: Readonly<Record<string, string | number | undefined>>;
	readonly fields?: HtmlContent;
	readonly button: string;
	readonly look?: "main" | "danger";
}

export function drawForm(
	{ html, session }: FormPlace,
	{ action, hidden = {}, fields, button, look }: Form,
): HtmlContent {
	if (!session) return undefined;
	const given = { token: formToken(session, action), ...hidden };
	const inputs = Object.entries(given).map(([name, value]) =>
		value === undefined ? undefined : html`<input type="hidden" name="${exactly(name)}" value="${exactly(value)}">`,
	);
	return html`<form method="post" action="${exactly(action)}">${inputs}${fields}<button class="${look ?? "plain"}">${button}</button></form>`;
}

/** A form that opens under its name. */
export function drawFoldedForm(place: FormPlace, name: string, form: Form): HtmlContent {
	const drawn = drawForm(place, form);
	return drawn && place.html`<details><summary>${name}</summary>${drawn}</details>`;
}

/** `id`: unique on the page. */
export function wordsField(html: Html, id: string, label: string, required: "required" | "optional"): Markup {
	const must = required === "required" ? html` required` : undefined;
	return html`<label for="${id}">${label}</label><textarea id="${id}" name="words" rows="3" maxlength="8000"${must}></textarea>`;
}

export function selectField(
	html: Html,
	{ id, name, label }: { readonly id: string; readonly name: string; readonly label: string },
	options: readonly { readonly value: string; readonly words: string }[],
): Markup {
	const items = options.map(({ value, words }) => html`<option value="${exactly(value)}">${words}</option>`);
	return html`<label for="${id}">${label}</label><select id="${id}" name="${name}">${items}</select>`;
}

export function numberField(html: Html, id: string, name: string, label: string): Markup {
	return html`<div><label for="${id}">${label}</label><input id="${id}" type="number" name="${name}" min="0" step="any" inputmode="decimal"></div>`;
}
