// Two runs, visits or attempts side by side: their figures with the difference, and what each of them said, changed and did. Pure.
import { counted } from "@pi-chronicle/core/definition";
import type { Launch, Visit } from "@pi-chronicle/core/history";
import { addSpend, NO_SPEND, outcomeOf, type Spend } from "@pi-chronicle/core/machine";
import { changedFiles, measuredTotals } from "@pi-chronicle/core/snapshot";
import { causePhrases, runStatusText, shortCost, shortCount, shortTime, titleOf } from "../phrases/index.ts";
import { drawVisitChanges, type VisitPatch } from "./changes.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { drawTable, drawWords, type ReportPage } from "./page.ts";
import { waitedMs } from "./time.ts";
import { drawWork } from "./work.ts";

/** A run; with `visit`, that visit of it; with `launches`, one attempt of the visit. */
export interface Compared {
	readonly page: ReportPage;
	/** Of the run, and of what is compared of it. */
	readonly name: string;
	readonly part?: string;
	/** Address of its page. */
	readonly href: string | Markup;
	readonly visit?: Visit | undefined;
	readonly launches?: readonly Launch[] | undefined;
	readonly patch?: VisitPatch | undefined;
}

/** One line of the comparison. With `value`, a figure whose difference is shown. */
interface ComparedFact {
	readonly name: string;
	readonly content: HtmlContent;
	readonly value?: number;
	readonly show?: (value: number) => string;
}

/** What two subjects are alike and different in. */
export function drawSideBySide(one: Compared, other: Compared): Markup {
	const { html } = one.page;
	const isOneRun = one.page.report.run.id === other.page.report.run.id;
	const [title, otherTitle] = [one, other].map((subject) => titleOfCompared(subject, isOneRun)) as [string, string];
	const [left, right] = [comparedFacts(one), comparedFacts(other)];
	const names = [...new Set([...left, ...right].map(({ name }) => name))];
	const rows = names.map((name) => ({
		name,
		one: left.find((fact) => fact.name === name),
		other: right.find((fact) => fact.name === name),
	}));
	const shown = rows.filter(({ one, other }) => one?.content !== undefined || other?.content !== undefined);
	const table = drawTable(one.page, {
		caption: `${title} and ${otherTitle}`,
		rows: shown,
		columns: [
			{ name: "What", of: ({ name }) => name },
			{ name: title, kind: "words", of: ({ one }) => one?.content ?? "none" },
			{ name: otherTitle, kind: "words", of: ({ other }) => other?.content ?? "none" },
			{ name: "Difference", kind: "number", of: differenceOf },
		],
	});
	const links = html`<p><a href="${one.href}">${title}</a> · <a href="${other.href}">${otherTitle}</a></p>`;
	return html`${links}<div class="beside">${table}</div>`;
}

/** In one run, its name says nothing. */
function titleOfCompared({ name, part }: Compared, isOneRun: boolean): string {
	return [...(isOneRun && part !== undefined ? [] : [name]), ...(part === undefined ? [] : [part])].join(", ");
}

function differenceOf({ one, other }: { readonly one?: ComparedFact; readonly other?: ComparedFact }): HtmlContent {
	if (one?.value === undefined || other?.value === undefined || !one.show) return "";
	const difference = other.value - one.value;
	if (Math.abs(difference) < 1e-9) return "=";
	return `${difference > 0 ? "+" : "−"}${one.show(Math.abs(difference))}`;
}

function comparedFacts(subject: Compared): readonly ComparedFact[] {
	if (!subject.visit) return runFacts(subject.page);
	return subject.launches
		? attemptFacts(subject.page, subject.visit, subject.launches)
		: visitFacts(subject, subject.visit);
}

const figure =
	(show: (value: number) => string) =>
	(name: string, value: number): ComparedFact => ({ name, value, show, content: show(value) });
const time = figure(shortTime);
const cost = figure(shortCost);
const count = figure(shortCount);

function spendFacts(spend: Spend): readonly ComparedFact[] {
	return [
		cost("Cost", spend.costUsd),
		count("Tokens", spend.tokens),
		count("Tokens in", spend.input + spend.cacheWrite),
		count("Tokens from the cache", spend.cacheRead),
		count("Tokens out", spend.output),
	];
}

function runFacts(page: ReportPage): readonly ComparedFact[] {
	const { html, report } = page;
	const { run, visits } = report;
	const { totals } = run;
	const files = changedFiles(run.snapshot);
	const { summary } = outcomeOf(run);
	const states = [...report.states].filter(([, { visits }]) => visits > 0);
	return [
		{ name: "Task", content: drawWords(page, run.task) },
		{ name: "Status", content: `${runStatusText(run.status)} in ${titleOf(run.state)}` },
		time("Active time", totals.activeMs),
		time("Waiting", waitedMs(visits.flatMap(({ waits }) => waits).filter(({ kind }) => kind !== "over"))),
		...spendFacts(totals),
		count("Visits", run.visit),
		count("Attempts", totals.attempts),
		count("Tool calls", totals.toolCalls),
		count("Refused moves", report.moves.filter((move) => move.refused !== undefined).length),
		count("Incidents", report.incidents.filter(({ tone }) => tone !== "note").length),
		{
			...count("Files changed", files.files),
			content: html`${files.files} <span class="plus">+${files.added}</span> <span class="minus">−${files.removed}</span>`,
		},
		...states.map(([state, { activeMs, spend, visits: times }]): ComparedFact => {
			const figures = `${counted(times, "visit")}, ${shortTime(activeMs)}, ${shortCost(spend.costUsd)}`;
			return { name: titleOf(state), content: figures, value: spend.costUsd, show: shortCost };
		}),
		{ name: "Said", content: drawWords(page, summary) },
	];
}

function visitFacts({ page, patch }: Compared, visit: Visit): readonly ComparedFact[] {
	const { html } = page;
	const { spend, activeMs, toolCalls, waits, launches, left, files } = visit;
	const totals = measuredTotals(files);
	const models = [...new Set(launches.flatMap(({ model }) => (model === undefined ? [] : [model])))];
	return [
		{ name: "State", content: `${titleOf(visit.state)}${visit.undone ? ", undone" : ""}` },
		{ name: "Model", content: models.length > 0 ? html.cut(models.join(", "), 200) : undefined },
		{ name: "Left to", content: left ? `${titleOf(left.to)}, ${causePhrases[left.cause]}` : undefined },
		time("Active time", activeMs),
		time("Waiting", waitedMs(waits)),
		...spendFacts(spend),
		count("Attempts", new Set(launches.map(({ attempt }) => attempt)).size),
		count("Tool calls", toolCalls),
		{
			...count("Files changed", totals.files),
			content: html`${totals.files} <span class="plus">+${totals.added}</span> <span class="minus">−${totals.removed}</span>`,
		},
		{ name: "Said", content: drawWords(page, visit.summary) },
		{ name: "Changes", content: totals.files > 0 ? drawVisitChanges(page, visit, patch) : undefined },
		{ name: "Time", content: drawWork(page, visit) },
	];
}

/** Of what the visit's list of work has of the attempt. */
function attemptFacts(
	{ html, report }: ReportPage,
	visit: Visit,
	launches: readonly Launch[],
): readonly ComparedFact[] {
	const from = launches[0]?.startedAt ?? launches[0]?.reservedAt ?? visit.beganAt;
	const last = launches.at(-1);
	const to = last?.endedAt ?? report.endedAt;
	const { first, last: latest, leftOut } = report.workOf(visit.number);
	const items = [...first, ...latest].filter((item) => item.from >= from && item.to <= to);
	const spend = items.reduce((sum, item) => (item.kind === "model" ? addSpend(sum, item.spend) : sum), NO_SPEND);
	const calls = items.filter((item) => item.kind === "call");
	return [
		{ name: "State", content: titleOf(visit.state) },
		{ name: "Model", content: last?.model === undefined ? undefined : html.cut(last.model, 200) },
		{ name: "Ended", content: last ? html.cut(last.end.words, 400) : undefined },
		time("Active time", Math.max(0, to - from)),
		...spendFacts(spend),
		count("Model messages", items.length - calls.length),
		count("Tool calls", calls.length),
		count("Failed calls", calls.filter(({ outcome }) => outcome !== "ok").length),
		{ name: "Not counted", content: leftOut > 0 ? `${counted(leftOut, "step")} of the visit left out` : undefined },
	];
}
