// The sections with charts: path, time, cost. Each chart has a description, a legend and a table of the same data. Pure.
import { counted } from "../../../definition/index.ts";
import type { Launch, Wait } from "../../core/index.ts";
import { marks, shortCost, shortCount, shortTime, titleOf } from "../timeline/index.ts";
import { drawCourse } from "./course.ts";
import { drawStateDiagram } from "./diagram.ts";
import { drawGantt, endMarks, ganttRows, waitMarks } from "./gantt.ts";
import { type Html, type HtmlContent, type Markup, trusted } from "./markup.ts";
import { drawSpending, drawStates, stateRows, tokenKinds } from "./money.ts";
import { drawChart, drawKey, type ReportPage, type Section } from "./page.ts";
import { pathOf, type VisitedPath } from "./path.ts";
import { causePhrase, waitPhrase } from "./phrases.ts";
import { roomWidth } from "./svg.ts";
import { drawTable, ends } from "./table.ts";
import { busySpans, timeAxis } from "./time-axis.ts";

const firstMoves = 150;
const lastMoves = 150;

export function pathSection(page: ReportPage): Section {
	const { html, report, leftOut } = page;
	const path = pathOf(report);
	if (path.statesLeftOut > 0)
		leftOut.push(
			`${counted(path.statesLeftOut, "state")} of the diagram ${path.statesLeftOut === 1 ? "is" : "are"} grouped with others.`,
		);
	if (path.waysLeftOut > 0)
		leftOut.push(
			`${counted(path.waysLeftOut, "way")} that the run did not take ${path.waysLeftOut === 1 ? "is" : "are"} not drawn.`,
		);
	return {
		id: "path",
		title: "The path",
		content: [
			drawCourse(page),
			drawChart(page, {
				wide: drawStateDiagram(html, report, path, "wide"),
				narrow: drawStateDiagram(html, report, path, "narrow"),
				caption: pathCaption(page, path),
				table: moveTable(page),
				name: "State diagram",
			}),
		],
	};
}

function pathCaption({ html, report }: ReportPage, path: VisitedPath): HtmlContent {
	const key = (kind: string, words: string): Markup =>
		drawKey(
			html,
			trusted(
				`<svg class="sample" viewBox="0 0 34 10" width="34" height="10" aria-hidden="true"><g class="edge ${kind}"><path class="way" d="M1 5H26"/><path class="tip" d="M33 5L25 1V9Z"/></g></svg>`,
			),
			words,
		);
	const kinds = new Set(path.edges.map(({ kind }) => kind));
	const refused = report.moves.some((move) => move.refused !== undefined);
	return [
		kinds.has("taken") ? key("taken", "taken, with the numbers of the moves") : undefined,
		kinds.has("possible") ? key("possible", "possible, not taken") : undefined,
		kinds.has("rewound") ? key("rewound", `${marks.undone} undone by a rewind`) : undefined,
		refused ? key("refused", `${marks.refused} refused`) : undefined,
		drawKey(
			html,
			trusted(
				'<svg class="sample" viewBox="0 0 20 14" width="20" height="14" aria-hidden="true"><g class="node visited current"><rect class="box" x="1" y="1" width="18" height="12" rx="3"/></g></svg>',
			),
			"current state",
		),
	];
}

function moveTable({ html, report, moments, leftOut }: ReportPage): Markup {
	if (report.moves.length === 0) return html`<p>No moves yet.</p>`;
	const list = ends(report.moves, firstMoves, lastMoves);
	if (list.leftOut > 0)
		leftOut.push(
			`${counted(list.leftOut, "move")} in the middle ${list.leftOut === 1 ? "is" : "are"} not in the table.`,
		);
	return drawTable(html, {
		caption: "Moves of the run",
		rows: list.rows,
		columns: [
			{ name: "Move", kind: "number", of: ({ number }) => number },
			{ name: "From", of: ({ from }) => titleOf(from), kind: "words" },
			{ name: "To", of: ({ to }) => titleOf(to), kind: "words" },
			{
				name: "Cause",
				kind: "words",
				of: ({ cause, refused }) => {
					const how = `${cause === "rewind" ? `${marks.undone} ` : ""}${causePhrase(cause)}`;
					return refused === undefined ? how : `${how}; ${marks.refused} ${titleOf(refused)} was refused`;
				},
			},
			{ name: "When", of: ({ at }) => moments.short(at) },
		],
	});
}

const waitKinds: readonly Wait["kind"][] = [
	"asks",
	"approval",
	"provider",
	"paused",
	"budget",
	"human",
	"interrupted",
	"over",
];

export function timeSection(page: ReportPage): Section {
	const { html, report, moments, leftOut } = page;
	const title = "Time";
	if (report.visits.length === 0)
		return { id: "time", title, content: html`<p>The times of workers are unknown: the events are missing.</p>` };
	const { leftOut: rows } = ganttRows(report);
	if (rows > 0) leftOut.push(`${counted(rows, "visit")} of the time chart ${rows === 1 ? "is" : "are"} not drawn.`);
	const spans = report.visits.flatMap((visit) => [
		...visit.launches.map((launch) => launchSpan(visit.number, visit.state, launch, report.endedAt)),
		...visit.waits.map(({ kind, from, to }) => ({
			visit: visit.number,
			state: visit.state,
			what: waitPhrase(kind),
			from,
			ms: to - from,
		})),
	]);
	const list = ends(
		spans.toSorted((one, other) => one.from - other.from),
		150,
		150,
	);
	if (list.leftOut > 0)
		leftOut.push(`${counted(list.leftOut, "span")} of time ${list.leftOut === 1 ? "is" : "are"} not in the table.`);
	return {
		id: "time",
		title,
		content: drawChart(page, {
			wide: drawGantt(html, report, "wide"),
			narrow: drawGantt(html, report, "narrow"),
			caption: timeCaption(page),
			name: "Time chart",
			table: drawTable(html, {
				caption: "Active and waiting time",
				rows: list.rows,
				columns: [
					{ name: "Visit", of: ({ visit, state }) => `${visit} ${titleOf(state)}`, kind: "words" },
					{ name: "What", of: ({ what }) => what, kind: "words" },
					{ name: "From", of: ({ from }) => moments.short(from) },
					{ name: "Duration", kind: "number", of: ({ ms }) => shortTime(ms) },
				],
			}),
		}),
	};
}

function timeCaption({ html, report, moments }: ReportPage): HtmlContent {
	const waits = new Set(report.visits.flatMap(({ waits: own }) => own.map(({ kind }) => kind)));
	const launchEnds = new Set(report.visits.flatMap(({ launches }) => launches.map(({ end }) => end.kind)));
	const cutShort = timeAxis(busySpans(report), report.beganAt, report.endedAt, 0, roomWidth.wide).breaks.length > 0;
	const bar = (name: string, sign: string): Markup => {
		const inside = html`<text class="${name === "bar" || name === "bar fault" ? "on" : "wait-label"} small" x="14" y="11" text-anchor="middle">${sign}</text>`;
		return html`<svg class="sample" viewBox="0 0 28 14" width="28" height="14" aria-hidden="true"><rect class="${name}" width="28" height="14" rx="3"/>${inside}</svg>`;
	};
	const faults = (["crashed", "timed_out", "lost"] as const).filter((kind) => launchEnds.has(kind));
	return [
		drawKey(html, bar("bar", "1"), "a running worker, with the number of the attempt"),
		drawKey(html, bar("starting", ""), "a worker starting"),
		report.moves.some(({ cause }) => cause === "rewind")
			? drawKey(html, html`<b>${marks.undone}</b>`, "rewind; undone work is gray")
			: undefined,
		faults.length > 0
			? drawKey(html, bar("bar fault", endMarks[faults[0] ?? "crashed"]), "crashed, timed out or lost")
			: undefined,
		launchEnds.has("rejected") ? drawKey(html, bar("bar", `1 ${endMarks.rejected}`), "request rejected") : undefined,
		waitKinds
			.filter((kind) => waits.has(kind))
			.map((kind) => drawKey(html, bar(`wait ${kind}`, waitMarks[kind]), waitPhrase(kind))),
		cutShort
			? drawKey(
					html,
					trusted(
						'<svg class="sample" viewBox="0 0 28 14" width="28" height="14" aria-hidden="true"><rect class="cut" width="28" height="14"/></svg>',
					),
					"long gap, shortened",
				)
			: undefined,
		html`<span>Time counts from ${moments.full(report.beganAt)}.</span>`,
	];
}

function launchSpan(
	visit: number,
	state: string,
	{ attempt, launch, startedAt, endedAt, end }: Launch,
	now: number,
): { visit: number; state: string; what: string; from: number; ms: number } {
	const process = launch > 1 ? `, process ${launch}` : "";
	const from = startedAt ?? endedAt ?? now;
	return { visit, state, what: `attempt ${attempt}${process}: ${end.words}`, from, ms: (endedAt ?? now) - from };
}

export function moneySection(page: ReportPage): Section {
	const { html, report, moments, leftOut } = page;
	const title = "Tokens and cost";
	const { rows, leftOut: states } = stateRows(report);
	if (report.run.totals.tokens === 0 && report.run.totals.costUsd === 0)
		return { id: "money", title, content: html`<p>No cost yet.</p>` };
	if (states > 0)
		leftOut.push(
			`${counted(states, "state")} with little spend ${states === 1 ? "is" : "are"} not in the chart of states.`,
		);
	const used = tokenKinds.filter(([kind]) => rows.some(({ spend }) => spend[kind] > 0));
	const caption = used.map(([kind, name]) =>
		drawKey(
			html,
			trusted(
				`<svg class="sample" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true"><rect class="t${tokenKinds.findIndex(([one]) => one === kind)}" width="14" height="14"/></svg>`,
			),
			name,
		),
	);
	const everyOther = Math.ceil(report.spending.length / 60);
	const points = report.spending.filter((_, index) => (report.spending.length - 1 - index) % everyOther === 0);
	return {
		id: "money",
		title,
		content: [
			html`<h3>Per state</h3>`,
			drawChart(page, {
				wide: drawStates(html, report, "wide"),
				narrow: drawStates(html, report, "narrow"),
				caption: [html`<span class="key">Tokens, from left to right:</span>`, caption],
				name: "Tokens, cost and time per state",
				table: stateTable(html, page),
			}),
			report.spending.length === 0
				? undefined
				: [
						html`<h3>Over time</h3>`,
						drawChart(page, {
							wide: drawSpending(html, report, "wide"),
							narrow: drawSpending(html, report, "narrow"),
							caption: html`<span class="key">The same time axis as above; each step is a model message. Dashed lines are ceilings.</span>`,
							name: "Tokens and cost over time",
							table: drawTable(html, {
								caption: "Tokens and cost over time",
								rows: points,
								columns: [
									{ name: "When", of: ({ at }) => moments.short(at) },
									{ name: "Tokens", kind: "number", of: ({ tokens }) => shortCount(tokens) },
									{ name: "Cost", kind: "number", of: ({ costUsd }) => shortCost(costUsd) },
								],
							}),
						}),
					],
		],
	};
}

function stateTable(html: Html, { report }: ReportPage): Markup {
	return drawTable(html, {
		caption: "Tokens, cost and time per state",
		rows: [...report.states].filter(([, { visits }]) => visits > 0).slice(0, 400),
		columns: [
			{ name: "State", kind: "words", of: ([name]) => titleOf(name) },
			{ name: "Visits", kind: "number", of: ([, { visits }]) => visits },
			{ name: "Attempts", kind: "number", of: ([, { attempts }]) => attempts },
			...tokenKinds.map(([kind, name]) => ({
				name: name.charAt(0).toUpperCase() + name.slice(1),
				kind: "number" as const,
				of: ([, { spend }]: [string, { spend: Record<typeof kind, number> }]) => shortCount(spend[kind]),
			})),
			{ name: "All tokens", kind: "number", of: ([, { spend }]) => shortCount(spend.tokens) },
			{ name: "Cost", kind: "number", of: ([, { spend }]) => shortCost(spend.costUsd) },
			{ name: "Active", kind: "number", of: ([, { activeMs }]) => shortTime(activeMs) },
			{ name: "Calls", kind: "number", of: ([, { toolCalls }]) => toolCalls },
		],
	});
}
