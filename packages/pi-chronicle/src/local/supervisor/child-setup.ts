// The set-up commands of the children of a state, in the own folder of each.
import { childrenPlanOf, explainResult, type Run } from "@pi-chronicle/core/machine";
import type { CommandRunner, Result } from "@pi-chronicle/core/ports";

export interface ChildSetup {
	/** The run that starts the children. */
	readonly parent: Run;
	readonly commands: CommandRunner;
	readonly cwd: string;
	readonly signal: AbortSignal;
}

/** Runs the commands; a failure says why one was not done. They may run twice after a crash. */
export async function setUpChild({ parent, commands, cwd, signal }: ChildSetup): Promise<Result<void>> {
	const setup = childrenPlanOf(parent)?.setup ?? [];
	if (setup.length > 0 && (parent.cleanupApproval === null || parent.cleanupApproval !== parent.cleanupHash))
		return unapproved(parent);
	for (const { command, timeoutMs } of setup) {
		const { result, output } = await commands.run(command, cwd, timeoutMs, signal, parent.cleanupHash);
		if (result.kind === "exited" && result.code === 0) continue;
		const how = explainResult(result);
		const message = `The set-up command failed (${how}): ${command.slice(0, 100)}${output ? ` · ${output.slice(-300)}` : ""}`;
		return { ok: false, failure: { reason: "setup", message, remedy: "" } };
	}
	return { ok: true, value: undefined };
}

function unapproved({ id, visit }: Run): Result<never> {
	const way = `rewind ${id.slice(0, 8)} ${visit} --reload --approve-cleanup`;
	return {
		ok: false,
		failure: {
			reason: "setup",
			message: "Its set-up commands are not approved.",
			remedy: `${way} approves them, and plans the children anew.`,
		},
	};
}
