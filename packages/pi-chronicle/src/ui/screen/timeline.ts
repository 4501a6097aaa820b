// The timeline of a run: a few lines with its status, cost, current work and the user's next step. A function of the folded run and the time,
// without any state of its own. While a worker works, the number of lines does not depend on its activity.
import { counted } from "@pi-chronicle/core/definition";
import { candidatesIn, planOf, type Run, type RunStatus, visitChanges } from "@pi-chronicle/core/machine";
import { type ChangeTotals, measuredTotals } from "@pi-chronicle/core/snapshot";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import {
	dim,
	fitLine,
	type Line,
	lineWidth,
	plain,
	type StyledText,
	type Tone,
	wrapParts,
	wrapText,
} from "../../tui/index.ts";
import {
	asksUser,
	bar,
	type ChildLine,
	type Crumb,
	callText,
	childLines,
	choiceText,
	commandTitle,
	crumbSeparator,
	crumbsOf,
	endingText,
	type Figure,
	framesOf,
	layFilm,
	type Mark,
	marks,
	nextStep,
	runFigures,
	runStatusText,
	shortTime,
	templateNameOf,
	titleOf,
	uncountedText,
} from "../phrases/index.ts";

/** At most this many lines of breadcrumbs; a window around the current state. */
const crumbLines = 3;
/** Below these widths: a shorter model name; no id. */
const roomy = 72;
const narrow = 48;
/** The film strip is drawn from this width on, and not wider than this. */
const filmColumns = 60;
const maxFilmColumns = 120;
const longBar = 8;
const shortBar = 4;

export interface TimelineOptions {
	readonly width: number;
	/** ISO 8601; the current worker's time is counted up to it. */
	readonly now: string;
	/** Prefix of every command: `/chronicle ` in pi, `pi-chronicle ` outside. */
	readonly prefix: string;
	/** Changes found by checking the files; absent: those of the run's last measurement. */
	readonly changed?: ChangeTotals | undefined;
	/** The key that reopens the run's pending question: `Alt+A`. */
	readonly answerKey?: string | undefined;
	readonly notice?: string | undefined;
}

/** Draws the timeline. No line is wider than `width`. */
export function drawTimeline(run: Run, options: TimelineOptions): Line[] {
	const { width, now, notice } = options;
	return [
		...headline(run, width),
		...breadcrumbs(run, width),
		...film(run, now, width),
		...onFewLines(width, (cells) => workingLines(run, options, cells)),
		...choosing(run),
		...doing(run, now, width),
		...ahead(run, options),
		...onFewLines(width, (cells) => spending(run, now, width, cells)),
		...(notice === undefined || run.status !== "running" ? [] : wrapText({ text: notice, tone: "warning" }, width)),
		...waiting(run, options),
	].map((line) => fitLine(line, width));
}

/** Long bars if everything fits on one line with them, else short ones. */
function onFewLines(width: number, parts: (cells: number) => Line[]): Line[] {
	const long = wrapParts(parts(longBar), dim(" · "), width);
	return long.length < 2 ? long : wrapParts(parts(shortBar), dim(" · "), width);
}

const statusTones: Record<RunStatus, Tone> = {
	running: "plain",
	asks: "warning",
	awaiting_approval: "warning",
	awaiting_provider: "warning",
	paused: "warning",
	budget_exceeded: "error",
	human_intervention: "error",
	done: "success",
	failed: "error",
	aborted: "error",
};

function headline(run: Run, width: number): Line[] {
	const task = run.task.split("\n", 1)[0] ?? "";
	const name: Line = [{ text: templateNameOf(run), tone: "accent" }];
	const id: Line = width < narrow ? [] : [dim(` ${run.id.slice(0, 8)}`)];
	const status: StyledText = { text: runStatusText(run.status), tone: statusTones[run.status] };
	const head = [...name, ...id, dim(" · "), status];
	// The status is never cut off.
	if (lineWidth(head) > width) return [fitLine(name, width), [status]];
	return [[...head, dim(` · ${task}`)]];
}

function breadcrumbs(run: Run, width: number): Line[] {
	const crumbs = crumbsOf(run);
	const lines = wrapParts(crumbs.map(crumbLine), separatorOf(crumbs), width);
	if (lines.length <= crumbLines) return lines;
	// Too many to show: start with the state before the current one, and show how many are hidden.
	const at = Math.max(0, crumbs.findIndex(({ current }) => current) - 1);
	const rest: Line[] = [...(at > 0 ? [[dim(`… ${at} before`)]] : []), ...crumbs.slice(at).map(crumbLine)];
	const separator = separatorOf(crumbs.slice(at));
	const window = wrapParts(rest, (index) => (at > 0 ? separator(index - 1) : separator(index)), width);
	if (window.length <= crumbLines) return window;
	return [...window.slice(0, crumbLines - 1), [...(window[crumbLines - 1] ?? []), dim(" …")]];
}

/** Two lines of exactly `width` columns; none before the first visit has ended. */
function film(run: Run, now: string, width: number): Line[] {
	const frames = framesOf(run, now);
	if (frames.length < 2 || width < filmColumns) return [];
	const laid = layFilm(frames, Math.min(width, maxFilmColumns));
	return [
		laid.map(({ text, mark }) => ({ text, tone: tones[mark] })),
		[dim(laid.map(({ figures }) => figures).join(""))],
	];
}

function workingLines(run: Run, { now, width, changed }: TimelineOptions, cells: number): Line[] {
	const { stage } = run;
	if (stage.kind === "over" || run.attempt === 0) return [];
	const { persona: { name: persona = run.state } = {}, command } = planOf(run);
	const model = stage.kind === "working" ? stage.worker?.model : undefined;
	const { activeMs, tokens, costUsd } = runFigures(run, now, "state");
	const who = command
		? commandTitle(command)
		: model === undefined
			? persona
			: `${persona}, ${width < roomy ? model.replace(/^.*\//, "") : model}`;
	return [
		[plain(who)],
		[plain(`visit ${run.visit}${run.attempt > 1 ? `, attempt ${run.attempt}` : ""}`)],
		...[activeMs, tokens, costUsd].map((figure) => measured(run, figure, { width, cells })),
		...changedFiles(run, changed ?? measuredTotals(visitChanges(run))),
	];
}

function changedFiles(run: Run, { files, added, removed }: ChangeTotals): Line[] {
	if (files === 0) {
		const unmeasured = run.unmeasured.some(({ visit }) => visit === run.visit);
		return unmeasured ? [[{ text: "files not measured", tone: "warning" }]] : [];
	}
	return [
		[
			plain(`${counted(files, "file")} `),
			{ text: `+${added}`, tone: "success" },
			plain(" "),
			{ text: `−${removed}`, tone: "error" },
		],
	];
}

function choosing(run: Run): Line[] {
	const names = candidatesIn(run, run.state).map(({ name }) => name);
	if (names.length > 0) {
		const { winner } = run.candidates ?? {};
		const shown = names.map((name) => (name === winner ? `${name} (named)` : name)).join(", ");
		return [[dim(`  one of ${names.length} is taken: `), plain(shown)]];
	}
	const last = run.choices.at(-1);
	return last ? [[dim("  "), plain(choiceText(last))]] : [];
}

/** The worker's current activity: one line as long as there is a worker. */
function doing(run: Run, now: string, width: number): Line[] {
	const { stage } = run;
	const waited = shortTime(Math.max(0, Date.parse(now) - Date.parse(run.updatedAt)));
	const line = (text: string): Line[] => [[dim("  ▸ "), dim(text)]];
	switch (stage.kind) {
		case "working":
			return hasWorker(run) ? [[dim("  ▸ "), ...work(run, now)]] : [];
		case "launching":
			if (planOf(run).command) return line("starting the command");
			return line(
				stage.delayMs > 0
					? `starting a worker in ${shortTime(stage.delayMs)}, after an error · ${waited}`
					: `starting a worker · ${waited}`,
			);
		case "stopping":
			return line(endingText(run) ?? "cleaning up, comparing files");
		case "restoring":
			return line("restoring files");
		case "children":
			return childLines(run, { now }).map((child) => childLine(child, width));
		case "baselining":
			return stage.awaits ? line(`waiting for a host with ${stage.awaits.join(", ")}`) : [];
		case "awaiting_provider":
		case "deciding":
		case "asking":
		case "waiting":
		case "over":
			return [];
	}
}

/** The last of the open calls, and how many there are. */
function work({ stage, calls }: Run, now: string): Line {
	if (stage.kind === "working" && !stage.worker)
		return [dim(`the command runs · ${shortTime(Math.max(0, Date.parse(now) - Date.parse(stage.startedAt)))}`)];
	const open = calls.open.at(-1);
	if (open === undefined) return [dim("waiting for the model")];
	const [tool, words] = callText(open.tool, open.args);
	return [plain(`${calls.open.length > 1 ? `${calls.open.length} calls: ` : ""}${tool} `), dim(words)];
}

/** Columns of what a child does, and of a name, that are worth leaving something else out. */
const minWhy = 28;
const minName = 8;
const separator = " · ";

/** The longest form whose name and figures fit and leave room for what the child does; else the shortest, with its name cut. */
function childLine({ mark, text, forms, tone }: ChildLine, width: number): Line {
	const head: Line = [dim(`  ${mark} `)];
	const columns = (part: string): number => lineWidth([plain(part)]);
	const forName = ({ figures, why }: ChildLine["forms"][number]): number =>
		width -
		lineWidth(head) -
		(figures === "" ? 0 : columns(separator + figures)) -
		(why === "" ? 0 : columns(separator) + Math.min(minWhy, columns(why)));
	const form = forms.find((one) => columns(one.name) <= forName(one)) ?? forms.at(-1);
	const name = form && fitLine([plain(form.name)], Math.max(minName, forName(form)))[0]?.text;
	const parts = form ? [name ?? "", form.figures, form.why] : [text];
	const shown = parts.filter((part) => part !== "").join(separator);
	return [...head, tone === "plain" ? plain(shown) : { text: shown, tone }];
}

/** The states that can follow and whether you are asked first; on the right, the commands while it runs. One line. */
function ahead(run: Run, { prefix, width }: TimelineOptions): Line[] {
	if (!hasWorker(run)) return [];
	const left = nextWords(run);
	const keys = `${prefix}view · tell <words> · pause`;
	const room = width - lineWidth([dim(left)]) - lineWidth([dim(keys)]);
	return [room < 2 ? [dim(left)] : [dim(left), dim(" ".repeat(room)), dim(keys)]];
}

/** Whether a worker works. What one asks is said below, with the commands. */
function hasWorker({ stage, status }: Run): boolean {
	if (status === "asks") return false;
	return stage.kind === "launching" || stage.kind === "working" || stage.kind === "stopping";
}

function nextWords({ plan, state }: Run): string {
	const here = plan.states.get(state);
	const targets = (here?.next ?? []).filter((name) => name !== HUMAN_INTERVENTION);
	if (targets.length === 0) return "  last state";
	const asked = here?.approval.exit === true;
	const names = targets.map((name) => {
		const asks = !asked && plan.states.get(name)?.approval.entry === true;
		return `${titleOf(name)}${asks ? " (asks you)" : ""}`;
	});
	return `  next: ${names.join(" or ")}${asked ? ", after asking you" : ""}`;
}

/** Totals, each with its ceiling if there is one. */
function spending(run: Run, now: string, width: number, cells: number): Line[] {
	const { tokens, costUsd, activeMs } = runFigures(run, now, "run");
	const cost = uncountedText(run.totals) === "" ? costUsd : { ...costUsd, text: `${costUsd.text} + unmetered` };
	const { counted } = run.moves;
	const max = run.limits.run.moves ?? run.plan.limits.moves;
	return [
		measured(run, tokens, { width, cells }, width < narrow ? "" : "total "),
		measured(run, cost, { width, cells }),
		measured(run, activeMs, { width, cells }),
		// Most runs stay far below their limit of moves: show them only near it.
		...(counted >= max * run.plan.limits.warnAt
			? [[{ text: `${counted} of ${max} moves`, tone: counted >= max ? "error" : "warning" } as const]]
			: []),
	];
}

function measured(
	{ plan }: Run,
	{ text, limit }: Figure,
	{ width, cells }: { readonly width: number; readonly cells: number },
	label = "",
): Line {
	const words: StyledText[] = [...(label === "" ? [] : [dim(label)]), plain(text)];
	if (!limit) return words;
	const tone = limit.share >= 1 ? "error" : limit.share >= plan.limits.warnAt ? "warning" : "success";
	const drawn = bar(limit.share, cells);
	const full = drawn.lastIndexOf("▰") + 1;
	const bars: Line = [{ text: drawn.slice(0, full), tone }, dim(drawn.slice(full))];
	return [...words, plain(" "), ...bars, dim(`${width < narrow ? " " : " of "}${limit.text}`)];
}

function waiting(run: Run, { prefix, width, answerKey }: TimelineOptions): Line[] {
	const next = nextStep(run);
	if (next === undefined) return [];
	const help = next.help === undefined ? [] : wrapText({ text: next.help, tone: "plain" }, width);
	const what = [...wrapText({ text: next.what, tone: "warning" }, width), ...help];
	if (next.commands.length === 0) return what;
	const key: Line[] =
		answerKey === undefined || !asksUser(run) ? [] : [[{ text: `${answerKey} answers`, tone: "accent" }]];
	const whole = next.commands.map((command): Line => [plain(`${prefix}${command}`)]);
	const lines = wrapParts([...key, ...whole], dim(" · "), width);
	if (lines.length === 1) return [...what, ...lines];
	// Too narrow to repeat the prefix: only the first command shows it.
	const short = next.commands.map((command, index): Line => [plain(index === 0 ? `${prefix}${command}` : command)]);
	return [...what, ...wrapParts([...key, ...short], dim(" · "), width)];
}

const tones: Record<Mark, Tone> = {
	done: "success",
	working: "accent",
	waiting: "warning",
	paused: "warning",
	delayed: "warning",
	failed: "error",
	refused: "error",
	human: "error",
	released: "warning",
	undone: "dim",
	todo: "dim",
};

/** The separator before the crumb with that index. */
export function separatorOf(crumbs: readonly Crumb[]): (index: number) => StyledText {
	return (index) => dim(crumbSeparator(crumbs[index] ?? { follows: false }));
}

/** The crumb as styled text: `Planning [✓] ×2`. */
export function crumbLine({ title, mark, visits, current }: Crumb): Line {
	const name: StyledText = current
		? { text: title, tone: "accent" }
		: mark === "todo" || mark === "undone"
			? dim(title)
			: plain(title);
	const box: StyledText[] = [dim(" ["), { text: marks[mark], tone: tones[mark] }, dim("]")];
	return [name, ...box, ...(visits > 1 ? [dim(` ×${visits}`)] : [])];
}
