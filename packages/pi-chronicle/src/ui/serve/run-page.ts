// A run's page: the parts of the report, of one visit at a time, with the question of the run and the forms that steer it.
import { join, resolve } from "node:path";
import { conversationsOf, type Visit } from "@pi-chronicle/core/history";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { type Project, waitingChildren, withWorkspace } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import { answerChoices } from "../commands/index.ts";
import { isInterrupted, nextStep, titleOf } from "../phrases/index.ts";
import {
	drawFigures,
	drawHead,
	drawOutcome,
	drawSections,
	drawStateTrail,
	drawVisit,
	drawVisitList,
	type Html,
	type HtmlContent,
	openMoments,
	pageTalk,
	type ReportModel,
	type ReportPage,
	readConversation,
	runSections,
	type VisitConversation,
	visitPatch,
} from "../report/index.ts";
import type { PageSession } from "./access.ts";
import type { FetchedConversations } from "./fetched-conversations.ts";
import { exactly } from "./forms.ts";
import { drawQuestion, drawSteering, type RunForms } from "./question.ts";

export interface RunPage {
	readonly html: Html;
	readonly redact: Redact;
	readonly project: Project;
	readonly read: ReadLedger;
	readonly report: ReportModel;
	/** Address of the run's page, and of another run's. */
	readonly base: string;
	addressOf(id: string): string;
	/** Absent: the page has no forms. */
	readonly session: PageSession | undefined;
	/** The visit to show; absent: the current one. */
	readonly visit?: number | undefined;
	/** Precedes the commands in texts. */
	readonly prefix: string;
	readonly conversations: FetchedConversations;
}

/** The content of the page. */
export async function drawRunPage(page: RunPage): Promise<HtmlContent> {
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
			? undefined
			: html`<div class="inspector"><nav aria-label="Visits" id="visits" data-part>${drawVisitList(parts, visit?.number)}</nav><div class="detail" id="detail" data-part>${detail}</div></div>`;
	const gaps = [...report.gaps, ...parts.leftOut];
	const missing =
		gaps.length === 0
			? undefined
			: html`<h2>Omitted</h2><ul>${gaps.map((one) => html`<li>${html.cut(one, 400)}</li>`)}</ul>`;
	return [
		html`<div id="head" data-part>${drawHead(parts, "Chronicle run")}</div>`,
		html`<main id="content"><div id="trail" data-part>${drawStateTrail(parts)}</div><div id="asks" data-part>${drawQuestion(forms, read, below)}</div>${drawSteering(forms, read, rewindable)}<div id="figures" data-part>${drawFigures(parts)}${drawOutcome(parts)}</div>${list}<div id="whole" data-part>${sections.map(({ markup }) => markup)}${absent}</div></main>`,
		html`<footer>${missing}<p>Everything in one file: <code>${page.prefix}report ${read.run.id.slice(0, 8)}</code> in ${project.place.cwd}</p></footer>`,
	];
}

function partsPage({ html, read, report, base, addressOf, prefix }: RunPage): ReportPage {
	const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
	return {
		...{ html, report, prefix, leftOut: [], interrupted: isInterrupted(read) },
		moments: openMoments(html, zone, report.beganAt, report.endedAt),
		links: { visit: (number) => exactly(`${base}/visits/${number}`), child: (id) => exactly(addressOf(id)) },
	};
}

function shownVisit({ report, visit }: RunPage): Visit | undefined {
	const { visits } = report;
	return visit === undefined ? visits.at(-1) : visits.find(({ number }) => number === visit);
}

async function drawDetail(page: RunPage, parts: ReportPage, visit: Visit): Promise<HtmlContent> {
	const { read, project, redact, report } = page;
	const at = report.visits.indexOf(visit);
	await page.conversations.fetch(project, read, conversationsOf(visit));
	const found = await withWorkspace(project, read, undefined, async (workspace) => ({
		ok: true,
		value: await visitPatch(workspace, visit, redact),
	}));
	const patch = found.ok ? found.value : undefined;
	return drawVisit(parts, visit, {
		patch,
		conversations: conversationsIn(page, visit),
		before: report.visits[at - 1],
		after: report.visits[at + 1],
	});
}

/** The conversations of the visit that are here: on an engine, those of a worker at work are only on its host. */
function conversationsIn({ read, project }: RunPage, visit: Visit): VisitConversation[] {
	return conversationsOf(visit).flatMap((key) => {
		const file = join(resolve(read.folder), "workers", `${key}.jsonl`);
		const conversation = readConversation(file, project.place.cwd, pageTalk);
		return conversation ? [{ key, conversation }] : [];
	});
}

async function drawWaitingChildren({ html, project, read, addressOf }: RunPage): Promise<HtmlContent> {
	const waiting = await waitingChildren(project.store, read.run);
	if (waiting.length === 0) return undefined;
	const rows = waiting.map(
		({ names, read: { run } }) =>
			html`<li><a href="${exactly(addressOf(run.id))}"><b>${html.cut(names.join(" › "), 80)}</b> ${html.cut(nextStep(run)?.what ?? run.status, 300)}</a></li>`,
	);
	return html`<ul class="runs">${rows}</ul>`;
}
