// The list of the runs of all projects: what waits for a person first, then what works, then what has ended.
import { basename } from "node:path";
import type { LedgerEntry } from "@pi-chronicle/core/ports";
import { firstRuns, isLoaded, type Project } from "../../local/index.ts";
import { runStatusText, shortCost, shortTime, titleOf, waits } from "../phrases/index.ts";
import type { Html, HtmlContent, Markup } from "../report/index.ts";
import type { PageSession } from "./access.ts";
import { exactly } from "./forms.ts";

/** A project with its name in addresses: the letters of the folder's name that need no escape, with a number if several have them. */
export interface ShownProject {
	readonly key: string;
	readonly project: Project;
}

/** Runs of a project that the page lists. */
const maxRuns = 200;

interface ListedRun {
	readonly served: ShownProject;
	/** What people call its project; `undefined`: there is only one. */
	readonly place: string | undefined;
	readonly entry: LedgerEntry;
}

/** A project's folder: its name, or its whole path where several have that name. */
function titleIn({ project }: ShownProject, projects: readonly ShownProject[]): string {
	const named = projects.filter((other) => basename(other.project.place.cwd) === basename(project.place.cwd));
	return named.length > 1 ? project.place.cwd : basename(project.place.cwd);
}

export async function drawRunsPage(
	html: Html,
	projects: readonly ShownProject[],
	session: PageSession | undefined,
): Promise<HtmlContent> {
	const all = await Promise.all(
		projects.map(async (served) => {
			const entries = firstRuns(await served.project.store.recent(maxRuns));
			const place = projects.length > 1 ? titleIn(served, projects) : undefined;
			return entries.map((entry) => ({ served, place, entry }));
		}),
	);
	const runs = all.flat();
	const groups = [
		{ title: "Waiting for you", own: runs.filter(({ entry }) => needsPerson(entry)) },
		{ title: "At work", own: runs.filter(({ entry }) => !needsPerson(entry) && statusOf(entry) === "running") },
		{ title: "Ended", own: runs.filter(({ entry }) => !needsPerson(entry) && statusOf(entry) !== "running") },
	];
	const drawn = groups.map(({ title, own }, at) => drawGroup(html, title, own, `group-${at}`));
	const starts = session ? projects.map((served) => drawTemplates(html, served, titleIn(served, projects))) : undefined;
	return [
		html`<header class="head"><h1>Runs</h1></header>`,
		html`<main id="content"><div id="runs" data-part>${runs.length === 0 ? html`<p>No runs yet.</p>` : drawn}</div>${starts}</main>`,
	];
}

function statusOf(entry: LedgerEntry): string {
	return entry.kind === "unreadable" ? "cannot be read" : entry.summary.status;
}

/** A run whose process is gone waits for a person, too. */
function needsPerson(entry: LedgerEntry): boolean {
	return waits(entry) || statusOf(entry) === "interrupted";
}

function drawGroup(html: Html, title: string, runs: readonly ListedRun[], id: string): HtmlContent {
	if (runs.length === 0) return undefined;
	const rows = runs.slice(0, maxRuns).map((run) => drawRun(html, run));
	const more = runs.length - rows.length;
	return html`<section aria-labelledby="${id}"><h2 id="${id}">${title} <span class="dim">${runs.length}</span></h2><ul class="runs">${rows}</ul>${more > 0 ? html`<p class="dim">and ${more} more</p>` : undefined}</section>`;
}

function drawRun(html: Html, { served, place: name, entry }: ListedRun): Markup {
	const place = name === undefined ? undefined : html`<span class="dim" dir="auto">${html.cut(name, 80)}</span> `;
	if (entry.kind === "unreadable")
		return html`<li><a href="#content">${place}${entry.id.slice(0, 8)} cannot be read. <span class="second">${html.cut(entry.failure.message, 300)}</span></a></li>`;
	const { template, task, status, state, updatedAt, costUsd } = entry.summary;
	const age = Date.now() - Date.parse(updatedAt);
	const figures = [titleOf(state), shortCost(costUsd), ...(age >= 0 ? [`${shortTime(age)} ago`] : [])].join(" · ");
	const tone =
		status === "done"
			? "done"
			: status === "failed" || status === "aborted"
				? "failed"
				: status === "running"
					? "working"
					: "waiting";
	return html`<li><a href="${exactly(runAddress(served.key, entry.id))}">${place}<span class="status ${tone}">${runStatusText(status)}</span> <b dir="auto">${html.cut(template, 60)}</b> <span class="second" dir="auto">${html.cut(task.replace(/\s+/g, " "), 160)}</span><span class="second">${figures}</span></a></li>`;
}

/** The address of a run's page. */
export function runAddress(key: string, id: string): string {
	return `/p/${encodeURIComponent(key)}/r/${encodeURIComponent(id)}`;
}

function drawTemplates(html: Html, { key, project }: ShownProject, place: string): HtmlContent {
	const found = [...project.templates().templates.values()].filter(isLoaded);
	if (found.length === 0) return undefined;
	const rows = found.map(({ key: name, read }) => {
		const about = read.template.description ?? [...read.template.states.keys()].join(" → ");
		return html`<li><a href="${exactly(`/p/${encodeURIComponent(key)}/start/${encodeURIComponent(name)}`)}"><b>${name}</b> <span class="second" dir="auto">${html.cut(about, 200)}</span></a></li>`;
	});
	return html`<details><summary>Start a run in ${html.cut(place, 80)}</summary><ul class="runs">${rows}</ul></details>`;
}
