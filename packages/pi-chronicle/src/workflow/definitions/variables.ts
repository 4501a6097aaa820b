// The variables that texts of a workflow may use as `{name}`, and their meaning. They are expanded elsewhere. The table in the
// documentation and the check for misspelled names are derived from this list.
import { nearest, type Problem, quoted, type Report, type Source } from "@pi-chronicle/core/definition";

/** The meaning of each variable. Every text of a workflow may use all of them, except that a phase's body cannot use `phaseInstructions`. */
export const variables: ReadonlyMap<string, string> = new Map(
	Object.entries({
		workflowName: "Name of the workflow that was started.",
		workflowKey: "Key of that workflow, its folder name.",
		description: "The task, as given to `/workflow`.",
		taskDescription: "The same as `{description}`.",
		task: "The same as `{description}`.",
		taskId: "Identifies this run.",
		phaseId: "Id of the current phase.",
		phaseName: "Name of the current phase.",
		phaseEmoji: "Emoji of the current phase.",
		phaseInstructions: "The current phase's body, with its variables replaced.",
		previousPhaseName: "Name of the previous phase; `(start)` in the first.",
		nextPhaseName: "Name of the next phase; `DONE` in the last.",
		blockedToolsList: "The tools that the phase forbids by name; `(none)` if there are none.",
		allowedTools: "The tools that the phase allows.",
		toolName: "`workflow_step`; in `blockReasonTemplate`, the tool that was refused.",
		breadcrumbPath: "Names of the enclosing workflows, joined with ` > `.",
		globalStepCount: "Number of steps of the run so far.",
		firstPhaseId: "Id of the first phase.",
		firstPhaseName: "Name of the first phase.",
		firstPhaseEmoji: "Emoji of the first phase.",
		firstPhaseProfiles: "Profiles of the first phase; `(none)` if there are none.",
		phaseCount: "Number of entries in `phases` of the started workflow.",
	}),
);

/**
 * Warns about each `{name}` that is not a variable, once per name. In a `template`, every unknown name counts. In `prose`, which may contain
 * code, only names similar to a variable count. `start` is the offset of the text in the source.
 */
export function checkVariables(
	text: string,
	start: number,
	kind: "template" | "prose",
	source: Source,
	report: Report,
): void {
	const reported = new Set<string>();
	for (const [written, name = ""] of text.matchAll(/\{(\w+)\}/g)) {
		if (reported.has(name)) continue;
		reported.add(name);
		const problem = variableProblem(written, name, kind);
		const at = source.text.indexOf(written, start);
		if (problem) report.warn(source.place(at === -1 ? start : at), problem);
	}
}

function variableProblem(written: string, name: string, kind: "template" | "prose"): Problem | undefined {
	// The instructions cannot contain themselves.
	const isItself = kind === "prose" && name === "phaseInstructions";
	if (variables.has(name) && !isItself) return undefined;
	const near = isItself ? undefined : nearest(name, variables.keys());
	if (near === undefined && kind === "prose" && !isItself) return undefined;
	return {
		code: "unknown-variable",
		message: `${quoted(written)} is not a variable and is not replaced.${near === undefined ? "" : ` Did you mean \`{${near}}\`?`}`,
		remedy: near === undefined ? "Remove it, or look up its name in the table of variables." : `Write \`{${near}}\`.`,
	};
}
