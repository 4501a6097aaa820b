// Collects diagnostics while a file is read, so that all problems are reported at once.
// At most `limit` are kept, and one last diagnostic counts the rest; an error beyond the limit still counts as a failure.
import type { Diagnostic, Place } from "./diagnostic.ts";

/** A problem without its place. */
export type Problem = Pick<Diagnostic, "code" | "message" | "remedy">;

export interface Report {
	readonly diagnostics: readonly Diagnostic[];
	/** Whether an error was reported. */
	readonly failed: boolean;
	error(place: Place, problem: Problem): void;
	warn(place: Place, problem: Problem): void;
	add(diagnostics: readonly Diagnostic[]): void;
}

/** Opens an empty report that keeps at most `limit` diagnostics. */
export function openReport(limit = 100): Report {
	const kept: Diagnostic[] = [];
	let dropped = 0;
	let failed = false;
	let last: Diagnostic | undefined;

	const keep = (diagnostic: Diagnostic): void => {
		if (diagnostic.severity === "error") failed = true;
		if (kept.length < limit) kept.push(diagnostic);
		else {
			dropped += 1;
			last = diagnostic;
		}
	};

	return {
		get diagnostics() {
			if (!last) return kept;
			const more: Diagnostic = {
				file: last.file,
				severity: failed ? "error" : "warning",
				code: "more-problems",
				message: dropped === 1 ? "There is 1 more problem." : `There are ${dropped} more problems.`,
				remedy: "Fix those above first, then check again.",
			};
			return [...kept, more];
		},
		get failed() {
			return failed;
		},
		error: (place, problem) => keep({ ...place, ...problem, severity: "error" }),
		warn: (place, problem) => keep({ ...place, ...problem, severity: "warning" }),
		add: (diagnostics) => diagnostics.forEach(keep),
	};
}

/** Sorts errors before warnings, then by file, line, and column. Stable; returns a new list. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
	return [...diagnostics].sort(
		(a, b) =>
			compareTexts(a.severity, b.severity) ||
			compareTexts(a.file, b.file) ||
			(a.line ?? 0) - (b.line ?? 0) ||
			(a.column ?? 0) - (b.column ?? 0),
	);
}

function compareTexts(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
