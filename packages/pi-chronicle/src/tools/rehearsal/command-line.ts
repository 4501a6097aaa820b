// The command `pi-chronicle rehearse`.
import { resolve } from "node:path";
import { agentFolder, exitCodes, packageRoot, printable } from "../../pi/index.ts";
import { type Command, type CommandCall, type CommandResponse, misuse, refused } from "../../ui/index.ts";
import type { PlayTranscript } from "./by-hand/index.ts";
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
import type { RehearsalRequest } from "./rehearse.ts";
import { type CoverageOptions, defaultBounds } from "./rehearse-every.ts";
import { tellCoverage, tellRehearsal } from "./told-rehearsal.ts";

export const rehearseCommand: Command = {
	name: "rehearse",
	takes: "[workflow | chronicle] <name> [options] [task…]",
	details:
		"Runs a definition from start to end on a temporary copy of the project. A script, the understudy, replaces the model.",
	exits:
		"0 the run reached its end, 1 it did not (with --every: something reachable was not covered, or a refusal did not hold; with --replay: the run went differently), 2 usage error or invalid definition, 130 interrupted",
	shellOptions: `  --every            cover every transition, approval, question and tool limit, in as many runs as needed
  --runs <n>         with --every: maximum number of runs (default: 200)
  --minutes <n>      with --every: maximum number of minutes (default: 20)
  --scenario <file>  the understudy's messages and calls (default: the project's scenario for the definition, else an automatic round)
  --by-hand [folder] you answer for the model, in this terminal or in files of a new folder, written as a path: ./play
  --wait <minutes>   with --by-hand and a folder: maximum time without an answer (default: 60)
  --transcript <file> with --by-hand or --replay: where the transcript goes (default: transcript.yaml in the folder, otherwise nowhere)
  --replay <file>    give the answers of a transcript again, and report which requests differ now; takes no name
  --keep             keep the copy of the project
`,
	text: "definition",
	needs: "pi",
	runs: "none",
	async perform(call) {
		const read = readRehearsal(call);
		if (typeof read === "string") return misuse(read);
		const hand = openPlayer(read);
		if (typeof hand === "string") return misuse(hand);
		try {
			return await play(call, read, hand);
		} finally {
			hand?.close();
		}
	},
};

/** Finds the definition and plays it. */
async function play(call: CommandCall, read: Rehearsal, hand: OpenHand | undefined): Promise<CommandResponse> {
	const { project, host: surface, parsed, signal } = call;
	const { cwd, pi } = project.place;
	const host = { cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const { request, kind } = read;
	if (request === undefined)
		return misuse(
			`Missing name of a workflow or a chronicle: ${surface.prefix}rehearse <name>. ${listDefinitions(host, kind)}`,
		);
	const planned = plan(request, kind, host);
	if (planned.kind === "unplayable") {
		const { choices = [], message, diagnostics } = planned;
		const lines = choices.map((one) => `  ${surface.prefix}rehearse ${one} ${request.name} ${request.task}`.trimEnd());
		return refused({ code: "invalid", message, diagnostics, lines });
	}
	const say = (lines: readonly string[]): void => {
		const text = lines.join("\n");
		if (parsed.flags.has("json")) surface.report(text);
		else process.stdout.write(`${printable(text)}\n`);
	};
	const { isFine, report } = read.every
		? await tellCoverage(planned, host, { say, signal }, read.bounds)
		: await tellRehearsal(planned, host, { say, signal }, { afterwards: read.keep ? "keep" : "remove", hand });
	if (signal.aborted) return { kind: "silent", exitCode: exitCodes.interrupted };
	return { kind: "done", lines: [], data: report, exitCode: isFine ? exitCodes.done : exitCodes.failed };
}

/** Who plays by hand, if anybody; a string is an error message. */
function openPlayer({ replay, byHand, transcript }: Rehearsal): OpenHand | undefined | string {
	if (replay !== undefined) return openReplay(replay, transcript);
	return byHand && (handProblem(byHand) ?? openHand(byHand));
}

/** What the arguments ask for. */
interface Rehearsal {
	readonly kind: DefinitionKind | undefined;
	/** `undefined`: no name was given. */
	readonly request: RehearsalRequest | undefined;
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
}

/** A string is an error message. */
function readRehearsal({ parsed, text }: CommandCall): Rehearsal | string {
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
		...(replay ? replayed(replay) : named(names, text, byHand ? false : values.scenario)),
		keep: flags.has("keep"),
		every: flags.has("every"),
		bounds: { maxRuns, maxMs: minutes * 60_000 },
		byHand,
		replay,
		transcript: values.transcript === undefined ? undefined : resolve(values.transcript),
	};
}

/** What is rehearsed, as the arguments name it. */
function named(
	[word, second]: readonly string[],
	task: string,
	scenario: RehearsalRequest["scenario"],
): Pick<Rehearsal, "kind" | "request"> {
	const kind = isKind(word) && second !== undefined ? word : undefined;
	const name = kind === undefined ? word : second;
	return { kind, request: name === undefined ? undefined : { name, task, scenario } };
}

function replayed({ kind, name, task }: PlayTranscript): Pick<Rehearsal, "kind" | "request"> {
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

function readHand(values: Readonly<Record<string, string>>): HandOptions | undefined | string {
	const folder = values["by-hand"];
	if (folder === undefined) return undefined;
	const waitMinutes = readBound(values.wait, defaultWaitMinutes);
	if (waitMinutes === undefined) return "--wait takes a whole number of minutes from 1 to 30,000.";
	return {
		place: folder === "" ? { kind: "terminal" } : { kind: "folder", folder: resolve(folder) },
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
