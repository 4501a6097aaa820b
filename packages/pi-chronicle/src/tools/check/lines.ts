// Formats the result of a check as plain lines: each file, then other tools' files, then the count of each kind.
import { counted, formatDiagnostics, formatPath } from "@pi-chronicle/core/definition";
import { type CheckedKind, type CheckFinding, kinds } from "./finding.ts";
import type { ProjectCheck } from "./project-check.ts";

/** Shows paths below `cwd` relative to it. */
export function findingLines({ findings, foreign, further, unread }: ProjectCheck, cwd: string): string[] {
	return [
		...(Object.keys(kinds) as CheckedKind[]).flatMap((kind) => kindLines(kind, findings, cwd)),
		...(further.length === 0 ? [] : ["Further:"]),
		...formatDiagnostics(further, cwd).map((line) => `  ${line}`),
		...(foreign.length === 0 ? [] : ["Files of other tools, which are not read here:"]),
		...foreign.flatMap(({ file, format, remedy }) => [`  ${formatPath(file, cwd)}: ${format}.`, `    ${remedy}`]),
		...(unread
			? [
					"✗ The project's definitions are not read: pi does not trust the project (/trust in pi, --approve for one command).",
				]
			: []),
		checkSummary(findings, further),
	];
}

function kindLines(kind: CheckedKind, all: readonly CheckFinding[], cwd: string): string[] {
	const findings = all.filter((finding) => finding.kind === kind);
	if (findings.length === 0) return [];
	const [, plural] = kinds[kind];
	return [
		`${plural.charAt(0).toUpperCase()}${plural.slice(1)}:`,
		...findings.flatMap(({ file, name, loads, diagnostics }) => [
			`  ${loads ? "✓" : "✗"} ${kind === "team" ? `${name} (${formatPath(file, cwd)})` : formatPath(file, cwd)}`,
			...formatDiagnostics(diagnostics, cwd).map((line) => `    ${line}`),
		]),
	];
}

/** `3 workflows, 1 agent (1 invalid): 1 error, 2 warnings.` */
function checkSummary(findings: readonly CheckFinding[], further: ProjectCheck["further"]): string {
	const counts = (Object.keys(kinds) as CheckedKind[]).flatMap((kind) => {
		const found = findings.filter((finding) => finding.kind === kind);
		const bad = found.filter(({ loads }) => !loads).length;
		const [one, more] = kinds[kind];
		return found.length === 0 ? [] : [`${counted(found.length, one, more)}${bad === 0 ? "" : ` (${bad} invalid)`}`];
	});
	const diagnostics = [...findings.flatMap(({ diagnostics }) => diagnostics), ...further];
	const errors = diagnostics.filter(({ severity }) => severity === "error").length;
	const problems =
		diagnostics.length === 0
			? "no problems"
			: `${counted(errors, "error")}, ${counted(diagnostics.length - errors, "warning")}`;
	return `${counts.length === 0 ? "No definitions found" : counts.join(", ")}: ${problems}.`;
}
