// `run`: starts a run of a template. Reports all obstacles at once. Cleanup commands need approval.

import type { Run } from "@pi-chronicle/core/machine";
import type { HeldLedger, WorkerLauncher } from "@pi-chronicle/core/ports";
import {
	createRun,
	findNoModel,
	namedChannels,
	neighbourNotes,
	openOutbox,
	type Preparation,
	prepareStart,
	readChannels,
	resolveModel,
	type StartOrder,
	startSupervision,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { apartLines } from "../phrases/index.ts";
import type { ParsedArguments } from "./arguments.ts";
import {
	type Command,
	type CommandCall,
	type CommandResponse,
	failed,
	interrupted,
	misuse,
	noWaitUsage,
	refused,
} from "./command.ts";
import { decideApart, decideCleanup, decideFolder, explainRedaction } from "./decisions.ts";
import type { Supervisors } from "./delivery.ts";
import { stopResult } from "./steer.ts";

export const startCommand: Command = {
	name: "run",
	takes: "<template> [options] <task…>",
	details: `Runs a template of the project, of your own folder, or of the package. The task is free text; if it starts with an option's name, put -- before it.`,
	exits:
		"0 done, 1 failed, 2 usage or an invalid definition, 3 waits for you, 4 a limit is reached, 5 human_intervention, 130 interrupted",
	options: `  --notify <channels>  tell you about the run by desktop, bell, or addresses of webhooks, separated by commas; none: by nothing
  --apart             work in a copy of the project; you take the files when it has ended: join, or discard
  --here              work in the project's folder, whatever the setting chronicle.apart says
  --in-home           start although the folder is your home folder or has it in it
`,
	shellOptions: `  --model <model>     model of states that name none (default: pi's default)
  --approve-cleanup   allow the template's cleanup commands, exactly as they are now
  --without-cleanup   run none of the template's cleanup commands
${noWaitUsage}  --queue <queue>  --labels <a,b>  --priority <n>   on an engine: queue, required labels, and priority (higher first)
`,
	text: 1,
	needs: "pi",
	async perform(call) {
		const { parsed, host, text: task } = call;
		const [name] = parsed.names;
		if (name === undefined) return misuse(`Name a template: ${host.startLine("<template>")} <task…>`);
		if (task === "") return misuse(`Describe the task: ${host.startLine(name)} <task…>`);
		const channels = channelsOf(parsed);
		if (channels && "kind" in channels) return channels;
		if (channels && call.project.engine)
			return misuse(
				"--notify is for runs of this machine: on an engine, its hosts send notices by their own settings.",
			);
		return startRun(call, name, channels);
	},
};

/** Starts the template `name`. `channels`: of --notify. */
async function startRun(
	call: CommandCall,
	name: string,
	channels: readonly object[] | undefined,
): Promise<CommandResponse> {
	const { project, host, signal, text: task } = call;
	const prepared = await prepareStart(project, name, signal);
	if (signal.aborted) return interrupted;
	if (prepared.kind === "refused") return refused({ ...prepared, code: "invalid" });
	const decided = await decideStart(call, prepared);
	if ("kind" in decided) return decided;
	if (signal.aborted) return interrupted;
	const notes = [...prepared.notes, ...(decided.apart ? [] : neighbourNotes(prepared.neighbours))];
	if (notes.length > 0) host.warn(notes.join("\n"));
	const created = await createRun(project, prepared, { task, ...decided });
	if (!created.ok) return failed(created.failure, exitCodes.failed);
	const ledger = created.value;
	if (channels) openOutbox(ledger.folder, { after: ledger.run.seq, channels });
	if (signal.aborted) {
		await ledger.releaseLease();
		return interrupted;
	}
	if (ledger.run.task !== task) host.warn(explainRedaction("task"));
	return project.engine ? submitted(call, ledger.run, project.engine.name) : begin(call, ledger, prepared.launcher);
}

async function begin(
	{ host, project }: CommandCall,
	ledger: HeldLedger,
	launcher: WorkerLauncher,
): Promise<CommandResponse> {
	host.started(ledger.run);
	for (const line of apartLines(ledger, project.place.cwd)) host.report(line);
	if (host.supervisors) return handOver({ host, project }, ledger, host.supervisors);
	const plans = [ledger.run.plan, ...ledger.run.childPlans.values()];
	const contained = await launcher.containment?.(plans.flatMap(({ states }) => [...states.values()]));
	if (contained) host.contained(contained);
	const run = startSupervision(project, ledger, host.approver(project, "uncalled"), "fresh", launcher);
	return stopResult({ host, project }, run.id, await host.attend(project, run));
}

/** The created run, left to the processes that supervise runs. */
async function handOver(
	{ host, project }: Pick<CommandCall, "host" | "project">,
	ledger: HeldLedger,
	supervisors: Supervisors,
): Promise<CommandResponse> {
	const { id, template } = ledger.run;
	await ledger.releaseLease();
	const isCarried = await supervisors.carryOn(project, id);
	const rest = isCarried
		? ""
		: ` No process supervises it: ${host.prefix}resume ${id.slice(0, 8)} starts its first worker.`;
	return { kind: "done", lines: [`Created ${template.name} (${id}).${rest}`], data: { id, exitCode: exitCodes.done } };
}

/** The channels of --notify, as the settings write them; `undefined`: those of the settings. */
function channelsOf({ values: { notify } }: ParsedArguments): readonly object[] | CommandResponse | undefined {
	if (notify === undefined) return undefined;
	const channels = namedChannels(notify);
	const [problem] = readChannels(channels).problems;
	return problem === undefined ? channels : misuse(`--notify: ${problem.replace(/^notify\[\d+\]\.\w+: /, "")}`);
}

/** What the user decides before the run exists, or why nothing is started. */
async function decideStart(
	call: CommandCall,
	prepared: Extract<Preparation, { kind: "ready" }>,
): Promise<Omit<StartOrder, "task"> | CommandResponse> {
	const { parsed, project, host } = call;
	const wide = await decideFolder(call, prepared);
	if (wide) return wide;
	const wanted = parsed.values.model;
	const model = wanted === undefined ? host.model : await resolveModel(project, wanted);
	if (typeof model === "object") return refused(model);
	const asksModel = model === undefined && !project.engine && prepared.hasWorkers;
	const none = asksModel ? await findNoModel(project) : undefined;
	if (none) return refused(none);
	const cleanup = await decideCleanup(call, prepared);
	if (typeof cleanup === "object") return cleanup;
	const apart = await decideApart(call, prepared);
	return typeof apart === "object" ? apart : { model, cleanup, apart };
}

async function submitted(
	{ host, project, parsed }: CommandCall,
	{ id, template }: Run,
	engine: string,
): Promise<CommandResponse> {
	const follow = `Follow it: ${host.prefix}status ${id.slice(0, 8)}`;
	const lines = [`Submitted ${template.name} (${id}) to the engine at ${engine}. ${follow}`];
	// A label that no host offers may be a typing mistake.
	const read = parsed.values.labels === undefined ? undefined : await project.store.read(id);
	if (read?.ok && read.value.queued !== undefined) lines.push(read.value.queued);
	return { kind: "done", lines, data: { id, exitCode: exitCodes.done, engine }, follow: id };
}
