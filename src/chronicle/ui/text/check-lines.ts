// Problems of checked templates and of refused commands, as plain lines.
import { type Diagnostic, formatDiagnostic, formatPath, formatPlace } from "../../../definition/index.ts";
import type { LaunchProblem } from "../../core/index.ts";
import type { Check } from "../../engine/index.ts";

/** File by file, then agents and teams. Paths below `cwd` are relative to it. */
export function templateCheckLines({ files, agents, unread }: Check, cwd: string): string[] {
	const shown = files.flatMap(({ file, loads, diagnostics, problems }) => [
		`${loads ? "✓" : "✗"} ${formatPath(file, cwd)}`,
		...diagnostics.map((diagnostic) => `  ${formatDiagnostic(diagnostic, cwd)}`),
		...problems.map((problem) => `  ${problemLine(problem, cwd)}`),
	]);
	return [
		...(files.length === 0 && !unread ? ["There are no templates."] : shown),
		...(unread
			? [
					"✗ The project's templates are not read: pi does not trust the project (/trust in pi, --approve for one command).",
				]
			: []),
		...(agents.length === 0 ? [] : ["Agents and teams:"]),
		...agents.map((diagnostic) => `  ${formatDiagnostic(diagnostic, cwd)}`),
	];
}

/** Why a command was refused. */
export interface ComplaintText {
	readonly message: string;
	readonly remedy?: string;
	readonly diagnostics?: readonly Diagnostic[];
	readonly problems?: readonly LaunchProblem[];
	/** Additional lines for users. */
	readonly lines?: readonly string[];
}

/** A refused command: its message, then all problems. Paths below `cwd` are relative to it. */
export function complaintLines(complaint: ComplaintText, cwd: string): string[] {
	const { message, remedy, diagnostics = [], problems = [], lines = [] } = complaint;
	return [
		remedy === undefined ? message : `${message} ${remedy}`,
		...diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, cwd)),
		...problems.map((problem) => problemLine(problem, cwd)),
		...lines,
	];
}

function problemLine({ state, severity, message, remedy, place }: LaunchProblem, cwd: string): string {
	const where = place === undefined ? "" : `${formatPlace(place, cwd)} `;
	return `${where}${state}: ${severity === "warning" ? "warning: " : ""}${message} ${remedy}`;
}
