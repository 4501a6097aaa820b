// `pi-chronicle run <template> <task…>`: starts a run and carries it on until it needs a person or ends.
import { exitCodes } from "../../../pi/index.ts";
import {
	createRun,
	nobody,
	type Preparation,
	prepareStart,
	resolveModel,
	startSupervision,
} from "../../engine/index.ts";
import { explainRedaction } from "../commands/index.ts";
import { cleanupLines } from "../text/index.ts";
import { carryOn } from "./carry-on.ts";
import type { Complaint } from "./output.ts";
import type { Verb } from "./verb.ts";
import { commonOptions, commonUsage } from "./verb-list.ts";

export const runTemplate: Verb = {
	name: "run",
	usage: `pi-chronicle run [options] <template> [options] <task…>

Runs a template of the project or of your own folder. The task may hold anything; where it begins with an option's name, put -- before it.

${commonUsage}  --model <model>     for states that name none (default: pi's own choice)
  --approve-cleanup   the template's cleanup commands, as they are now, may run
  --without-cleanup   start although they are not approved; none of them runs

Exit code: 0 done, 1 failed, 2 usage or an invalid definition, 3 waits for you, 4 budget, 5 human_intervention, 130 interrupted.
`,
	grammar: {
		options: { ...commonOptions, model: "value", "approve-cleanup": "flag", "without-cleanup": "flag" },
		textAfter: 1,
	},
	needs: "pi",
	async perform({ parsed, project, output, signal }) {
		const [name] = parsed.names;
		const task = parsed.text.join(" ").trim();
		if (name === undefined) return { code: "usage", message: "Name a template: pi-chronicle run <template> <task…>" };
		if (task === "") return { code: "usage", message: `Say what is to be done: pi-chronicle run ${name} <task…>` };
		const prepared = await prepareStart(project, name, signal);
		if (signal.aborted) return exitCodes.interrupted;
		if (prepared.kind === "refused") return { code: "invalid", ...prepared };
		const wanted = parsed.values.model;
		const model = wanted === undefined ? undefined : await resolveModel(project, wanted);
		if (typeof model === "object") return model;
		const cleanup = cleanupOrder(prepared, parsed.flags);
		if (typeof cleanup === "object") return cleanup;
		for (const note of prepared.notes) output.progress(`! ${note}`);
		if (prepared.cleanup && parsed.flags.has("approve-cleanup"))
			for (const line of ["! cleanup commands that may run:", ...cleanupLines(prepared.cleanup.commands)])
				output.progress(line);
		const created = await createRun(project, prepared, { task, model, cleanup });
		if (!created.ok) return { code: created.failure.reason, ...created.failure, exitCode: exitCodes.failed };
		const { run } = created.value;
		if (run.task !== task) output.progress(`! ${explainRedaction("task")}`);
		output.progress(`${name} ${run.id}: ${run.task.split("\n", 1)[0]}`);
		const live = startSupervision(project, created.value, nobody, "fresh", prepared.launcher);
		return (await carryOn(project, live, output, signal)).exitCode;
	},
};

/** The person's word on the template's cleanup commands, or why it is needed. */
function cleanupOrder(
	{ cleanup, found }: Extract<Preparation, { kind: "ready" }>,
	flags: ReadonlySet<string>,
): "approved" | "own" | "none" | (Complaint & { readonly exitCode: number }) {
	if (!cleanup || flags.has("without-cleanup")) return "none";
	if (flags.has("approve-cleanup") || cleanup.standing === "approved") return "approved";
	if (cleanup.standing === "own") return "own";
	return {
		code: "cleanup-not-approved",
		exitCode: exitCodes.waits,
		message: `"${found.key}" has cleanup commands that you have not approved in this wording, so nothing was started.`,
		remedy: "Read them; then start it with --approve-cleanup, or with --without-cleanup.",
		lines: cleanupLines(cleanup.commands),
	};
}
