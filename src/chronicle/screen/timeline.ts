// The timeline of a run: a few lines that say where it stands, what it costs, what it does and what it waits for. A function of the folded
// run and the time; nothing here is remembered.
import { liveTotals, measures, type Run } from "../machine/index.ts";
import { bar, crumbsOf, nextStep, shortCost, shortCount, shortTime } from "../timeline/index.ts";
import { arrow, crumbLine } from "./breadcrumbs.ts";
import { dim, fitLine, type Line, plain, type Span, wrapParts } from "./line.ts";

/** At most this many lines of breadcrumbs; a window around the current state. */
const crumbLines = 3;

export interface TimelineOptions {
	/** Columns. */
	readonly width: number;
	/** ISO 8601; time of the working worker is counted up to it. */
	readonly now: string;
	/** Put before every command: `/chronicle ` in pi, `pi-chronicle ` outside. */
	readonly prefix: string;
}

/** Draws the timeline. No line is wider than `width`. */
export function drawTimeline(run: Run, { width, now, prefix }: TimelineOptions): Line[] {
	return [
		headline(run),
		...breadcrumbs(run, width),
		...present(run, now),
		...wrapParts(spending(run, now), dim(" · "), width),
		...waiting(run, prefix, width),
	].map((line) => fitLine(line, width));
}

function headline(run: Run): Line {
	const task = run.task.split("\n", 1)[0] ?? "";
	return [
		{ text: run.template.name, tone: "accent" },
		dim(` ${run.id.slice(0, 8)} `),
		plain(statusWords(run)),
		dim(` · ${task}`),
	];
}

function statusWords(run: Run): string {
	return run.status.replaceAll("_", " ");
}

function breadcrumbs(run: Run, width: number): Line[] {
	const crumbs = crumbsOf(run);
	const lines = wrapParts(crumbs.map(crumbLine), arrow, width);
	if (lines.length <= crumbLines) return lines;
	// Too many to show: go on from the state before the current one, and say how many are not shown.
	const at = Math.max(0, crumbs.findIndex(({ current }) => current) - 1);
	const rest: Line[] = [...(at > 0 ? [[dim(`… ${at} before`)]] : []), ...crumbs.slice(at).map(crumbLine)];
	const window = wrapParts(rest, arrow, width);
	if (window.length <= crumbLines) return window;
	return [...window.slice(0, crumbLines - 1), [...(window[crumbLines - 1] ?? []), dim(" …")]];
}

/** The worker: who, which try, how long, how much, what it does right now. */
function present(run: Run, now: string): Line[] {
	const { stage } = run;
	if (stage.kind !== "working" && stage.kind !== "launching" && stage.kind !== "leaving") return [];
	const persona = run.plan.states.get(run.state)?.persona?.name;
	const model = stage.kind === "working" ? stage.worker.model : undefined;
	const live = liveTotals(run, now);
	const totals = run.states[run.state];
	const ran = (totals?.activeMs ?? 0) + (live.activeMs - run.totals.activeMs);
	const parts: Line[] = [
		[plain([persona, model].filter((word) => word !== undefined).join(", ") || run.state)],
		[plain(`visit ${run.visit}${run.attempt > 1 ? `, attempt ${run.attempt}` : ""}`)],
		[plain(shortTime(ran))],
		[plain(`${shortCount(totals?.tokens ?? 0)} tokens`)],
		[plain(shortCost(totals?.costUsd ?? 0))],
	];
	const changed = run.snapshot.files.filter(({ visit }) => visit === run.visit);
	if (changed.length > 0) {
		const sum = (key: "added" | "removed") => changed.reduce((total, file) => total + (file[key] ?? 0), 0);
		parts.push([
			plain(`${changed.length} files `),
			{ text: `+${sum("added")}`, tone: "success" },
			plain(" "),
			{ text: `−${sum("removed")}`, tone: "error" },
		]);
	}
	const lines: Line[] = [parts.flatMap((part, index) => (index === 0 ? part : [dim(" · "), ...part]))];
	const open = run.calls.open.at(-1);
	const doing =
		stage.kind === "working"
			? open && `${open.tool} ${open.args}`
			: stage.kind === "launching"
				? "starting a worker"
				: "ending the worker";
	if (doing) lines.push([dim("  ▸ "), plain(doing)]);
	return lines;
}

/** Totals, each against its ceiling where there is one. */
function spending(run: Run, now: string): Line[] {
	const live = liveTotals(run, now);
	const limits = measures(run, now);
	const parts: Line[] = [
		part(
			"total",
			`${shortCount(live.tokens)} tokens`,
			limits.find(({ name }) => name === "tokens"),
		),
		part(
			"",
			live.unmeteredTokens > 0 ? `${shortCost(live.costUsd)} + unmetered` : shortCost(live.costUsd),
			limits.find(({ name }) => name === "cost"),
		),
		part(
			"",
			shortTime(live.activeMs),
			limits.find(({ name }) => name === "time"),
		),
	];
	const own = limits.filter(({ name }) => name.includes(" of "));
	return [...parts, ...own.map((measure) => part(measure.name, "", measure))];

	function part(label: string, value: string, measure: (typeof limits)[number] | undefined): Line {
		const words: Span[] = [dim(label === "" ? "" : `${label} `), plain(value)];
		if (measure === undefined || measure.ceiling <= 0) return words;
		const share = measure.spent / measure.ceiling;
		const tone = share >= 1 ? "error" : share >= run.plan.limits.warnAt ? "warning" : "success";
		const of = measure.figure === "costUsd" ? shortCost : measure.figure === "tokens" ? shortCount : shortTime;
		return [...words, dim(value === "" ? "" : " "), { text: bar(share), tone }, dim(` of ${of(measure.ceiling)}`)];
	}
}

/** What a person has to do, with the command; and the newest notice. */
function waiting(run: Run, prefix: string, width: number): Line[] {
	const lines: Line[] = [];
	const notice = run.notices.at(-1);
	if (notice !== undefined && run.status === "running") lines.push([{ text: notice, tone: "warning" }]);
	const next = nextStep(run);
	if (next === undefined) return lines;
	lines.push([{ text: next.what, tone: "warning" }]);
	const commands = next.commands.map((command): Line => [plain(`${prefix}${command}`)]);
	return [...lines, ...wrapParts(commands, dim(" · "), width)];
}
