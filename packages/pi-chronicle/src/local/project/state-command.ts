// Runs the command of a state as a process, as a worker's shell would: judged by the guard's rules and the limits of the state, in the same sandbox.
// A command that its user has not approved does not run; what a rule forbids does not run, approved or not; its stdin is empty and it has
// no terminal; it has its own process group, carries the run's tag, and is killed after its time limit.
import { constants } from "node:os";
import { errorMessage, type SandboxChoice } from "@pi-chronicle/core/definition";
import type { CommandResult } from "@pi-chronicle/core/machine";
import type { CommandReport, StateCommandOrder, WorkingCopy } from "@pi-chronicle/core/ports";
import { type StatePlan, TESTS } from "@pi-chronicle/core/template";
import { withTestCommand } from "../../disk/index.ts";
import { hostEnvironment, openScope } from "../../pi/index.ts";
import { RUN_TAG, runShellCommand, type ShellCommandEnd } from "../../process/index.ts";
import {
	boxFolder,
	type Confinement,
	copiedProjectPolicy,
	enforceRules,
	measure,
	openConfinement,
	openPolicies,
	type Policies,
	type Policy,
	probeSandbox,
	sandboxPolicy,
	unchangedNeed,
	unchangedProjectPolicy,
} from "../../safety/index.ts";
import type { UnchangedProject } from "../worker/index.ts";
import { chooseBox, type FrozenRules, UNCHANGED_ADVICE } from "../worker/index.ts";
import { type CleanupStatus, neverRuns } from "./cleanup-approvals.ts";
import { CommandOutput } from "./command-output.ts";
import { reportOf } from "./command-report.ts";
import { endAsPlanned, REHEARSAL_VARIABLE } from "./rehearsed-command.ts";

/** What a project knows about its commands. */
export interface CommandPlace {
	readonly run: string;
	/** Whether the commands with this hash are approved. Called before every command. */
	readonly standing: (approval: string) => CleanupStatus;
	/** The guard's rules for this run, or why they cannot be enforced. */
	readonly rules: () => FrozenRules | { readonly kind: "unreadable"; readonly detail: string };
	/** The copy of the project that a folder is in; `undefined`: the project itself. */
	readonly copyAt?: (cwd: string) => Promise<WorkingCopy | undefined>;
	readonly agentFolder: string;
	readonly env: NodeJS.ProcessEnv;
	/** How shell commands are contained, as the user has chosen it. */
	readonly sandbox?: SandboxChoice | undefined;
}

const nothing = { ms: 0, bytes: 0 } as const;
const refusedCommand = (detail: string): CommandReport => ({ result: { kind: "refused", detail }, ...nothing });

/** Runs the command of `order`; see `CommandRunner`. */
export async function runStateCommand(
	place: CommandPlace,
	order: StateCommandOrder,
	signal: AbortSignal,
): Promise<CommandReport> {
	const plan = place.env[REHEARSAL_VARIABLE];
	if (plan) return endAsPlanned(plan, order);
	const standing = commandStanding(place, order);
	if (standing === "unknown")
		return refusedCommand(
			"it is not approved. `resume <run> --reload --approve-cleanup` approves the commands of the template",
		);
	if (standing === "never") return refusedCommand(neverRuns);
	const rules = place.rules();
	if ("kind" in rules) return refusedCommand(rules.detail);
	const scope = openScope();
	try {
		const copy = await place.copyAt?.(order.cwd);
		const policies = openPolicies();
		if (copy) policies.add(copiedProjectPolicy(copy));
		const guard = enforceRules(rules, { cwd: order.cwd, agentDir: place.agentFolder, copy }, policies, scope);
		const box = await openBox(place, order, { copy, closed: guard.closed });
		if (typeof box === "string") return refusedCommand(box);
		for (const policy of commandLimits(order, box, copy)) policies.add(policy);
		return await runJudged(place, order, { policies, box, strict: standing === "own" }, signal);
	} finally {
		await scope.close();
	}
}

/** The command of the project's tests comes from no template, so the rules judge it as one of the user's own. */
function commandStanding({ standing }: CommandPlace, { approval, state }: StateCommandOrder): CleanupStatus {
	if (state.command?.line === TESTS) return "own";
	return approval === null ? "unknown" : standing(approval);
}

/** The policies of a worker of the state. */
function commandLimits(
	{ state, cwd }: StateCommandOrder,
	box: Confinement | undefined,
	copy: WorkingCopy | undefined,
): Policy[] {
	const unchanged = unchangedByCommand(state);
	const limits = unchanged && { ...unchanged, advice: UNCHANGED_ADVICE, contained: box !== undefined };
	return [
		...(limits ? [unchangedProjectPolicy(limits, cwd, copy)] : []),
		...(box && limits ? [sandboxPolicy(box, "ignored", unchangedNeed)] : []),
		...(box && !limits ? [sandboxPolicy(box, "project", () => ({ scope: "project", network: "open" }))] : []),
	];
}

interface Judging {
	readonly policies: Policies;
	readonly box: Confinement | undefined;
	/** Whether a question of a rule, which nobody answers here, refuses the command. */
	readonly strict: boolean;
}

async function runJudged(
	place: CommandPlace,
	order: StateCommandOrder,
	{ policies, box, strict }: Judging,
	signal: AbortSignal,
): Promise<CommandReport> {
	const line = withTestCommand(order.line, order.cwd);
	const call = { id: "command", tool: "bash", input: { command: line }, siblings: [] };
	const footprint = () => measure(call, order.cwd);
	const { verdicts } = await policies.judge(call, footprint);
	const objection = verdicts.find(({ decision }) => decision === "deny" || strict);
	if (objection) return refusedCommand(`${objection.reason} [${objection.policy}: ${objection.rule}]`);
	const amended = policies.amend(call)?.command;
	const command = typeof amended === "string" ? amended : line;
	const need = await policies.confine({ ...call, input: { command } }, footprint);
	const confined = need && (await box?.confine(command, need));
	if (!(await order.starts(line))) return { result: { kind: "stopped" }, ...nothing };
	const outcome = await runTimed(place, order, confined?.command ?? command, signal);
	const remark = confined?.ended(outcome.result.kind !== "exited" || outcome.result.code !== 0) ?? "";
	const texts = [outcome.output ?? "", remark].filter((text) => text !== "");
	const screened = (await policies.screen(call, footprint, texts)).at(-1)?.texts ?? texts;
	return { ...outcome, command: line, ...(screened.length === 0 ? {} : { output: screened.join("\n") }) };
}

/** The limits of a state that lists tools without `edit` and `write`, as its worker would have them. */
function unchangedByCommand({ tools, shell }: StatePlan): UnchangedProject | undefined {
	if (!tools || shell === "free" || tools.includes("edit") || tools.includes("write")) return undefined;
	return { shell, tools };
}

/** The sandbox of the command; `undefined`: it has none; a sentence: one is required, and none works. */
async function openBox(
	{ agentFolder, sandbox, env }: CommandPlace,
	{ state, cwd, folder, files }: StateCommandOrder,
	{
		copy,
		closed,
	}: { readonly copy: WorkingCopy | undefined; readonly closed: (root: string) => Promise<readonly string[]> },
): Promise<Confinement | undefined | string> {
	const at = { state, cwd, folder, ...(copy ? { copy } : {}), ...(files === "repository" ? { files } : {}) };
	const box = await chooseBox(at, { skills: [] }, { sandbox, agentFolder, probe: () => probeSandbox(env) });
	if (box === "off") return undefined;
	if ("missing" in box) return box.missing;
	const { probe, root, network, write, read } = box;
	return openConfinement({
		...{ host: hostEnvironment(cwd), root, copy, probe, network, write, read },
		folder: boxFolder(folder),
		closed: () => closed(root),
	});
}

async function runTimed(
	{ run, env: { PI_CHRONICLE_ENGINE: _, ...env } }: CommandPlace,
	{ state, cwd, timeoutMs, file }: StateCommandOrder,
	command: string,
	signal: AbortSignal,
): Promise<CommandReport> {
	const output = new CommandOutput(file, state.command?.tailBytes ?? 0);
	const began = performance.now();
	// In one pipe, the lines of both streams keep their order. Data is on stdout alone.
	const merges = state.command?.parse === undefined && process.platform !== "win32";
	const end = await runShellCommand(merges ? `exec 2>&1\n${command}` : command, {
		...{ cwd, timeoutMs, signal, env: { ...env, [RUN_TAG]: run } },
		onOutput: (chunk, from) => output.add(chunk, from),
	});
	return reportOf(state, output, { result: commandResult(end, signal), ms: Math.round(performance.now() - began) });
}

function commandResult({ exit, late }: ShellCommandEnd, signal: AbortSignal): CommandResult {
	if (late) return { kind: "timed_out" };
	if (exit.kind === "unstarted") return { kind: "unstarted", detail: errorMessage(exit.error) };
	if (exit.kind === "exited") return exit;
	if (signal.aborted) return { kind: "stopped" };
	return { ...exit, code: 128 + constants.signals[exit.signal] };
}
