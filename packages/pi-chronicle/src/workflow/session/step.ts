// `/workflow` as a step of a sequence. The step waits for the workflow and fails if the workflow does not finish unattended.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failStep, runAsStep, type StepEnd, waitForEnd } from "../../pi/index.ts";
import type { WorkflowRun } from "../phase-machine/index.ts";
import { askLine, pauseLine, placeLine } from "../prompts/index.ts";
import { runWorkflow } from "./command.ts";
import type { Workflows } from "./workflows.ts";

/** Read-only verbs: a workflow that is still active does not fail the step. */
const looking: ReadonlySet<string> = new Set(["list", "check", "status"]);

/** Runs `/workflow <args>` and returns when the workflow has ended or waits for the user. */
export function runWorkflowStep(
	workflows: Workflows,
	ctx: ExtensionCommandContext,
	args: string,
	signal: AbortSignal,
): ReturnType<typeof runAsStep> {
	return runAsStep(
		ctx,
		async (marked) => {
			const before = workflows.controller.held?.run.id;
			await runWorkflow(workflows, marked, args);
			const [verb = ""] = args.trim().split(/\s+/, 1);
			const { active, held } = workflows.controller;
			if (active === undefined) {
				if (held !== undefined && held.run.id !== before && held.run.status.kind === "cancelled")
					failStep(marked, "the workflow was cancelled.");
				return;
			}
			if (looking.has(verb.replace(/^--/, ""))) return;
			failAsWaiting(workflows, marked, active.run);
		},
		signal,
	);
}

/** The end of the run `id`; `undefined` while it is active. */
function endOf({ controller: { held, active } }: Workflows, id: string): StepEnd | undefined {
	if (active?.run.id === id) return undefined;
	if (held?.run.id === id && held.run.status.kind === "done") return { kind: "completed" };
	return { kind: "failed", reason: "the workflow was cancelled." };
}

function failAsWaiting(workflows: Workflows, marked: ExtensionCommandContext, run: WorkflowRun): void {
	const { status } = run;
	const waits = run.question === undefined ? "it waits for you." : askLine(run.question);
	const why = status.kind === "paused" ? pauseLine(status) : waits;
	const place = run.kind === "live" ? ` in ${placeLine(run)}` : "";
	const finish = status.kind === "paused" || run.question !== undefined ? "/workflow resume" : "/workflow next";
	failStep(marked, `the workflow is not finished${place}: ${why}`, exitCodes.waits, {
		finish,
		ended: (stop) => waitForEnd(() => endOf(workflows, run.id), stop),
	});
}
