// The section with the path: the course of the run as a line of text, and its states one below the other with the moves between them. Moves
// forward are arrows on the right, moves back on the left; each has its numbers. One drawing fits wide and narrow pages. Pure.
import { counted } from "@pi-chronicle/core/definition";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { currentMark, type Mark, marks, shortCost, shortTime, titleOf } from "../phrases/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import { px, type ReportPage, type Section } from "./page.ts";
import type { ReportModel } from "./report-model.ts";

/** States with a box of their own: beyond this number, only those that the run has visited. */
const maxStates = 60;
/** More untaken moves than this would hide the taken ones. */
const maxPossible = 30;
/** Numbers of moves that an arrow shows. */
const maxNumbers = 3;
/** Parts of the course shown at the beginning and at the end, and the longest loop that is folded, in states. */
const maxParts = 30;
const longestLoop = 4;

interface PathNode {
	readonly state: string;
	readonly mark: Mark;
	readonly visits: number;
}

export interface PathEdge {
	/** Indexes in the list of nodes. */
	readonly from: number;
	readonly to: number;
	readonly kind: "taken" | "possible" | "refused" | "rewound";
	/** Numbers of the moves, abbreviated: `1, 3 … 12 (×7)`. */
	readonly label: string;
}

export interface VisitedPath {
	readonly nodes: readonly PathNode[];
	readonly edges: readonly PathEdge[];
	/** States, and possible moves that were not made, that are not drawn. */
	readonly statesLeftOut: number;
	readonly movesLeftOut: number;
}

export function pathSection(page: ReportPage): Section {
	const { html, report, leftOut } = page;
	const path = pathOf(report);
	if (path.statesLeftOut > 0) leftOut.push(`${counted(path.statesLeftOut, "state")} without a visit in the diagram.`);
	if (path.movesLeftOut > 0) leftOut.push(`${counted(path.movesLeftOut, "possible move")} in the diagram.`);
	const kinds = new Set(path.edges.map(({ kind }) => kind));
	const key = (kind: PathEdge["kind"], words: string): HtmlContent =>
		kinds.has(kind)
			? html`<span class="key"><svg class="sample" width="34" height="10" aria-hidden="true"><g class="edge ${kind}"><path class="way" d="M1 5H26"/><path class="tip" d="M33 5L25 1V9Z"/></g></svg> ${words}</span>`
			: undefined;
	const content = html`${drawCourse(page)}<div class="chart"><div class="frame" tabindex="0" role="region" aria-label="State diagram">${drawStates(html, report, path)}</div><p class="keys">${key("taken", "taken, with the numbers of the moves")}${key("possible", "possible, not taken")}${key("rewound", `${marks.undone} undone by a rewind`)}${key("refused", `${marks.refused} refused`)}</p></div>`;
	return { id: "path", title: "Path", content };
}

export function pathOf(report: ReportModel): VisitedPath {
	const { run, moves } = report;
	const isVisited = (name: string): boolean => name === run.state || (run.states[name]?.visits ?? 0) > 0;
	const all = [...run.plan.states.keys()].filter((name) => name !== HUMAN_INTERVENTION);
	const planned = all.length <= maxStates ? all : all.filter(isVisited).slice(-maxStates);
	const isReleased = run.state === HUMAN_INTERVENTION || moves.some(({ to }) => to === HUMAN_INTERVENTION);
	const names = [...planned, ...(isReleased ? [HUMAN_INTERVENTION] : [])];
	const taken = movedEdges(report, names);
	const possible = possibleEdges(report, names);
	return {
		nodes: names.map((state) => ({ state, mark: markOf(report, state), visits: run.states[state]?.visits ?? 0 })),
		edges: [...taken, ...(possible.length > maxPossible ? [] : possible)],
		statesLeftOut: all.length - planned.length,
		movesLeftOut: possible.length > maxPossible ? possible.length : 0,
	};
}

function markOf({ run, moves, visits }: ReportModel, name: string): Mark {
	if (name === run.state) return currentMark(run);
	if ((run.states[name]?.visits ?? 0) === 0) return moves.some(({ refused }) => refused === name) ? "refused" : "todo";
	if (name === HUMAN_INTERVENTION) return "released";
	const own = visits.filter(({ state }) => state === name);
	return own.length > 0 && own.every(({ undone }) => undone) ? "undone" : "done";
}

function movedEdges({ moves }: ReportModel, names: readonly string[]): PathEdge[] {
	const made = moves.flatMap(({ number, from, to, refused, cause }) => [
		...(refused === undefined || refused === from ? [] : [{ number, from, to: refused, kind: "refused" as const }]),
		{ number, from, to, kind: cause === "rewind" ? ("rewound" as const) : ("taken" as const) },
	]);
	const drawn = made.filter(({ from, to }) => names.includes(from) && names.includes(to));
	const groups = Map.groupBy(drawn, ({ from, to, kind }) => `${kind} ${from} ${to}`);
	return [...groups.values()].flatMap((group) => {
		const [one] = group;
		if (!one) return [];
		const label = numbersText(group.map(({ number }) => number));
		return [{ from: names.indexOf(one.from), to: names.indexOf(one.to), kind: one.kind, label }];
	});
}

/** `1, 3, 5`, `1, 3 … 12 (×7)`. */
function numbersText(numbers: readonly number[]): string {
	if (numbers.length <= maxNumbers) return numbers.join(", ");
	return `${numbers.slice(0, 2).join(", ")} … ${numbers.at(-1)} (×${numbers.length})`;
}

function possibleEdges({ run, moves }: ReportModel, names: readonly string[]): PathEdge[] {
	const moved = new Set(moves.map(({ from, to }) => `${from} ${to}`));
	return names.flatMap((name, from) =>
		(run.plan.states.get(name)?.next ?? [])
			.filter((next) => next !== HUMAN_INTERVENTION && name !== HUMAN_INTERVENTION && next !== name)
			.filter((next) => names.includes(next) && !moved.has(`${name} ${next}`))
			.map((next) => ({ from, to: names.indexOf(next), kind: "possible" as const, label: "" })),
	);
}

const boxWidth = 210;
const boxHeight = 42;
/** From the top of a box to the next one. */
const rowHeight = 66;
const laneWidth = 26;
/** Pixels of a character of a label, at most. */
const labelSize = 7.5;
/** Wider drawings scroll in their frame instead of being scaled down, and so do taller ones. */
const fittingWidth = 440;
const fittingHeight = 1600;

export interface Arc extends PathEdge {
	/** 0: straight down to the next state; else the number of its lane, negative on the left. */
	readonly lane: number;
}

/** A lane for each arrow on its side, so that no two arrows share a stretch of one; the shortest ones are next to the boxes. */
export function arcsOf(edges: readonly PathEdge[]): Arc[] {
	const taken: Arc[] = [];
	const spans = ({ from, to }: PathEdge) => [Math.min(from, to), Math.max(from, to)] as const;
	const bySpan = edges.toSorted((one, other) => Math.abs(one.to - one.from) - Math.abs(other.to - other.from));
	for (const edge of bySpan) {
		const [low, high] = spans(edge);
		const side = edge.to > edge.from ? 1 : -1;
		const beside = taken.filter((arc) => Math.sign(arc.lane) === side && spans(arc)[0] < high && low < spans(arc)[1]);
		const isStraight = edge.to === edge.from + 1 && !taken.some(({ lane, from }) => lane === 0 && from === edge.from);
		let lane = 1;
		while (beside.some((arc) => Math.abs(arc.lane) === lane)) lane += 1;
		taken.push({ ...edge, lane: isStraight ? 0 : side * lane });
	}
	return taken;
}

function drawStates(html: Html, report: ReportModel, path: VisitedPath): Markup {
	const arcs = arcsOf(path.edges);
	const lanes = arcs.map(({ lane }) => lane);
	const labelRoom = 12 + labelSize * Math.max(...arcs.map((arc) => labelOf(arc).length), 0);
	const roomOf = (lane: number): number => (lane === 0 ? 6 : lane * laneWidth + labelRoom);
	const left = roomOf(-Math.min(0, ...lanes));
	// The label of a straight arrow stands beside it, below a box.
	const width = Math.max(left + boxWidth + roomOf(Math.max(0, ...lanes)), left + boxWidth / 2 + labelRoom);
	const height = path.nodes.length * rowHeight - (rowHeight - boxHeight) + 8;
	const size = `${width > fittingWidth ? " large" : ""}${height > fittingHeight ? " tall" : ""}`;
	return html`<svg class="drawing${size}" role="img" aria-labelledby="path-t path-d" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" height="${px(height)}"><title id="path-t">The states and the path taken</title><desc id="path-d">${describePath(html, report, path)}</desc>${arcs.map((arc) => drawArc(html, arc, left))}${path.nodes.map((node, index) => drawNode(html, report, node, { left, top: 4 + index * rowHeight }))}</svg>`;
}

function describePath(html: Html, { run, moves }: ReportModel, { nodes, edges, statesLeftOut }: VisitedPath): string {
	const refused = moves.filter((move) => move.refused !== undefined).length;
	const ways = edges
		.filter(({ kind }) => kind !== "possible")
		.map(
			({ from, to, kind, label }) =>
				`${kind} ${label}: ${titleOf(nodes[from]?.state ?? "")} to ${titleOf(nodes[to]?.state ?? "")}`,
		);
	return html.cut(
		`${counted(nodes.length + statesLeftOut, "state")} and ${counted(moves.length, "move")}${refused > 0 ? `, ${refused} refused` : ""}. Now in ${titleOf(run.state)}. ${ways.join("; ")}`,
		1200,
	);
}

function labelOf({ kind, label }: Pick<PathEdge, "kind" | "label">): string {
	return kind === "refused" ? `${marks.refused} ${label}` : kind === "rewound" ? `${marks.undone} ${label}` : label;
}

function drawArc(html: Html, { from, to, kind, label, lane }: Arc, left: number): Markup {
	const middle = left + boxWidth / 2;
	const text = labelOf({ kind, label });
	if (lane === 0) {
		const [y, end] = [4 + from * rowHeight + boxHeight, 4 + to * rowHeight];
		const way = `M${middle} ${y}V${end - 7}`;
		return edge(html, kind, way, `M${middle} ${end}l-4.5 -8h9Z`, {
			text,
			x: middle + 8,
			y: (y + end) / 2 + 4,
			anchor: "start",
		});
	}
	const side = Math.sign(lane);
	const base = side > 0 ? left + boxWidth : left;
	const outer = base + lane * laneWidth;
	// Arrows leave the lower half of a box and enter the upper half of another, so that both directions stay apart.
	const [start, end] = [4 + from * rowHeight + boxHeight * 0.7, 4 + to * rowHeight + boxHeight * 0.3];
	const bend = Math.min(10, Math.abs(end - start) / 2) * Math.sign(end - start);
	const way = `M${base} ${px(start)}H${px(outer - side * 10)}Q${px(outer)} ${px(start)} ${px(outer)} ${px(start + bend)}V${px(end - bend)}Q${px(outer)} ${px(end)} ${px(outer - side * 10)} ${px(end)}H${base + side * 7}`;
	const tip = `M${base} ${px(end)}l${side * 8} -4.5v9Z`;
	// Neighbors in adjacent lanes have their labels at different heights.
	const at = (start + end) / 2 + ((Math.abs(lane) % 3) - 1) * 13;
	return edge(html, kind, way, tip, { text, x: outer + side * 4, y: at + 4, anchor: side > 0 ? "start" : "end" });
}

function edge(
	html: Html,
	kind: PathEdge["kind"],
	way: string,
	tip: string,
	label: { readonly text: string; readonly x: number; readonly y: number; readonly anchor: string },
): Markup {
	const { text, x, y, anchor } = label;
	return html`<g class="edge ${kind}"><path class="way" d="${way}"/><path class="tip" d="${tip}"/>${text === "" ? undefined : html`<text class="edge-label ${kind}" x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${text}</text>`}</g>`;
}

function drawNode(
	html: Html,
	{ run, states }: ReportModel,
	{ state, mark, visits }: PathNode,
	{ left, top }: { readonly left: number; readonly top: number },
): Markup {
	const { activeMs = 0, spend } = states.get(state) ?? {};
	const spent = activeMs > 0 ? [shortTime(activeMs), shortCost(spend?.costUsd ?? 0)] : [];
	const figures = [...(visits > 1 ? [`×${visits}`] : []), ...spent].join(" · ");
	const classes = `node ${visits > 0 ? "visited" : "unvisited"}${state === run.state ? " current" : ""}`;
	return html`<g class="${classes}"><title>${titleOf(state)}</title><rect class="box" x="${left}" y="${top}" width="${boxWidth}" height="${boxHeight}" rx="8"/><text class="mark ${mark}" x="${left + 18}" y="${top + 26}" text-anchor="middle">${mark === "todo" ? "○" : marks[mark]}</text><text class="title" x="${left + 34}" y="${top + 18}">${fitTitle(html.plain(titleOf(state)))}</text><text class="dim small" x="${left + 34}" y="${top + 34}">${figures || (visits > 0 ? "visited" : "not visited")}</text></g>`;
}

/** The title, cut to the width of its box in the widest common font: its letters are at most so many pixels wide. */
function fitTitle(title: string): string {
	const signs = [...new Intl.Segmenter("en").segment(title.slice(0, 60))].map(({ segment }) => segment);
	let room = boxWidth - 38;
	const fits = signs.findIndex((sign) => {
		room -= /^[\p{Ll}\d\s.,-]$/u.test(sign) ? (/[mw]/.test(sign) ? 13.5 : 8.4) : 15;
		return room < 0;
	});
	return fits === -1 ? title : `${signs.slice(0, fits - 1).join("")}…`;
}

export interface CoursePart {
	/** The states, once around. */
	readonly states: readonly string[];
	readonly times: number;
	/** The part ends with a rewind. */
	readonly rewound: boolean;
}

/** Folds repetitions in a sequence of states. `rewound`: whether a rewind follows the state at that index. */
export function foldCourse(states: readonly string[], rewound: (index: number) => boolean): CoursePart[] {
	const parts: CoursePart[] = [];
	for (let at = 0; at < states.length; ) {
		const { length, times } = loopAt(states, at, rewound);
		const end = at + length * times;
		parts.push({ states: states.slice(at, at + length), times, rewound: rewound(end - 1) });
		at = end;
	}
	return parts;
}

/** The loop that covers most states from `at` on; one state if there is none. A rewind ends a loop. */
function loopAt(
	states: readonly string[],
	at: number,
	rewound: (index: number) => boolean,
): { readonly length: number; readonly times: number } {
	let best = { length: 1, times: 1 };
	for (let length = 1; length <= longestLoop; length += 1) {
		let same = 0;
		while (states[at + same + length] === states[at + same] && !rewound(at + same + length - 1)) {
			if (at + same + length >= states.length) break;
			same += 1;
		}
		const times = 1 + Math.floor(same / length);
		if (times > 1 && length * times > best.length * best.times) best = { length, times };
	}
	return best;
}

/** `Implementation ⇄ Review ×3`. */
export function partText({ states, times }: CoursePart): string {
	const titles = states.map(titleOf);
	if (times === 1) return titles.join(" → ");
	return `${titles.length < 3 ? titles.join(" ⇄ ") : `(${titles.join(" → ")})`} ×${times}`;
}

function drawCourse({ html, report: { visits } }: ReportPage): HtmlContent {
	if (visits.length < 2) return undefined;
	const parts = foldCourse(
		visits.map(({ state }) => state),
		(index) => visits[index]?.left?.cause === "rewind",
	);
	const texts = parts.map((part, index) => {
		const after = index === parts.length - 1 ? "" : part.rewound ? ` ${marks.undone} ` : " → ";
		return `${partText(part)}${after}`;
	});
	const hidden = texts.length - 2 * maxParts;
	const shown = hidden > 1 ? [...texts.slice(0, maxParts), `… ${hidden} more … `, ...texts.slice(-maxParts)] : texts;
	return html`<p class="course" dir="auto">${html.cut(shown.join(""), 6000)}</p>`;
}
