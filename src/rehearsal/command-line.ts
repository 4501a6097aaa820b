// The command `pi-chronicle rehearse`.
import { resolve } from "node:path";
import { parseArguments } from "../chronicle/index.ts";
import type { Diagnostic } from "../definition/index.ts";
import { agentFolder, findPi, isPiCommand, ownPiSearch, packageRoot, printable } from "../pi/index.ts";
import { coverageClosing, coverageOpening, runLine } from "./coverage-report.ts";
import { type DefinitionKind, isKind, listDefinitions, plan, planCoverage } from "./plan.ts";
import { type Coverable, type Playable, type RehearsalHost, type RehearsalRequest, rehearse } from "./rehearse.ts";
import { type CoverageOptions, defaultBounds, rehearseEvery } from "./rehearse-every.ts";
import { closingLines, openingLines, unplayableLines, visitLines } from "./report.ts";
import { rehearseUsage } from "./usage.ts";

/** Runs the command with its arguments; resolves to the exit code. */
export async function runRehearseVerb(args: readonly string[], signal?: AbortSignal): Promise<number> {
	const read = readArguments(args);
	if (typeof read === "string") return refuse(args.includes("--json"), "usage", read, ["", rehearseUsage]);
	if (read.help) {
		process.stdout.write(rehearseUsage);
		return 0;
	}
	const pi = findPi(ownPiSearch(read.pi));
	if (!isPiCommand(pi)) return refuse(read.json, pi.code, `${pi.message} ${pi.remedy}`);
	const host = { cwd: read.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const say = (lines: readonly string[]): void =>
		void (read.json ? process.stderr : process.stdout).write(`${printable(lines.join("\n"))}\n`);
	if (read.request === undefined)
		return refuse(read.json, "usage", "Missing name of a workflow or a chronicle.", [
			"",
			rehearseUsage,
			listDefinitions(host, read.kind),
		]);
	if (read.every && read.request.scenario !== undefined)
		return refuse(read.json, "usage", "--every plays planned scripts, so it cannot be combined with --scenario.");
	const planned = read.every ? planCoverage(read.request, read.kind, host) : plan(read.request, read.kind, host);
	if (planned.kind === "unplayable") {
		const [message = "", ...lines] = planned.choices
			? [
					planned.message,
					...planned.choices.map((kind) => `  pi-chronicle rehearse ${kind} ${printable(args.join(" "))}`),
				]
			: unplayableLines(planned, read.cwd);
		return refuse(read.json, "invalid", message, lines, planned.diagnostics);
	}
	if (planned.kind === "coverable") return runEvery(planned, host, read, say, signal);
	return runOnce(planned, host, read, say, signal);
}

/** Plays a definition once; resolves to the exit code. */
async function runOnce(
	planned: Playable,
	host: RehearsalHost,
	read: Arguments,
	say: (lines: readonly string[]) => void,
	signal?: AbortSignal,
): Promise<number> {
	say(openingLines(planned.program, read.cwd));
	const report = await rehearse(planned, host, {
		onVisit: (visit) => say(visitLines(visit)),
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
	host: RehearsalHost,
	read: Arguments,
	say: (lines: readonly string[]) => void,
	signal?: AbortSignal,
): Promise<number> {
	say(coverageOpening(planned, read.cwd));
	const report = await rehearseEvery(planned, host, {
		...read.bounds,
		onRun: (run, number, of) => say([runLine(run, number, of)]),
		...(signal ? { signal } : {}),
	});
	if (signal?.aborted) return 130;
	say(coverageClosing(report));
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "complete" ? 0 : 1;
}

/** Prints why nothing is played, with --json also as an object on stdout. Returns the exit code. */
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
	readonly kind: DefinitionKind | undefined;
	/** `undefined`: no name was given. */
	readonly request: RehearsalRequest | undefined;
	readonly cwd: string;
	readonly pi: string | undefined;
	readonly keep: boolean;
	/** Cover every edge, within `bounds`. */
	readonly every: boolean;
	readonly bounds: Pick<CoverageOptions, "maxRuns" | "maxMs">;
	readonly json: boolean;
	readonly help: boolean;
}

/** Options may precede the name, precede the task or follow it; inside the task, nothing is an option. A string is an error message. */
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
	// A kind before the name counts as another name.
	const withKind = !("error" in first) && isKind(first.names[0]) && first.text.length > 0;
	const parsed = withKind ? parseArguments(args, { options, textAfter: 2 }) : first;
	if ("error" in parsed) return parsed.error;
	const { flags, values, names, text } = parsed;
	const [word, second] = names;
	const maxRuns = readBound(values.runs, defaultBounds.runs);
	const minutes = readBound(values.minutes, defaultBounds.minutes);
	if (maxRuns === undefined || minutes === undefined)
		return "--runs and --minutes take a whole number from 1 to 30,000.";
	if (!flags.has("every") && (values.runs ?? values.minutes) !== undefined)
		return "--runs and --minutes bound a rehearsal with --every.";
	if (flags.has("every") && flags.has("keep"))
		return "--every plays many runs, each on its own copy, so it cannot be combined with --keep.";
	const kind = isKind(word) && second !== undefined ? word : undefined;
	const name = kind === undefined ? word : second;
	return {
		kind,
		request: name === undefined ? undefined : { name, task: text.join(" "), scenario: values.scenario },
		cwd: resolve(values.cwd ?? "."),
		pi: values.pi,
		keep: flags.has("keep"),
		every: flags.has("every"),
		bounds: { maxRuns, maxMs: minutes * 60_000 },
		json: flags.has("json"),
		help: flags.has("help"),
	};
}

/** Parses a bound; `undefined` if it is invalid. A timer holds at most 2^31 ms. */
function readBound(written: string | undefined, otherwise: number): number | undefined {
	if (written === undefined) return otherwise;
	const number = Number(written);
	return /^\d+$/.test(written) && number >= 1 && number <= 30_000 ? number : undefined;
}
