// What is to be rehearsed, once everything that can be checked beforehand has been; and the rehearsal of it from stage to report.
import type { Diagnostic } from "../definition/index.ts";
import { type Exit, type PiCommand, packageRoot } from "../pi/index.ts";
import { type Called, type Part, play } from "./rehearse.ts";
import { type Change, openStage } from "./stage.ts";

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
	/** Phases or states that it should come through, in order. */
	readonly expected: readonly { readonly scope: string | undefined; readonly id: string; readonly name: string }[];
}

/** Why nothing can be played. */
export interface Unplayable {
	readonly kind: "unplayable";
	/** One sentence. */
	readonly message: string;
	readonly diagnostics: readonly Diagnostic[];
}

/** Where things are, for finding and for playing. */
export interface House {
	/** The project, absolute. */
	readonly cwd: string;
	readonly agentFolder: string;
	readonly pi: PiCommand;
	readonly env: NodeJS.ProcessEnv;
}

export interface RehearsalReport {
	readonly program: Program;
	/** `done`: it came to its end. `stopped`: it did not. */
	readonly outcome: "done" | "stopped";
	readonly exit: Exit;
	readonly parts: readonly Part[];
	/** Names of what was expected and never entered. */
	readonly missed: readonly string[];
	readonly changes: readonly Change[];
	readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
	/** What pi printed, and what it complained about. */
	readonly output: string;
	readonly errors: string;
	/** Where the copy of the project is, if it was kept. */
	readonly kept: string | undefined;
}

export interface RehearsalOptions {
	readonly onPart?: (part: Part) => void;
	readonly signal?: AbortSignal;
	/** Whether the copy of the project stays for a look at it. */
	readonly afterwards: "remove" | "keep";
}

/** Plays a workflow on a stage and reports. Throws only when the stage cannot be set. */
export async function rehearse(program: Program, house: House, options: RehearsalOptions): Promise<RehearsalReport> {
	const { cwd, agentFolder, pi, env } = house;
	const sheet = program.scenario === undefined ? {} : { scenario: program.scenario };
	const stage = await openStage({ project: cwd, agentFolder, sheet, env });
	let kept: string | undefined;
	try {
		// Paths of the copy mean nothing to a person: they are shown as those of the project.
		const tidy = (part: Part): Part => ({
			...part,
			calls: part.calls.map((call) => relativeCall(call, stage.project)),
		});
		const played = await play({
			pi,
			stage,
			args: ["--approve", "-ne", "-e", packageRoot(), `/workflow ${program.name} ${program.task}`],
			onPart: (part) => options.onPart?.(tidy(part)),
			...(options.signal ? { signal: options.signal } : {}),
		});
		if (options.afterwards === "keep") kept = stage.project;
		const entered = new Set(played.parts.map(({ scope, id }) => `${scope}/${id}`));
		return {
			program,
			outcome: played.standing === "done" ? "done" : "stopped",
			exit: played.exit,
			parts: played.parts.map(tidy),
			missed: program.expected.filter(({ scope, id }) => !entered.has(`${scope}/${id}`)).map(({ name }) => name),
			changes: await stage.changes(),
			leftOut: stage.leftOut,
			output: played.output.trim(),
			errors: played.errors.trim(),
			kept,
		};
	} finally {
		if (kept === undefined) await stage.close();
	}
}

function relativeCall(call: Called, project: string): Called {
	const short = (text: string): string => text.replaceAll(`${project}/`, "").replaceAll(project, ".");
	return { ...call, with: short(call.with), ...(call.reason === undefined ? {} : { reason: short(call.reason) }) };
}
