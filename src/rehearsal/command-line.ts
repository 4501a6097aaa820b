// The verb `pi-chronicle rehearse`.
import { resolve } from "node:path";
import { parseArguments } from "../chronicle/index.ts";
import type { Diagnostic } from "../definition/index.ts";
import { agentFolder, findPi, isPiCommand, ownPiSearch, packageRoot, printable } from "../pi/index.ts";
import { coverageClosing, coverageOpening, runLine } from "./every-report.ts";
import { type CoverageOptions, defaultBounds, rehearseEvery } from "./every-runs.ts";
import { isKind, type Kind, plan, planCoverage, whatThereIs } from "./plan.ts";
import { type Coverable, type House, type Playable, rehearse, type Wish } from "./program.ts";
import { closingLines, openingLines, partLines, unplayableLines } from "./report.ts";
import { rehearseUsage } from "./usage.ts";

/** Runs the verb with the words after it; resolves to the exit code. */
export async function runVerb(args: readonly string[], signal?: AbortSignal): Promise<number> {
	const read = readArguments(args);
	if (typeof read === "string") return refuse(args.includes("--json"), "usage", read, ["", rehearseUsage]);
	if (read.help) {
		process.stdout.write(rehearseUsage);
		return 0;
	}
	const pi = findPi(ownPiSearch(read.pi));
	if (!isPiCommand(pi)) return refuse(read.json, pi.code, `${pi.message} ${pi.remedy}`);
	const house = { cwd: read.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const say = (lines: readonly string[]): void =>
		void (read.json ? process.stderr : process.stdout).write(`${printable(lines.join("\n"))}\n`);
	if (read.wish === undefined)
		return refuse(read.json, "usage", "Name a workflow or a chronicle.", [
			"",
			rehearseUsage,
			whatThereIs(house, read.kind),
		]);
	if (read.every && read.wish.scenario !== undefined)
		return refuse(read.json, "usage", "--every plays planned scripts, so --scenario has no place there.");
	const planned = read.every ? planCoverage(read.wish, read.kind, house) : plan(read.wish, read.kind, house);
	if (planned.kind === "unplayable") {
		const [message = "", ...lines] = planned.choices
			? [
					planned.message,
					...planned.choices.map((kind) => `  pi-chronicle rehearse ${kind} ${printable(args.join(" "))}`),
				]
			: unplayableLines(planned, read.cwd);
		return refuse(read.json, "invalid", message, lines, planned.diagnostics);
	}
	if (planned.kind === "coverable") return runEvery(planned, house, read, say, signal);
	return runOnce(planned, house, read, say, signal);
}

/** Plays a definition once; resolves to the exit code. */
async function runOnce(
	planned: Playable,
	house: House,
	read: Arguments,
	say: (lines: readonly string[]) => void,
	signal?: AbortSignal,
): Promise<number> {
	say(openingLines(planned.program, read.cwd));
	const report = await rehearse(planned, house, {
		onPart: (part) => say(partLines(part)),
		onLine: (line) => say([line]),
		afterwards: read.keep ? "keep" : "remove",
		...(signal ? { signal } : {}),
	});
	if (signal?.aborted) return 130;
	say(closingLines(report));
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "done" ? 0 : 1;
}

/** Plays every planned run; resolves to the exit code. */
async function runEvery(
	planned: Coverable,
	house: House,
	read: Arguments,
	say: (lines: readonly string[]) => void,
	signal?: AbortSignal,
): Promise<number> {
	say(coverageOpening(planned, read.cwd));
	const report = await rehearseEvery(planned, house, {
		...read.bounds,
		onRun: (run, number, of) => say([runLine(run, number, of)]),
		...(signal ? { signal } : {}),
	});
	if (signal?.aborted) return 130;
	say(coverageClosing(report));
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "complete" ? 0 : 1;
}

/** Says why nothing is played; with --json also as the one object on stdout. Gives the exit code. */
function refuse(
	json: boolean,
	code: string,
	message: string,
	lines: readonly string[] = [],
	diagnostics: readonly Diagnostic[] = [],
): number {
	process.stderr.write(`${printable([message, ...lines].join("\n"))}\n`);
	const error = { code, message, diagnostics };
	if (json) process.stdout.write(`${JSON.stringify({ verb: "rehearse", error }, null, "\t")}\n`);
	return 2;
}

interface Arguments {
	readonly kind: Kind | undefined;
	/** `undefined`: nothing was named. */
	readonly wish: Wish | undefined;
	readonly cwd: string;
	readonly pi: string | undefined;
	readonly keep: boolean;
	/** Whether every edge is to be covered, and within which bounds. */
	readonly every: boolean;
	readonly bounds: Pick<CoverageOptions, "mostRuns" | "mostMs">;
	readonly json: boolean;
	readonly help: boolean;
}

/** Options stand before the name, before the task or behind it; in the midst of the task nothing is taken for one. A text says what is wrong. */
function readArguments(args: readonly string[]): Arguments | string {
	const options = {
		scenario: "value",
		cwd: "value",
		pi: "value",
		every: "flag",
		runs: "value",
		minutes: "value",
		keep: "flag",
		json: "flag",
		help: "flag",
	} as const;
	const first = parseArguments(args, { options, textAfter: 1 });
	// The word for the kind before the name is one more name.
	const withKind = !("error" in first) && isKind(first.names[0]) && first.text.length > 0;
	const parsed = withKind ? parseArguments(args, { options, textAfter: 2 }) : first;
	if ("error" in parsed) return parsed.error;
	const { flags, values, names, text } = parsed;
	const [word, second] = names;
	const mostRuns = readBound(values.runs, defaultBounds.runs);
	const minutes = readBound(values.minutes, defaultBounds.minutes);
	if (mostRuns === undefined || minutes === undefined)
		return "--runs and --minutes take a whole number from 1 to 30,000.";
	if (!flags.has("every") && (values.runs ?? values.minutes) !== undefined)
		return "--runs and --minutes bound a rehearsal with --every.";
	if (flags.has("every") && flags.has("keep"))
		return "--every plays many runs, each on a copy of its own, so --keep has no place there.";
	const kind = isKind(word) && second !== undefined ? word : undefined;
	const name = kind === undefined ? word : second;
	return {
		kind,
		wish: name === undefined ? undefined : { name, task: text.join(" "), scenario: values.scenario },
		cwd: resolve(values.cwd ?? "."),
		pi: values.pi,
		keep: flags.has("keep"),
		every: flags.has("every"),
		bounds: { mostRuns, mostMs: minutes * 60_000 },
		json: flags.has("json"),
		help: flags.has("help"),
	};
}

/** A bound as written; `undefined` where it is none. A timer holds at most 2^31 ms. */
function readBound(written: string | undefined, otherwise: number): number | undefined {
	if (written === undefined) return otherwise;
	const number = Number(written);
	return /^\d+$/.test(written) && number >= 1 && number <= 30_000 ? number : undefined;
}
