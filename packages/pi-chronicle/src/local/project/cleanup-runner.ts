// Runs cleanup commands as processes. The state machine decides which command runs when; this file checks again whether it may run at all, because a
// ledger can come from anywhere.
// Only a command that the user approved runs unjudged; one from the user's own template is judged by the guard's rules; a command has its own
// process group, carries the run's tag, and is killed after its time limit; only the tail of its output is kept, redacted.
import { errorMessage } from "@pi-chronicle/core/definition";
import type { CommandRunner, ShellResult, WorkingCopy } from "@pi-chronicle/core/ports";
import { openScope } from "../../pi/index.ts";
import { type ChildExit, RUN_TAG, runShellCommand } from "../../process/index.ts";
import {
	copiedProjectPolicy,
	enforceRules,
	measure,
	openPolicies,
	redactText,
	type Verdict,
} from "../../safety/index.ts";
import type { FrozenRules } from "../worker/index.ts";
import { neverRuns } from "./cleanup-approvals.ts";
import type { CommandPlace } from "./state-command.ts";

/** Maximum characters of stored output. */
const outputLength = 2000;

export function openCleanupRunner(options: CommandPlace): CommandRunner {
	const refused = (detail: string): ShellResult => ({ result: { kind: "refused", detail }, output: "" });
	return {
		async run(command, cwd, timeoutMs, signal, approval) {
			switch (approval === null ? "unknown" : options.standing(approval)) {
				case "unknown":
					return refused("its text was not approved on this machine");
				case "never":
					return refused(neverRuns);
				case "own": {
					const rules = options.rules();
					if ("kind" in rules) return refused(rules.detail);
					const place = { cwd, agentDir: options.agentFolder, copy: await options.copyAt?.(cwd) };
					const [verdict] = await judgeCleanup(command, place, rules);
					if (verdict) return refused(`${verdict.reason} [${verdict.policy}: ${verdict.rule}]`);
					break;
				}
				case "approved":
			}
			// The address of an engine may hold a password.
			const { PI_CHRONICLE_ENGINE: _, ...env } = options.env;
			return runCommand(command, cwd, timeoutMs, signal, { ...env, [RUN_TAG]: options.run });
		},
	};
}

/** The guard's objections to a command: denials, and questions, which cannot be answered here. */
async function judgeCleanup(
	command: string,
	place: { readonly cwd: string; readonly agentDir: string; readonly copy: WorkingCopy | undefined },
	rules: FrozenRules,
): Promise<readonly Verdict[]> {
	const scope = openScope();
	const policies = openPolicies();
	try {
		if (place.copy) policies.add(copiedProjectPolicy(place.copy));
		enforceRules(rules, place, policies, scope);
		const call = { id: "cleanup", tool: "bash", input: { command }, siblings: [] };
		return (await policies.judge(call, () => measure(call, place.cwd))).verdicts;
	} finally {
		await scope.close();
	}
}

async function runCommand(
	command: string,
	cwd: string,
	timeoutMs: number,
	signal: AbortSignal,
	env: NodeJS.ProcessEnv,
): Promise<ShellResult> {
	if (signal.aborted) return { result: { kind: "unstarted", detail: "It was canceled." }, output: "" };
	const { exit, late, output } = await runShellCommand(command, { cwd, env, timeoutMs, signal });
	return {
		result: late ? { kind: "timed_out" } : cleanupResult(exit),
		output: redactText(output.slice(-outputLength), outputLength),
	};
}

function cleanupResult(exit: ChildExit): ShellResult["result"] {
	switch (exit.kind) {
		case "exited":
			return exit;
		case "killed":
			return exit;
		case "unstarted":
			return { kind: "unstarted", detail: errorMessage(exit.error) };
	}
}
