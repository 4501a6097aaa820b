// Definitions for tests in a short notation: `{ p: ["a", "@s", "c"], s: ["s1"] }`.
import type { Phase, Reference, WorkflowDefinition } from "../../src/workflow/definitions/index.ts";
import {
	beginWorkflowRun,
	type Definitions,
	firstPosition,
	type LiveWorkflowRun,
	type WorkflowEvent,
	type WorkflowRun,
	type WorkflowTransition,
	workflowTransition,
} from "../../src/workflow/phase-machine/index.ts";

export type Draft = Partial<Omit<WorkflowDefinition, "entries">> & {
	readonly entries: readonly (string | (Partial<Phase> & { readonly id: string }))[];
};

/** A phase named after its id: `a` has the name `A` and the instructions `Do a.` */
function phase(id: string, more: Partial<Phase> = {}): Phase {
	const name = id.toUpperCase();
	const rest = { emoji: "🔹", instructions: `Do ${id}.`, profiles: [], autoContinue: undefined, file: `/w/${id}.md` };
	return { kind: "phase", id, name, tools: { kind: "free" }, advance: "agent", ...rest, ...more };
}

/** Workflows by key; `"@s"` refers to `s`, every other text is a phase of that id. */
export function drafts(written: Record<string, Draft["entries"] | Draft>): Definitions {
	const definitions = new Map<string, WorkflowDefinition>();
	for (const [key, value] of Object.entries(written)) {
		const { entries, ...more } = Array.isArray(value) ? { entries: value as Draft["entries"] } : (value as Draft);
		definitions.set(key, {
			key,
			name: `Workflow ${key}`,
			commandName: key,
			show: "user",
			initialMessage: `Start {workflowName} for {description}`,
			loopable: true,
			maxLoops: undefined,
			autoContinue: true,
			sessionNamePrefix: "Workflow: ",
			sessionNameMaxLength: 50,
			roleInstruction: undefined,
			advanceReminder: undefined,
			blockReasonTemplate: undefined,
			notDoneReminder: undefined,
			completionMessage: undefined,
			tier: "project",
			file: `/w/${key}/workflow.yaml`,
			...more,
			entries: entries.map((entry): Phase | Reference => {
				if (typeof entry !== "string") return phase(entry.id, entry);
				return entry.startsWith("@") ? { kind: "reference", key: entry.slice(1) } : phase(entry);
			}),
		});
	}
	return definitions;
}

/** A run of `key` that is in its first phase since time 1,000. */
export function begin(definitions: Definitions, key: string, task = "the task"): LiveWorkflowRun {
	const position = firstPosition(definitions, key);
	return beginWorkflowRun({ id: "wf-1000-abc123", definitions, workflowKey: key, task, at: 1000, position });
}

/** An event as cases write it: of what the model decides only the message that says so. */
export type Told =
	| Exclude<WorkflowEvent, { readonly decision: unknown }>
	| {
			readonly kind: "next" | "loop" | "cancel";
			readonly at: number;
			readonly message: string;
			readonly summary?: string;
	  }
	| { readonly kind: "ask"; readonly message: string; readonly question: string };

/** Lets events happen one after another. A message is written in the visit in which it first says something. */
export function openHearing(): (run: WorkflowRun, told: Told) => WorkflowTransition {
	const written = new Map<string, number>();
	return (run, told) => {
		if (!("message" in told)) return workflowTransition(run, told);
		const { message, ...event } = told;
		const seen = written.get(message) ?? run.step;
		written.set(message, seen);
		return workflowTransition(run, { ...event, decision: { message, seen } });
	};
}

/** Lets one event happen; what the model decides it decides in the present visit. */
export function happen(run: WorkflowRun, told: Told): WorkflowTransition {
	return openHearing()(run, told);
}
