// What all verbs have in common: options, help, exit codes of what goes wrong before anything happens.

import { exitCodes } from "../../../pi/index.ts";
import type { Failure } from "../../core/index.ts";
import { exitCodeOfFailure, type Project } from "../../engine/index.ts";
import { type ParsedArguments, parseArguments, type VerbGrammar } from "../commands/index.ts";
import { type Complaint, type Output, openOutput } from "./output.ts";
import { isComplaint, openPlace, placeOptions } from "./place.ts";

export interface VerbCall {
	/** The words behind the verb. */
	readonly args: readonly string[];
	readonly parsed: ParsedArguments;
	readonly project: Project;
	readonly output: Output;
	readonly signal: AbortSignal;
}

/** The exit code, or a complaint, which ends with its own or that of a usage error. */
export type Outcome = number | (Complaint & { readonly exitCode?: number });

/** What a record that cannot be read or written ends a verb with. */
export function failed(failure: Failure): Outcome {
	return { code: failure.reason, ...failure, exitCode: exitCodeOfFailure(failure) };
}

export interface Verb {
	readonly name: string;
	readonly usage: string;
	/** Its options include `commonOptions`. */
	readonly grammar: VerbGrammar;
	/** Whether it can start workers. */
	readonly needs: "pi" | "nothing";
	perform(call: VerbCall): Promise<Outcome>;
}

/** Runs a verb with the words behind it; resolves to the exit code. */
export async function runVerb(verb: Verb, args: readonly string[], signal: AbortSignal): Promise<number> {
	const parsed = parseArguments(args, verb.grammar);
	if ("error" in parsed) {
		// Whoever asked for JSON gets it, also where the rest is not understood.
		const output = openOutput(verb.name, args.includes("--json"), process.cwd());
		output.fail({ code: "usage", message: parsed.error, lines: ["", verb.usage] });
		return exitCodes.usage;
	}
	if (parsed.flags.has("help")) {
		process.stdout.write(verb.usage);
		return exitCodes.done;
	}
	const options = placeOptions(parsed);
	const output = openOutput(verb.name, parsed.flags.has("json"), options.cwd);
	const project = openPlace(options, verb.needs);
	if (isComplaint(project)) {
		output.fail(project);
		return exitCodes.usage;
	}
	const outcome = await verb.perform({ args, parsed, project, output, signal });
	if (typeof outcome === "number") return outcome;
	const { exitCode = exitCodes.usage, ...complaint } = outcome;
	output.fail(complaint);
	return exitCode;
}
