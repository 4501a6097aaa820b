// What a verb says: progress and complaints on stderr; its result on stdout, as lines or, with --json, as exactly one object.
import { type Diagnostic, formatDiagnostic } from "../../../definition/index.ts";
import { printable } from "../../../pi/index.ts";
import type { LaunchProblem } from "../../core/index.ts";
import { problemLine } from "../text/index.ts";

export interface Output {
	readonly json: boolean;
	/** Progress: what happens on the way. */
	progress(line: string): void;
	/** Ends the verb with its result. */
	result(lines: readonly string[], data: object): void;
	/** Ends the verb with what went wrong. */
	fail(complaint: Complaint): void;
}

export interface Complaint {
	/** Short stable name. */
	readonly code: string;
	readonly message: string;
	readonly remedy?: string;
	readonly diagnostics?: readonly Diagnostic[];
	readonly problems?: readonly LaunchProblem[];
	/** Further lines for people. */
	readonly lines?: readonly string[];
}

/** Opens the output of one verb. `cwd`: paths below it are shown from there. */
export function openOutput(verb: string, json: boolean, cwd: string): Output {
	const err = (text: string): void => void process.stderr.write(`${printable(text)}\n`);
	return {
		json,
		progress: err,
		result(lines, data) {
			if (json) process.stdout.write(`${JSON.stringify({ verb, ...data }, null, "\t")}\n`);
			else if (lines.length > 0) process.stdout.write(`${printable(lines.join("\n"))}\n`);
		},
		fail({ code, message, remedy, diagnostics = [], problems = [], lines = [] }) {
			err(remedy === undefined ? message : `${message} ${remedy}`);
			for (const diagnostic of diagnostics) err(formatDiagnostic(diagnostic, cwd));
			for (const problem of problems) err(problemLine(problem));
			for (const line of lines) err(line);
			if (!json) return;
			const error = { code, message, ...(remedy === undefined ? {} : { remedy }), diagnostics, problems };
			process.stdout.write(`${JSON.stringify({ verb, error }, null, "\t")}\n`);
		},
	};
}
