// The child runs of every state that is done by them: status, time, cost, summary, and the child's own report. Pure.
import { counted } from "@pi-chronicle/core/definition";
import type { Visit, VisitChild } from "@pi-chronicle/core/history";
import { type ChildChoice, inOrderOfNeeds } from "@pi-chronicle/core/machine";
import {
	changedText,
	choiceText,
	marks,
	shortCost,
	shortCount,
	shortTime,
	statusWords,
	takenOf,
} from "../phrases/index.ts";
import { drawFileName } from "./changes.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { addOnce, drawTable, drawWords, type ReportPage } from "./page.ts";

const maxFiles = 50;

/** The children of one visit. */
export function drawVisitChildren(page: ReportPage, { children, choice, files }: Visit): HtmlContent {
	const { html } = page;
	const count = files.changes.length + files.more;
	const table = drawTable(page, {
		caption: "Child runs, in join order",
		rows: inOrderOfNeeds(children).map(({ child }) => child),
		columns: [
			{ name: "Child", kind: "words", of: (child) => drawName(page, child) },
			...(children.some(({ needs }) => needs)
				? [{ name: "Needs", kind: "words", of: (child: VisitChild) => namesOfNeeded(children, child) } as const]
				: []),
			{ name: "Status", kind: "words", of: (child) => drawStatus(page, child, choice) },
			{ name: "Time", kind: "number", of: ({ total }) => shortTime(total.activeMs) },
			{
				name: "Spent",
				kind: "number",
				of: ({ total: { spend } }) =>
					html`${shortCost(spend.costUsd)} <span class="second">${shortCount(spend.tokens)} tokens</span>`,
			},
			{ name: "Files", kind: "words", of: (child) => drawFiles(page, child) },
			{ name: "Summary", kind: "words", of: ({ summary }) => drawWords(page, summary) },
		],
	});
	const taken =
		choice &&
		html`<p>${html.cut(choiceText(choice), 600)} <a href="${page.links.visit(choice.madeIn)}">visit ${choice.madeIn}</a></p>`;
	const joined = count > 0 && html`<p>Together they changed ${counted(count, "file")}.</p>`;
	return [table, taken, joined || undefined];
}

function namesOfNeeded(children: readonly VisitChild[], { needs = [] }: VisitChild): string {
	const names = children.filter(({ index }) => needs.includes(index)).map(({ name }) => name);
	return names.join(", ");
}

function drawFiles({ html, leftOut }: ReportPage, { changes, changed }: VisitChild): HtmlContent {
	if (!changed) return undefined;
	if (changed.files === 0) return "none";
	const listed = changes.slice(0, maxFiles);
	const beyond = changed.files - listed.length;
	if (beyond > 0) addOnce(leftOut, `Changed files of a child beyond ${maxFiles}.`);
	const rest = beyond > 0 ? html`<p class="dim">… and ${beyond} more.</p>` : undefined;
	return html`<details class="more"><summary>${changedText(changed)}</summary>${listed.map((change) => drawFileName(html, change))}${rest}</details>`;
}

function drawName({ html, links }: ReportPage, { id, name }: VisitChild): Markup {
	const href = links.child(id);
	const shown = href === undefined ? html`${name}` : html`<a href="${href}">${name}</a>`;
	return html`${shown} <span class="second">${id.slice(0, 8)}</span>`;
}

function drawStatus({ html }: ReportPage, child: VisitChild, choice: ChildChoice | undefined): Markup {
	const { status, detail } = child;
	const taken = takenOf(child, choice);
	const tag = taken === undefined ? undefined : html` <span class="tag">${taken}</span>`;
	const tone = status === "failed" || status === "aborted" ? "bad" : "plain";
	const why = detail === "" ? undefined : html` <span class="second">${html.cut(detail, 240)}</span>`;
	return html`<span class="${tone}">${childMarks[status]} ${statusWords[status]}</span>${tag}${why}`;
}

const childMarks: Readonly<Record<VisitChild["status"], string>> = {
	pending: marks.working,
	parked: marks.paused,
	done: marks.done,
	failed: marks.failed,
	aborted: marks.failed,
	dropped: marks.undone,
};
