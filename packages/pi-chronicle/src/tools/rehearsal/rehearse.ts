// Rehearses a checked definition, from the copy of the project to the report.
import type { Diagnostic } from "@pi-chronicle/core/definition";
import type { PlannedEnds } from "../../local/index.ts";
import type { PiCommand } from "../../pi/index.ts";
import type { Play, PlayTranscript } from "./by-hand/index.ts";
import { type OpenPlayer, startByHand } from "./by-hand.ts";
import type { RehearsalConfig } from "./config.ts";
import type { CoveragePlan, Evidence } from "./every/index.ts";
import type { ProcessEnd } from "./process.ts";
import { type CopyChange, openProjectCopy, type ProjectCopy } from "./project-copy.ts";
import type { Script, UserAnswer } from "./scenario.ts";
import { type PlayedCall, type PlayedVisit, VisitTracker } from "./visits.ts";

/** A definition that can be played. */
export interface Program {
	readonly kind: "workflow" | "chronicle";
	/** The name that starts it. */
	readonly name: string;
	readonly task: string;
	/** Absolute path of the scenario, if any. */
	readonly scenario: string | undefined;
	/** Warnings. */
	readonly diagnostics: readonly Diagnostic[];
	/** Phases or states that it should enter. */
	readonly expected: readonly Expected[];
}

export interface Expected {
	/** Workflow that a phase belongs to, or template of a child run. */
	readonly scope: string | undefined;
	/** Names of the child runs; of a list's children that of the first. */
	readonly children?: readonly string[];
	readonly id: string;
	readonly name: string;
	/** Name with its path, for the report: `Feature > 🧭 Plan`. */
	readonly label: string;
}

/** A program and the function that plays it. */
export interface Playable {
	readonly kind: "playable";
	/** It is one of the package's definitions. */
	readonly shipped: boolean;
	readonly program: Program;
	/** Configuration of the processes, scenario aside. */
	readonly config: Pick<RehearsalConfig, "path" | "script" | "commands">;
	/** Plays it until it ends or stops. */
	play(scene: RunContext): Promise<RunResult>;
	/** The runs that cover it. */
	coverage(): Coverage;
}

/** The runs that cover a definition. */
export interface Coverage {
	readonly plan: CoveragePlan;
	/** How the commands of states end in a run with this script; absent: there are no states. */
	commands?(script: Script): PlannedEnds;
	/** Plays one planned run. `atStart` answers a question that is asked before the understudy's first message. */
	play(scene: RunContext, atStart?: UserAnswer): Promise<RunResult & { readonly evidence: Evidence }>;
}

export interface RunContext {
	readonly host: RehearsalHost;
	readonly copy: ProjectCopy;
	readonly tracker: VisitTracker;
	readonly signal: AbortSignal | undefined;
	/** Prints a line between two visits. */
	say(line: string): void;
	/** In a rehearsal by hand: has the player decide for the user. */
	readonly decide: Play["decide"] | undefined;
}

/** `done`: the run reached its end. `stopped`: it did not. */
export type RunResult = ProcessEnd & {
	readonly outcome: "done" | "stopped";
	/** What a finished run achieved: its last summary, or the last words of its agent. */
	readonly result?: string;
};

/** Why a definition cannot be played. */
export interface Unplayable {
	readonly kind: "unplayable";
	/** One sentence. */
	readonly message: string;
	readonly diagnostics: readonly Diagnostic[];
	/** The kinds to choose from, if the name means more than one definition. */
	readonly choices?: readonly ("workflow" | "chronicle")[];
}

export interface RehearsalRequest {
	/** Command name or directory name of a workflow, or name of a chronicle's template. */
	readonly name: string;
	readonly task: string;
	/**
	 * Scenario file, relative to the project or absolute; `undefined`: the project's own or the package's for this definition, if any; `false`:
	 * none, because a player answers.
	 */
	readonly scenario: string | false | undefined;
}

/** The task if none is given. */
export const defaultTask = "This is a rehearsal, so there is nothing to achieve.";

/** The project and the programs of a rehearsal. */
export interface RehearsalHost {
	/** The project, absolute. */
	readonly cwd: string;
	readonly agentFolder: string;
	readonly pi: PiCommand;
	/** Root folder of the copy of this package that the processes load. */
	readonly packageRoot: string;
	readonly env: NodeJS.ProcessEnv;
}

export type ProjectPaths = Pick<RehearsalHost, "cwd" | "agentFolder">;

export interface RehearsalReport extends RunResult {
	readonly program: Program;
	/** The visits; `--json` publishes this name. */
	readonly parts: readonly PlayedVisit[];
	/** Names of the expected phases or states that were never entered. */
	readonly missed: readonly string[];
	readonly changes: readonly CopyChange[];
	readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
	/** Path of the copy of the project, if it was kept. */
	readonly kept: string | undefined;
	/** Of a rehearsal by hand. */
	readonly transcript?: PlayTranscript;
	/** Why the player ended a rehearsal by hand. */
	readonly gaveUp?: string;
}

export interface RehearsalOptions {
	readonly onVisit?: (visit: PlayedVisit) => void;
	/** Called for a line between two visits, such as a question to the user. */
	readonly onLine?: (line: string) => void;
	readonly signal?: AbortSignal;
	/** What happens to the copy of the project. */
	readonly afterwards: "remove" | "keep";
	/** A player answers instead of the understudy. */
	readonly byHand?: OpenPlayer;
}

/** Plays a program on a copy of the project and reports. Throws only if the copy cannot be made. */
export async function rehearse(
	{ program, config, play }: Pick<Playable, "program" | "config" | "play">,
	host: RehearsalHost,
	{ onVisit, onLine, signal, afterwards, byHand }: RehearsalOptions,
): Promise<RehearsalReport> {
	const { cwd: project, agentFolder, env } = host;
	const { scenario } = program;
	const copy = await openProjectCopy({
		project,
		agentFolder,
		config: { ...config, ...(scenario === undefined ? {} : { scenario }), ...(byHand ? { byHand: true } : {}) },
		env,
	});
	let kept: string | undefined;
	const stop = new AbortController();
	const hand = byHand && startByHand(byHand, copy, { played: program, host }, stop);
	try {
		// Paths in the copy are shown as paths in the project.
		const forReport = (visit: PlayedVisit): PlayedVisit => ({
			...visit,
			name: program.expected.find(({ scope, id }) => scope === visit.scope && id === visit.id)?.label ?? visit.name,
			calls: visit.calls.map((call) => inProject(call, copy.project)),
		});
		const tracker = new VisitTracker(copy.journal, (visit) => onVisit?.(forReport(visit)));
		const { outcome, exit, output, errors, result } = await play({
			host,
			copy,
			tracker,
			signal: hand ? AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]) : signal,
			say: (line) => onLine?.(line),
			decide: hand?.play.decide,
		});
		tracker.end(outcome === "done" ? "left" : "stopped");
		if (afterwards === "keep") {
			await copy.keep();
			kept = copy.project;
		}
		const entered = new Set(tracker.visits.map(({ scope, id }) => `${scope}/${id}`));
		return {
			program,
			outcome,
			exit,
			output: output.trim(),
			errors: errors.trim(),
			result,
			parts: tracker.visits.map(forReport),
			missed: program.expected.filter(({ scope, id }) => !entered.has(`${scope}/${id}`)).map(({ name }) => name),
			changes: await copy.changes(),
			leftOut: copy.leftOut,
			kept,
			transcript: await hand?.end(outcome, tracker.outcomes),
			gaveUp: hand?.play.ended,
		};
	} finally {
		await hand?.play.close();
		if (kept === undefined) await copy.close();
	}
}

function inProject(call: PlayedCall, project: string): PlayedCall {
	const short = (text: string): string => text.replaceAll(`${project}/`, "").replaceAll(project, ".");
	return { ...call, with: short(call.with), ...(call.reason === undefined ? {} : { reason: short(call.reason) }) };
}
