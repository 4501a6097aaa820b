// A run's page: the parts of the report, of one visit at a time, with the question of the run and the forms that steer it.
import { join, resolve } from "node:path";
import { conversationsOf, firstInSight, type Visit } from "@pi-chronicle/core/history";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { waitingChildren } from "../../local/index.ts";
import { answerChoices } from "../commands/index.ts";
import { nextStep, titleOf } from "../phrases/index.ts";
import {
	drawFigures,
	drawFilm,
	drawHead,
	drawOmitted,
	drawOutcome,
	drawSections,
	drawVisit,
	drawVisitList,
	type HtmlContent,
	pageTalk,
	type ReportPage,
	readConversation,
	runSections,
	type VisitConversation,
} from "../report/index.ts";
import { drawBesideForm } from "./comparison-page.ts";
import { exactly } from "./forms.ts";
import { drawQuestion, drawSteering, type RunForms } from "./question.ts";
import { partsPage, patchOf, type ShownRun } from "./shown-run.ts";

/** The content of the page. */
export async function drawRunPage(page: ShownRun): Promise<HtmlContent> {
	const { html, read, report, base, session, project } = page;
	const parts = partsPage(page);
	const visit = shownVisit(page);
	const forms: RunForms = { html, session, base, choices: answerChoices(read.run) };
	const detail = visit && (await drawDetail(page, parts, visit));
	const { sections, absent } = drawSections(parts, runSections(parts));
	const below = await drawWaitingChildren(page);
	const rewindable = report.visits
		.filter(({ number, state }) => number <= read.run.visit && state !== HUMAN_INTERVENTION)
		.slice(-30)
		.reverse()
		.map(({ number, state }) => ({ number, words: `visit ${number}, ${titleOf(state)}` }));
	const list =
		report.visits.length === 0
			? html`<div id="inspector" data-part></div>`
			: html`<div class="inspector" id="inspector"><nav aria-label="Visits" id="visits" data-part>${drawVisitList(parts, visit?.number)}</nav><div class="detail" id="detail" data-part>${detail}</div></div>`;
	const beside = await drawBesideForm(page, visit);
	return [
		html`<div id="head" data-part>${drawHead(parts, "Chronicle run")}</div>`,
		html`<main id="content"><div id="film" data-part>${drawFilm(parts)}</div><div id="asks" data-part>${drawQuestion(forms, read, below)}</div>${drawSteering(forms, read, rewindable)}<div id="figures" data-part>${drawFigures(parts)}${drawOutcome(parts)}</div>${list}<div id="beside" data-part>${beside && html`<div class="steer">${beside}</div>`}</div><div id="whole" data-part>${sections.map(({ markup }) => markup)}${absent}</div></main>`,
		html`<footer>${drawOmitted(parts)}<p>Everything in one file: <code>${page.prefix}report ${read.run.id.slice(0, 8)}</code> in ${project.place.cwd}</p></footer>`,
	];
}

function shownVisit({ report, visit }: ShownRun): Visit | undefined {
	const { visits } = report;
	return visit === undefined ? firstInSight(visits) : visits.find(({ number }) => number === visit);
}

async function drawDetail(page: ShownRun, parts: ReportPage, visit: Visit): Promise<HtmlContent> {
	const { report } = page;
	const at = report.visits.indexOf(visit);
	await page.conversations.fetch(page.project, page.read, conversationsOf(visit));
	return drawVisit(parts, visit, {
		patch: await patchOf(page, visit),
		conversations: conversationsIn(page, visit),
		before: report.visits[at - 1],
		after: report.visits[at + 1],
	});
}

/** The conversations of the visit that are here: on an engine, those of a worker at work are only on its host. */
function conversationsIn({ read, project }: ShownRun, visit: Visit): VisitConversation[] {
	return conversationsOf(visit).flatMap((key) => {
		const file = join(resolve(read.folder), "workers", `${key}.jsonl`);
		const conversation = readConversation(file, project.place.cwd, pageTalk);
		return conversation ? [{ key, conversation }] : [];
	});
}

async function drawWaitingChildren({ html, project, read, addressOf }: ShownRun): Promise<HtmlContent> {
	const waiting = await waitingChildren(project.store, read.run);
	if (waiting.length === 0) return undefined;
	const rows = waiting.map(
		({ names, read: { run } }) =>
			html`<li><a href="${exactly(addressOf(run.id))}"><b>${html.cut(names.join(" › "), 80)}</b> ${html.cut(nextStep(run)?.what ?? run.status, 300)}</a></li>`,
	);
	return html`<ul class="runs">${rows}</ul>`;
}
