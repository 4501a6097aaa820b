// The output of a command: progress and errors on stderr, with the state of the run on the terminal's last row; its result on stdout, as lines or,
// with --json, as exactly one object.

import { styleText } from "node:util";
import { activityOf, type Run } from "@pi-chronicle/core/machine";
import { bar, columnsIn, drawDiagram, exitCodes, fitText, type MarkTone, markOf, printable } from "../../pi/index.ts";
import type { CommandResponse, Complaint } from "../commands/index.ts";
import {
	activityText,
	childrenText,
	commandTitle,
	complaintLines,
	endingText,
	runFigures,
	shortTime,
} from "../phrases/index.ts";
import type { ShellPrefix } from "./place.ts";

export interface Output {
	/** Precedes every printed command. */
	readonly prefix: string;
	progress(line: string): void;
	/** Shows the run on the live line; `undefined` removes it. */
	live(run: Run | undefined): void;
	/** Prints a result; resolves to the exit code. */
	show(result: CommandResponse): Promise<number>;
	/** Prints the error; returns the exit code. */
	fail(complaint: Complaint): number;
}

export interface OutputOptions {
	readonly command: string;
	readonly json: boolean;
	/** Paths below it are shown relative to it. */
	readonly cwd: string;
	readonly prefix: ShellPrefix;
}

/** Opens the output of one command. */
export function openOutput({ command, json, cwd, prefix }: OutputOptions): Output {
	const line = openLiveLine(process.stderr);
	let isNoted = prefix.note === undefined;
	const progress = (text: string): void => {
		line.print(text);
		noteIn(text);
	};
	const noteIn = (text: string): void => {
		if (isNoted || !text.includes(prefix.text)) return;
		isNoted = true;
		line.print(prefix.note ?? "");
	};
	const print = (text: string): void => void process.stdout.write(`${text}\n`);
	const printData = (data: object): void => print(JSON.stringify({ verb: command, ...data }, null, "\t"));
	const fail = (complaint: Complaint): number => {
		const { code, message, remedy, diagnostics = [], problems = [], exitCode = exitCodes.usage } = complaint;
		for (const line of complaintLines(complaint, cwd)) progress(line);
		const error = { code, message, remedy, diagnostics, problems };
		if (json) printData({ error });
		return exitCode;
	};
	return {
		prefix: prefix.text,
		progress,
		live: (run) => (run === undefined ? line.close() : line.show(run)),
		fail,
		async show(result) {
			if (result.kind === "silent") return result.exitCode;
			if (result.kind === "refused") return fail(result);
			const { data, view, exitCode = exitCodes.done } = result;
			if (json) printData(data);
			else {
				const lines =
					view?.kind === "diagram" ? [...(await drawDiagram(result.lines)), "", ...view.notes] : result.lines;
				if (lines.length > 0) print(printedLines(lines, view?.kind !== "diagram" && view?.kind !== "patch"));
				noteIn(lines.join("\n"));
			}
			return exitCode;
		},
	};
}

/** The lines with colors; on a terminal, text is broken between words. */
function printedLines(lines: readonly string[], isText: boolean): string {
	const text = printable(lines.join("\n"));
	return (isText ? fitText(text, process.stdout) : text)
		.split("\n")
		.map((line) => colorMark(line, process.stdout))
		.join("\n");
}

const tickMs = 1000;
/** Milliseconds after which a stage without a worker is named where there is no live line. */
const slowMs = 2000;

export interface LiveLine {
	show(run: Run): void;
	print(text: string): void;
	close(): void;
}

/**
 * Opens the live line on `stream`. On anything but a terminal, where nothing can be redrawn, a line says what the run does when a stage without a
 * worker is slow.
 */
export function openLiveLine(stream: NodeJS.WriteStream, now: () => number = Date.now): LiveLine {
	const isTerminal = stream.isTTY === true && process.env.TERM !== "dumb";
	let run: Run | undefined;
	let isDrawn = false;
	let timer: NodeJS.Timeout | undefined;
	let named: string | undefined;
	const nameSlow = (): void => {
		timer = undefined;
		if (run === undefined || !quietStages.has(run.stage.kind)) return;
		const stage = `${run.visit} ${run.stage.kind}`;
		if (stage !== named) line.print(`… ${doingText(run, new Date(now()).toISOString())}`);
		named = stage;
	};
	const clear = (): void => {
		if (isDrawn) stream.write("\r\u001b[2K");
		isDrawn = false;
	};
	const draw = (): void => {
		clear();
		if (run === undefined || run.stage.kind === "over") return;
		stream.write(colorMark(fitted(liveText(run, new Date(now()).toISOString()), columnsIn(stream)), stream));
		isDrawn = true;
	};
	const line: LiveLine = {
		show(next) {
			run = next;
			if (!isTerminal) {
				clearTimeout(timer);
				timer = setTimeout(nameSlow, slowMs);
				return;
			}
			timer ??= setInterval(draw, tickMs);
			draw();
		},
		print(text) {
			clear();
			for (const line of printable(text).split("\n")) stream.write(`${colorMark(line, stream)}\n`);
			if (run !== undefined && isTerminal) draw();
		},
		close() {
			clearInterval(timer);
			timer = undefined;
			clear();
			run = undefined;
		},
	};
	return line;
}

/** `● build · Senior Engineer · bash npm test · 12s · $0.42 ▰▱▱▱▱▱▱▱ of $5.00`. */
export function liveText(run: Run, now: string): string {
	const { state } = run;
	const { text, limit } = runFigures(run, now, "run").costUsd;
	const cost = limit ? `${text} ${bar(limit.share)} of ${limit.text}` : text;
	const ran = runFigures(run, now, "state").activeMs.text;
	const { persona, command } = run.plan.states.get(state) ?? {};
	const who = command ? commandTitle(command) : persona?.name;
	const parts = [`● ${state}`, ...(who === undefined ? [] : [who]), ran, cost];
	return [...parts, doingText(run, now)].join(" · ");
}

function doingText(run: Run, now: string): string {
	if (run.stage.kind === "baselining" && run.stage.awaits)
		return `waiting for a host with ${run.stage.awaits.join(", ")}`;
	const activity = activityOf(run);
	switch (activity?.stage) {
		case undefined:
			return otherStages[run.stage.kind] ?? "";
		case "launching":
			return `${activityText(activity)}, ${shortTime(Math.max(0, Date.parse(now) - Date.parse(run.updatedAt)))}`;
		case "working":
			return activityText(activity);
		case "children":
			return childrenText(run);
		case "awaiting_provider":
			return activityText(activity);
		case "stopping":
		case "restoring":
			return endingText(run) ?? activityText(activity);
	}
}

/** Stages whose work is that of this program: it may take long, and no event is recorded meanwhile. */
const quietStages: ReadonlySet<Run["stage"]["kind"]> = new Set(["baselining", "stopping", "restoring"]);

const otherStages: Readonly<Partial<Record<Run["stage"]["kind"], string>>> = {
	deciding: "deciding",
	baselining: "comparing files",
	asking: "waiting for your approval",
	waiting: "waiting for you",
	over: "over",
};

/** One row: without control characters, and never as wide as the terminal, where a row would wrap. */
function fitted(text: string, columns: number): string {
	const line = printable(text).replaceAll(/\s+/g, " ");
	const cells = [...line];
	return cells.length < columns ? line : `${cells.slice(0, Math.max(1, columns - 2)).join("")}…`;
}

const styles = {
	success: "green",
	error: "red",
	warning: "yellow",
	accent: "cyan",
	dim: "dim",
} as const satisfies Record<MarkTone, Parameters<typeof styleText>[0]>;

/** The line with the color of its mark. */
export function colorMark(line: string, stream: NodeJS.WriteStream): string {
	const found = markOf(line);
	if (found === undefined) return line;
	const { indent, mark, tone } = found;
	return `${indent}${styleText(styles[tone], mark, { stream })}${line.slice(indent.length + mark.length)}`;
}
