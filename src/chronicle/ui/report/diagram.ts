// The state diagram with the path that the run took. The layout library computes the positions; this file draws. Pure.
import { type Edge, Graph, type GraphLabel, layout, type Point } from "@dagrejs/dagre";
import { curveBasis, line } from "d3-shape";
import { counted } from "../../../definition/index.ts";
import { marks, shortCost, shortTime } from "../timeline/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import type { PathEdge, PathNode, VisitedPath } from "./path.ts";
import type { ReportModel } from "./report-model.ts";
import { type ChartWidth, drawSvg, fitText, px, roomWidth, textWidth } from "./svg.ts";

interface Box {
	readonly width: number;
	readonly height: number;
	x: number;
	y: number;
}

interface Way {
	readonly width: number;
	readonly height: number;
	readonly labelpos: "c";
	readonly weight: number;
	points: Point[];
	x: number;
	y: number;
}

interface Plan {
	readonly graph: Graph<GraphLabel, Box, Way>;
	readonly width: number;
	readonly height: number;
}

const nodeHeight = 54;
/** A diagram up to this much wider than the page stays readable when scaled to fit. */
const maxShrinking = 1.15;
/** More states than this never fit side by side. */
const maxAcross = 8;
/** From this number of states on, a faster ranking algorithm is good enough. */
const manyNodes = 20;
const titleSize = 13;

export function drawStateDiagram(html: Html, report: ReportModel, path: VisitedPath, room: ChartWidth): Markup {
	const lines = path.nodes.map((node) => linesOf(html, report, node, { room, few: path.nodes.length <= maxAcross }));
	const { graph, width, height } = bestPlan(path, lines, room);
	const content: HtmlContent[] = [
		path.edges.map((edge, index) => drawEdge(html, edge, graph.edge(edgeName(edge, index)))),
		path.nodes.map((node, index) => drawNode(html, node, lines[index], graph.node(String(index)))),
	];
	return drawSvg(html, {
		id: `path-${room}`,
		width,
		height,
		title: "The states and the path taken",
		description: describe(html, report, path),
		content,
		fits: width <= roomWidth[room] * maxShrinking,
	});
}

function describe(html: Html, { run, moves }: ReportModel, { nodes, statesLeftOut }: VisitedPath): string {
	const visited = nodes
		.filter(({ visits }) => visits > 0)
		.map(({ title, visits }) => `${title}${visits > 1 ? ` ${visits} times` : ""}`);
	const refused = moves.filter((move) => move.refused !== undefined).length;
	return html.cut(
		`${counted(nodes.filter(({ kind }) => kind === "state").length + statesLeftOut, "state")} and ${counted(moves.length, "move")}${refused > 0 ? `, ${refused} refused` : ""}. Visited: ${visited.join(", ")}. Now in ${run.state}. The moves are listed in the table below.`,
		1200,
	);
}

interface NodeLines {
	readonly title: string;
	readonly figures: string;
	readonly width: number;
}

function linesOf(
	html: Html,
	{ states }: ReportModel,
	node: PathNode,
	{ room, few }: { readonly room: ChartWidth; readonly few: boolean },
): NodeLines {
	// Names are complete if there is room: a few states, one below the other.
	const most = room === "wide" ? (few ? 420 : 230) : 200;
	const figures = figuresOf(states, node);
	const shown = fitText(html.plain(node.title), titleSize, most - 44);
	const width = Math.max(110, textWidth(shown, titleSize) + 48, textWidth(figures, 12) + 48);
	return { title: shown, figures, width: Math.min(most + 20, width) };
}

/** What a state took, or that it was not visited. */
function figuresOf(states: ReportModel["states"], { state, visits, kind }: PathNode): string {
	if (kind === "rest") return "in the table below";
	const own = state === undefined ? undefined : states.get(state);
	if (own === undefined || visits === 0) return "not visited";
	const parts = [
		...(visits > 1 ? [`×${visits}`] : []),
		...(own.activeMs > 0 ? [shortTime(own.activeMs), shortCost(own.spend.costUsd)] : []),
	];
	return parts.length > 0 ? parts.join(" · ") : "visited";
}

/** Left to right if that fits, else top to bottom. */
function bestPlan(path: VisitedPath, lines: readonly NodeLines[], room: ChartWidth): Plan {
	const down = () => planWay(path, lines, "TB");
	if (room === "narrow" || path.nodes.length > maxAcross) return down();
	const right = planWay(path, lines, "LR");
	if (right.width <= roomWidth.wide) return right;
	const alternative = down();
	return alternative.width < right.width && alternative.height <= alternative.width * 6 ? alternative : right;
}

function planWay(path: VisitedPath, lines: readonly NodeLines[], rankdir: "LR" | "TB"): Plan {
	const graph = new Graph<GraphLabel, Box, Way>({ multigraph: true });
	const ranker = path.nodes.length < manyNodes ? "network-simplex" : "longest-path";
	graph.setGraph({
		rankdir,
		nodesep: 26,
		edgesep: 18,
		ranksep: rankdir === "LR" ? 44 : 36,
		ranker,
	});
	for (const [index, { width }] of lines.entries())
		graph.setNode(String(index), { width, height: nodeHeight, x: 0, y: 0 });
	for (const [index, edge] of path.edges.entries()) {
		const text = labelOf(edge);
		const { v, w, name } = edgeName(edge, index);
		const size = text === "" ? { width: 0, height: 0 } : { width: textWidth(text, 11) + 12, height: 18 };
		// Taken edges weigh more, so that the path is as straight as possible.
		const weight = edge.kind === "taken" ? 4 : 1;
		graph.setEdge(v, w, { ...size, labelpos: "c", weight, points: [], x: 0, y: 0 }, name);
	}
	layout(graph);
	return { graph, ...intoView(graph) };
}

const margin = 6;

/** Moves everything into view, and returns the size that it needs: the library counts only states and labels, not edges. */
function intoView(graph: Graph<GraphLabel, Box, Way>): { readonly width: number; readonly height: number } {
	const boxes: Box[] = graph.nodes().map((name: string) => graph.node(name));
	const ways: Way[] = graph.edges().map((edge: Edge) => graph.edge(edge));
	const corners = [...boxes, ...ways].flatMap(({ x, y, width, height }) => [
		{ x: x - width / 2, y: y - height / 2 },
		{ x: x + width / 2, y: y + height / 2 },
	]);
	const all = [...corners, ...ways.flatMap(({ points }) => points)];
	const least = (key: "x" | "y") => all.reduce((found, point) => Math.min(found, point[key]), Number.POSITIVE_INFINITY);
	const most = (key: "x" | "y") => all.reduce((found, point) => Math.max(found, point[key]), 0);
	const [left, top] = [least("x") - margin, least("y") - margin];
	for (const one of [...boxes, ...ways]) Object.assign(one, { x: one.x - left, y: one.y - top });
	for (const way of ways) way.points = way.points.map(({ x, y }) => ({ x: x - left, y: y - top }));
	return {
		width: Math.max(most("x") + margin - left, 100),
		height: Math.max(most("y") + margin - top, nodeHeight + 2 * margin),
	};
}

function edgeName({ from, to, kind }: PathEdge, index: number): { v: string; w: string; name: string } {
	return { v: String(from), w: String(to), name: `${kind}-${index}` };
}

function labelOf({ kind, label }: PathEdge): string {
	return kind === "refused" ? `${marks.refused} ${label}` : kind === "rewound" ? `${marks.undone} ${label}` : label;
}

const curve = line<Point>()
	.x(({ x }) => px(x))
	.y(({ y }) => px(y))
	.curve(curveBasis);

function drawEdge(html: Html, edge: PathEdge, { points, x, y, width }: Way): HtmlContent {
	const end = points.at(-1);
	const before = points.at(-2);
	if (!end || !before) return undefined;
	// The line ends at the base of the arrowhead.
	const angle = Math.atan2(end.y - before.y, end.x - before.x);
	const tip = 8;
	const base = { x: end.x - tip * Math.cos(angle), y: end.y - tip * Math.sin(angle) };
	const side = (turn: number): string =>
		`${px(end.x - tip * 1.15 * Math.cos(angle + turn))} ${px(end.y - tip * 1.15 * Math.sin(angle + turn))}`;
	const text = labelOf(edge);
	const label =
		text === ""
			? undefined
			: html`<rect class="label-back" x="${px(x - width / 2)}" y="${px(y - 9)}" width="${px(width)}" height="18" rx="9"/><text class="edge-label ${edge.kind}" x="${px(x)}" y="${px(y + 4)}" text-anchor="middle">${text}</text>`;
	return html`<g class="edge ${edge.kind}"><path class="way" d="${curve([...points.slice(0, -1), base]) ?? ""}"/><path class="tip" d="M${px(end.x)} ${px(end.y)}L${side(0.5)}L${side(-0.5)}Z"/>${label}</g>`;
}

function drawNode(html: Html, node: PathNode, lines: NodeLines | undefined, box: Box): HtmlContent {
	if (!lines) return undefined;
	const { x, y, width, height } = box;
	const left = x - width / 2;
	const classes = ["node", node.visits > 0 ? "visited" : node.kind === "rest" ? "rest" : "unvisited"];
	if (node.current) classes.push("current");
	const border = node.terminal
		? html`<rect class="inner" x="${px(left + 3)}" y="${px(y - height / 2 + 3)}" width="${px(width - 6)}" height="${px(height - 6)}" rx="6"/>`
		: undefined;
	return html`<g class="${classes.join(" ")}"><title>${node.title}</title><rect class="box" x="${px(left)}" y="${px(y - height / 2)}" width="${px(width)}" height="${height}" rx="9"/>${border}<text class="mark ${node.mark}" x="${px(left + 20)}" y="${px(y + 5)}" text-anchor="middle">${node.mark === "todo" ? "○" : marks[node.mark]}</text><text class="title" x="${px(left + 36)}" y="${px(y - 3)}">${lines.title}</text><text class="dim small" x="${px(left + 36)}" y="${px(y + 14)}">${lines.figures}</text></g>`;
}
