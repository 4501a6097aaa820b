// Resolving conflicts by hand on an engine: the files are copied to the user's machine, and the approval sends the edited files back.
import type { Approval, ReadLedger, UserEvent } from "../../core/index.ts";
import type { EngineLink } from "../../engine/index.ts";
import type { RunCommand } from "./run-command.ts";

type ByHand = { readonly kind: string; readonly choice?: string; readonly resolved?: string };

function isByHand({ kind, choice, resolved }: ByHand): boolean {
	return kind === "approved" && choice === "hand" && resolved === undefined;
}

/** The command with the resolved files, or why it has to wait for them. Other commands stay as they are. */
export async function bringResolution(
	engine: EngineLink,
	ledger: ReadLedger,
	command: RunCommand,
): Promise<RunCommand> {
	const answers: readonly (Approval | UserEvent)[] =
		command.kind === "answer" ? [command.approval] : command.kind === "events" ? command.events : [];
	if (!answers.some(isByHand)) return command;
	const found = await engine.resolveByHand(ledger);
	if (!found.ok) return { kind: "refused", message: `${found.failure.message} ${found.failure.remedy}` };
	const resolution = found.value;
	switch (resolution.kind) {
		case "opened":
			return {
				kind: "refused",
				message: `The conflicts are in ${resolution.path} on this machine. Resolve them there, then choose hand again.`,
			};
		case "unresolved":
			return {
				kind: "refused",
				message: `Still in conflict in ${resolution.path}: ${resolution.files.join(", ")}. Resolve them there, then choose hand again.`,
			};
		case "resolved": {
			const resolve = <Answer extends ByHand>(answer: Answer): Answer =>
				isByHand(answer) ? { ...answer, resolved: resolution.tree } : answer;
			if (command.kind === "answer") return { ...command, approval: resolve(command.approval) };
			return command.kind === "events" ? { ...command, events: command.events.map(resolve) } : command;
		}
	}
}
