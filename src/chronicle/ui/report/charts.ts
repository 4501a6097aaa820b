// The sections that are drawn: the path, time, money. Each drawing has its words, a legend and the same as a table. Pure.
import { marks, shortCost, shortCount, shortTime, titleOf } from "../timeline/index.ts";
import { drawDiagram } from "./diagram.ts";
import { drawGantt, endMarks, ganttRows, waitMarks } from "./gantt.ts";
import { type Markup, type Pen, trusted } from "./markup.ts";
import { drawSpending, drawStates, stateRows, tokenKinds } from "./money.ts";
import { pathOf } from "./path.ts";
import { causePhrase, waitPhrase } from "./phrases.ts";
import { counted, drawChart, drawKey, type Section, type Sheet } from "./sheet.ts";
import type { Launch, Wait } from "./story.ts";
import { roomWidth } from "./svg.ts";
import { drawTable, ends } from "./table.ts";
import { busySpans, timeAxis } from "./time-axis.ts";

const firstMoves = 150;
const lastMoves = 150;

export function pathSection(sheet: Sheet): Section {
	const { pen, story, moments, leftOut } = sheet;
	const path = pathOf(story);
	const list = ends(story.moves, firstMoves, lastMoves);
	if (path.statesLeftOut > 0)
		leftOut.push(
			`${counted(path.statesLeftOut, "state")} of the diagram ${path.statesLeftOut === 1 ? "is" : "are"} drawn as one.`,
		);
	if (path.waysLeftOut > 0)
		leftOut.push(
			`${counted(path.waysLeftOut, "way")} between states that the run did not take ${path.waysLeftOut === 1 ? "is" : "are"} not drawn.`,
		);
	if (list.leftOut > 0) leftOut.push(`${list.leftOut} moves between the first and the last ones are not in the table.`);
	const key = (kind: string, words: string): Markup =>
		drawKey(
			pen,
			trusted(
				`<svg class="sample" viewBox="0 0 34 10" width="34" height="10" aria-hidden="true"><g class="edge ${kind}"><path class="way" d="M1 5H26"/><path class="tip" d="M33 5L25 1V9Z"/></g></svg>`,
			),
			words,
		);
	const kinds = new Set(path.edges.map(({ kind }) => kind));
	const refused = story.moves.some((move) => move.refused !== undefined);
	const caption = [
		kinds.has("taken") ? key("taken", "taken, with the numbers of the moves") : undefined,
		kinds.has("possible") ? key("possible", "possible, not taken") : undefined,
		refused ? key("refused", `${marks.refused} refused`) : undefined,
		drawKey(
			pen,
			trusted(
				'<svg class="sample" viewBox="0 0 20 14" width="20" height="14" aria-hidden="true"><g class="node visited current"><rect class="box" x="1" y="1" width="18" height="12" rx="3"/></g></svg>',
			),
			"where the run is",
		),
	];
	const table =
		story.moves.length === 0
			? pen.html`<p>The run has made no move.</p>`
			: drawTable(pen, {
					caption: "Moves of the run",
					rows: list.rows,
					columns: [
						{ name: "Move", kind: "number", of: ({ number }) => number },
						{ name: "From", of: ({ from }) => titleOf(from), kind: "words" },
						{ name: "To", of: ({ to }) => titleOf(to), kind: "words" },
						{
							name: "Cause",
							kind: "words",
							of: ({ cause, refused }) =>
								refused === undefined
									? causePhrase(cause)
									: `${causePhrase(cause)}; ${marks.refused} ${titleOf(refused)} was refused`,
						},
						{ name: "When", of: ({ at }) => moments.short(at) },
					],
				});
	return {
		id: "path",
		title: "The path",
		content: drawChart(sheet, {
			wide: drawDiagram(pen, story, path, "wide"),
			narrow: drawDiagram(pen, story, path, "narrow"),
			caption,
			table,
			name: "State diagram",
		}),
	};
}

const waitKinds: readonly Wait["kind"][] = ["approval", "paused", "budget", "human", "interrupted", "over"];

export function timeSection(sheet: Sheet): Section {
	const { pen, story, moments, leftOut } = sheet;
	const title = "Time";
	if (story.visits.length === 0)
		return { id: "time", title, content: pen.html`<p>When workers worked is not known: the events are missing.</p>` };
	const { leftOut: rows } = ganttRows(story);
	if (rows > 0) leftOut.push(`${counted(rows, "visit")} of the time chart ${rows === 1 ? "is" : "are"} not drawn.`);
	const spans = story.visits.flatMap((visit) => [
		...visit.launches.map((launch) => launchSpan(visit.number, visit.state, launch, story.endedAt)),
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
	if (list.leftOut > 0) leftOut.push(`${list.leftOut} spans of time are not in the table.`);
	const waits = new Set(story.visits.flatMap(({ waits: own }) => own.map(({ kind }) => kind)));
	const launchEnds = new Set(story.visits.flatMap(({ launches }) => launches.map(({ end }) => end.kind)));
	const cutShort = timeAxis(busySpans(story), story.beganAt, story.endedAt, 0, roomWidth.wide).breaks.length > 0;
	const bar = (name: string, sign: string): Markup => {
		const inside = pen.html`<text class="${name === "bar" || name === "bar fault" ? "on" : "wait-label"} small" x="14" y="11" text-anchor="middle">${sign}</text>`;
		return pen.html`<svg class="sample" viewBox="0 0 28 14" width="28" height="14" aria-hidden="true"><rect class="${name}" width="28" height="14" rx="3"/>${inside}</svg>`;
	};
	const faults = (["crashed", "timed_out", "lost"] as const).filter((kind) => launchEnds.has(kind));
	const caption = [
		drawKey(pen, bar("bar", "1"), "a worker at work, with the number of the attempt"),
		faults.length > 0
			? drawKey(pen, bar("bar fault", endMarks[faults[0] ?? "crashed"]), "it crashed, ran out of time or was lost")
			: undefined,
		launchEnds.has("rejected")
			? drawKey(pen, bar("bar", `1 ${endMarks.rejected}`), "a person rejected what it asked for")
			: undefined,
		waitKinds
			.filter((kind) => waits.has(kind))
			.map((kind) => drawKey(pen, bar(`wait ${kind}`, waitMarks[kind]), waitPhrase(kind))),
		cutShort
			? drawKey(
					pen,
					trusted(
						'<svg class="sample" viewBox="0 0 28 14" width="28" height="14" aria-hidden="true"><rect class="cut" width="28" height="14"/></svg>',
					),
					"long silence, cut short",
				)
			: undefined,
		pen.html`<span>Time counts from ${moments.full(story.beganAt)}.</span>`,
	];
	return {
		id: "time",
		title,
		content: drawChart(sheet, {
			wide: drawGantt(pen, story, "wide"),
			narrow: drawGantt(pen, story, "narrow"),
			caption,
			name: "Time chart",
			table: drawTable(pen, {
				caption: "Active and waiting time",
				rows: list.rows,
				columns: [
					{ name: "Visit", of: ({ visit, state }) => `${visit} ${titleOf(state)}`, kind: "words" },
					{ name: "What", of: ({ what }) => what, kind: "words" },
					{ name: "From", of: ({ from }) => moments.short(from) },
					{ name: "How long", kind: "number", of: ({ ms }) => shortTime(ms) },
				],
			}),
		}),
	};
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

export function moneySection(sheet: Sheet): Section {
	const { pen, story, moments, leftOut } = sheet;
	const title = "Tokens and cost";
	const { rows, leftOut: states } = stateRows(story);
	if (story.run.totals.tokens === 0 && story.run.totals.costUsd === 0)
		return { id: "money", title, content: pen.html`<p>Nothing has been spent.</p>` };
	if (states > 0)
		leftOut.push(
			`${counted(states, "state")} with little spend ${states === 1 ? "is" : "are"} not in the chart of states.`,
		);
	const used = tokenKinds.filter(([kind]) => rows.some(({ spend }) => spend[kind] > 0));
	const caption = used.map(([kind, name]) =>
		drawKey(
			pen,
			trusted(
				`<svg class="sample" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true"><rect class="t${tokenKinds.findIndex(([one]) => one === kind)}" width="14" height="14"/></svg>`,
			),
			name,
		),
	);
	const everyOther = Math.ceil(story.spending.length / 60);
	const points = story.spending.filter((_, index) => (story.spending.length - 1 - index) % everyOther === 0);
	return {
		id: "money",
		title,
		content: [
			pen.html`<h3>Per state</h3>`,
			drawChart(sheet, {
				wide: drawStates(pen, story, "wide"),
				narrow: drawStates(pen, story, "narrow"),
				caption: [pen.html`<span class="key">Tokens, from left to right:</span>`, caption],
				name: "Tokens, cost and time per state",
				table: stateTable(pen, sheet),
			}),
			story.spending.length === 0
				? undefined
				: [
						pen.html`<h3>Over time</h3>`,
						drawChart(sheet, {
							wide: drawSpending(pen, story, "wide"),
							narrow: drawSpending(pen, story, "narrow"),
							caption: pen.html`<span class="key">The same time axis as above; each step is a message of a model. A dashed line is a ceiling.</span>`,
							name: "Tokens and cost over time",
							table: drawTable(pen, {
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

function stateTable(pen: Pen, { story }: Sheet): Markup {
	return drawTable(pen, {
		caption: "Tokens, cost and time per state",
		rows: [...story.states].filter(([, { visits }]) => visits > 0).slice(0, 400),
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
