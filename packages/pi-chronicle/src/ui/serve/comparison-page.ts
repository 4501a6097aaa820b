// The page that sets two runs, visits or attempts of one template side by side, and the form that leads to it.
import type { Launch, Visit } from "@pi-chronicle/core/history";
import { isRunId } from "../../local/index.ts";
import { titleOf } from "../phrases/index.ts";
import { type Compared, drawSideBySide, type Html, type HtmlContent, type Markup } from "../report/index.ts";
import { exactly, selectField } from "./forms.ts";
import { partsPage, patchOf, type ShownRun } from "./shown-run.ts";

/** What is compared: a run, one of its visits, or an attempt of that: `<run>`, `<run>.3`, `<run>.3.1`. */
export interface SubjectName {
	readonly run: string;
	readonly visit: number | undefined;
	readonly attempt: number | undefined;
}

/** `undefined`: it names nothing. */
export function readSubject(name: string | undefined): SubjectName | undefined {
	const [, run = "", visit, attempt] = /^([^.]{1,40})(?:\.(\d{1,6})(?:\.(\d{1,6}))?)?$/.exec(name ?? "") ?? [];
	if (!isRunId(run)) return undefined;
	const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
	return { run, visit: number(visit), attempt: number(attempt) };
}

/** The subject on the page of its run; `undefined`: there is no such visit or attempt. */
export async function findSubject(page: ShownRun, { run, visit, attempt }: SubjectName): Promise<Compared | undefined> {
	const parts = partsPage(page);
	const about = { page: parts, name: `${page.report.run.plan.name} ${run.slice(0, 8)}`, href: exactly(page.base) };
	if (visit === undefined) return about;
	const found = page.report.visits.find(({ number }) => number === visit);
	if (!found) return undefined;
	const href = exactly(`${page.base}/visits/${visit}`);
	const part = visitName(found);
	if (attempt === undefined) return { ...about, part, href, visit: found, patch: await patchOf(page, found) };
	const launches = launchesByAttempt(found).get(attempt);
	return launches && { ...about, part: `${part}, attempt ${attempt}`, href, visit: found, launches };
}

function visitName({ number, state }: Visit): string {
	return `visit ${number} ${titleOf(state)}`;
}

function launchesByAttempt({ launches }: Visit): ReadonlyMap<number, readonly Launch[]> {
	return Map.groupBy(launches, ({ attempt }) => attempt);
}

export function drawBeside(html: Html, one: Compared, other: Compared): HtmlContent {
	return html`<header class="head"><h1>Side by side</h1></header><main id="content">${drawSideBySide(one, other)}</main>`;
}

const maxVisits = 100;
const maxRuns = 30;

interface Choice {
	readonly value: string;
	readonly words: string;
}

/** The form that sets the run or the shown visit beside another one of the template; `undefined`: there is none. */
export async function drawBesideForm(
	{ html, report, base, project }: ShownRun,
	visit: Visit | undefined,
): Promise<Markup | undefined> {
	const { run, visits } = report;
	const own: Choice[] = visits.slice(-maxVisits).flatMap((one) => subjectsOf(run.id, one));
	const recent = await project.store.recent(maxRuns * 4);
	const others = recent
		.flatMap((entry): Choice[] =>
			entry.kind === "run" && entry.id !== run.id && entry.summary.template === run.template.name
				? [{ value: entry.id, words: `run ${entry.id.slice(0, 8)}: ${html.cut(entry.summary.task, 60)}` }]
				: [],
		)
		.slice(0, maxRuns);
	const all = [{ value: run.id, words: "this run" }, ...own, ...others];
	if (all.length < 3) return undefined;
	const shown = visit ? `${run.id}.${visit.number}` : run.id;
	const first = [...all.filter(({ value }) => value === shown), ...all.filter(({ value }) => value !== shown)];
	const rest = first.slice(1);
	return html`<details><summary>Set side by side</summary><form method="get" action="${exactly(`${base}/beside`)}"><div class="row"><div>${selectField(html, { id: "beside-one", name: "one", label: "This" }, first)}</div><div>${selectField(html, { id: "beside-other", name: "other", label: "Beside" }, [...rest, ...first.slice(0, 1)])}</div></div><button class="plain">Compare</button></form></details>`;
}

function subjectsOf(run: string, visit: Visit): readonly Choice[] {
	const attempts = [...launchesByAttempt(visit).keys()];
	const own = { value: `${run}.${visit.number}`, words: visitName(visit) };
	if (attempts.length < 2) return [own];
	return [
		own,
		...attempts.map((attempt) => ({ value: `${own.value}.${attempt}`, words: `${own.words}, attempt ${attempt}` })),
	];
}
