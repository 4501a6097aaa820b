// What is to be rehearsed, once everything that can be checked beforehand has been; and the rehearsal of it from stage to report.
import type { Diagnostic } from "../definition/index.ts";
import type { PiCommand } from "../pi/index.ts";
import { type Called, type Ended, type Part, type Tracker, trackParts } from "./act.ts";
import type { CallSheet } from "./call-sheet.ts";
import type { CoveragePlan, Evidence } from "./every/index.ts";
import type { PersonAnswer } from "./scenario.ts";
import { type Change, openStage, type Stage } from "./stage.ts";

/** A definition that can be played. */
export interface Program {
	readonly kind: "workflow" | "chronicle";
	/** As the person calls it. */
	readonly name: string;
	readonly task: string;
	/** Absolute path of the scenario, if there is one. */
	readonly scenario: string | undefined;
	/** Problems that do not keep it from being played. */
	readonly diagnostics: readonly Diagnostic[];
	/** Phases or states that it should come through. */
	readonly expected: readonly Expected[];
}

export interface Expected {
	/** Workflow that a phase stands in. */
	readonly scope: string | undefined;
	readonly id: string;
	readonly name: string;
	/** Where it stands, for the report: `Feature > 🧭 Plan`. */
	readonly label: string;
}

/** A program with how it is played. */
export interface Playable {
	readonly kind: "playable";
	readonly program: Program;
	/** What the processes need to know beside the scenario. */
	readonly sheet: Pick<CallSheet, "route" | "script">;
	/** Plays it to its end or to where it stops. `say` tells something between two parts. */
	play(scene: PlayScene): Promise<Outcome>;
}

/** A definition with the runs that cover it. */
export interface Coverable {
	readonly kind: "coverable";
	readonly program: Program;
	readonly plan: CoveragePlan;
	/** Plays one planned run. `atStart` answers a question that comes before any message of the understudy. */
	play(scene: PlayScene, atStart?: PersonAnswer): Promise<Outcome & { readonly evidence: Evidence }>;
}

export interface PlayScene {
	readonly house: House;
	readonly stage: Stage;
	readonly tracker: Tracker;
	readonly signal: AbortSignal | undefined;
	say(line: string): void;
}

/** `done`: it came to its end. `stopped`: it did not. */
export type Outcome = Ended & { readonly outcome: "done" | "stopped" };

/** Why nothing can be played. */
export interface Unplayable {
	readonly kind: "unplayable";
	/** One sentence. */
	readonly message: string;
	readonly diagnostics: readonly Diagnostic[];
	/** The kinds of which one must be named, where that is all that is missing. */
	readonly choices?: readonly ("workflow" | "chronicle")[];
}

export interface Wish {
	/** Command name or directory name of a workflow, or name of a chronicle's template. */
	readonly name: string;
	readonly task: string;
	/** Scenario file, relative to the project or absolute; without it the project's own for this definition, if it has one. */
	readonly scenario: string | undefined;
}

/** What stands for a task where none is given. */
export const taskOfNobody = "A rehearsal: nothing has to be achieved.";

/** Where things are, for finding and for playing. */
export interface House {
	/** The project, absolute. */
	readonly cwd: string;
	readonly agentFolder: string;
	readonly pi: PiCommand;
	/** Root folder of the copy of this package that the processes load. */
	readonly packageRoot: string;
	readonly env: NodeJS.ProcessEnv;
}

export type Place = Pick<House, "cwd" | "agentFolder">;

export interface RehearsalReport extends Outcome {
	readonly program: Program;
	readonly parts: readonly Part[];
	/** Names of what was expected and never entered. */
	readonly missed: readonly string[];
	readonly changes: readonly Change[];
	readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
	/** Where the copy of the project is, if it was kept. */
	readonly kept: string | undefined;
}

export interface RehearsalOptions {
	readonly onPart?: (part: Part) => void;
	/** Told between parts: a question that a person would be asked. */
	readonly onLine?: (line: string) => void;
	readonly signal?: AbortSignal;
	/** Whether the copy of the project stays for a look at it. */
	readonly afterwards: "remove" | "keep";
}

/** Plays a program on a stage and reports. Throws only when the stage cannot be set. */
export async function rehearse(
	{ program, sheet, play }: Playable,
	house: House,
	{ onPart, onLine, signal, afterwards }: RehearsalOptions,
): Promise<RehearsalReport> {
	const { cwd: project, agentFolder, env } = house;
	const { scenario } = program;
	const stage = await openStage({
		project,
		agentFolder,
		sheet: { ...sheet, ...(scenario === undefined ? {} : { scenario }) },
		env,
	});
	let kept: string | undefined;
	try {
		// Paths of the copy mean nothing to a person: they are shown as those of the project.
		const tidy = (part: Part): Part => ({
			...part,
			name: program.expected.find(({ scope, id }) => scope === part.scope && id === part.id)?.label ?? part.name,
			calls: part.calls.map((call) => inProject(call, stage.project)),
		});
		const tracker = trackParts(stage.journal, (part) => onPart?.(tidy(part)));
		const { outcome, exit, output, errors } = await play({
			house,
			stage,
			tracker,
			signal,
			say: (line) => onLine?.(line),
		});
		tracker.end(outcome === "done" ? "left" : "stopped");
		if (afterwards === "keep") {
			await stage.keep();
			kept = stage.project;
		}
		const entered = new Set(tracker.parts.map(({ scope, id }) => `${scope}/${id}`));
		return {
			program,
			outcome,
			exit,
			output: output.trim(),
			errors: errors.trim(),
			parts: tracker.parts.map(tidy),
			missed: program.expected.filter(({ scope, id }) => !entered.has(`${scope}/${id}`)).map(({ name }) => name),
			changes: await stage.changes(),
			leftOut: stage.leftOut,
			kept,
		};
	} finally {
		if (kept === undefined) await stage.close();
	}
}

function inProject(call: Called, project: string): Called {
	const short = (text: string): string => text.replaceAll(`${project}/`, "").replaceAll(project, ".");
	return { ...call, with: short(call.with), ...(call.reason === undefined ? {} : { reason: short(call.reason) }) };
}
