// The result of a check, as plain lines for any screen.
import { formatDiagnostic, formatPath } from "../../../definition/index.ts";
import type { LaunchProblem } from "../../core/index.ts";
import type { Check } from "../../engine/index.ts";

/** File by file, then agents and teams. Paths below `cwd` are shown from there. */
export function templateCheckLines({ files, agents, unread }: Check, cwd: string): string[] {
	const shown = files.flatMap(({ file, loads, diagnostics, problems }) => [
		`${loads ? "✓" : "✗"} ${formatPath(file, cwd)}`,
		...diagnostics.map((diagnostic) => `  ${formatDiagnostic(diagnostic, cwd)}`),
		...problems.map((problem) => `  ${problemLine(problem)}`),
	]);
	return [
		...(files.length === 0 && !unread ? ["There are no templates."] : shown),
		...(unread
			? [
					"✗ The project's templates are not read: pi has not been told to trust it (/trust in pi, --approve for one command).",
				]
			: []),
		...(agents.length === 0 ? [] : ["Agents and teams:"]),
		...agents.map((diagnostic) => `  ${formatDiagnostic(diagnostic, cwd)}`),
	];
}

/** What stands in the way of a state, or is worth knowing of it. */
export function problemLine({ state, severity, message, remedy }: LaunchProblem): string {
	return `${state}: ${severity === "warning" ? "warning: " : ""}${message} ${remedy}`;
}
