// The variables that texts of a workflow may use as `{name}`: which there are and what they stand for. Filling them in is not done
// here. The table in the documentation and the check for misspelt names come from this list.
import { nearest, quoted, type Report, type Source } from "../../definition/index.ts";

/** Where a text is used. `message`: the first message; `prompt`: phase bodies, role and advance texts; the rest as the fields are called. */
export type TextUse = "message" | "prompt" | "block" | "reminder" | "completion";

export interface Variable {
	readonly about: string;
	readonly uses: readonly TextUse[];
}

const everywhere: readonly TextUse[] = ["message", "prompt", "block", "reminder", "completion"];

export const variables: ReadonlyMap<string, Variable> = new Map(
	Object.entries({
		workflowName: { about: "Name of the workflow that was started.", uses: everywhere },
		workflowKey: { about: "Its directory name.", uses: everywhere },
		description: { about: "The task, as it was given to `/workflow`.", uses: everywhere },
		taskDescription: { about: "The same as `{description}`.", uses: everywhere },
		taskId: { about: "Identifies this run.", uses: everywhere },
		phaseId: { about: "Id of the current phase.", uses: everywhere },
		phaseName: { about: "Name of the current phase.", uses: everywhere },
		phaseEmoji: { about: "Emoji of the current phase.", uses: everywhere },
		phaseInstructions: { about: "The current phase's body, its own variables filled in.", uses: ["reminder"] },
		previousPhaseName: { about: "Name of the phase before, `(start)` in the first.", uses: everywhere },
		nextPhaseName: { about: "Name of the phase after, `DONE` in the last.", uses: everywhere },
		blockedToolsList: {
			about: "The tools that the phase forbids, `(none)` where it forbids none by name.",
			uses: everywhere,
		},
		allowedTools: { about: "What the phase allows.", uses: everywhere },
		toolName: { about: "`workflow_step`; in `blockReasonTemplate` the tool that was refused.", uses: everywhere },
		breadcrumbPath: { about: "Names of the workflows around the phase, joined with ` > `.", uses: everywhere },
		globalStepCount: { about: "How many steps the run has made.", uses: everywhere },
		firstPhaseId: { about: "Id of the first phase.", uses: everywhere },
		firstPhaseName: { about: "Name of the first phase.", uses: everywhere },
		firstPhaseEmoji: { about: "Emoji of the first phase.", uses: everywhere },
		firstPhaseProfiles: { about: "Profiles of the first phase, `(none)` without any.", uses: everywhere },
		phaseCount: { about: "How many entries `phases` of the started workflow has.", uses: everywhere },
	} satisfies Record<string, Variable>),
);

/**
 * Warns of `{names}` that are no variable. In a template every unknown name counts; in `prose`, which may hold code, only one that is
 * nearly the name of a variable. `start` is the offset at which the text stands in the source.
 */
export function checkVariables(
	text: string,
	start: number,
	kind: "template" | "prose",
	source: Source,
	report: Report,
): void {
	for (const [whole, name = ""] of text.matchAll(/\{(\w+)\}/g)) {
		if (variables.has(name)) continue;
		const near = nearest(name, variables.keys());
		if (near === undefined && kind === "prose") continue;
		const at = source.text.indexOf(whole, start);
		report.warn(source.place(at === -1 ? start : at), {
			code: "unknown-variable",
			message: `${quoted(whole)} is no variable and stays as it is.${near === undefined ? "" : ` Did you mean \`{${near}}\`?`}`,
			remedy: near === undefined ? "Remove it, or check its name in the table of variables." : `Write \`{${near}}\`.`,
		});
	}
}
