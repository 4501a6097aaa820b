// The command `pi-chronicle rehearse`.
import { resolve } from "node:path";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { agentFolder, findPi, isPiCommand, ownPiSearch, packageRoot, printable } from "../../pi/index.ts";
import { type OptionKinds, optionsIn, parseArguments } from "../../ui/index.ts";
import type { PlayTranscript } from "./hand/index.ts";
import {
	defaultWaitMinutes,
	type HandOptions,
	handProblem,
	type OpenHand,
	openHand,
	openReplay,
	openTranscript,
} from "./hand-command.ts";
import { type DefinitionKind, isKind, listDefinitions, plan } from "./plan.ts";
import { type Playable, type RehearsalHost, type RehearsalRequest, rehearse } from "./rehearse.ts";
import { type CoverageOptions, defaultBounds, rehearseEvery } from "./rehearse-every.ts";
import {
	closingLines,
	coverageClosing,
	coverageOpening,
	openingLines,
	runLine,
	unplayableLines,
	visitLines,
} from "./report.ts";

export const rehearseUsage = `pi-chronicle rehearse [options] [workflow | chronicle] <name> [options] [task…]

Runs a definition from start to end on a temporary copy of the project. A script, the understudy, replaces the model.

  --every            cover every transition, approval, question and tool limit, in as many runs as needed
  --runs <n>         with --every: maximum number of runs (default: 200)
  --minutes <n>      with --every: maximum number of minutes (default: 20)
  --scenario <file>  the understudy's messages and calls (default: the project's scenario for the definition, else an automatic round)
  --by-hand [folder] you answer for the model, in this terminal or in files of a new folder, written as a path: ./play
  --wait <minutes>   with --by-hand and a folder: maximum time without an answer (default: 60)
  --transcript <file> with --by-hand or --replay: where the transcript goes (default: transcript.yaml in the folder, otherwise nowhere)
  --replay <file>    give the answers of a transcript again, and report which requests differ now; takes no name
  --cwd <folder>     the project (default: here)
  --keep             keep the copy of the project
  --json             print the report as one JSON object on stdout; progress goes to stderr
  --pi <path>        pi's entry file, package folder or binary (default: the one next to this package, else on PATH)

Exit code: 0 the run reached its end, 1 it did not (with --every: something reachable was not covered, or a refusal did not hold; with --replay: the run went differently), 2 usage error or invalid definition, 130 interrupted.
`;

/** Runs the command with its arguments; resolves to the exit code. */
export async function runRehearseVerb(args: readonly string[], signal?: AbortSignal): Promise<number> {
	const read = readRehearsalArguments(args);
	if (typeof read === "string") return refuseArguments(args.includes("--json"), "usage", read, ["", rehearseUsage]);
	if (read.help) {
		process.stdout.write(rehearseUsage);
		return 0;
	}
	const hand = openPlayer(read);
	if (typeof hand === "string") return refuseArguments(read.json, "usage", hand);
	try {
		return await play(args, read, hand, signal);
	} finally {
		hand?.close();
	}
}

/** Finds the definition and plays it; resolves to the exit code. */
async function play(
	args: readonly string[],
	read: Arguments,
	hand: OpenHand | undefined,
	signal: AbortSignal | undefined,
): Promise<number> {
	const pi = findPi(ownPiSearch(read.pi));
	if (!isPiCommand(pi)) return refuseArguments(read.json, pi.code, `${pi.message} ${pi.remedy}`);
	const host = { cwd: read.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const say = (lines: readonly string[]): void =>
		void (read.json ? process.stderr : process.stdout).write(`${printable(lines.join("\n"))}\n`);
	if (read.request === undefined)
		return refuseArguments(read.json, "usage", "Missing name of a workflow or a chronicle.", [
			"",
			rehearseUsage,
			listDefinitions(host, read.kind),
		]);
	const planned = plan(read.request, read.kind, host);
	if (planned.kind === "unplayable") {
		const [message = "", ...lines] = planned.choices
			? [
					planned.message,
					...planned.choices.map((kind) => `  pi-chronicle rehearse ${kind} ${printable(args.join(" "))}`),
				]
			: unplayableLines(planned, read.cwd);
		return refuseArguments(read.json, "invalid", message, lines, planned.diagnostics);
	}
	if (read.every) return runEvery(planned, host, read, say, signal);
	return runOnce(planned, host, read, { say, hand, signal });
}

/** Who plays by hand, if anybody; a string is an error message. */
function openPlayer({ replay, byHand, transcript }: Arguments): OpenHand | undefined | string {
	if (replay !== undefined) return openReplay(replay, transcript);
	return byHand && (handProblem(byHand) ?? openHand(byHand));
}

/** Plays a definition once; resolves to the exit code. */
async function runOnce(
	planned: Playable,
	host: RehearsalHost,
	read: Arguments,
	{ say, hand, signal }: Playing,
): Promise<number> {
	say(openingLines(planned.program, read.cwd, hand?.who));
	const report = await rehearse(planned, host, {
		onVisit: (visit) => say(visitLines(visit)),
		onLine: (line) => say([line]),
		afterwards: read.keep ? "keep" : "remove",
		signal,
		byHand: hand?.open,
	});
	const closing = closingLines(report);
	const more = hand?.finish(report, closing) ?? [];
	if (signal?.aborted) return 130;
	say([...closing, ...more]);
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "done" && hand?.held?.(report) !== false ? 0 : 1;
}

interface Playing {
	readonly say: (lines: readonly string[]) => void;
	readonly hand: OpenHand | undefined;
	readonly signal: AbortSignal | undefined;
}

/** Plays every planned run; resolves to the exit code. */
async function runEvery(
	planned: Playable,
	host: RehearsalHost,
	read: Arguments,
	say: (lines: readonly string[]) => void,
	signal?: AbortSignal,
): Promise<number> {
	say(coverageOpening(planned, read.cwd));
	const report = await rehearseEvery(planned, host, {
		...read.bounds,
		onRun: (run, number, of) => say([runLine(run, number, of)]),
		signal,
	});
	if (signal?.aborted) return 130;
	say(coverageClosing(report));
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "complete" ? 0 : 1;
}

/** Prints why nothing is played, with --json also as an object on stdout. Returns the exit code. */
function refuseArguments(
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
	/** A player answers for the model. */
	readonly byHand: HandOptions | undefined;
	/** A transcript answers for the model. */
	readonly replay: PlayTranscript | undefined;
	/** File for the transcript of a replay, absolute. */
	readonly transcript: string | undefined;
	readonly json: boolean;
	readonly help: boolean;
}

const options: OptionKinds = { ...optionsIn(rehearseUsage), help: "flag" };

/** Options may precede the name, precede the task or follow it; inside the task, nothing is an option. A string is an error message. */
function readRehearsalArguments(written: readonly string[]): Arguments | string {
	const args = withHandPlace(written);
	const first = parseArguments(args, { options, textAfter: 1 });
	// A kind before the name counts as another name.
	const withKind = !("error" in first) && isKind(first.names[0]) && first.text.length > 0;
	const parsed = withKind ? parseArguments(args, { options, textAfter: 2 }) : first;
	if ("error" in parsed) return parsed.error;
	const { flags, values, names } = parsed;
	const maxRuns = readBound(values.runs, defaultBounds.runs);
	const minutes = readBound(values.minutes, defaultBounds.minutes);
	if (maxRuns === undefined || minutes === undefined)
		return "--runs and --minutes take a whole number from 1 to 30,000.";
	const given = [...flags, ...Object.keys(values), ...(names.length > 0 ? ["name"] : [])];
	const conflict = conflictOf(new Set(given));
	if (conflict !== undefined) return conflict;
	const byHand = readHand(values);
	if (typeof byHand === "string") return byHand;
	const replay = values.replay === undefined ? undefined : openTranscript(values.replay);
	if (typeof replay === "string") return replay;
	return {
		...(replay ? replayed(replay) : named(parsed)),
		cwd: resolve(values.cwd ?? "."),
		pi: values.pi,
		keep: flags.has("keep"),
		every: flags.has("every"),
		bounds: { maxRuns, maxMs: minutes * 60_000 },
		byHand,
		replay,
		transcript: values.transcript === undefined ? undefined : resolve(values.transcript),
		json: flags.has("json"),
		help: flags.has("help"),
	};
}

type ParsedArguments = Exclude<ReturnType<typeof parseArguments>, { readonly error: string }>;

/** What is rehearsed, as the arguments name it. */
function named({ names, text, values }: ParsedArguments): Pick<Arguments, "kind" | "request"> {
	const [word, second] = names;
	const kind = isKind(word) && second !== undefined ? word : undefined;
	const name = kind === undefined ? word : second;
	const scenario = values["by-hand"] === undefined ? values.scenario : false;
	const request = name === undefined ? undefined : ({ name, task: text.join(" "), scenario } as const);
	return { kind, request };
}

function replayed({ kind, name, task }: PlayTranscript): Pick<Arguments, "kind" | "request"> {
	return { kind, request: { name, task, scenario: false } };
}

/** Combinations of options that make no sense, with the reason; the first that applies is reported. */
const conflicts: readonly {
	readonly given: readonly string[];
	/** Excluded by the given ones. */
	readonly with?: readonly string[];
	/** One of them is needed by the given ones. */
	readonly without?: readonly string[];
	readonly why: string;
}[] = [
	{ given: ["runs", "minutes"], without: ["every"], why: "--runs and --minutes bound a rehearsal with --every." },
	{
		given: ["every"],
		with: ["keep"],
		why: "--every plays many runs, each on its own copy, so it cannot be combined with --keep.",
	},
	{
		given: ["every"],
		with: ["scenario"],
		why: "--every plays planned scripts, so it cannot be combined with --scenario.",
	},
	{
		given: ["by-hand", "replay"],
		with: ["every", "scenario"],
		why: "--by-hand and --replay follow no script, so they cannot be combined with --every or --scenario.",
	},
	{
		given: ["replay"],
		with: ["by-hand", "name"],
		why: "--replay takes name, task and answers from the transcript, so it cannot be combined with a name or --by-hand.",
	},
	{
		given: ["wait"],
		without: ["by-hand"],
		why: "--wait belongs to a rehearsal with --by-hand.",
	},
	{
		given: ["transcript"],
		without: ["by-hand", "replay"],
		why: "--transcript belongs to a rehearsal with --by-hand or --replay.",
	},
];

/** Why the given options do not go together; `undefined`: they do. */
function conflictOf(given: ReadonlySet<string>): string | undefined {
	return conflicts.find(
		(rule) =>
			rule.given.some((name) => given.has(name)) &&
			(rule.without === undefined
				? rule.with?.some((name) => given.has(name))
				: !rule.without.some((name) => given.has(name))),
	)?.why;
}

/** The value of `--by-hand` without a folder. */
const here = "-";

/** Gives every `--by-hand` a value: the next argument if it is written as a path (with a slash or a leading dot), else the terminal. */
function withHandPlace(args: readonly string[]): string[] {
	const end = args.indexOf("--");
	return args.flatMap((word, at) => {
		const isOption = (index: number): boolean => args[index] === "--by-hand" && (end === -1 || index < end);
		if (isOption(at)) return [`--by-hand=${isPath(args[at + 1]) ? args[at + 1] : here}`];
		return at > 0 && isOption(at - 1) && isPath(word) ? [] : [word];
	});
}

function isPath(word: string | undefined): boolean {
	return word !== undefined && !word.startsWith("-") && /^[.~]|[/\\]/.test(word);
}

function readHand(values: Readonly<Record<string, string>>): HandOptions | undefined | string {
	const place = values["by-hand"];
	if (place === undefined) return undefined;
	const waitMinutes = readBound(values.wait, defaultWaitMinutes);
	if (waitMinutes === undefined) return "--wait takes a whole number of minutes from 1 to 30,000.";
	return {
		place: place === here ? { kind: "terminal" } : { kind: "folder", folder: resolve(place) },
		transcript: values.transcript === undefined ? undefined : resolve(values.transcript),
		waitMinutes,
	};
}

/** Parses a bound; `undefined` if it is invalid. A timer holds at most 2^31 ms. */
function readBound(written: string | undefined, otherwise: number): number | undefined {
	if (written === undefined) return otherwise;
	const number = Number(written);
	return /^\d+$/.test(written) && number >= 1 && number <= 30_000 ? number : undefined;
}
